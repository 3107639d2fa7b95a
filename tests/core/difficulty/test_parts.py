"""Measures, rules and policies by name: registered through the hooks, asked for in queries."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable
from math import ceil, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, EvaluationError, ParamsError, UnknownNameError
from epcg_core.difficulty import StateSpace, uniform
from epcg_core.difficulty.evaluator import ENTROPY_STATES, MEASURES, ArrayEntropy, entropy_evaluator
from epcg_core.difficulty.params import EntropyParams
from epcg_core.difficulty.scorers import make_policy, make_scorer
from epcg_core.domain import LIMIT, NONE, VALUE, EntropyScorerInfo, Evaluation, PolicyInfo, resolve
from epcg_core.editing.score import score
from epcg_core.plugins.registry import registry
from epcg_core.query.query import parse_query
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import Options, execute, plan
from epcg_core.store import Reader, Store
from epcg_core.store.naming import space_of
from tests.core.difficulty.graphs import Graph

HERE = Path(__file__).parent
QUERY = """
domain = "stairs"
evaluators = [{{ {evaluator} }}]
[generator]
name = "{generator}"
size = 7
"""
P = [1.0, 1 / 2, 3 / 4, 5 / 8, 11 / 16, 21 / 32, 43 / 64]
"""How likely it is to reach step n when one and two steps are equally likely: the mean of the two before."""


@pytest.fixture
def stairs(
    install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Path:
    """The domain `stairs` and its guest, and no other plugin; gives a database."""
    monkeypatch.setenv("EPCG_PLUGINS", "stairs,guest")
    for name in ("stairs", "guest"):
        source = (HERE / f"{name}_plugin.py").read_text(encoding="utf-8")
        install_plugin(name, f"epcg_{name}", source, f"epcg-{name}")
    assert [report.problem for report in registry().reports] == ["", "", ""]
    return tmp_path / "epcg.db"


def ask(database: Path, evaluator: str, generator: str = "steps") -> tuple[list[int | None], list[Any]]:
    """(status, values) of the staircases of 0 to 6 steps, as recorded."""
    query = parse_query(QUERY.format(evaluator=evaluator, generator=generator))
    with Store.open(database, write=True) as store:
        execute(query, store, Options(executor="serial", quiet=True))
    with Store.open(database) as store, store.reader() as reader:
        assert isinstance(reader, Reader)
        run = max(record.id for record in reader.runs())
        return [reader.status_at(run, rank) for rank in range(7)], reader.scores_at(run, range(7))


def column(scores: list[Any], name: str) -> list[Any]:
    return [score[name] for score in scores]


def test_the_core_registers_its_measures_and_a_policy() -> None:
    names = [info.name for info in registry().all(EntropyScorerInfo)]
    assert {"muse", "remuse", "adversarial", "msi", "tsi"} <= set(names)
    assert {metric.name for metric in MEASURES} <= set(names)
    assert "uniform" in [info.name for info in registry().all(PolicyInfo)]
    assert make_policy("uniform") is uniform


def test_a_query_for_entropy(stairs: Path) -> None:
    """Every step is a choice of two: a bit; the fewest are n / 2, rounded up."""
    status, scores = ask(stairs, 'name = "entropy"')
    assert status == [VALUE] * 7
    assert column(scores, "muse") == column(scores, "msi") == [ceil(n / 2) for n in range(7)]
    assert column(scores, "tsi") == pytest.approx([-log2(p) for p in P], abs=1e-12)
    assert column(scores, "entropy_states") == [1, *(n + 2 for n in range(1, 7))]
    assert column(scores, "adversarial") == [0.0] * 7


def test_rules_and_their_params(stairs: Path) -> None:
    """Who looks has no choice at the last step: steps in pairs cost a bit each but for the last one."""
    _, scores = ask(stairs, 'name = "entropy", rules = ["look"]')
    assert column(scores, "tsi") == [0.0] * 7
    assert column(scores, "muse") == [0, 0, 1, 1, 2, 2, 3]
    _, late = ask(stairs, 'name = "entropy", rules = ["look"], rule_params = { look = { from_step = 4 } }')
    assert column(late, "muse") == [0, 1, 1, 2, 2, 2, 3]


def test_the_zero_collapse_in_a_query(stairs: Path) -> None:
    _, scores = ask(stairs, 'name = "entropy", rules = ["look"], collapse_zero = true')
    assert column(scores, "muse") == [0.0] * 7
    assert column(scores, "msi") == [0, 0, 1, 1, 2, 2, 3]


def test_a_third_partys_rule_for_anothers_domain(stairs: Path) -> None:
    """After a single step comes a double one: four steps are 1 2 1 with one choice, the first."""
    _, scores = ask(stairs, 'name = "entropy", rules = ["never_one_twice", "look"]')
    assert column(scores, "muse") == [0, 0, 1, 1, 1, 2, 2]
    status, alone = ask(stairs, 'name = "entropy", rules = ["never_one_twice"]')
    assert status == [VALUE] * 7
    # 1, then only 2 is left, for 1 bit in all; 2, then one of two: 2 bits.
    assert (alone[3]["muse"], alone[3]["tsi"]) == (1.0, pytest.approx(-log2(1 / 2 + 1 / 4), abs=1e-12))


def test_a_third_partys_policy(stairs: Path) -> None:
    _, scores = ask(stairs, 'name = "entropy", policy = "hasty", policy_params = { haste = 0.875 }')
    assert scores[2]["msi"] == pytest.approx(-log2(7 / 8), abs=1e-12)
    assert scores[2]["tsi"] == pytest.approx(-log2(7 / 8 + 1 / 64), abs=1e-12)
    assert scores[2]["muse"] == 1.0


FAULTY = """
from epcg_core import hookimpl
from epcg_core.domain import EntropyScorerInfo, InferenceRuleInfo, PolicyInfo

