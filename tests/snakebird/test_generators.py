"""Generators: levels from files, and the variants of a level in an order that can be counted."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from epcg_snakebird.formats.drawing import format_level, parse_level
from epcg_snakebird.formats.shipped import shipped_levels
from epcg_snakebird.generators.edits import Edits, tile_edits
from epcg_snakebird.generators.levels import Levels
from epcg_snakebird.params import EditsParams, LevelsParams
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, LevelError

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.base.params import structure
from epcg_core.domain import EditedContent
from tests.snakebird.real_levels import LEVELS, real_level
from tests.workplace import ask_sql, epcg, facts

DRAWING = ">1aE\n#*O.\nOF..\n"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A level in a file of the working directory."""
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    path = Path("small.txt")
    path.write_text(DRAWING, encoding="utf-8")
    return path


def test_edits_are_ordered_by_cell_and_tile(small: Path) -> None:
    """Five cells above the last row hold nothing but their tile."""
    edits = Edits(EditsParams(level=str(small)))
    assert isinstance(edits, EditedContent)
    assert [edit.description for edit in edits.edits] == [
        "(0, 1) ground to sky",
        "(0, 1) ground to spikes",
        "(1, 1) spikes to sky",
        "(1, 1) spikes to ground",
        "(3, 1) sky to ground",
        "(3, 1) sky to spikes",
        "(2, 2) sky to ground",
        "(2, 2) sky to spikes",
        "(3, 2) sky to ground",
        "(3, 2) sky to spikes",
    ]
    assert edits.edits[1].change == {"x": 0, "y": 1, "from": "ground", "to": "spikes"}
    assert edits.max_rank == 10
    assert edits.unrank(1) == parse_level(DRAWING.replace("#", "*"))
    assert edits.unrank(9) == parse_level(DRAWING.replace("OF..", "OF.*"))
    assert edits.parse(edits.format(edits.unrank(7))) == edits.unrank(7)


@pytest.mark.parametrize(("edits", "fewest", "count"), [(1, 1, 10), (2, 1, 50), (2, 2, 40), (8, 0, 243)])
def test_several_edits_change_several_cells(small: Path, edits: int, fewest: int, count: int) -> None:
    """Each of five cells has three tiles: 3^5 in all, C(5, k) 2^k with k changed."""
    space = Edits(EditsParams(level=str(small), edits=edits, fewest=fewest))
    variants = [space.unrank(rank) for rank in range(space.max_rank)]
    assert len(variants) == len({variant.tiles for variant in variants}) == count
    changed = [sum(a != b for a, b in zip(v.tiles, space.original.tiles, strict=True)) for v in variants]
    assert changed == sorted(changed)
    assert (changed[0], changed[-1]) == (fewest, min(edits, 5))


def test_only_cells_with_nothing_but_their_tile_are_edited() -> None:
    level = real_level("snakebird_24")
    edits = tile_edits(level)
    assert len(edits) == facts("snakebird")["single_tile_edits"]["snakebird_24"]["variants"] == 570
    taken = {cell for cells in (*level.snakes, *level.objects) for cell in cells}
    taken |= {*level.fruit, *level.portals, level.exit}
    assert not taken & {edit.place for edit in edits}


def test_golden_levels_have_as_many_variants_as_counted() -> None:
    for name, golden in facts("snakebird")["single_tile_edits"].items():
        assert len(tile_edits(real_level(name))) == golden["variants"], name


def test_the_digest_of_the_file_is_a_part_of_the_params(small: Path) -> None:
    params = EditsParams(level="small.txt")
    assert params.sha256 == hashlib.sha256(DRAWING.encode()).hexdigest()
    assert structure(EditsParams, {"level": "small.txt"}, "generator") == params
    small.write_text(DRAWING + "\n", encoding="utf-8")
    with pytest.raises(LevelError, match=r"^The levels of small\.txt have changed since: their SHA-256"):
        Edits(params)
    assert Edits(EditsParams(level="small.txt")).max_rank == 10


def test_a_folder_is_a_list_of_levels(small: Path) -> None:
    folder = Path("levels")
    folder.mkdir()
    names = ["level_10.txt", "level_9.map", "LEVEL_1.TXT", "notes.md"]
    for name in names:
        (folder / name).write_text("snake5x3\n.a>E.\n" if name.endswith("map") else DRAWING, encoding="utf-8")
    levels = Levels(LevelsParams(path="levels"))
    assert [path.name for path in levels.files] == ["LEVEL_1.TXT", "level_9.map", "level_10.txt"]
    assert levels.max_rank == 3
    assert levels.unrank(1).name == "level_9"
    assert levels.parse(levels.format(levels.unrank(0))) == levels.unrank(0)
    assert Levels(LevelsParams(path="small.txt")).max_rank == 1
    for rank in (-1, 3):
        with pytest.raises(RankError, match=rf"^There is no level {rank}: there are 3\.$"):
            levels.unrank(rank)
    renamed = LevelsParams(path="levels").sha256
    (folder / "level_9.map").rename(folder / "level_8.map")
    assert LevelsParams(path="levels").sha256 != renamed


