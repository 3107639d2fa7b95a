"""Large levels: they are read, played, solved, changed, drawn and edited like small ones."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from epcg_snakebird.commands import heatmap
from epcg_snakebird.formats import others
from epcg_snakebird.formats.drawing import format_level, parse_level, read_level
from epcg_snakebird.formats.map_format import format_map, parse_map
from epcg_snakebird.formats.shipped import shipped_levels
from epcg_snakebird.generators.edits import edited, tile_edits
from epcg_snakebird.rendering.editor import LevelEditor, new_level
from epcg_snakebird.rendering.levels import level_svg
from epcg_snakebird.rendering.picture import CELL
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Cells, Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.packed import PackedLevel
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

from epcg_core.search.shortest_path.incremental import VariantSearch
from epcg_core.search.shortest_path.solver import shortest_path
from tests.snakebird.random_levels import random_level, shaft_level, tail_level
from tests.snakebird.test_packed import expanded, plain, positions
from tests.workplace import epcg, invoke

SIZES = [(30, 20), (100, 12), (127, 129)]
"""Columns and rows, the row of spikes included: 600, 1,200 and nearly as many cells as there may be."""


def placed(level: Level, width: int, height: int, left: int, around: int) -> Level:
    """The level at the bottom of a larger one, `left` columns from its left, with other tiles around it."""

    def there(cells: Cells) -> Cells:
        places = map(level.place, cells)
        return tuple((y + height - level.height) * width + x + left for x, y in places)

    tiles = [around] * (width * height)
    for cell, at in enumerate(there(tuple(range(level.cells)))):
        tiles[at] = level.tiles[cell]
    tiles[-width:] = [SPIKES] * width
    return Level(
        width=width,
        height=height,
        tiles=tiles,
        snakes=map(there, level.snakes),
        exit=there((level.exit,))[0],
        objects=map(there, level.objects),
        fruit=there(level.fruit),
        portals=there(level.portals),
        name=level.name,
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize("rules", [PAPER, GAME])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_successors_are_those_of_the_plain_rules(width: int, height: int, rules: Rules) -> None:
    r = random.Random(width)
    for make in (random_level, tail_level, shaft_level) * 6:
        small = make(r)
        left = r.choice((0, width - small.width, r.randint(0, width - small.width)))
        level = placed(small, width, height, left, r.choice((SKY, GROUND)))
        packed = PackedLevel(level, rules)
        for position in positions(r, level, 2, 8, rules):
            assert packed.unpack(packed.pack(position)) == position
            assert expanded(packed, position) == plain(position, rules)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_level_in_the_ground_of_a_large_one_is_solved_alike(width: int, height: int) -> None:
    """Its walls are ground there."""
    for path in (path for path in shipped_levels() if path.stem[:2] in ("01", "07", "12")):
        level = read_level(path)
        large = placed(level, width, height, width - level.width, GROUND)
        one, other = (shortest_path(SnakebirdModel(GAME), each) for each in (level, large))
        assert (one.length, one.expansions, one.actions) == (other.length, other.expansions, other.actions)


def test_changes_of_a_large_level_are_answered_as_by_a_search_of_their_own() -> None:
    r = random.Random(4)
    level = placed(read_level(shipped_levels()[0]), 127, 129, 60, SKY)
    model = SnakebirdModel(GAME)
    search = VariantSearch(model, level, 3_000)
    near = [edit for edit in tile_edits(level) if level.place(edit.place)[1] > 118]
    for edit in [*r.sample(tile_edits(level), 20), *r.sample(near, 60)]:
        variant = edited(level, [edit])
        answer, found = search.answer(variant), shortest_path(model, variant, 3_000)
        assert (answer.length, answer.expansions) == (found.length, found.expansions)


def test_a_snake_as_long_as_a_large_level_crawls() -> None:
    """Its body takes a hundred words of a row."""
    width, rows = 60, 60
    cells = []
    for y in range(rows - 2, 1, -1):
        row = [y * width + x for x in range(1, width)]
        cells += row if (rows - 2 - y) % 2 == 0 else row[::-1]
    cells = cells[::-1]
    tiles = [SKY] * (width * (rows - 1)) + [GROUND] * width + [SPIKES] * width
    level = Level(width=width, height=rows + 1, tiles=tiles, snakes=[cells], exit=0)
    packed = PackedLevel(level)
    assert packed.words > 100
    for position in positions(random.Random(1), level, 2, 12):
        assert packed.unpack(packed.pack(position)) == position
        assert expanded(packed, position) == plain(position)


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_formats_and_pictures(width: int, height: int) -> None:
    level = placed(read_level(shipped_levels()[11]), width, height, 3, GROUND)
    text = format_level(level)
    assert parse_level(text) == level
    assert parse_map(format_map(level)) == level
    for read, write in ((others.read_tiled, others.write_tmj), (others.read_tiled, others.write_tmx)):
        assert read(write(text, "level"), "level") == [text]
    root = ElementTree.fromstring(level_svg(level))
    assert root.get("viewBox") == f"0 0 {width * CELL} {height * CELL}"


def test_editing() -> None:
    columns, rows = 120, 100
    editor = LevelEditor(new_level(columns, rows))
    level = editor.put(editor.content, f"c{columns},1", "spikes")
    level = editor.put(level, f"c{columns - 1},{rows - 1}", "object-a")
    assert editor.parse(editor.format(level)) == level
    assert level.tiles[columns - 1] == SPIKES
    assert level.objects == ((columns * (rows - 1) - 2,),)
    assert len(editor.scene(level).sites) == columns * rows
    found = shortest_path(editor.transition_model, level)
    assert found.length == columns  # the snake goes over the object, which it cannot push past the exit
    plainly = shortest_path(editor.transition_model, level, plain=True)
    assert (found.actions, found.expansions) == (plainly.actions, plainly.expansions)
    assert LevelEditor(editor.resized(level, columns, rows + 30)).content.cells > 15_000


@pytest.mark.parametrize(
    ("width", "height", "left"), [(20, 12, 4), pytest.param(40, 20, 8, marks=pytest.mark.slow)]
)
def test_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, height: int, left: int
) -> None:
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    level = placed(read_level(shipped_levels()[0]), width, height, left, GROUND)
    Path("large.txt").write_text(format_level(level), "utf-8")
    said = epcg("run", "snakebird/levels", "--set", "generator.path=large.txt", "--quiet").stdout
    assert "\n18 moves: " in said
    result = invoke(heatmap.command(), "large.txt", "--db", "heat.db", "--workers", 1, "--json")
    data = json.loads(result.stdout)
    assert (data["moves"], len(data["changes"])) == (18, 2 * len(level.plain_cells))
    assert "<animate" in epcg("render", "snakebird:levels?path=large.txt#0", "--animate").stdout