EPCG_API_VERSION = 1

def raises(*arguments):
    raise LookupError("a mistake of the guest")

def odd(*arguments):
    return "odd"

class Looking:
    def after(self, *arguments):
        raise LookupError("a mistake of the guest")

class Keeping:
    def keep(self, *arguments):
        raise LookupError("a mistake of the guest")

PARTS = {"raises": raises, "odd": odd, "looking": Looking(), "keeping": Keeping()}

@hookimpl
def epcg_register_inference_rules(register):
    for name, rule in PARTS.items():
        factory = lambda params, generator, rule=rule: rule
        register(InferenceRuleInfo(name=name, domain="stairs", summary="", factory=factory))

@hookimpl
def epcg_register_policies(register):
    for policy in (raises, odd):
        register(PolicyInfo(name=policy.__name__, summary="", factory=lambda params, policy=policy: policy))

@hookimpl
def epcg_register_entropy_scorers(register):
    register(EntropyScorerInfo(name="raises", summary="", factory=lambda params: raises))
"""


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "evaluator",
    [
        *(f'name = "entropy", rules = ["{rule}"]' for rule in ("raises", "odd", "looking", "keeping")),
        'name = "entropy", policy = "raises"',
        'name = "entropy", policy = "odd"',
        'name = "rule_differential", rule = "look", measure = "raises"',
    ],
)
def test_a_fault_is_laid_to_the_plugin_of_the_part_and_not_to_that_of_the_evaluator(
    stairs: Path,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    evaluator: str,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "stairs,faulty")
    install_plugin("faulty", "epcg_faulty", FAULTY, "epcg-faulty")
    registry.cache_clear()
    with pytest.raises(EvaluationError) as failed:
        ask(stairs, evaluator)
    assert re.search(r"The (inference rule|policy|entropy scorer) epcg_faulty\.", str(failed.value))
    assert "The evaluator stairs:" in str(failed.value)
    assert failed.value.__notes__[0].startswith("The code at fault is ")
    assert failed.value.__notes__[0].endswith("of the plugin epcg-faulty 1.0.")


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("evaluator", "by_guest"),
    [
        ('name = "entropy", rules = ["look"]', False),
        ('name = "entropy", rules = ["look", "never_one_twice"]', True),
        ('name = "entropy", policy = "hasty"', True),
        ('name = "entropy", scorer_params = { msi = { policy = "hasty" } }', True),
        ('name = "short", policy = "hasty"', True),
        ('name = "rule_differential", rule = "look"', False),
        ('name = "rule_differential", rule = "never_one_twice"', True),
        ('name = "rule_differential", rule = "look", measure = "dead_ends"', True),
        ('name = "leave_one_out", rule = "look", rules = ["never_one_twice"]', True),
        ('name = "leave_one_out", rule = "look", measure = "tsi", policy = "hasty"', True),
        ('name = "entropy", measures = ["dead_ends"]', True),
    ],
)
def test_whose_parts_a_run_uses_is_a_part_of_its_identity(
    stairs: Path, evaluator: str, by_guest: bool
) -> None:
    def spec() -> RunSpec:
        return plan(parse_query(QUERY.format(evaluator=evaluator, generator="steps")))[1]

    before = spec()
    assert ("epcg-guest 1.0" in before.versions) == by_guest
    (metadata,) = stairs.parent.glob("site/epcg_guest-*/METADATA")
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    importlib.invalidate_caches()
    registry.cache_clear()
    after = spec()
    assert ("epcg-guest 1.1" in after.versions) == by_guest
    assert (after.identity != before.identity) == by_guest


def test_a_third_partys_scorer_and_evaluator(stairs: Path) -> None:
    _, scores = ask(stairs, 'name = "guest", scorer_params = { dead_ends = { weight = 2.0 } }')
    assert [metric for metric in scores[1] if not metric.startswith("_")] == ["dead_ends", "guest_states"]
    assert column(scores, "dead_ends") == [0.0, *(2 / (n + 2) for n in range(1, 7))]
    scorer = make_scorer("dead_ends", {}, {"policy": "hasty", "collapse_zero": True})
    model = registry().generator("stairs", "steps")
    generator = resolve(model.factory)(model.params(3))
    assert scorer(StateSpace(generator.transition_model, 3)).path == ("hasty",)


def test_a_third_partys_scorer_is_asked_for_by_name(stairs: Path) -> None:
    """It stands behind the measures that the evaluator always has, over the same walk."""
    _, plain = ask(stairs, 'name = "entropy"')
    named = 'measures = ["dead_ends"], scorer_params = { dead_ends = { weight = 2.0 } }'
    _, scores = ask(stairs, f'name = "entropy", {named}')
    assert [name for name in scores[1] if not name.startswith("_")] == [
        "muse", "remuse", "adversarial", "msi", "tsi", "entropy_states", "dead_ends",
    ]  # fmt: skip
    assert column(scores, "dead_ends") == [0.0, *(2 / (n + 2) for n in range(1, 7))]
    for metric in (*MEASURES, ENTROPY_STATES):
        assert column(scores, metric.name) == column(plain, metric.name)
    with Store.open(stairs) as store, store.reader() as reader:
        assert isinstance(reader, Reader)
        last = reader.metrics(max(record.id for record in reader.runs()))[-1]
    assert (last.direction, last.unit) == ("min", "")


def test_a_measure_that_a_domain_leaves_out(stairs: Path) -> None:
    """The core's own are asked for in the same way, and the candidate's page tells them."""
    _, scores = ask(stairs, 'name = "guest", measures = ["tsi"]')
    assert column(scores, "tsi") == pytest.approx([-log2(p) for p in P], abs=1e-12)
    with Store.open(stairs) as store, store.reader() as reader:
        assert isinstance(reader, Reader)
        found = score(space_of(reader.runs()[0]), 4, reader)
    assert [m.value for m in found.measures if m.metric.name == "tsi" and m.standings] != []


def test_where_states_recur(stairs: Path) -> None:
    """The way down adds a third choice to every step but the first: 1 + log2 3 for three and four steps."""
    status, scores = ask(stairs, 'name = "short"', "around")
    assert status == [VALUE] * 7
    assert column(scores, "muse") == column(scores, "msi")
    assert column(scores, "muse")[:5] == pytest.approx([0, 1, 1, 1 + log2(3), 1 + log2(3)], abs=1e-12)
    with pytest.raises(EpcgError, match="set depth_limit"):
        ask(stairs, 'name = "entropy"', "around")
    status, limited = ask(stairs, 'name = "entropy", depth_limit = 4', "around")
    assert status == [VALUE] * 7
    assert column(limited, "muse") == column(scores, "muse")


def test_without_a_solution_what_is_finite_is_recorded(stairs: Path) -> None:
    """Of 5 or 6 steps a player has climbed none at first, 1 or 2 after one action, 2 to 4 after two: six
    states, none of them the end, and each of the two choices leads a player astray by a bit.
    """
    status, scores = ask(stairs, 'name = "entropy", depth_limit = 2')
    assert status == [VALUE] * 5 + [NONE] * 2
    for name in ("muse", "remuse", "msi", "tsi"):
        assert [value is None for value in column(scores, name)] == [False] * 5 + [True] * 2
    assert column(scores, "adversarial")[5:] == [2.0] * 2
    assert column(scores, "entropy_states")[5:] == [6] * 2


def test_too_many_states(stairs: Path) -> None:
    status, _ = ask(stairs, 'name = "entropy", limit = 5')
    assert status == [VALUE] * 4 + [LIMIT] * 3


def test_rule_differentials(stairs: Path) -> None:
    _, scores = ask(stairs, 'name = "rule_differential", rule = "look"')
    assert column(scores, "rule_differential") == [0, 1, 0, 1, 0, 1, 0]
    _, of_tsi = ask(stairs, 'name = "rule_differential", rule = "look", measure = "tsi"')
    assert column(of_tsi, "rule_differential") == pytest.approx([-log2(p) for p in P], abs=1e-12)
    known = 'rules = ["look", "forget"]'
    _, left = ask(stairs, f'name = "leave_one_out", rule = "look", {known}')
    assert column(left, "leave_one_out_differential") == [0, 1, 0, 1, 0, 1, 0]
    _, none = ask(stairs, f'name = "leave_one_out", rule = "forget", {known}')
    assert column(none, "leave_one_out_differential") == [0] * 7


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("evaluator", "sentence"),
    [
        ('name = "entropy", rules = ["lok"]', "unknown inference rule 'lok'. Did you mean 'look'"),
        ('name = "entropy", policy = "haste"', "unknown policy 'haste'. Did you mean 'hasty'"),
        ('name = "entropy", rule_params = { look = {} }', "rule_params: unknown rule 'look'"),
        (
            'name = "entropy", rules = ["look"], rule_params = { look = { from = 1 } }',
            "rule_params.look: unknown key 'from'. Did you mean 'from_step'",
        ),
        ('name = "entropy", policy_params = { haste = 1.0 }', "policy_params: unknown key 'haste'"),
        ('name = "rule_differential", rule = "lok"', "unknown inference rule 'lok'"),
        ('name = "rule_differential", rule = "look", measure = "muze"', "unknown entropy scorer 'muze'"),
        ('name = "leave_one_out"', "name the inference rule"),
        ('name = "entropy", measures = ["dead_end"]', "unknown entropy scorer 'dead_end'. Did you mean"),
        ('name = "entropy", measures = ["muse"]', "measures: muse is measured without being asked for"),
        ('name = "entropy", measures = ["dead_ends", "dead_ends"]', "measures: dead_ends is named twice"),
        (
            'name = "rule_differential", rule = "look", measures = ["dead_ends"]',
            "measures: the effect of a rule is that on one measure",
        ),
        ('name = "entropy", depth_limit = 0', "depth_limit"),
    ],
)
def test_bad_names_are_refused_when_the_query_is_planned(stairs: Path, evaluator: str, sentence: str) -> None:
    with pytest.raises((UnknownNameError, ParamsError), match=sentence):
        ask(stairs, evaluator)


def test_a_generator_that_cannot_be_played(stairs: Path) -> None:
    with pytest.raises(EpcgError, match="The generator Unplayed has no transition_model"):
        ask(stairs, 'name = "entropy"', "unplayed")


class Compiled:
    """A generator with a compiled capability, for the uniform policy only; it gives each state's number."""

    transition_model = Graph({}, frozenset())

    def compiled_entropy(
        self, params: EntropyParams, measures: list[str]
    ) -> Callable[[Any], Evaluation] | None:
        if params.policy != "uniform":
            return None
        return lambda states: Evaluation([states * 1.0] * len(measures) + [states])


def test_a_compiled_capability_is_used_where_it_is_offered(stairs: Path) -> None:
    factory = resolve(entropy_evaluator("stairs", measures=("muse", "tsi")).factory)
    fast = factory(EntropyParams(), Compiled(), {})
    assert isinstance(fast, ArrayEntropy)
    assert [np.asarray(c).tolist() for c in fast.evaluate_states(np.array([3, 4])).values] == [[3, 4]] * 3
    assert not hasattr(factory(EntropyParams(policy="hasty"), Compiled(), {}), "evaluate_states")


def test_listing_the_measures_loads_no_numeric_library() -> None:
    code = "import sys, epcg_core.difficulty.evaluator; print({'numpy', 'numba'} & {*sys.modules})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