def test_a_level_that_cannot_be_read_is_an_error_at_its_rank(small: Path) -> None:
    folder = Path("levels")
    folder.mkdir()
    (folder / "a.txt").write_text("?", encoding="utf-8")
    (folder / "b.txt").write_text(DRAWING, encoding="utf-8")
    levels = Levels(LevelsParams(path="levels"))
    with pytest.raises(LevelError, match=rf"^levels{os.sep}a\.txt, line 1, column 1: '\?' has no meaning"):
        levels.unrank(0)
    assert levels.unrank(1) == parse_level(DRAWING)


UNREADABLE = {
    "shared": ("snake5x4\n.....\n.<a>E\nGGGGG\n", "shared.map, line 3, column 3: two snakes share this cell"),
    "binary": ("snake5x3\n\0\n", "binary.map, line 2, column 1: this is binary data"),
    "empty": ("", "empty.map, line 1, column 1: the file is empty"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("names", [["shared"], ["empty", "binary", "shared"]])
def test_a_run_over_a_folder_goes_on_past_levels_that_cannot_be_read(small: Path, names: list[str]) -> None:
    folder = Path("levels")
    folder.mkdir()
    for number, name in enumerate(names):
        (folder / f"{name}.map").write_text(UNREADABLE[name][0], encoding="utf-8")
        (folder / f"{name}_after.map").write_text(f"snake{number + 4}x3\n.a>E\nGGGGGGG\n", encoding="utf-8")
    shown = epcg("run", "snakebird/levels", "--set", "generator.path=levels").stdout
    assert f"Without values in run 1, with the reason: {len(names)} candidate" in shown
    reasons = dict(ask_sql(Path("epcg.db"), "SELECT rank, note FROM errors"))
    for number, name in enumerate(sorted(names)):
        assert UNREADABLE[name][1] in reasons.pop(2 * number)
        assert UNREADABLE[name][1] in shown
    assert not reasons
    moves = ask_sql(Path("epcg.db"), "SELECT value FROM scores WHERE metric = 'moves' ORDER BY rank")
    assert moves == [(None,), (1,)] * len(names)
    assert UNREADABLE[names[0]][1] in epcg("show", 1).stdout
    assert epcg("verify", 1).exit_code == 0


def test_shipped_levels_are_found_by_name(small: Path) -> None:
    first = shipped_levels()[0]
    assert Edits(EditsParams(level=first.stem)).original == Levels(LevelsParams(path=str(first))).unrank(0)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({}, "generator: the key 'level' is missing"),
        ({"level": "nothing.map"}, "There is no file or folder of levels 'nothing.map'. Shipped are: "),
        ({"level": ""}, "There is no file or folder of levels ''"),
        ({"level": "a\0b"}, "There is no file or folder of levels 'a\0b'"),
        ({"level": "."}, "'.' is a folder: name one level's file."),
        ({"level": "small.txt", "edits": 0}, "generator.edits: 0 is not allowed"),
        ({"level": "small.txt", "edits": 9}, "generator.edits: 9 is not allowed"),
        (
            {"level": "small.txt", "fewest": 2},
            "fewest: 2 tiles at least and 1 at most cannot both be changed.",
        ),
        ({"level": 7}, "generator.level: 7 is not a string"),
    ],
    ids=lambda value: (
        "-".join(map(str, value.values())).replace("\0", "NUL") if isinstance(value, dict) else ""
    ),
)
def test_impossible_params_are_refused(small: Path, table: dict[str, object], problem: str) -> None:
    with pytest.raises(ParamsError) as caught:
        structure(EditsParams, table, "generator")
    assert str(caught.value).startswith(problem)


def test_folders_without_levels_are_refused(small: Path) -> None:
    Path("empty").mkdir()
    with pytest.raises(ParamsError, match=r"^There is no level in the folder 'empty': no \.map and no \.txt"):
        LevelsParams(path="empty")


def test_with_tile_changes_one_tile() -> None:
    level = parse_level(DRAWING)
    changed = level.with_tile(level.cell(3, 1), GROUND)
    assert format_level(changed) == "name: level\n" + DRAWING.replace("O.\n", "O#\n")
    assert level.plain_cells == (4, 5, 7, 10, 11)
    assert [level.tiles[cell] for cell in level.plain_cells] == [GROUND, SPIKES, SKY, SKY, SKY]
    assert isinstance(hash(level), int)
    assert len({level, parse_level(DRAWING, "other"), changed}) == 2


def test_published_folder_is_read() -> None:
    if not LEVELS.is_dir():
        pytest.skip("the published levels are not at hand")
    levels = Levels(LevelsParams(path=str(LEVELS)))
    assert levels.max_rank == 71
    assert [path.stem for path in levels.files[:3]] == [
        "snakebirdPrimer_1",
        "snakebirdPrimer_2",
        "snakebirdPrimer_3",
    ]


def test_a_shipped_level_is_one_space_by_whatever_name() -> None:
    full = "12_a_push_for_a_friend"
    for name in ("12", "a_push_for_a_friend", full):
        assert EditsParams(level=name) == EditsParams(level=full)
        assert EditsParams(level=name).level == LevelsParams(path=name).path == full
