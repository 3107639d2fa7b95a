"""Puzzle entropy (MUSE, ReMUSE, adversarial) and solution information (MSI, TSI), in bits.

Each is a fold over a `StateSpace`, children first, so deep trees meet no recursion limit. Floats come from
scalar `math`, summed in the order of the model's actions.

Sources: Chen, White & Sturtevant, "Entropy as a Measure of Puzzle Difficulty" (AIIDE 2023); Shen &
Sturtevant, "Generalized Entropy and Solution Information for Measuring Puzzle Difficulty" (AIIDE 2024).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf, log2

from epcg_core.difficulty.policies import Policy, action_information, for_puzzle, uniform
from epcg_core.difficulty.search import Difficulty, StateSpace


def muse(space: StateSpace, collapse_zero: bool = False) -> Difficulty:
    """Compute the minimum uniform solution entropy: mu(goal) = 0, else log2|A(s)| + the least mu of a child.

    |A(s)| counts children that are dead ends. With `collapse_zero`, as in the published tables, a
    state all of whose children are 0 is 0 itself. Plain MUSE equals MSI under the uniform policy. If
    states can recur, plain MUSE is a shortest path; the collapse raises CyclicGraphError.
    """
    order = space.acyclic_order("MUSE with collapse_zero") if collapse_zero else space.post_order()
    if order is None:
        return msi(space)
    goals, children = space.goals, space.children
    values = [inf] * len(space)
    for state in order:
        below = children[state]
        if len(below) == 1:
            values[state] = values[below[0]]
        elif below:
            found = [values[child] for child in below]
            if collapse_zero and max(found) == 0.0:
                values[state] = 0.0
            else:
                values[state] = log2(len(below)) + min(found)
        elif goals[state]:
            values[state] = 0.0
    return Difficulty(values[0], len(space), _path(space, values[0], _extreme(min, space, values)))


def remuse(space: StateSpace) -> Difficulty:
    """Compute relative MUSE: MUSE with the zero collapse and information in place of log2|A(s)|.

    The information is the Kullback-Leibler divergence of p from the uniform distribution over the children,
    with p_i proportional to e^(-v_i), v_i the children's values. Raises CyclicGraphError if states can recur.
    """
    order = space.acyclic_order("ReMUSE")
    goals, children = space.goals, space.children
    values = [inf] * len(space)
    for state in order:
        below = children[state]
        if len(below) == 1:
            values[state] = values[below[0]]
        elif below:
            found = [values[child] for child in below]
            least = min(found)
            if least < inf:
                values[state] = _divergence(found, least) + least
        elif goals[state]:
            values[state] = 0.0
    return Difficulty(values[0], len(space), _path(space, values[0], _extreme(min, space, values)))


def _divergence(values: Sequence[float], least: float) -> float:
    """Return the KL divergence in bits of p_i = e^(-v_i) / sum from the uniform distribution."""
    count = len(values)
    if values.count(least) == count:
        return 0.0
    # Shifting by the least value changes no p_i, and keeps e^(-v_i) from vanishing.
    weights = [exp(least - value) for value in values]
    total = 0.0
    for weight in weights:
        total += weight
    divergence = 0.0
    for weight in weights:
        if weight > 0.0:
            p = weight / total
            divergence += p * log2(p * count)
    return max(0.0, divergence)


def adversarial(space: StateSpace) -> Difficulty:
    """Compute adversarial entropy, a recursion over the largest value of a child.

    log2 of the number of children is added unless one of them lies on a solution path.

    A goal is 0; so is a state without actions. Actions that are CANNOT count as children of value 0, off the
    solution path. Finite for puzzles without a solution. The path follows the largest child, and need not
    end in a goal. Raises CyclicGraphError if states can recur.
    """
    order = space.acyclic_order("adversarial entropy")
    children, excluded = space.children, space.excluded
    solved = list(space.goals)
    values = [0.0] * len(space)
    for state in order:
        below = children[state]
        count = len(below) + excluded[state]
        if count == 0:
            continue
        most = 0.0
        on_path = False
        for child in below:
            if values[child] > most:
                most = values[child]
            if solved[child]:
                on_path = True
        solved[state] = on_path
        values[state] = most if on_path else most + log2(count)
    return Difficulty(values[0], len(space), _path(space, values[0], _extreme(max, space, values)))


def msi(space: StateSpace, policy: Policy = uniform) -> Difficulty:
    """Compute the minimum solution information: -log2 of the probability of the most likely single solution.

    If states can recur it is a shortest path, with -log2 of the action's probability as the weight.
    """
    policy = for_puzzle(policy, space)
    order = space.post_order()
    if order is None:
        return space.shortest_path(lambda state: _information(space, policy, state))
    goals, children = space.goals, space.children
    values = [inf] * len(space)
    choices = [0] * len(space)
    for state in order:
        below = children[state]
        if len(below) == 1 and policy is uniform:
            values[state] = values[below[0]]
        elif below:
            found = _beyond(_information(space, policy, state), values, below)
            values[state] = min(found)
            choices[state] = found.index(values[state])
        elif goals[state]:
            values[state] = 0.0
    return Difficulty(values[0], len(space), _path(space, values[0], choices.__getitem__))


def tsi(space: StateSpace, policy: Policy = uniform) -> Difficulty:
    """Compute the total solution information: -log2 of the probability of reaching any goal.

    psi(s) = -log2 of the sum over a of pi(a, s) * 2^(-psi(child)). The path is the most likely solution.
    Raises CyclicGraphError if states can recur.
    """
    policy = for_puzzle(policy, space)
    order = space.acyclic_order("TSI")
    goals, children = space.goals, space.children
    values = [inf] * len(space)
    likely = [inf] * len(space)
    choices = [0] * len(space)
    for state in order:
        below = children[state]
        if len(below) == 1 and policy is uniform:
            values[state] = values[below[0]]
            likely[state] = likely[below[0]]
        elif below:
            bits = _information(space, policy, state)
            values[state] = _of_any(_beyond(bits, values, below))
            found = _beyond(bits, likely, below)
            likely[state] = min(found)
            choices[state] = found.index(likely[state])
        elif goals[state]:
            values[state] = likely[state] = 0.0
    return Difficulty(values[0], len(space), _path(space, likely[0], choices.__getitem__))


def _information(space: StateSpace, policy: Policy, state: int) -> Sequence[float]:
    actions = space.actions[state]
    return action_information(policy, space.states[state], actions) if actions else ()


def _beyond(bits: Sequence[float], values: list[float], below: tuple[int, ...]) -> list[float]:
    """Return the information of each action plus that of the state after it."""
    return [own + values[child] for own, child in zip(bits, below, strict=True)]


def _of_any(bits: Sequence[float]) -> float:
    """Return -log2 of the sum of 2^(-b_i), with the least b_i factored out against underflow."""
    least = min(bits)
    if least == inf:
        return inf
    total = 0.0
    for value in bits:
        total += 2.0 ** (least - value)
    return max(0.0, least - log2(total))


def _path(space: StateSpace, value: float, pick: Callable[[int], int]) -> tuple[object, ...]:
    """Return the actions that `pick` chooses from the first state on; none if `value` is infinite."""
    path = []
    state = 0
    while value < inf and space.children[state]:
        i = pick(state)
        path.append(space.actions[state][i])
        state = space.children[state][i]
    return tuple(path)


def _extreme(which: Callable[..., int], space: StateSpace, values: list[float]) -> Callable[[int], int]:
    """Return a function from a state to its first child of least (`min`) or greatest (`max`) value."""

    def pick(state: int) -> int:
        below = space.children[state]
        return which(range(len(below)), key=lambda i: values[below[i]])

    return pick
