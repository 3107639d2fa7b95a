"""Heat maps: what is drawn is the best change of each tile, as searches of the variants say."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from epcg_snakebird.commands.heatmap import command
from epcg_snakebird.edits.runs import Variant, longest, shortest
from epcg_snakebird.formats.drawing import parse_level, read_level
from epcg_snakebird.formats.shipped import named_level
from epcg_snakebird.rendering.heat_map import CROSS, best_changes, heat_map_svg, heat_map_text
from epcg_snakebird.rendering.levels import level_svg
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, TILE_NAMES
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import start
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import GAME

from epcg_core.search.shortest_path.solver import shortest_path
from tests.workplace import invoke

SVG = "{http://www.w3.org/2000/svg}"
LEVEL = "01_first_bite"
SMALL = parse_level("name: Small\n>1..E\n####.\n", "small")
VARIANTS = [
    Variant(2, GROUND, None),
    Variant(2, SPIKES, None),
    Variant(3, GROUND, 5),
    Variant(3, SPIKES, 7),
    Variant(5, SKY, 3),
    Variant(5, SPIKES, 1),
    Variant(6, SKY, None),
    Variant(6, SPIKES, None, over_limit=True),
    Variant(7, SKY, 3),
    Variant(7, SPIKES, 2),
]


def changes(svg: str) -> list[str]:
    """What the tiles of a heat map say."""
    groups = [g for g in ElementTree.fromstring(svg).iter(f"{SVG}g") if g.get("class") == "change"]
    return ["".join(text.text or "" for text in group.iter(f"{SVG}text")) for group in groups]


def test_the_best_change_of_each_tile() -> None:
    best = best_changes(VARIANTS, "longest")
    assert {cell: variant.moves for cell, variant in best.items()} == {2: None, 3: 7, 5: 3, 6: None, 7: 3}
    assert best[6].over_limit
    best = best_changes(VARIANTS, "shortest")
    assert {cell: variant.moves for cell, variant in best.items()} == {2: None, 3: 5, 5: 1, 6: None, 7: 2}


def test_the_extremes_have_all_ties() -> None:
    assert [variant.moves for variant in longest(VARIANTS)] == [7]
    assert [variant.moves for variant in shortest([*VARIANTS, Variant(8, SKY, 1)])] == [1, 1]
    assert longest(VARIANTS[:2]) == shortest(VARIANTS[:2]) == []


def test_the_picture_says_the_gains() -> None:
    assert changes(heat_map_svg(SMALL, 3, VARIANTS)) == ["", "+4", "?"]
    assert changes(heat_map_svg(SMALL, 3, VARIANTS, "shortest")) == ["", "+2", "-2", "?", "-1"]


def test_the_text_says_the_gains() -> None:
    assert heat_map_text(SMALL, 3, VARIANTS) == "   o   o   x  +4   o\n   .   ?   .   o   o\n"


def test_nothing_in_a_level_looks_like_the_mark_of_unsolvable_changes() -> None:
    """Two shapes are the same if one is the other in another size."""

    def shape(drawn: str) -> list[tuple[str, float]]:
        steps = re.findall(r"([A-Za-z]) *([^A-Za-z]*)", drawn)
        numbers = [[float(n) for n in re.findall(r"-?\d*\.?\d+", text)] for _, text in steps]
        size = max((abs(n) for own in numbers for n in own), default=1) or 1
        return [
            (sign, round(n / size, 3)) for (sign, _), own in zip(steps, numbers, strict=True) for n in own
        ]

    level = parse_level("name: All\n>1.F.aa.*E\n##########\n", "all")
    drawn = re.findall(r' d="([^"]+)"', "".join(level_svg(level)))
    (cross,) = re.findall(r' d="([^"]+)"', CROSS)
    assert 'class="exit"' in level_svg(level)
    assert shape(cross) not in [shape(path) for path in drawn]


def test_a_change_in_words() -> None:
    assert VARIANTS[3].in_words(SMALL) == "(3, 0) sky to spikes: 7 moves"
    assert VARIANTS[0].in_words(SMALL) == "(2, 0) sky to ground: no solution"
    assert VARIANTS[7].in_words(SMALL) == "(1, 1) ground to spikes: no solution within the limit"


# --- the command -------------------------------------------------------------------------------------------


def run_command(*arguments: object) -> Result:
    return invoke(command(), *arguments)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A database with the level's changes, and what the command printed as JSON."""
    db = tmp_path_factory.mktemp("heat") / "heat.db"
    result = run_command(LEVEL, "--db", db, "--workers", 1, "--json")
    assert result.exit_code == 0, result.output
    return db, json.loads(result.stdout)


def test_every_change_is_what_a_search_says(recorded: tuple[Path, dict[str, Any]]) -> None:
    level, data, model = named_level(LEVEL), recorded[1], SnakebirdModel(GAME)
    assert data["moves"] == 18
    assert len(data["changes"]) == 2 * len(level.plain_cells)
    for change in data["changes"]:
        cell = level.cell(change["x"], change["y"])
        variant = level.with_tile(cell, TILE_NAMES.index(change["to"]))
        assert change["moves"] == shortest_path(model, variant, 10_000).length
        assert not change["over_limit"]


def test_the_recorded_run_is_read_again(recorded: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    db, data = recorded
    picture = tmp_path / "pictures" / "heat.svg"
    picture.parent.mkdir()
    result = run_command(LEVEL, "--db", db, "--workers", 1, "--output", picture)
    assert result.exit_code == 0
    assert "18 moves; the longest of single changes:" in result.stdout
    assert "(7, 1) sky to ground: 20 moves" in result.stdout
    assert json.loads(run_command(LEVEL, "--db", db, "--json").stdout)["run"] == data["run"]
    expected = sorted(
        f"{c['moves'] - 18:+d}" for c in data["changes"] if c["longest_here"] and c["moves"] not in (None, 18)
    )
    assert sorted(text for text in changes(picture.read_text()) if text) == expected


def test_the_changes_that_make_a_level_solvable(tmp_path: Path) -> None:
    file, picture = tmp_path / "gap.txt", tmp_path / "gap.svg"
    file.write_text("name: Wall\n>1#..E\n######\n")
    level = read_level(file)
    found = shortest_solution(start(level), 10_000, GAME)
    assert found.exhausted
    result = run_command(file, "--db", tmp_path / "x.db", "--workers", 1, "--output", picture)
    assert result.exit_code == 0
    data = json.loads(run_command(file, "--db", tmp_path / "x.db", "--json").stdout)
    assert (data["moves"], data["proven_unsolvable"]) == (None, True)
    opens = [change for change in data["changes"] if change["moves"] is not None]
    assert [(change["x"], change["y"], change["to"]) for change in opens] == [(2, 0, "sky")]
    assert "\nNo solution (proven: 1 position); single changes that make one" in result.stdout
    assert result.stdout.endswith("the longest first:\n  (2, 0) ground to sky: 4 moves\n")
    assert result.stdout.splitlines()[0].split()[2] == "4"
    assert changes(picture.read_text()) == ["4"]


def test_a_level_that_no_single_change_makes_solvable(tmp_path: Path) -> None:
    file = tmp_path / "shut.txt"
    file.write_text(">1..#.#E\n########\n")
    result = run_command(file, "--db", tmp_path / "x.db", "--workers", 1)
    assert result.exit_code == 0
    assert "; no single change makes one." in result.stdout
    limited = run_command(file, "--db", tmp_path / "y.db", "--workers", 1, "--limit", 1)
    assert "within 1 expansions; no single change makes one, except that" in limited.stdout
