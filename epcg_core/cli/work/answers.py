"""Answer queries for `epcg run` and `epcg resume`, and print the answers."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Literal

import click

from epcg_core.api.answering import Answer
from epcg_core.cli.groups import active_registry
from epcg_core.cli.options import naming_db
from epcg_core.cli.output import say, write_report
from epcg_core.domain import CommandInfo
from epcg_core.query.query import Query
from epcg_core.runs import answers
from epcg_core.runs.coordinator import Options
from epcg_core.store import Store
from epcg_core.store.records import Part, Sample


def run(
    query: Query,
    location: str,
    options: Options,
    sample: Sample | None,
    part: Part | None,
    base: str | None,
    as_json: bool,
) -> None:
    """Answer a query, and print the answer."""
    with answers.answer(query, location, options, sample, part, base) as found:
        answer = Answer.of(found)
        _print(answer, as_json, options.quiet)
    goal = answer.outcome.goal
    if sample is not None and goal.id not in answer.outcome.computed and not options.quiet:
        say(f"Run {goal.id} is {'complete' if goal.done else 'sampled'} already: nothing to sample.")


def resume(
    run_id: int | None,
    location: str,
    options: Options,
    on_error: Literal["stop", "record"] | None,
    as_json: bool,
) -> None:
    """Go on with a run, or with the newest that is not finished, and print the answer of its query."""
    if run_id is None:
        run_id = answers.resumable(location)
        if run_id is None:
            say(f"There is nothing to resume: every run in {location} is finished.")
            return
    with Store.open(location) as store, store.reader() as reader:
        if reader.run(run_id).done:
            say(f"Run {run_id} is finished already.")
    with answers.resume(location, run_id, options, on_error) as found:
        _print(Answer.of(found), as_json, options.quiet)


def part_of(text: str) -> Part:
    """Read a part, such as 3/8."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise click.UsageError(f"--part {text}: of four parts, write 1/4, 2/4, 3/4 or 4/4.")
    return Part(int(match[1]), int(match[2]))


def _print(answer: Answer, as_json: bool, quiet: bool) -> None:
    """Print an answer while its database is open, so that the last to close it leaves no files beside it."""
    write_report(answer, "json" if as_json else "table")
    if as_json:
        return
    db = naming_db(answer.database.location)
    if answer.sampled:
        if not quiet:
            resume = f"epcg resume {answer.number}{db}"
            say(f"\nThe same command without --sample, or {resume}, goes on to the end.")
        return
    if answer.record.part is not None and not answer.record.done:
        return
    again = answer.outcome.again
    if again is not None and again.number and (not quiet or again.left):
        say(f"\n{again}")
    if not quiet:
        _suggest(answer, db)


def _command() -> str:
    """Return how `epcg` is called here."""
    if shutil.which("epcg"):
        return "epcg"
    module = Path(sys.argv[0]).name == "__main__.py"  # python -m epcg_core.cli
    return f"{shlex.quote(sys.executable)} -m epcg_core.cli" if module else shlex.quote(sys.argv[0])


def _plots() -> bool:
    """Return whether a plugin in use has the command `epcg plot`."""
    return any((info.name, info.group) == ("plot", "") for info in active_registry().all(CommandInfo, ""))


def _suggest(answer: Answer, db: str) -> None:
    goal, epcg = answer.number, _command()
    tried = [f"{epcg} top {goal}{db}", f"{epcg} show {goal}{db}", f"{epcg} verify {goal}{db}"]
    if any(run.search == "breadth_first" for run in answer.outcome.runs):
        tried[0] = f'{epcg} sql "SELECT space, depth, states, edges FROM depths"{db}'
    elif any(run.layer is not None for run in answer.outcome.runs):
        tried[0] = f'{epcg} sql "SELECT * FROM layers"{db}'
        if _plots() and importlib.util.find_spec("matplotlib"):
            tried.insert(1, f"{epcg} plot --layers --output layers.svg{db}")
    elif answer.query.select:
        tried[0] = f'{epcg} sql "SELECT puzzle, scores FROM kept WHERE run_id = {goal}"{db}'
    say("\nTry next:\n" + "\n".join(f"  {line}" for line in tried))
