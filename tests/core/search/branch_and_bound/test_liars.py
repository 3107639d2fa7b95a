"""False proofs of branch and bound: an optimum that was lowered, and a bound that hides candidates."""

from __future__ import annotations

import sys
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import CheckFailedError, EvaluationError
from epcg_core.runs.close import _check_incumbent
from epcg_core.search.branch_and_bound.search import BranchAndBoundSearch, PlainSearch
from epcg_core.search.protocol import Checker
from epcg_core.store import Store
from epcg_core.verification import optimality
from epcg_core.verification.planned import planned
from epcg_core.verification.verify import verify
from tests.core.search.branch_and_bound.place import Sets
from tests.workplace import epcg, looks_away

PARALLEL: Any = {"params": "n = 24, k = 3, elements = 20, seed = 12", "evaluators": ("common_compiled",)}


def failed(place: Sets, run: int, sample: int = 300) -> dict[str, str]:
    with Store.open(place.database) as store:
        found = verify(store, run, sample).checks
    return {check.name: check.detail for check in found if not check.passed}


def sample_of(place: Sets, run: int) -> str:
    with Store.open(place.database) as store:
        return next(c.detail for c in verify(store, run, 300).checks if c.name == "sample")


def test_a_lowered_optimum_is_found(place: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    """The honest program records the lie, with all its digests, when the evaluator hides the best values."""
    place.run(place.query(**PARALLEL), unit_size=64)
    top = place.optima(2)[0][1]
    kind = sys.modules["epcg_sets"].CommonCompiled
    liar = place.other("liar")

    def hidden(genuine: Any) -> Any:
        def told(*arguments: Any) -> Any:
            found = genuine(*arguments)
            best = found[0] if isinstance(found, tuple) else found
            return None if best is None or best >= top else found

        return told

    with monkeypatch.context() as lie:
        lie.setattr(kind, "evaluate", hidden(kind.evaluate))
        lie.setattr(kind, "value", hidden(kind.value))
        lie.setattr(
            kind,
            "search_block",
            lambda self, *block: PlainSearch(self.generator.prefixes, self).search_block(*block),
        )
        run = liar.run(liar.query(**PARALLEL), unit_size=64).goal
    assert max(value for _, value in liar.optima(run.id)) < top
    assert "sample" in failed(liar, run.id)


def test_bounds_that_were_changed_are_found(place: Sets) -> None:
    """Each pruning still holds, as its bound is only too good: the search does not give it."""
    run = place.given(place.query(**PARALLEL), unit_size=64).goal
    assert failed(place, run.id) == {}
    place.change("UPDATE pruning SET bound = bound - 1 WHERE reason = 'bound' AND run_id = 2")
    assert "sample" in failed(place, run.id)


def test_the_verdict_says_what_it_rests_on(place: Sets) -> None:
    run = place.given(place.query(**PARALLEL), unit_size=64).goal
    detail = sample_of(place, run.id)
    assert "the best among them, agree" in detail
    assert "pieces of the range, searched again from the optimum, " in detail
    assert "prune the same ranks with the same bounds" in detail
    assert "rests on the evaluator's `bound`, of which" in detail
    assert "claims were tried" in detail
    search = sample_of(place, 1)
    assert "searched again" not in search


def test_every_pruning_is_tried(place: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    run = place.given(place.query(**PARALLEL), unit_size=64).goal
    prunings = place.sql("SELECT start, start + count FROM pruning WHERE run_id = 2")
    tried: list[int] = []

    def watch(checker: Checker) -> Checker:
        plain = checker.plain
        return attrs.evolve(checker, plain=lambda start, count: tried.append(start) or plain(start, count))  # type: ignore[func-returns-value]

    genuine = BranchAndBoundSearch.checker
    monkeypatch.setattr(
        BranchAndBoundSearch, "checker", lambda self, spec, inputs: watch(genuine(self, spec, inputs))
    )
    with Store.open(place.database) as store:
        assert verify(store, run.id, 10).passed
    assert all(any(start <= rank < stop for rank in tried) for start, stop in prunings)


def test_an_inadmissible_bound_stops_the_run_with_advice_that_can_be_followed(place: Sets) -> None:
    """`record.on_error` is refused here, so it is not recommended."""
    boastful = {"params": "n = 8, k = 3, elements = 4, seed = 1", "evaluators": ("boastful joint = 0",)}
    query = place.query(**boastful)
    with pytest.raises((EvaluationError, CheckFailedError)) as error:
        place.run(query, unit_size=64)
    assert "admissible" in str(error.value)
    assert not getattr(error.value, "recordable", False)
    path = place.database.with_name("boastful.toml")
    path.write_text(place.text(**boastful))
    said = epcg("run", path, "--db", place.database.with_name("other.db"), code=None).stderr
    assert "use the exhaustive search" in said
    assert "--on-error" not in said


def test_a_proof_that_pruned_the_optimum_that_it_was_to_prove_is_no_proof(place: Sets) -> None:
    """As a bound does that is not admissible, but is seen at no complete state."""
    run = place.run(place.query()).goal
    _, spec = planned(run)
    with Store.open(place.database, write=True) as store:
        with store.reader() as reader:
            _check_incumbent(reader, run, spec)
        with store.transaction() as connection:
            connection.exec_driver_sql("DELETE FROM score_chunk WHERE run_id = ?", (run.id,))
        with store.reader() as reader, pytest.raises(CheckFailedError, match=r"bound .* is not admissible"):
            _check_incumbent(reader, run, spec)


def test_a_bound_that_prunes_the_optimum_of_its_own_search_stops_the_run(
    place: Sets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bounds are right just above complete states, where each is compared, and wrong further up."""
    sound = {"params": "n = 8, k = 3, elements = 4, seed = 2", "evaluators": ("common joint = 0",)}
    place.run(place.query(**sound))  # the module is imported
    kind = sys.modules["epcg_sets"].Common
    genuine = kind.bound

    def wrong(self: Any, partial: Any) -> int | None:
        found: int | None = genuine(self, partial)
        return found if found is None or len(partial.sets) > 1 else -100

    monkeypatch.setattr(kind, "bound", wrong)
    looks_away(monkeypatch)
    query = place.query(params="n = 8, k = 3, elements = 4, seed = 1", evaluators=("common joint = 0",))
    for _ in range(2):  # the second time goes on with what is recorded
        with pytest.raises(CheckFailedError, match=r"does not have it among the best: .* Mend `bound`"):
            place.run(query, executor="serial")
    assert [state for (state,) in place.sql("SELECT state FROM run ORDER BY id")][2:] == ["done", "running"]


# --- the whole proof is searched again


def without_top(place: Sets, liar: Sets, monkeypatch: pytest.MonkeyPatch, unit_size: int) -> int:
    """Let the honest program record a proof whose kernel keeps the best candidates to itself."""
    place.run(place.query(**PARALLEL), unit_size=64)
    top = place.optima(2)[0][1]
    kind = sys.modules["epcg_sets"].CommonCompiled
    genuine = kind.search_block

    def search(self: Any, start: int, count: int, incumbent: Any) -> Any:
        if incumbent.value is not None and incumbent.value >= top:
            return genuine(self, start, count, incumbent)
        found = PlainSearch(self.generator.prefixes, self).search_block(start, count, incumbent)
        kept = found.values < top if len(found.values) else np.zeros(0, bool)
        return attrs.evolve(found, ranks=found.ranks[kept], values=found.values[kept])

    with monkeypatch.context() as lie:
        lie.setattr(kind, "search_block", search)
        looks_away(lie)
        run = liar.run(liar.query(**PARALLEL), unit_size=unit_size).goal
    assert max(value for _, value in liar.optima(run.id)) < top
    return run.id


@pytest.mark.parametrize(
    ("unit_size", "seeds"),
    [(16, 1), *(pytest.param(size, 5, marks=pytest.mark.slow) for size in (1, 16, 1 << 20))],
)
def test_a_better_candidate_in_one_unit_is_found_for_certain(
    place: Sets, monkeypatch: pytest.MonkeyPatch, unit_size: int, seeds: int
) -> None:
    """However the record is cut, the verifier searches all of it, in pieces of its own."""
    liar = place.other("liar")
    run = without_top(place, liar, monkeypatch, unit_size)
    with Store.open(liar.database) as store:
        verdicts = [verify(store, run, 3, seed).verdict for seed in range(seeds)]
    assert set(verdicts) == {"does not hold"}


@pytest.mark.parametrize(
    ("unit_size", "change", "seeds", "which"),
    [
        (64, 0.5, 1, ["count DESC"]),
        *(
            pytest.param(size, by, 5, ["start", "count DESC"], marks=pytest.mark.slow)
            for size in (16, 300)
            for by in (-1, 0.5)
        ),
    ],
)
def test_a_changed_bound_is_found_for_certain(
    place: Sets, unit_size: int, change: float, seeds: int, which: list[str]
) -> None:
    """One of many prunings, the first and the longest, which goes beyond a unit."""
    run = place.given(place.query(**PARALLEL), unit_size=unit_size).goal
    mine = f"run_id = {run.id} AND reason = 'bound'"
    for one in which:
        ((start, bound),) = place.sql(f"SELECT start, bound FROM pruning WHERE {mine} ORDER BY {one} LIMIT 1")
        place.change(f"UPDATE pruning SET bound = {bound + change} WHERE {mine} AND start = {start}")
        for seed in range(seeds):
            with Store.open(place.database) as store:
                found = [c for c in verify(store, run.id, 3, seed).checks if not c.passed]
            assert {check.name for check in found} == {"sample"}
        place.change(f"UPDATE pruning SET bound = {bound} WHERE {mine} AND start = {start}")
        assert failed(place, run.id) == {}


def test_the_share_that_could_be_hidden_is_named(place: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    run = place.given(place.query(**PARALLEL), unit_size=64).goal
    assert "all 11 pieces of the range" in sample_of(place, run.id)
    monkeypatch.setattr(optimality, "PROOF_SECONDS", -1.0)
    told = sample_of(place, run.id)
    assert "1 of 11 pieces of the range, searched again" in told
    assert "a better candidate could be hidden" in told
