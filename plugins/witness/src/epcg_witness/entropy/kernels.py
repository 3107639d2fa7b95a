"""The compiled walk: all measures of a panel's difficulty at once.

The states of a panel are a tree, so nothing is remembered of a state once its parent has been told its
values. `epcg_core.difficulty` is the plain form, whose formulas are repeated here operation by operation.
Tables are those of `epcg_witness.entropy.tables.Board`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_witness.entropy.rules import (
    CANNOT,
    INVALID,
    MUST,
    UNKNOWN,
    closed_regions_satisfied,
    regions_satisfied,
    sides_agree,
    triangle_answer,
)
from epcg_witness.entropy.tables import (
    BORDER,
    DOT,
    EDGE,
    END_CELLS,
    ENDS,
    GAP,
    LAST_COLUMN,
    LEFT_CELL,
    MARK,
    NO_WALL,
    NOT_LEFT,
    NOT_RIGHT,
    ON_BORDER,
    PUBLISHED_COUNTING,
    RIGHT_CELL,
    RULE_BITS,
    SEPARATES,
    START,
    TO,
    TRIANGLE_CELLS,
    VERTEX_DOTS,
    VERTICES,
    WALL,
    WALL_ABOVE,
    WALL_CELL,
    WALL_ON_RIGHT,
)
from epcg_witness.solving.path_kernels import flood
from epcg_witness.solving.region_kernels import triangles_satisfied
from epcg_witness.solving.tiling_kernels import Pieces

PATH = RULE_BITS["path"]
REACH_GOAL = RULE_BITS["reach-goal"]
SEPARATION = RULE_BITS["separation"]
TRIANGLE = RULE_BITS["triangle"]
ALONG_THE_PATH = RULE_BITS["along-the-path"]
REGION_COMPLETION = RULE_BITS["region-completion"]

_ONE = np.uint64(1)
_ZERO = np.uint64(0)

END = 4
"""The action End; 0 to 3 are the moves up, right, down, left. At the root actions are indices of starts."""
MUSE, REMUSE, ADVERSARIAL, MSI, TSI, STATES, MEASURES = range(7)
"""Entries of the result."""
VISITED, RIGHT_WALLS, UPPER_WALLS, LEFT, RIGHT, WORDS = range(6)
"""Columns of `words`: sets of vertices and cells of each state on the stack."""
(HEAD, DOTS_DRAWN, GAPS_DRAWN, START_ON_BORDER, COUNT, EXCLUDED, FORCED, NEXT, FINITE, SOLVED,
 ACTIONS) = range(11)  # fmt: skip
"""Columns of `numbers`; from ACTIONS on A(s)."""
_MUSE, _REMUSE, _MSI, _TSI, MEASURED = range(5)
"""Columns of `values`, for each child."""


@njit
def walk(
    steps: NDArray[np.int64],
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    colours: NDArray[np.uint64],
    starts: NDArray[np.int64],
    log2: NDArray[np.float64],
    pieces: Pieces,
    dots: int,
    rules: int,
    limit: int,
    two: float,
    drawn: NDArray[np.int64],
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    values: NDArray[np.float64],
    most: NDArray[np.float64],
    out: NDArray[np.float64],
) -> bool:
    """Measure one panel under `rules`: `out` receives the MEASURES values, in bits, and the states visited.

    False if there are more than `limit` states. `two` is 2.0: as a variable, so that no compiler turns the
    power into another function, whose last bit differs. The last six arrays are room for the walk: the edges
    drawn (zeros); words and numbers of each state on the stack; the values of its children, and the largest
    adversarial value of a child.
    """
    # Depth first with an explicit stack. Going down, one edge is drawn and a few words are copied; coming up,
    # the children's values are folded into one value for each measure. Ends are leaves and are not pushed.
    states = 1
    depth = 0
    numbers[0, HEAD] = -1
    _begin(numbers, most, 0)
    numbers[0, COUNT] = starts.shape[0]
    for i in range(starts.shape[0]):
        numbers[0, ACTIONS + i] = i
    while True:
        if numbers[depth, NEXT] < numbers[depth, COUNT]:
            index = numbers[depth, NEXT]
            numbers[depth, NEXT] += 1
            states += 1
            if states > limit:
                return False
            action = numbers[depth, ACTIONS + index]
            if depth == 0:
                _start(sets, starts, action, words, numbers)
            elif action == END:
                solved = (
                    numbers[depth, GAPS_DRAWN] == 0
                    and numbers[depth, DOTS_DRAWN] == dots
                    and sets[VERTEX_DOTS] & ~words[depth, VISITED] == _ZERO
                    and triangles_satisfied(cells, drawn, sets[TRIANGLE_CELLS])
                    and regions_satisfied(
                        cells, sets, colours, pieces, words[depth, RIGHT_WALLS], words[depth, UPPER_WALLS]
                    )
                )
                for measure in range(MEASURED):
                    values[depth, index, measure] = 0.0 if solved else math.inf
                if solved:
                    numbers[depth, FINITE] = 1
                    numbers[depth, SOLVED] = 1
                continue
            else:
                _move(steps, action, drawn, words, numbers, depth)
            depth += 1
            _begin(numbers, most, depth)
            _expand(steps, cells, sets, rules, pieces.width, drawn, words, numbers, depth)
            if rules & (ALONG_THE_PATH | REGION_COMPLETION) != 0:
                _look_ahead(steps, cells, sets, colours, pieces, rules, drawn, words, numbers, depth)
            continue
        children = numbers[depth, COUNT] + numbers[depth, EXCLUDED]
        adversarial = most[depth]
        if numbers[depth, SOLVED] == 0:
            adversarial += log2[children]
        if depth == 0:
            _fold(log2, values, 0, numbers[0, COUNT], numbers[0, FINITE] != 0, two, out)
            out[ADVERSARIAL] = adversarial
            out[STATES] = states
            return True
        parent = depth - 1
        index = numbers[parent, NEXT] - 1
        if numbers[depth, FINITE] != 0:
            _fold(log2, values, depth, numbers[depth, COUNT], True, two, out)
            numbers[parent, FINITE] = 1
            values[parent, index, _MUSE] = out[MUSE]
            values[parent, index, _REMUSE] = out[REMUSE]
            values[parent, index, _MSI] = out[MSI]
            values[parent, index, _TSI] = out[TSI]
        else:
            for measure in range(MEASURED):
                values[parent, index, measure] = math.inf
        if numbers[depth, SOLVED] != 0:
            numbers[parent, SOLVED] = 1
        most[parent] = max(most[parent], adversarial)
        if parent > 0:
            drawn[steps[numbers[parent, HEAD], numbers[parent, ACTIONS + index], EDGE]] = 0
        depth = parent


@njit
def _begin(numbers: NDArray[np.int64], most: NDArray[np.float64], depth: int) -> None:
    """Begin a state of which nothing is known yet."""
    for column in range(COUNT, ACTIONS):
        numbers[depth, column] = 0
    most[depth] = 0.0


@njit
def _start(
    sets: NDArray[np.uint64],
    starts: NDArray[np.int64],
    index: int,
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
) -> None:
    """Push the state after a Start."""
    numbers[1, HEAD] = starts[index, START]
    numbers[1, DOTS_DRAWN] = 0
    numbers[1, GAPS_DRAWN] = 0
    numbers[1, START_ON_BORDER] = starts[index, ON_BORDER]
    words[1, VISITED] = _ONE << np.uint64(starts[index, START])
    words[1, RIGHT_WALLS] = sets[LAST_COLUMN]
    words[1, UPPER_WALLS] = _ZERO
    words[1, LEFT] = _ZERO
    words[1, RIGHT] = _ZERO


@njit
def _move(
    steps: NDArray[np.int64],
    direction: int,
    drawn: NDArray[np.int64],
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    depth: int,
) -> None:
    """Push the state after a move from the state at `depth`."""
    head, child = numbers[depth, HEAD], depth + 1
    for column in range(WORDS):
        words[child, column] = words[depth, column]
    mark = steps[head, direction, MARK]
    numbers[child, HEAD] = steps[head, direction, TO]
    numbers[child, DOTS_DRAWN] = numbers[depth, DOTS_DRAWN] + (1 if mark & DOT != 0 else 0)
    numbers[child, GAPS_DRAWN] = numbers[depth, GAPS_DRAWN] + (1 if mark & GAP != 0 else 0)
    numbers[child, START_ON_BORDER] = numbers[depth, START_ON_BORDER]
    words[child, VISITED] |= _ONE << np.uint64(steps[head, direction, TO])
    wall = steps[head, direction, WALL]
    if wall == WALL_ON_RIGHT:
        words[child, RIGHT_WALLS] |= _ONE << np.uint64(steps[head, direction, WALL_CELL])
    elif wall == WALL_ABOVE:
        words[child, UPPER_WALLS] |= _ONE << np.uint64(steps[head, direction, WALL_CELL])
    left, right = steps[head, direction, LEFT_CELL], steps[head, direction, RIGHT_CELL]
    if left >= 0:
        words[child, LEFT] |= _ONE << np.uint64(left)
    if right >= 0:
        words[child, RIGHT] |= _ONE << np.uint64(right)
    drawn[steps[head, direction, EDGE]] = 1


@njit
def _expand(
    steps: NDArray[np.int64],
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    rules: int,
    width: int,
    drawn: NDArray[np.int64],
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    depth: int,
) -> None:
    """Find A(s) of the state at `depth`, under the first four rules."""
    # The rules that can say MUST come first: two of them end it, and if there is one, reach-goal is asked
    # about that action only, because a CANNOT for any other changes nothing.
    head = numbers[depth, HEAD]
    visited = words[depth, VISITED]
    musts = (DOT if rules & PATH != 0 else 0) | (SEPARATES if rules & SEPARATION != 0 else 0)
    cannots = GAP if rules & PATH != 0 else 0
    triangles = rules & TRIANGLE != 0 and sets[TRIANGLE_CELLS] != _ZERO
    must = -1
    cannot = 0
    count = 0
    if sets[ENDS] >> np.uint64(head) & _ONE != _ZERO:
        numbers[depth, ACTIONS] = END
        count = 1
        if rules & REACH_GOAL != 0:
            must = END
    for direction in range(4):
        to = steps[head, direction, TO]
        if to < 0 or visited >> np.uint64(to) & _ONE != _ZERO:
            continue
        mark = steps[head, direction, MARK]
        answer = (MUST if mark & musts != 0 else UNKNOWN) | (CANNOT if mark & cannots != 0 else UNKNOWN)
        if triangles:
            answer |= triangle_answer(steps, cells, drawn, head, direction, rules & PUBLISHED_COUNTING != 0)
        if answer == INVALID or (answer == MUST and must >= 0):
            return
        if answer == MUST:
            must = direction
        elif answer == CANNOT:
            cannot |= 1 << direction
        numbers[depth, ACTIONS + count] = direction
        count += 1
    cut = rules & REACH_GOAL != 0 and depth > 1 and sets[BORDER] >> np.uint64(head) & _ONE != _ZERO
    if must >= 0:
        if cut and must != END and not _reaches_end(sets, steps[head, must, TO], visited, width):
            return
        numbers[depth, ACTIONS] = must
        numbers[depth, COUNT] = 1
        numbers[depth, FORCED] = 1
        return
    left = 0
    for i in range(count):
        action = numbers[depth, ACTIONS + i]
        if action != END and (
            cannot >> action & 1 != 0
            or (cut and not _reaches_end(sets, steps[head, action, TO], visited, width))
        ):
            continue
        numbers[depth, ACTIONS + left] = action
        left += 1
    numbers[depth, COUNT] = left
    numbers[depth, EXCLUDED] = count - left


@njit
def _reaches_end(sets: NDArray[np.uint64], to: int, visited: np.uint64, width: int) -> bool:
    """Return whether an end can be reached from the vertex `to` through vertices that are not visited."""
    seed = _ONE << np.uint64(to)
    reached = flood(seed, sets[VERTICES] & ~visited, sets[NOT_LEFT], sets[NOT_RIGHT], width + 1)
    return bool(reached & sets[ENDS] != _ZERO)


@njit
def _look_ahead(
    steps: NDArray[np.int64],
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    colours: NDArray[np.uint64],
    pieces: Pieces,
    rules: int,
    drawn: NDArray[np.int64],
    words: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    depth: int,
) -> None:
    """Take out of A(s) the moves of which along-the-path or region-completion says CANNOT."""
    # Each move is made on the next row of the stack, looked at, and taken back.
    head, child = numbers[depth, HEAD], depth + 1
    left = 0
    for i in range(numbers[depth, COUNT]):
        action = numbers[depth, ACTIONS + i]
        possible = True
        if action != END:
            _move(steps, action, drawn, words, numbers, depth)
            to = _ONE << np.uint64(numbers[child, HEAD])
            at_end = to & sets[ENDS] != _ZERO
            right_walls, upper_walls = words[child, RIGHT_WALLS], words[child, UPPER_WALLS]
            if rules & ALONG_THE_PATH != 0 and numbers[depth, START_ON_BORDER] != 0 and not at_end:
                possible = sides_agree(
                    cells, sets, colours, drawn, words[child, LEFT], words[child, RIGHT],
                    right_walls, upper_walls, pieces.width,
                )  # fmt: skip
            if (
                possible
                and rules & REGION_COMPLETION != 0
                and to & sets[BORDER] != _ZERO
                and steps[head, action, WALL] != NO_WALL
            ):
                unclosed = _ZERO if at_end else sets[END_CELLS]
                possible = closed_regions_satisfied(
                    cells, sets, colours, pieces, drawn, unclosed, words[child, VISITED],
                    right_walls, upper_walls,
                )  # fmt: skip
            drawn[steps[head, action, EDGE]] = 0
        if possible:
            numbers[depth, ACTIONS + left] = action
            left += 1
    if numbers[depth, FORCED] == 0:
        numbers[depth, EXCLUDED] += numbers[depth, COUNT] - left
    numbers[depth, COUNT] = left


@njit
def _fold(
    log2: NDArray[np.float64],
    values: NDArray[np.float64],
    depth: int,
    count: int,
    finite: bool,
    two: float,
    out: NDArray[np.float64],
) -> None:
    """Fold the children's MUSE with the zero collapse, ReMUSE, MSI and TSI into those of a state."""
    if not finite:
        out[MUSE] = out[REMUSE] = out[MSI] = out[TSI] = math.inf
        return
    bits = log2[count]
    least, most = math.inf, 0.0
    least_remuse, most_remuse = math.inf, 0.0
    least_msi, least_tsi = math.inf, math.inf
    for i in range(count):
        least = min(least, values[depth, i, _MUSE])
        most = max(most, values[depth, i, _MUSE])
        least_remuse = min(least_remuse, values[depth, i, _REMUSE])
        most_remuse = max(most_remuse, values[depth, i, _REMUSE])
        least_msi = min(least_msi, bits + values[depth, i, _MSI])
        least_tsi = min(least_tsi, bits + values[depth, i, _TSI])
    out[MUSE] = 0.0 if most == 0.0 else bits + least
    out[REMUSE] = least_remuse
    if least_remuse != most_remuse:
        out[REMUSE] += _divergence(values, depth, count, least_remuse)
    out[MSI] = least_msi
    total = 0.0
    for i in range(count):
        total += two ** (least_tsi - (bits + values[depth, i, _TSI]))
    out[TSI] = max(0.0, least_tsi - math.log2(total))


@njit
def _divergence(values: NDArray[np.float64], depth: int, count: int, least: float) -> float:
    """Return the Kullback-Leibler divergence, in bits, of p_i = e^(-v_i) / sum from uniform.

    v are the children's values of ReMUSE, and `least` the least of them.
    """
    total = 0.0
    for i in range(count):
        total += math.exp(least - values[depth, i, _REMUSE])
    divergence = 0.0
    for i in range(count):
        weight = math.exp(least - values[depth, i, _REMUSE])
        if weight > 0.0:
            p = weight / total
            divergence += p * math.log2(p * count)
    return max(0.0, divergence)
