"""Symmetries of spaces of panels: which there are, and that lines solve a panel as they solve its image."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from epcg_witness.generators.placements import Placements, must_cross, orbit, pieces, placements
from epcg_witness.params import GroupParams, MustCrossParams, PiecesParams, PlacementParams
from epcg_witness.rules.reference import solutions
from epcg_witness.rules.symmetry import PanelSymmetry, symmetries

from tests.workplace import epcg

SQUARES = ("square black", "square white")
TWO_COLOURS = placements(PlacementParams(width=2, height=2, groups=(GroupParams(SQUARES, 2),)))
TWO_GROUPS = placements(
    PlacementParams(width=2, height=2, groups=tuple(GroupParams((square,), 1) for square in SQUARES))
)
OBLONG = placements(PlacementParams(width=2, height=1, groups=(GroupParams(SQUARES, 1),)))
PIECES = pieces(PiecesParams(width=2, height=2, pieces=2))
DOTS = must_cross(MustCrossParams(width=2, height=2, count=2))
CASES = [
    pytest.param(TWO_COLOURS, 4, id="a group of two colours"),
    pytest.param(TWO_GROUPS, 4, id="a group for each colour"),
    pytest.param(OBLONG, 2, id="no mirror of an oblong keeps the start"),
    pytest.param(PIECES, 2, id="polyominoes are mirrored"),
    pytest.param(DOTS, 2, id="dots"),
]


def group_of(space: Placements) -> tuple[PanelSymmetry, ...]:
    return symmetries(space.setting, space._kinds)


@pytest.mark.parametrize(("space", "order"), CASES)
def test_the_symmetries_of_a_space(space: Placements, order: int) -> None:
    assert len(group_of(space)) == order


@pytest.mark.parametrize("panels", [20, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("space", "order"), CASES)
def test_images_have_as_many_solutions_and_one_canonical_rank(
    space: Placements, order: int, panels: int
) -> None:
    for rank in range(0, space.max_rank, max(1, space.max_rank // panels)):
        panel = space.unrank(rank)
        images = orbit(space, panel)
        assert images[0] == panel
        ranks = [space.rank(image) for image in images]
        assert {space.canonical_rank(other) for other in ranks} == {min(ranks)}
        assert len({len(list(solutions(image))) for image in images}) == 1


def test_classes_by_name() -> None:
    by = {names: TWO_COLOURS.canonical_rank_by(names) for names in [("mirror",), ("colours",)]}
    every = range(TWO_COLOURS.max_rank)
    classes = {names: len(Counter(map(canonical, every))) for names, canonical in by.items()}
    # 6 pairs of cells times 4 colourings: 24 panels. By Burnside's lemma: the mirror keeps 2 * 4 + 2 * 2.
    fixed = sum(orbit(TWO_COLOURS, TWO_COLOURS.unrank(r)).count(TWO_COLOURS.unrank(r)) for r in every)
    assert len(Counter(map(TWO_COLOURS.canonical_rank, every))) == fixed // 4
    assert classes[("colours",)] == 12


def test_spaces_in_which_several_ranks_give_one_panel_offer_none() -> None:
    space = placements(PlacementParams(width=2, height=2, groups=(GroupParams(("dot", "none"), 2, "edges"),)))
    assert not hasattr(space, "canonical_rank")
    lopsided = placements(PlacementParams(width=2, height=1, groups=(GroupParams(("triangles 1",), 1),)))
    assert not hasattr(lopsided, "canonical_rank")


@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_query_keeps_one_of_each_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.chdir(tmp_path)
    asked = (
        "run",
        "witness/must_cross",
        "--set",
        "generator.width=2",
        "--set",
        "generator.height=2",
        "--quiet",
    )
    epcg(*asked, "--set", f"generator.count={count}", "--set", "select.0.distinct=true")
    epcg(*asked, "--set", f"generator.count={count}", "--set", 'select.0.distinct=["mirror"]')
    said = epcg("sql", "SELECT DISTINCT kept_by FROM kept WHERE run_id = 1").stdout
    assert (
        "best by solutions, one of each symmetry class; best by solutions, one of each class by mirror"
        in said
    )
    assert "Did you mean 'mirror'?" in epcg(*asked, "--set", 'select.0.distinct=["miror"]', code=1).stderr
    rows = epcg("top", 1, "--symmetry", "mirror", "--count", 100).stdout.splitlines()
    every = epcg("top", 1, "--count", 100).stdout.splitlines()
    assert 1 < len(rows) <= len(every)
