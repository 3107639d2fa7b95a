"""Ten lies about libraries, components, `feasible`, factored spaces and searches on disk, and their finders.

The honest program records each: a part of it lies while the run is made, so all digests, sums and selections
agree. Further lies are in test_lies.py; the table in tests/whole/faults/README.md lists all.
"""

from __future__ import annotations

import importlib
import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, RunInterruptedError
from epcg_core.chunks.blocks import Block, as_array
from epcg_core.domain import NONE, Evaluation
from epcg_core.domain.bounds import INFEASIBLE, Prunings
from epcg_core.runs import libraries
from epcg_core.search.components import on_disk
from tests.conftest import Alone
from tests.core.search.branch_and_bound.conftest import SOURCE as SETS
from tests.core.search.branch_and_bound.place import Sets
from tests.core.search.components.conftest import SOURCE as LANDS
from tests.core.search.components.place import Lands
from tests.core.test_libraries import BEST, kept, lied, made
from tests.research.test_lies import recording
from tests.workplace import SERIAL, Numbers, Workplace, looks_away

LAND: dict[str, Any] = {"seed": 3, "size": 60, "states": 60, "density": 0.02, "goals": 6}
ON_DISK: dict[str, Any] = LAND | {"form": "positions", "limit": 2, "disk": 1.0}
PAIRS = """
from epcg_core import hookimpl
from epcg_core.combinatorics import FactoredSpace
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric

EPCG_API_VERSION = 1


def additions(base):
    return range(base, 3 * base)


class Pairs:
    def __init__(self, params):
        self._space = FactoredSpace(range(9), additions)
        self.max_rank = self._space.max_rank
        self.unrank, self.rank = self._space.unrank, self._space.rank


class Total:
    metrics = (Metric("total", "int"),)

    def __init__(self, params, generator, tables): ...
    def evaluate(self, state):
        return (10 * state[0] + state[1],)


@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("pairs", "Pairs", "pairs of numbers"))


@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(name="pairs", domain="pairs", summary="pairs", factory=Pairs))


@hookimpl
def epcg_register_evaluators(register):
    about = {"name": "total", "domain": "pairs", "summary": "a sum"}
    register(EvaluatorInfo(**about, metrics=Total.metrics, factory=Total))
"""
ASKED = 'domain = "pairs"\ngenerator = { name = "pairs" }\nevaluators = [{ name = "total" }]\n'


def found(place: Workplace, run: int, sample: int = 300) -> set[str]:
    """The checks that find a contradiction; what they find makes `epcg verify` end with 4."""
    return {check.name for check in place.checks(run, sample) if check.verdict == "does not hold"}


def changed(block: Block, metric: int, change: Any) -> Block:
    """A block whose column of a metric is what `change` makes of it."""
    values = [as_array(column).copy() for column in block.evaluation.values]
    values[metric] = change(values[metric])
    return attrs.evolve(block, evaluation=Evaluation(tuple(values), block.evaluation.status))


# --- libraries


@pytest.mark.slow
def test_1_a_library_of_a_library_has_false_values(toy: Numbers) -> None:
    """What is asked for is honest, and so is the choice of its library; the lie is one further down."""
    below = lied(toy, values={"digits": [99, *[1] * (len(BEST) - 1)]})
    select = f'{{ run = {below}, select = {{ metric = "of_items", keep = "highest", count = 4 }} }}'
    run = toy.run(made(select).replace('metric = "digits"', 'metric = "of_items"')).goal.id
    assert found(toy, run) == {"inputs", "runs underneath"}


