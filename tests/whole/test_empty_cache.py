"""On a fresh machine nothing is compiled yet: what the pages and the plugins offer works all the same."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from epcg_core.editing.editing import examples
from epcg_core.query.library import is_source
from epcg_core.query.named import load_query, shipped_plans, shipped_queries
from epcg_core.runs import trials
from epcg_core.runs.dry_run import estimate
from tests.whole.docs.test_advice import FILES
from tests.whole.test_readme import (
    BROKEN_MAP,
    LONG,
    PLUGINS,
    README,
    ROOT,
    TOUR,
    commands,
    plugin_commands,
    readme_of,
)
from tests.workplace import epcg_process

PATIENCE_S = 1200.0


def of_kinds(names: Iterable[str], kind: Callable[[str], object]) -> list[object]:
    """Return the names as cases: slow for the first of a kind, before a release for those that follow."""
    kinds, cases = set[object](), list[object]()
    for name in sorted(names):
        mark = pytest.mark.nightly if kind(name) in kinds else pytest.mark.slow
        kinds.add(kind(name))
        cases.append(pytest.param(name, marks=mark))
    return cases


def asked(name: str) -> object:
    """Return which kernels a shipped query needs, as far as that can be told: those of its parts."""
    query = load_query(name)
    return (name.partition("/")[0], query.generator.name, query.search.name)


def plugin_of(name: str) -> str:
    return name.partition("/")[0]


def run_afresh(folder: Path, number: int, *arguments: object, fails: bool = False) -> None:
    """Run `epcg ARGUMENTS` with a cache of its own; it ends as it should, and by no mistake of ours."""
    done = epcg_process(
        *arguments, folder=folder, timeout=PATIENCE_S, EPCG_CACHE=str(folder / f"cache{number}")
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "This is a mistake in EPCG" not in done.stderr, done.stderr
    assert (done.returncode != 0) == fails, f"{arguments}\n{done.stderr}"
    assert kernels_with_messages(folder / f"cache{number}") == []


def kernels_with_messages(cache: Path) -> list[str]:
    """Return kernels that assign an array to a slice: with them numba compiles the text of an error."""
    found = cache.glob("kernels/*.nbc")
    return [path.name for path in found if b"raise_with_shape_context" in path.read_bytes()]


SMALL = {
    "fling": "Five balls",
    "deduction": "Sudoku",
    "puzzlescript": "Badger and Boulders 2",
    "snakebird": "Mind the Gap",
    "witness": "Squares",
}
"""A small example of a domain whose evaluators all have plain forms, by its title."""


@pytest.mark.parametrize(
    ("domain", "compare"),
    [("fling", False), *(pytest.param(domain, True, marks=pytest.mark.slow) for domain in SMALL)],
)
def test_a_small_puzzle_is_measured_before_anything_is_compiled(
    domain: str, compare: bool, reader: Path
) -> None:
    """By plain code; compiled code, which answers where reals are not rounded, shows the same."""
    puzzle = reader / "puzzle.txt"
    puzzle.write_text(examples(domain)[SMALL[domain]], encoding="utf-8")

    def measured(*options: str) -> str:
        arguments = "score", puzzle, "--domain", domain, *options
        done = epcg_process(*arguments, folder=reader, timeout=PATIENCE_S, EPCG_CACHE=str(reader / "cache"))
        assert done.returncode == 0, done.stderr
        return done.stdout

    plainly = measured()
    assert not (reader / "cache" / "kernels").exists()
    if not compare:  # to compile takes seven seconds
        return
    exactly = json.loads(measured("--json"))
    assert (reader / "cache" / "kernels").exists() == any(
        isinstance(each["value"], float) for each in exactly["measures"]
    )
    assert measured() == plainly


@pytest.mark.slow
def test_the_readmes_and_the_tours_commands_run_with_an_empty_cache_each(reader: Path) -> None:
    for number, (command, _) in enumerate([*commands(README), *commands(TOUR)]):
        run_afresh(reader, number, *shlex.split(command)[1:])


@pytest.mark.slow
@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_commands_of_a_plugins_readme_run_with_an_empty_cache_each(plugin: str, reader: Path) -> None:
    """Those that compute: the others are read in test_readme.py."""
    for query in (ROOT / "plugins" / plugin).glob("*/*.toml"):
        (reader / query.name).symlink_to(query)
    (reader / "broken.map").write_text(BROKEN_MAP)
    if not (reader / "query.toml").exists():  # a query of the reader's own
        (reader / "query.toml").write_text(FILES["query.toml"], encoding="utf-8")
    for number, (command, shown) in enumerate(plugin_commands(readme_of(plugin))):
        elsewhere = "tcp://host" in command  # test_advice.py reads its options
        long = any(re.search(each, command) for each in LONG)
        if re.search(r"^epcg (run|score)", command) and not long and not elsewhere:
            fails = bool(shown) and shown[0].startswith("Error: ")
            run_afresh(reader, number, *shlex.split(command)[1:], "--db", f"{number}.db", fails=fails)


@pytest.mark.parametrize("name", of_kinds(shipped_queries(), asked))
def test_a_shipped_query_computes_with_an_empty_cache(name: str, reader: Path) -> None:
    """A dry run computes some candidates of each of its runs, in forks; one that reads a library says so."""
    params = load_query(name).generator.params.values()
    of_a_run = any(is_source(each) and "texts" not in each for each in params)
    run_afresh(reader, 0, "run", name, "--dry-run", fails=of_a_run)


@pytest.mark.parametrize("name", of_kinds(shipped_plans(), plugin_of))
def test_a_shipped_plan_begins_with_an_empty_cache(name: str, reader: Path) -> None:
    run_afresh(reader, 0, "curriculum", "build", name, "--dry-run")


def test_an_estimate_without_time_for_a_sequence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its trials have the first layers only, which have no depths: on a slow machine this was an error."""
    pytest.importorskip(
        "epcg_sliding", reason="no run here reads the depths of another: pip install epcg-sliding"
    )
    monkeypatch.setattr(trials, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(trials, "LEAST_REACHED", 1.0)
    query = load_query("sliding/unique", ["generator.rows=2", "generator.columns=2"])
    depths, reads = estimate(query, None, seconds=0.0)
    assert depths.unknown == trials.TOO_LARGE
    assert reads.unknown == trials.WAITS
