"""Branch and bound in parts: a search that is cut up, then its proof; what both find, and what proves it."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from epcg_core.runs import merging
from epcg_core.store import Store
from tests.core.search.branch_and_bound.place import Sets
from tests.core.search.branch_and_bound.test_runs import INSTANCES, _units as units, optima
from tests.core.search.branch_and_bound.toy_sets import SetsParams
from tests.forks.forked import Coordinators
from tests.processes import wait_until
from tests.workplace import SERIAL, epcg


def in_parts(place: Sets, name: str, search: str, of: int, base: Path | None, **asked: object) -> Path:
    """The database into which the parts of a question's last run were merged, in some order."""
    query = place.folder / f"{name}.toml"
    query.write_text(place.text(search=search, **asked))  # type: ignore[arg-type]
    parts = [place.folder / f"{name}{number}.db" for number in range(1, of + 1)]
    for number in random.Random(name).sample(range(of), of):
        more = () if base is None else ("--base", base)
        epcg("run", query, "--part", f"{number + 1}/{of}", "--db", parts[number], "--quiet", *more)
    into = place.folder / "all.db"
    merging.merge(str(into), [*map(str, parts)], incomplete=False, options=SERIAL)
    return into


@pytest.mark.parametrize(
    ("number", "of"), [(2, 3), (3, 2), *(pytest.param(n, 4, marks=pytest.mark.slow) for n in range(8))]
)
@pytest.mark.parametrize("keep", ["all", pytest.param("first", marks=pytest.mark.slow)])
def test_the_optima_and_digests_are_those_of_the_whole(place: Sets, number: int, of: int, keep: str) -> None:
    kind, evaluator, sets, joint = INSTANCES[number]
    asked = {
        "generator": kind,
        "params": f"n = {sets.n}, k = {sets.k}, elements = {sets.elements}, seed = {sets.seed}",
        "evaluators": (f"{evaluator} joint = {joint}",),
    }
    whole = place.run(place.query(search=f'keep = "{keep}"', **asked)).runs
    searched = in_parts(place, "search", 'phase = "search"', of, None, **asked)
    proven = in_parts(place, "proof", f'keep = "{keep}"', of, searched, **asked)
    with Store.open(proven) as store, store.reader() as reader:
        runs = reader.runs()
    assert [run.digest for run in runs] == [run.digest for run in whole]
    assert all(run.done and run.evaluated + run.pruned == run.max_rank for run in runs)
    expected = optima(kind, sets, evaluator, joint)[1]
    assert place.optima(runs[1].id, proven) == (expected if keep == "all" else expected[:1])
    for run in runs:
        report = place.verify(run.id, 100, database=proven)
        assert report.passed, [check for check in report.checks if not check.passed]


def test_a_part_of_the_proof_searches_by_itself_without_a_base(place: Sets) -> None:
    """It is as good a search as another, so the parts fit together."""
    kind, evaluator, sets, joint = INSTANCES[3]
    asked = {
        "generator": kind,
        "params": f"n = {sets.n}, k = {sets.k}, elements = {sets.elements}, seed = {sets.seed}",
        "evaluators": (f"{evaluator} joint = {joint}",),
    }
    whole = place.run(place.query(**asked)).goal
    merged = in_parts(place, "proof", 'keep = "all"', 3, None, **asked)
    with Store.open(merged) as store, store.reader() as reader:
        assert [run.digest for run in reader.runs() if run.digest == whole.digest] == [whole.digest]


def test_parts_of_random_problems_are_the_whole(place: Sets) -> None:
    rng = random.Random(5)
    sets = SetsParams(
        n=rng.randint(5, 8), k=rng.randint(2, 3), elements=rng.randint(4, 9), seed=rng.randint(0, 99)
    )
    asked = {"params": f"n = {sets.n}, k = {sets.k}, elements = {sets.elements}, seed = {sets.seed}"}
    whole = place.run(place.query(search='phase = "search"', **asked)).goal  # type: ignore[arg-type]
    for of in (2, 5):
        merged = in_parts(place, f"search{of}", 'phase = "search"', of, None, **asked)
        with Store.open(merged) as store, store.reader() as reader:
            assert [run.digest for run in reader.runs()] == [whole.digest]
        merged.unlink()


def test_a_part_that_is_killed_goes_on(place: Sets) -> None:
    asked = {"params": "n = 16, k = 3, elements = 20, seed = 4", "evaluators": ("common joint = 3",)}
    whole = place.run(place.query(search='phase = "search"', **asked)).goal  # type: ignore[arg-type]
    query = place.folder / "search.toml"
    query.write_text(place.text(search='phase = "search"', **asked))  # type: ignore[arg-type]
    killed = place.folder / "search1.db"
    with Coordinators(place.folder) as coordinators:
        process = coordinators.start(
            "run", query, "--part", "1/2", "--db", killed, "--executor", "serial", "--quiet",
            EPCG_TEST_PAUSE=0.05,
        )  # fmt: skip
        wait_until(lambda: units(killed, 1) >= 2 or process.poll() is not None, "two units")
        assert process.poll() is None, process.ended()
        process.kill()
        assert process.ended().exit_code == -signal.SIGKILL
    into = in_parts(place, "search", 'phase = "search"', 2, None, **asked)
    with Store.open(into) as store, store.reader() as reader:
        assert [run.digest for run in reader.runs()] == [whole.digest]


def test_a_part_is_estimated_before_it_is_run(place: Sets) -> None:
    query = place.folder / "proof.toml"
    query.write_text(place.text())
    told = epcg("run", query, "--part", "1/2", "--dry-run", "--db", "none.db").stdout
    assert told.count("branch_and_bound") == 2
    assert not (place.folder / "none.db").exists()