@pytest.mark.slow
def test_2_a_library_is_chosen_by_another_rule_than_is_recorded(
    toy: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.run(kept())
    with monkeypatch.context() as lie:
        lie.setattr(libraries, "chosen_by", lambda *_: {7, 8, 9})
        toy.run(made('{ run = 1, select = { metric = "digits", keep = "highest", count = 3 } }'))
    assert found(toy, 2) == {"inputs"}


# --- components


@pytest.fixture
def lands(alone: Alone) -> Lands:
    return Lands(alone("lands", "epcg_lands", LANDS.read_text(encoding="utf-8")), SERIAL)


@pytest.mark.slow
def test_3_the_hardest_of_a_component_is_nearer_than_is_said(
    lands: Lands, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(monkeypatch, lambda block: changed(block, 2, lambda hardest: hardest + 1)):
        run = lands.run(lands.query(form="positions", **LAND)).goal.id
    assert "sample" in found(lands, run)


@pytest.mark.slow
def test_4_a_component_is_hidden_behind_a_lower_rank(lands: Lands, monkeypatch: pytest.MonkeyPatch) -> None:
    """One rank of sixty: a sample of all finds it, one of n with n in sixty."""

    def hidden(block: Block) -> Block:
        values = [as_array(column) for column in block.evaluation.values]
        status = np.array(block.evaluation.status, copy=True)
        largest = values[0].argmax()
        status[..., largest] = NONE
        return attrs.evolve(block, evaluation=Evaluation(tuple(values), status))

    with recording(monkeypatch, hidden):
        run = lands.run(lands.query(form="positions", **LAND)).goal.id
    assert found(lands, run) == {"sample"}


# --- everything that is feasible


@pytest.fixture
def sets(alone: Alone) -> Sets:
    return Sets(alone("sets", "epcg_sets", SETS), SERIAL)


def feasible(place: Sets) -> str:
    return place.text(search="").replace('"branch_and_bound", ', '"feasible"')


@pytest.mark.slow
def test_5_a_candidate_with_a_value_is_called_infeasible(sets: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pruning is recorded, with its reason, in place of the value."""

    def pruned(block: Block) -> Block:
        if block.ranks is None or not len(block.ranks):
            return block
        lost, rest = block.ranks[:1], block.ranks[1:]
        values = tuple(as_array(column)[1:] for column in block.evaluation.values)
        status = block.evaluation.status
        own = block.prunings
        assert own is not None
        more = {"start": lost[0], "count": 1, "bound": np.nan, "reason": INFEASIBLE}
        rows = {
            name: np.append(getattr(own, name), np.array([value], getattr(own, name).dtype))
            for name, value in more.items()
        }
        order = np.argsort(rows["start"])
        return attrs.evolve(
            block,
            ranks=rest,
            evaluation=Evaluation(values, None if status is None else status[..., 1:]),
            prunings=Prunings(**{name: column[order] for name, column in rows.items()}),
        )

    honest = sets.run(feasible(sets)).goal
    liar = sets.other("liar")
    with recording(monkeypatch, pruned):
        run = liar.run(feasible(sets)).goal
    assert 0 < run.evaluated < honest.evaluated
    assert found(liar, run.id) == {"sample"}


def test_6_the_values_of_what_is_feasible_are_others(sets: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    with recording(monkeypatch, lambda block: changed(block, 0, lambda column: column + 1)):
        run = sets.run(feasible(sets)).goal
    assert run.evaluated
    assert "winners" in found(sets, run.id, sample=1)


# --- factored spaces


@pytest.fixture
def pairs(alone: Alone) -> Workplace:
    return Workplace(alone("pairs", "epcg_pairs", PAIRS), SERIAL)


def liar_of(place: Workplace, monkeypatch: pytest.MonkeyPatch, additions: Any) -> tuple[Workplace, int]:
    """A run whose bases had other additions."""
    honest = place.run(ASKED).goal
    assert found(place, honest.id) == set()
    liar = place.other("liar")
    module = importlib.import_module("epcg_pairs")
    with monkeypatch.context() as lie:
        lie.setattr(module, "additions", additions)
        looks_away(lie)
        run = liar.run(ASKED).goal
    return liar, run.id


def test_7_a_base_is_left_out_of_a_space(pairs: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    liar, run = liar_of(pairs, monkeypatch, lambda base: range(base, 3 * base) if base != 5 else ())
    assert "specification" in found(liar, run)


def test_8_two_bases_exchange_their_additions(pairs: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many states as there are, with other values."""
    liar, run = liar_of(pairs, monkeypatch, lambda base: range(base + 1, 3 * base + 1))
    assert "sample" in found(liar, run)


# --- components on disk


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "disk"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def cut_off(lands: Lands, disk: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Lands, Path]:
    """A run that ended after the second layer of a component, and the folder of that."""
    told, calls = on_disk.OnDisk._done, 0

    def cut(self: Any, **changes: Any) -> None:
        nonlocal calls
        told(self, **changes)
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as ends:
        ends.setattr(on_disk.OnDisk, "_done", cut)
        with suppress(KeyboardInterrupt, RunInterruptedError):
            lands.run(lands.query(**ON_DISK))
    (state,) = disk.rglob("component*/state.json")
    return lands, state.parent


@pytest.mark.slow
def test_9_the_state_of_a_component_that_was_cut_off_is_changed(
    cut_off: tuple[Lands, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on from it, and believes it."""
    lands, folder = cut_off
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | {"size": state["size"] + 1}))
    looks_away(monkeypatch)
    run = lands.run(lands.query(**ON_DISK)).goal.id
    assert found(lands, run) == {"sample", "winners"}


def test_9b_positions_that_are_taken_out_of_its_files_are_missed_at_once(
    cut_off: tuple[Lands, Path],
) -> None:
    lands, folder = cut_off
    sorted((folder / "found-1").iterdir())[0].unlink()
    with pytest.raises(EpcgError, match="is known in one direction only"):
        lands.run(lands.query(**ON_DISK))


def test_10_a_component_on_disk_is_said_to_have_a_lower_state(
    lands: Lands, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then no rank stands for it."""

    def nothing(self: Any, rank: int) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    with monkeypatch.context() as lie:
        lie.setattr(on_disk.OnDisk, "explored", nothing)
        looks_away(lie)
        run = lands.run(lands.query(**ON_DISK)).goal.id
    assert found(lands, run) == {"sample"}
