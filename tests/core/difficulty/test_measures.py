"""Every measure on trees small enough to be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import e, inf, isnan, log2
from typing import Any

import pytest

from epcg_core.base.errors import PluginError
from epcg_core.difficulty import (
    Answer,
    Difficulty,
    Policy,
    StateSpace,
    adversarial,
    leave_one_out_differential,
    msi,
    muse,
    remuse,
    rule_differential,
    tsi,
    uniform,
)
from tests.core.difficulty.graphs import Graph, TableRule, tree

TREE = tree("s: u v w; u: P d; v: Q")
"""s has the children u (a goal P and a dead end d), v (only the goal Q) and w (a dead end)."""
LOST = tree("s: x y z; x: d e")
"""No goal: x has two dead ends, y and z are dead ends."""


def space(graph: Graph, *rules: Any, start: str = "s") -> StateSpace:
    return StateSpace(graph, start, rules)


def test_muse() -> None:
    """u: log2 2 + 0 = 1. v: log2 1 + 0 = 0. w: infinite. s: log2 3 + min(1, 0, inf) = log2 3."""
    assert muse(space(TREE)) == Difficulty(log2(3), 7, ("v", "Q"))
    assert muse(space(TREE, start="u")) == Difficulty(1.0, 3, ("P",))


def test_dead_ends_count_as_actions() -> None:
    assert muse(space(tree("s: G a b c"))).value == 2.0
    assert muse(space(tree("s: G"))).value == 0.0


def test_the_zero_collapse() -> None:
    """t: both children are 0, so t is 0 with the collapse and 1 without; then s: log2 2 + t, as d is a dead
    end. In r all children are 0 again: collapsed 0, else log2 2 + 0 (by G).
    """
    graph = tree("s: t d; t: G H; r: t G")
    assert muse(space(graph)).value == 1.0 + 1.0
    assert muse(space(graph), collapse_zero=True).value == 1.0
    assert muse(space(graph, start="r")).value == 1.0
    assert muse(space(graph, start="r"), collapse_zero=True).value == 0.0


def test_the_collapse_needs_all_children_to_be_zero() -> None:
    """s: children 0 and 1 (u: G and a dead end): no collapse, log2 2 + 0."""
    assert muse(space(tree("s: G u; u: H d")), collapse_zero=True).value == 1.0


def test_remuse() -> None:
    """u: v = (0, inf), p = (1, 0): 1 * log2(1 / (1/2)) = 1. v: 0. s: v = (1, 0, inf), so p is proportional
    to (1/e, 1, 0); the divergence from (1/3, 1/3, 1/3) is the sum of p log2(3 p); the least child is 0.
    """
    p, q = (1 / e) / (1 / e + 1), 1 / (1 / e + 1)
    found = remuse(space(TREE))
    assert found.value == pytest.approx(p * log2(3 * p) + q * log2(3 * q), abs=1e-15)
    assert found.value == pytest.approx(0.745021, abs=1e-6)
    assert (found.states, found.path) == (7, ("v", "Q"))
    assert remuse(space(TREE, start="u")).value == 1.0


def test_remuse_is_zero_where_children_are_equal() -> None:
    """Seven children of value 1 each: p is uniform, so nothing is told, and 1 remains."""
    seven = "; ".join(f"{c}: {c.upper()} {c}1" for c in "abcdefg")
    assert remuse(space(tree(f"s: a b c d e f g; {seven}"))).value == 1.0


def test_remuse_of_values_beyond_the_range_of_exp() -> None:
    """A chain of 2,000 choices between going on and a dead end: 2,000 bits, and e^-2000 is no float."""
    chain = Graph({i: {"on": i + 1, "off": -1} for i in range(2000)}, frozenset([2000]))
    assert remuse(StateSpace(chain, 0)).value == 2000.0
    both = Graph({"s": {"a": 0, "b": 1}, **chain.table}, chain.goals)
    p, q = 1 / (1 + e), e / (1 + e)
    expected = 1999 + p * log2(2 * p) + q * log2(2 * q)
    assert remuse(StateSpace(both, "s")).value == pytest.approx(expected, abs=1e-9)


def test_adversarial() -> None:
    """Off the path, log2 of the children is added: x: 0 + log2 2 = 1; s: max(1, 0, 0) + log2 3."""
    assert adversarial(space(LOST)) == Difficulty(1 + log2(3), 6, ("x", "d"))


def test_adversarial_drops_the_log_where_a_child_lies_on_a_solution_path() -> None:
    """x: 0 + log2 2 = 1, off. t: 0, on (its child G is a goal). s: max(1, 0), on."""
    graph = tree("s: x t; x: d e; t: G f")
    assert adversarial(space(graph)) == Difficulty(1.0, 7, ("x", "d"))
    assert adversarial(space(graph, start="t")).value == 0.0


def test_adversarial_counts_cannot_actions_without_expanding_them() -> None:
    """s of LOST without x: children y, z and the unexpanded x, all (0, off): log2 3."""
    rule = TableRule({("s", "x"): Answer.CANNOT})
    assert adversarial(space(LOST, rule)) == Difficulty(log2(3), 3, ("y",))
    every = TableRule({("s", a): Answer.CANNOT for a in "xyz"})
    assert adversarial(space(LOST, every)) == Difficulty(log2(3), 1, ())


def test_adversarial_with_must_and_with_contradictions() -> None:
    must = TableRule({("s", "x"): Answer.MUST})
    both = TableRule({("s", "x"): Answer.MUST, ("s", "y"): Answer.MUST})
    cannot = TableRule({("s", "x"): Answer.CANNOT})
    assert adversarial(space(LOST, must)).value == 1.0
    assert adversarial(space(LOST, both)) == Difficulty(0.0, 1, ())
    assert adversarial(space(LOST, must, cannot)) == Difficulty(0.0, 1, ())


def test_msi() -> None:
    """The solutions are u P with 1/3 * 1/2 and v Q with 1/3 * 1: -log2(1/3)."""
    assert msi(space(TREE)) == Difficulty(log2(3), 7, ("v", "Q"))


def test_tsi() -> None:
    """Either solution: 1/3 * 1/2 + 1/3 * 1 = 1/2, which is 1 bit."""
    found = tsi(space(TREE))
    assert found.value == pytest.approx(1.0, abs=1e-15)
    assert (found.states, found.path) == (7, ("v", "Q"))


def test_a_policy() -> None:
    """u with 1/2, v with 1/8, w with 3/8; in u the goal with 3/4. Solutions: 3/8 and 1/8, together 1/2."""

    def policy(state: str, actions: Sequence[str]) -> Sequence[float]:
        return {"s": [1 / 2, 1 / 8, 3 / 8], "u": [3 / 4, 1 / 4], "v": [1.0]}[state]

    assert msi(space(TREE), policy).value == pytest.approx(-log2(3 / 8), abs=1e-15)
    assert msi(space(TREE), policy).path == ("u", "P")
    assert tsi(space(TREE), policy).value == pytest.approx(1.0, abs=1e-15)
    assert tsi(space(TREE), policy).path == ("u", "P")


def test_a_policy_that_never_takes_the_solution() -> None:
    def never(state: str, actions: Sequence[str]) -> Sequence[float]:
        return [0.0, 1.0]

    graph = tree("s: G d")
    assert msi(space(graph), never) == Difficulty(inf, 3, ())
    assert tsi(space(graph), never) == Difficulty(inf, 3, ())


@pytest.mark.parametrize("probabilities", [[1.0], [0.5, 0.4], [1.5, -0.5], [float("nan"), 1.0]])
def test_what_is_no_distribution_is_refused(probabilities: list[float]) -> None:
    with pytest.raises(PluginError, match="expected one for each, 0 or more, with the sum 1"):
        msi(space(tree("s: G d")), lambda state, actions: probabilities)


def test_tsi_does_not_vanish_in_deep_puzzles() -> None:
    """2^-3000 is no float, but 3,000 bits are."""
    chain = Graph({i: {"on": i + 1, "off": -1} for i in range(3000)}, frozenset([3000]))
    assert tsi(StateSpace(chain, 0)).value == 3000.0


def test_a_solved_puzzle_is_zero() -> None:
    graph = Graph({"s": {"a": "s"}}, frozenset("s"))
    for measure in (muse, remuse, adversarial, msi, tsi):
        assert measure(space(graph)) == Difficulty(0.0, 1, ())


def test_without_a_solution_all_but_the_adversarial_are_infinite() -> None:
    for measure in (muse, remuse, msi, tsi):
        assert measure(space(LOST)) == Difficulty(inf, 6, ())
    assert muse(space(LOST), collapse_zero=True).value == inf
    assert adversarial(space(LOST)).value == 1 + log2(3)


def test_rule_differential() -> None:
    """Without rules TREE has log2 3 bits; who knows that w cannot be taken has log2 2."""
    rule = TableRule({("s", "w"): Answer.CANNOT})
    assert rule_differential(TREE, "s", rule) == log2(3) - 1
    # TSI: 1 bit without; with it 1/2 * 1/2 + 1/2 * 1 = 3/4.
    assert rule_differential(TREE, "s", rule, tsi) == pytest.approx(1 + log2(3 / 4), abs=1e-15)


def test_leave_one_out_differential() -> None:
    """All rules: only v is left, 0 bits. All but `not_u`: 1 bit. All but `not_w`: 1 bit."""
    not_u, not_w = (TableRule({("s", action): Answer.CANNOT}) for action in "uw")
    assert leave_one_out_differential(TREE, "s", [not_u, not_w], not_u) == 1.0
    assert leave_one_out_differential(TREE, "s", [not_u], not_u) == rule_differential(TREE, "s", not_u)


def test_differentials_of_what_has_no_solution() -> None:
    never = TableRule({("s", action): Answer.CANNOT for action in "uvw"})
    assert rule_differential(TREE, "s", never) == -inf
    assert isnan(rule_differential(LOST, "s", never))


def test_uniform_is_a_policy_like_others() -> None:
    def fair(state: Any, actions: Sequence[Any]) -> Sequence[float]:
        return uniform(state, actions)

    for measure in (msi, tsi):
        assert measure(space(TREE), fair).value == pytest.approx(measure(space(TREE)).value, abs=1e-15)


class OfThePuzzle:
    """A policy that must see the puzzle: its first state's first action is certain, all others are alike."""

    def for_puzzle(self, space: StateSpace) -> Policy:
        first = space.model.initial(space.puzzle)
        assert space.states[0] == first

        def policy(state: Any, actions: Sequence[Any]) -> Sequence[float]:
            return [1.0, *(0.0 for _ in actions[1:])] if state == first else uniform(state, actions)

        return policy

    def __call__(self, state: Any, actions: Sequence[Any]) -> Sequence[float]:
        raise AssertionError("the policy of the puzzle is asked instead")


def test_a_policy_may_be_made_for_each_puzzle() -> None:
    """From s to u for certain, then P or d; from u alone P is certain. One policy serves both puzzles."""
    policy = OfThePuzzle()
    for measure in (msi, tsi):
        assert measure(space(TREE), policy).value == 1.0
        assert measure(space(TREE, start="u"), policy).value == 0.0


def test_a_policy_that_fails_at_a_puzzle_is_named() -> None:
    class Broken(OfThePuzzle):
        def for_puzzle(self, space: StateSpace) -> Policy:
            raise LookupError("a mistake of the guest")

    with pytest.raises(PluginError, match=r"The policy .* raised LookupError: a mistake of the guest"):
        msi(space(TREE), Broken())
