"""The workbench's projects: a game of 200 levels, its chips, faults as one types, history, page; and a wish.

CPU seconds of the computing process, after one call that warms up, beside the bars of the issue that asked
for them.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, permutations
from pathlib import Path
from typing import Any

from epcg_publishing.share import share_page
from epcg_publishing.sharing import gathered
from epcg_workbench.jobs import JOBS
from epcg_workbench.project.history import History
from epcg_workbench.project.templates import template

import epcg_core as epcg
from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.editing import editing
from epcg_core.query.conditions import Condition
from epcg_core.query.query import SelectParams
from epcg_core.runs import ledger
from epcg_core.store import Store

LEVELS, RULES = 200, 200
SAVES, LINES, PAGE, LARGE = 1900, 100_000, 12, 5000
WIDTH, HEIGHT = 8, 7
RULE = "[ > Player | Crate ] -> [ > Player | > Crate ]"
BOARDS = """
domain = "fling"
[generator]
name = "boards"
width = 5
height = 5
pieces = 8
[[evaluators]]
name = "legal_moves"
[[evaluators]]
name = "unique"
[[select]]
metric = "legal_moves"
keep = "top"
count = 5
"""
"""A question of 1,081,575 candidates."""


def measure() -> list[Row]:
    """Measure everything."""
    return [*_project(), *_typing(), *_stroke(), *_history(), *_shared(), *_wish()]


def _row(what: str, value: float, bar: float) -> Row:
    return row(what, f"{value:.3f} s", f"{bar:g} s", value / bar, "at most 1", value <= bar)


def _ask(name: str, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [dict(message) for message in JOBS[name](request)]


def _timed(work: Callable[[], object]) -> float:
    work()
    return cpu_seconds(work)


def game(levels: int = LEVELS, rules: int = 1) -> str:
    """Return a game whose levels have two crates and some walls by chance."""
    text = template("Two Hundred")
    if text is None:
        raise RuntimeError("no domain here reads games of several levels")
    head, _, _ = text.partition("message Every")
    head = head.replace(RULE, "\n".join([RULE] * rules))
    chance = random.Random(200)
    return head + "\n\n".join(_level(chance) for _ in range(levels)) + "\n"


def _level(chance: random.Random) -> str:
    inside = [(x, y) for y in range(1, HEIGHT - 1) for x in range(1, WIDTH - 1)]
    chance.shuffle(inside)
    marks = dict(zip(inside, "PCCoo####", strict=False))
    edge = {(x, y) for x in range(WIDTH) for y in range(HEIGHT)} - set(inside)
    marks |= dict.fromkeys(edge, "#")
    return "\n".join("".join(marks.get((x, y), ".") for x in range(WIDTH)) for y in range(HEIGHT))


def _project() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        text = game()
        (Path(folder) / "game.txt").write_text(text)
        (found,) = _ask("project_open", {"folder": folder, "file": "game.txt"})
        file = {key: found[key] for key in ("domain", "format")} | {"folder": folder}

        def opened() -> None:
            _ask("project", {"folder": folder})
            _ask("project_open", {"folder": folder, "file": "game.txt"})
            _ask("project_piece", {**file, "text": text, "number": 0})

        yield _row(f"workbench: a game of {LEVELS} levels opens", _timed(opened), 1)
        asked = {**file, "text": text}
        for what, name, bar in (("pictures", "project_pictures", 1), ("chips", "project_chips", 10)):
            yield _row(f"workbench: {what} of {LEVELS} levels", _timed(partial(_ask, name, asked)), bar)
        known = [piece["hash"] for piece in found["pieces"]]
        changed = text[: text.rindex("P")] + "." + text[text.rindex("P") + 1 :]
        again = partial(_ask, "project_chips", {**asked, "text": changed, "known": known})
        yield _row("workbench: chips after one level has changed", _timed(again), 0.3)


def _typing() -> Iterator[Row]:
    asked = {"domain": "puzzlescript", "format": "game", "file": "game.txt"}
    texts = [game(3, RULES).replace("pushes it", f"pushes it {'x' * number}", 1) for number in range(5)]
    broken = [text.replace(RULE, RULE[:-1], 1) for text in texts]  # a bracket is missing
    for what, typed in (("", texts), (" with a fault", broken)):
        _ask("project_check", asked | {"text": typed[0]})
        checks = [partial(_ask, "project_check", asked | {"text": text}) for text in typed[1:]]
        taken = max(map(cpu_seconds, checks))
        yield _row(f"workbench: faults of a game of {RULES} rules{what}", taken, 0.15)


def _stroke(rules: int = LARGE) -> Iterator[Row]:
    """Measure what a page asks after a stroke in a game of many rules, beside the first reading."""
    things = [f"thing{number}" for number in range(40)]
    head, _, tail = game(3).partition("LEGEND")
    head += "".join(f"{thing}\nred\n\n" for thing in things) + "LEGEND"
    first, _, last = tail.partition(RULE)
    first = first.replace("\nRULES", "\n" + "\n".join(things) + "\nRULES", 1)
    lines = [
        f"[ > Player | {a} {b} | no {c} ] -> [ > Player | > {a} {b} | ]"
        for a, b, c in islice(permutations(things, 3), rules)
    ]
    asked = {"domain": "puzzlescript", "format": "game", "file": "game.txt"}
    whole, stroke = (
        cpu_seconds(partial(_ask, "project_check", asked | {"text": head + first + "\n".join(text) + last}))
        for text in (lines, [*lines[:9], lines[9] + " again", *lines[10:]])
    )
    what = f"PuzzleScript: a stroke in a game of {rules:,} rules, beside the first reading"
    yield row(what, f"{stroke:.3f} s", f"{whole:.3f} s", stroke / whole, "at most 0.2", stroke <= 0.2 * whole)


def _history() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder))

        def saves(count: int) -> None:
            for number in range(count):
                history.add("game.txt", f"text {number} of {count}", "")

        saves(1)
        taken = cpu_seconds(partial(saves, SAVES))
        yield _row(f"workbench: {SAVES:,} saves of a file with its history", taken, 5)
    with tempfile.TemporaryDirectory() as folder:
        history, log = History(Path(folder)), Path(folder, ".epcg", "history", "log.jsonl")
        log.parent.mkdir(parents=True)
        line = {"file": "other.txt", "digest": "0" * 64, "parent": "", "at": "", "label": ""}
        lines = (json.dumps({"number": number} | line) for number in range(1, LINES + 1))
        log.write_text("\n".join(lines) + "\n")
        taken = _timed(lambda: history.add("game.txt", str(time.monotonic_ns()), ""))
        yield _row(f"workbench: a save beside {LINES:,} lines of an earlier version", taken, 0.02)


def _shared() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.txt"
        path.write_text(game(PAGE))

        def page() -> None:
            share_page(gathered(str(path), None, (), True, f"{folder}/epcg.db").shared, "A game")

        yield _row(f"one page for a friend of {PAGE} levels, with numbers", cpu_seconds(page), 4)
    text = editing.examples("puzzlescript")["Magnet 2"]
    for level in (editing.examples("puzzlescript")["Magnet 1"], text):  # the first one loads the kernels
        document = editing.open_document("puzzlescript", level)
        taken = cpu_seconds(lambda: list(editing.measures(document, ["entropy"])))  # noqa: B023
    yield _row("workbench: entropy of Magnet 2", taken, 0.2)


def _wish() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        db = f"{folder}/epcg.db"
        epcg.answer(BOARDS, db=db, quiet=True)
        rule = SelectParams(
            "legal_moves",
            "highest",
            12,
            where=(Condition("unique", equals=True), Condition("legal_moves", min=3)),
        )

        def wished() -> None:
            with Store.open(db) as store, store.reader() as reader:
                granted = ledger.chosen(reader, reader.runs()[-1], rule)
                if len(granted.found) != rule.count:
                    raise RuntimeError("the wish is not granted")

        yield _row("workbench: a wish over 1,081,575 recorded candidates", _timed(wished), 1)


if __name__ == "__main__":
    show(measure())
