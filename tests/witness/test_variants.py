"""Variants of the rules, pillars, ends in edges, missing edges, dots of one line: all forms agree."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import attrs
import pytest
from epcg_witness.formats.drawing import DrawingError, draw_solution, format_panel, parse_panel
from epcg_witness.rules.grid import PanelError, grid_of
from epcg_witness.rules.panel import Panel, Polyomino
from epcg_witness.rules.reference import regions, solutions
from epcg_witness.rules.search import search_solutions
from epcg_witness.rules.variants import ANSWERS, DEFAULT, VARIANTS, Variant, parse_variant
from epcg_witness.solving.search import search_panel
from epcg_witness.solving.solver import count_solutions

from tests.witness.doubled import Doubled
from tests.witness.random_variants import (
    FEATURES,
    features_of,
    line_of,
    random_open_panel,
    random_variant,
    random_variant_panel,
)
from tests.workplace import epcg, shared


def agreed(panel: Panel, searched: bool) -> tuple[tuple[int, ...], ...]:
    """The solutions of a panel, on which all forms must agree."""
    drawing = format_panel(panel)
    plain = tuple(solutions(panel))
    found = search_panel(panel, first=len(plain) + 1)
    assert found.first == plain, drawing
    assert found.solutions == len(plain)
    lengths = [len(panel.grid.path_edges(path)) for path in plain] or [0]
    assert (found.shortest, found.longest) == (min(lengths), max(lengths)), drawing
    assert Counter(line_of(panel, path) for path in plain) == Doubled(panel).solutions(), drawing
    assert not searched or tuple(search_solutions(panel, 10**6)) == plain, drawing
    assert parse_panel(drawing) == panel
    return plain


@pytest.mark.parametrize("panels", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_plain_compiled_and_brute_force_agree_on_random_panels(panels: int) -> None:
    r = random.Random(51)
    solvable: Counter[str] = Counter()
    unsolvable = 0
    for i in range(panels):
        panel = random_variant_panel(r)
        plain = agreed(panel, searched=i % 3 == 0)
        solvable.update(features_of(panel) if plain else ())
        unsolvable += not plain
    assert min(solvable[feature] for feature in FEATURES) >= panels * 0.02, solvable
    assert unsolvable >= panels * 0.1


ALONE = {f"{question} {answers[1]}": attrs.evolve(DEFAULT, **{question: answers[1]})
         for question, answers in ANSWERS.items()}  # fmt: skip


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["default", "game", *ALONE])
@pytest.mark.parametrize("panels", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_variant_agrees_with_brute_force(name: str, panels: int) -> None:
    r = random.Random(f"variant {name}")
    variant = parse_variant(name)
    changed = 0
    for i in range(panels):
        panel = (random_variant_panel if i % 3 == 0 else random_open_panel)(r, variant)
        plain = agreed(panel, searched=i % 5 == 0)
        usual = attrs.evolve(panel, variant=DEFAULT)
        changed += len(plain) != search_panel(usual).solutions
    assert panels < 1000 or name == "default" or changed >= 5


PUBLISHED = {  # counts of another public program, in the README of the cases
    "simple-double-negation": 42, "double-negation-with-double-squares": 86,
    "double-negation-with-double-squares-2": 86, "negation-complexity-B1": 0, "negation-complexity-B2": 0,
    "polyomino-with-center-start": 4, "polyomino-and-ylop-with-center-start": 2,
    "shouldnt-completely-cancel": 0, "coloorange-negation-with-stars-2": 2, "inconsistent-negation": 0,
    "gap2-should-adjust-edge": 7,
}  # fmt: skip
OPEN = {"gap2-should-adjust-edge": ", gaps missing"}
"""What is said more of panels whose gaps are missing edges, which their drawings cannot tell from others."""
BEFORE = {
    "simple-double-negation": 41, "double-negation-with-double-squares": 38,
    "double-negation-with-double-squares-2": 80, "negation-complexity-B1": 4, "negation-complexity-B2": 3096,
    "polyomino-with-center-start": 12, "polyomino-and-ylop-with-center-start": 6,
    "shouldnt-completely-cancel": 6, "coloorange-negation-with-stars-2": 0, "inconsistent-negation": 910,
    "gap2-should-adjust-edge": 4,
}  # fmt: skip


def scored(path: Path, text: str) -> int:
    """The number of solutions that `epcg score` prints of a panel in a file."""
    path.write_text(text, "utf-8")
    found = json.loads(
        epcg("score", path, "--domain", "witness", "--db", path.with_suffix(".db"), "--json").stdout
    )
    (solutions,) = (each["value"] for each in found["measures"] if each["measure"] == "solutions")
    return int(solutions)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_game_counts_as_another_public_program_does(name: str, tmp_path: Path) -> None:
    text = shared(f"cases/witness-variants/{name}.txt").read_text()
    for variant, count in (("default", BEFORE[name]), ("windmill", BEFORE[name]),
                           ("game" + OPEN.get(name, ""), PUBLISHED[name])):  # fmt: skip
        assert scored(tmp_path / "panel.txt", f"{text}variant: {variant}\n") == count
    assert scored(tmp_path / "panel.txt", text) == BEFORE[name]
    panel = parse_panel(f"{text}variant: game{OPEN.get(name, '')}\n")
    assert panel.grid.cells >= 16 or len(agreed(panel, searched=True)) == PUBLISHED[name]


def test_gaps_that_open_cells_to_the_outside_are_drawn_as_missing_or_said_to_be(tmp_path: Path) -> None:
    text = shared("cases/witness-variants/gap2-should-adjust-edge.txt").read_text()
    drawn = text.replace("- -", "...").replace(":   :   :   :   :", ".   .   .   .   .")
    assert (
        parse_panel(drawn).outside == parse_panel(text + "variant: gaps missing").outside == {*range(8, 16)}
    )
    assert scored(tmp_path / "panel.txt", drawn + "variant: game\n") == 7
    assert scored(tmp_path / "panel.txt", drawn) == 7
    assert scored(tmp_path / "panel.txt", text + "variant: gaps missing\n") == 7


def test_an_eraser_leaves_with_what_it_removes() -> None:
    """Two stars are left of three, and an eraser of their colour that stayed would be a third symbol."""
    drawing = "E---+---+\n| a | a |\n+---+---+\n| b | a |\n+---+---S\na: star orange\nb: eraser orange\n"
    assert count_solutions(parse_panel(drawing)) == 0
    assert count_solutions(parse_panel(drawing + "variant: erasers leave")) == 2


def test_pieces_of_equal_areas_can_be_asked_to_cancel_by_shape() -> None:
    drawing = (
        "E---+---+\n|   | a |\n+---+---+\n| b |   |\n+---+---S\na: polyomino {}\nb: polyomino {} negative\n"
    )
    upright, flat = drawing.format("#/#", "##"), drawing.format("##", "##")
    assert count_solutions(parse_panel(upright)) == count_solutions(parse_panel(flat)) == 6
    assert count_solutions(parse_panel(upright + "variant: equal_areas shapes")) == 0
    assert count_solutions(parse_panel(flat + "variant: equal_areas shapes")) == 6


def test_a_negative_piece_off_the_panel_can_be_forbidden() -> None:
    # the piece of three lies over the cell and two more, which the negative one takes away
    drawing = "+---E\n| a |\n+---+\n| b |\nS---+\na: polyomino ###\nb: polyomino # negative\n"
    assert count_solutions(parse_panel(drawing)) == 0
    drawing = "+---E\n| a |\n+---+\n| b |\nS---+\na: polyomino #/#/#\nb: polyomino # negative\n"
    assert count_solutions(parse_panel(drawing)) == 2
    assert count_solutions(parse_panel(drawing + "variant: off_panel forbidden")) == 0


def test_cells_that_missing_edges_open_to_the_outside_belong_to_no_region() -> None:
    drawing = "+{0}E\n| a |\n+---+\n| b |\nS---+\na: square black\nb: square white\n"
    whole, open_above = parse_panel(drawing.format("---")), parse_panel(drawing.format("..."))
    assert open_above.outside == {1}
    letters = [panel.grid.path_letters(path) for panel in (whole, open_above) for path in solutions(panel)]
    assert letters == ["URU", "RULUR", "URU", "RUU"]


def test_four_triangles_ask_for_a_line_that_begins_in_an_edge_of_the_cell() -> None:
    panel = parse_panel("+---+-S-+---E\n|   | a |   |\n+---+---+---+\na: triangles 4\n")
    found = [panel.grid.path_letters(path) for path in solutions(panel)]
    assert found == [panel.grid.path_letters(path) for path in search_panel(panel, first=9).first]
    assert found == ["LDRUR"]
    assert count_solutions(parse_panel("+---+---E\n| a |   |\nS---+---+\na: triangles 4\n")) == 0


def test_pillars_are_walked_around() -> None:
    panel = parse_panel("+---E---+---+\n|   |   |   |\nS---+---+---S\nshape: pillar\n")
    assert count_solutions(panel) == sum(Doubled(panel).solutions().values()) == 9
    drawn = draw_solution(panel, (0, 3, 5, 4))
    assert drawn.splitlines()[:3] == ["+---E===+===+", "H   |   |   H", "S---+---+---S"]
    assert [panel.grid.path_letters(p) for p in solutions(panel)][:2] == ["UR", "ULDLU"]


def test_the_largest_pillar_has_eight_cells_around() -> None:
    """One line winds upwards through all 64 vertices; a piece in each row lies over the seam."""
    grid = grid_of(8, 7, True)
    path, at = [], 0
    for y in range(8):
        path += [grid.vertex((at + x) % 8, y) for x in range(8)]
        at = (at + 7) % 8
    free = {*grid.path_edges(path)}
    gaps = [edge for edge in range(grid.edges) if edge not in free]
    panel = Panel(width=8, height=7, pillar=True, gaps=gaps, starts=[path[0]], ends=[path[-1]])
    found = search_panel(panel, first=2)
    assert found.first == (tuple(path),)
    assert found.longest == 63
    assert parse_panel(format_panel(panel)) == panel
    (region,) = regions(grid, free)
    rows = [Polyomino([(x, 0) for x in range(7)]), Polyomino([(0, 0)])]
    held = {8 * y + x: piece for y in range(7) for x, piece in enumerate(rows)}
    assert len(region) == 56
    assert search_panel(attrs.evolve(panel, symbols=held)).solutions == 1


@pytest.mark.parametrize(
    ("symmetry", "image"),
    [("horizontal", (1, 0)), ("vertical", (3, 1)), ("rotational", (1, 1)), ("parallel", (3, 0))],
)
def test_on_a_pillar_the_other_line_is_half_way_round(symmetry: str, image: tuple[int, int]) -> None:
    grid = grid_of(4, 1, True)
    panel = (
        Panel(width=4, height=1, pillar=True, symmetry=symmetry, starts=range(4), ends=range(4, 8))
        if (symmetry in ("horizontal", "parallel"))
        else Panel(width=4, height=1, pillar=True, symmetry=symmetry, starts=[0, 2, 4, 6], ends=[1, 3, 5, 7])
    )
    assert grid.vertex_at(panel.twin_vertex(grid.vertex(1, 0))) == image


def test_each_line_covers_its_own_dots() -> None:
    drawing = "E---+---+---E\n{} |   |   |\nS---+---+---S\nsymmetry: horizontal\n"
    for mark, once, twice in (("*", 1, 2), ("1", 1, 1), ("2", 0, 1)):
        text = drawing.format(mark + "  ")
        assert count_solutions(parse_panel(text)) == once
        assert count_solutions(parse_panel(text + "variant: pairs twice")) == twice


def test_the_other_line_can_end_in_an_edge_that_is_closed_to_the_first() -> None:
    """The dot of the first line lies where it ends, so only the second can end in the edge below."""
    panel = parse_panel(
        "E-F-S\n| a |\n+---+\n| a |\nS-E-E\na: triangles 3\nsymmetry: rotational\nvariant: game\n"
    )
    assert [panel.grid.path_letters(path) for path in agreed(panel, searched=True)] == ["UUR"]
    assert count_solutions(panel) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("variant: gam", "unknown variant 'gam'. Did you mean 'game'"),
        ("variant: game, pair twice", "unknown question 'pair'. Did you mean 'pairs'"),
        ("variant: pairs thrice", "unknown answer 'thrice'.*Known: once, twice"),
        ("shape: round", "line 4, column 8: one line says 'shape: pillar'"),
        ("shape: pillar", "line 1, column 13: the right border of a pillar"),
        ("symmetry: parallel", "Only a pillar"),
        ("variant: game\nvariant: game", "line 5, column 10: only one line begins with 'variant'"),
    ],
)
def test_faults_of_settings_are_named(text: str, message: str) -> None:
    with pytest.raises(PanelError, match=message):
        parse_panel(f"+---+---+---E\n|   |   |   |\nS---+---+---+\n{text}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pillar": True, "width": 1}, "2 to 8 cells around"),
        ({"pillar": True, "width": 9}, "2 to 8 cells around"),
        ({"width": 8}, "1 to 7 cells"),
        ({"pillar": True, "height": 8}, "1 to 7 cells"),
        ({"pillar": True, "width": 5, "symmetry": "parallel"}, "half way round lies no vertex"),
        ({"missing": [0], "gaps": [0]}, "is missing and holds a gap"),
        ({"missing": [0], "dots": [0]}, "is missing and holds a dot"),
        ({"edge_starts": [1], "edge_ends": [1]}, "is a start and is an end"),
        ({"missing": [1], "edge_ends": [1]}, "is missing and is an end"),
        ({"dots": [1], "first_dots": [2]}, "not among the dots"),
        ({"dots": [1], "first_dots": [1], "second_dots": [1]}, "choose one"),
        ({"missing": [99]}, "no missing edge 99"),
    ],
)
def test_panels_that_contradict_themselves_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(PanelError, match=message):
        Panel(**{"width": 3, "height": 2, **options})


def test_variants_are_written_as_they_are_read() -> None:
    assert [parse_variant(name).words() for name in ("default", "windmill", "game")] == [
        "default",
        "default",
        "game",
    ]
    assert parse_variant("game, pairs once").words() == "game, pairs once"
    assert parse_variant("erasers leave").words() == "erasers leave"
    r = random.Random(53)
    for _ in range(50):
        variant = random_variant(r)
        assert parse_variant(variant.words()) == variant
    assert set(VARIANTS) == {"default", "game", "windmill"}
    with pytest.raises(PanelError, match="unknown answer"):
        Variant(pairs="never")


def test_a_drawing_with_names_like_marks_is_read() -> None:
    """s and e are names of symbols and marks of edges."""
    panel = parse_panel("+---E\ns s |\nS---+\ns: star black\n")
    assert panel.edge_starts == (panel.grid.vertical_edge(0, 0),)
    assert panel.edge_dots == panel.edge_starts
    with pytest.raises(DrawingError, match="line 2"):
        parse_panel("+---E\n|   \nS---+")
