"""PuzzleScript's own engine in node beside ours: turns and searches a CPU second on the same levels.

    python -m benchmarks.puzzlescript_peers ENGINE [--node NODE] [--games FOLDER]

ENGINE is the folder of a copy of increpare/PuzzleScript that holds `js`, which is no part of this repository.
Levels are two boards of our own, and levels of the recorded searches that were not won on the way: so each
search goes through as many positions. With --games the table of what can be proven follows.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
from epcg_puzzlescript.commands.survey_rows import row_of, share, survey_files
from epcg_puzzlescript.formats.text import format_level, level_of
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import input_numbers

from benchmarks.puzzlescript import RECORDED, board, speed
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.solver import shortest_path

SCRIPT = Path(__file__).parents[1] / "tests" / "puzzlescript" / "beside_reference.js"
MOST, RECORDED_MOST = 20_000, 5_000
"""Positions of a search: recorded ones are known not to win within as many."""
FEWEST = 3_000
"""Recorded searches of fewer positions are too short to be measured."""
LEVELS = 6
"""Recorded searches, each of another game."""


@attrs.frozen
class Speeds:
    """Turns, and new positions, a CPU second."""

    positions: int
    expansions: int
    turns: float
    searched: float


def in_node(node: str, engine: Path, level: Level, most: int) -> Speeds:
    """Search a level on the engine in node."""
    request: dict[str, Any] = {
        "source": format_level(level), "level": 0, "inputs": list(input_numbers(level.game)), "most": most
    }  # fmt: skip
    told = subprocess.run(
        [node, str(SCRIPT), str(engine)], input=json.dumps(request) + "\n", capture_output=True, text=True,
        encoding="utf-8", check=True,
    )  # fmt: skip
    found = json.loads(told.stdout)
    positions, turns, seconds = found["positions"], found["turns"], found["seconds"]
    return Speeds(positions, turns // len(request["inputs"]), turns / seconds, positions / seconds)


def by_kernel(level: Level, most: int) -> Speeds | None:
    """Expand so many positions of a level by the game's kernel, compiled before; None if it has none."""
    model = PuzzleScriptModel()
    packed = model.packed_anywhere(level, 0)
    if packed.kernel.compile() is None:
        return None
    table = PositionTable(packed.words)
    shortest_path(model, level, most, table=table)
    begun, searches = time.process_time(), 0
    while time.process_time() < begun + 0.2:
        found = shortest_path(model, level, most, table=table)
        searches += 1
    seconds = (time.process_time() - begun) / searches
    inputs = len(input_numbers(level.game))
    turns = found.expansions * inputs / seconds
    return Speeds(found.states, found.expansions, turns, found.states / seconds)


def levels() -> Iterator[tuple[str, Level, int]]:
    """Yield the levels that are measured, with a name and the positions of the search for each."""
    for width, height in ((8, 7), (11, 10)):
        yield f"three crates, {width} by {height}", board(width, height, lanterns=3), MOST
    if not RECORDED.is_dir():
        return
    texts = {
        hashlib.md5(record["source"].encode(), usedforsecurity=False).hexdigest()[:16]: record["source"]
        for record in json.loads((RECORDED / "simulations.json").read_text())
    }
    seen: set[str] = set()
    for search in json.loads((RECORDED / "searches.json").read_text()):
        lost = search["stopped"] in (None, "states") and search["solution"] is None
        if lost and search["states"] >= FEWEST and search["source_md5"] not in seen and len(seen) < LEVELS:
            seen.add(search["source_md5"])
            game = parse_game(texts[search["source_md5"]])
            number = game.maps.index(game.levels[search["level"]])
            yield (
                f"{game.title or 'a game without a title'}, level {number + 1}",
                level_of(game, number),
                RECORDED_MOST,
            )


def compared(node: str, engine: Path) -> Iterator[list[Any]]:
    """Yield a row for each level: both engines, and how many times as fast the searches are."""
    for name, level, most in levels():
        theirs, plain = in_node(node, engine, level, most), speed(level)
        own = by_kernel(level, theirs.expansions)
        fastest = own.searched if own is not None else plain[2]
        yield [
            name, f"{theirs.positions:,}", f"{theirs.turns:,.0f}", f"{theirs.searched:,.0f}",
            f"{plain[0]:,.0f}", "-" if own is None else f"{own.turns:,.0f}", f"{fastest:,.0f}",
            f"{fastest / theirs.searched:,.0f}",
        ]  # fmt: skip


HEADER = (
    "level", "positions", "node: turns", "new positions", "interpreter: turns", "kernel: turns",
    "new positions", "times",
)  # fmt: skip


def proven(folder: Path) -> Iterator[list[Any]]:
    """Yield for each kind of answer how many games and levels of a folder have it, then games of `rigid`."""
    rows = [row_of(name, path) for name, path in survey_files(folder)]
    yield from ([kind, f"{games:,}", f"{count:,}"] for kind, games, count in share(rows))
    texts = [parse_game(path.read_text()) for name, path in survey_files(folder)
             if next(row for row in rows if row["file"] == name)["outcome"] == "read"]  # fmt: skip
    rigid = [game for game in texts
             if any(rule.rigid for group in game.normal.groups for rule in group.rules)]  # fmt: skip
    yield ["games with `rigid`", f"{len(rigid):,}", f"{sum(len(game.maps) for game in rigid):,}"]


def show(header: tuple[str, ...], rows: Iterator[list[Any]]) -> None:
    """Print a table in Markdown, row by row."""
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header), flush=True)
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("engine", type=Path)
    parser.add_argument("--node", default=shutil.which("node"))
    parser.add_argument("--games", type=Path)
    given = parser.parse_args()
    show(HEADER, compared(given.node, given.engine))
    if given.games is not None:
        print()
        show(("answers", "games", "levels"), proven(given.games))


if __name__ == "__main__":
    main()
