"""Steps of kinds 0 to 3 in kernels, as `deduction_vocabulary`, section 5, defines them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import array_njit, copy_row, njit
from epcg_deduction.solving.arrays import Arrays
from epcg_deduction.solving.instance_kernels import remaining
from epcg_deduction.solving.search_kernels import Desk, begin, settle, take_back, wake, write

Ints = NDArray[np.int64]
DEEP: Final = 4
"""The kind "3+": an assumption with kinds 0 to 2 inside."""
SOLVED: Final = 0
STUCK: Final = 1
CONTRADICTION: Final = 2
NOT_KNOWN: Final = 3
"""How a trace ends."""


class Slate(NamedTuple):
    """What steps are written on, besides a desk.

    `gone`: the marks excluded in a round, by site; `steps`: one row (round, site, mark, kind, instance,
    other instance) for each exclusion, -1: none; `many[0]`: how many; `pair`: the sites of two instances;
    `place`: where a site stands in `pair`, or -1; `need`, `kept`: marks without a support yet, and those kept
    now; `layers`: positions on these sites; `budget[0]`: the work that may be done.
    """

    gone: Ints
    steps: Ints
    many: Ints
    pair: Ints
    place: Ints
    shared: Ints
    need: Ints
    kept: Ints
    layers: Ints
    rest: Ints
    chosen: Ints
    budget: Ints


@array_njit
def new_slate(arrays: Arrays) -> Slate:
    """Return an empty slate for the steps of a problem."""
    sites = arrays.start.size
    longest = 0  # of a local instance: choices are made at its sites alone
    for instance in range(arrays.kind.size):
        if arrays.local[instance]:
            longest = max(longest, arrays.sites_at[instance + 1] - arrays.sites_at[instance])
    size = longest + arrays.longest + 2
    marks = 0
    for site in range(sites):
        mask = arrays.alphabet[site]
        while mask:
            marks += mask & 1
            mask >>= 1
    return Slate(
        np.zeros(sites, np.int64),
        np.zeros((2 * marks + 1, 6), np.int64),
        np.zeros(1, np.int64),
        np.zeros(size, np.int64),
        np.full(sites, -1, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((longest + 2, size), np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(1, np.int64),
    )


@njit
def _record(slate: Slate, turn: int, site: int, marks: int, kind: int, one: int, other: int) -> None:
    """Record that marks of a site are excluded, those that are not yet."""
    marks &= ~slate.gone[site]
    slate.gone[site] |= marks
    mark = 0
    while marks:
        if marks & 1:
            row = slate.steps[slate.many[0]]
            row[0], row[1], row[2], row[3], row[4], row[5] = turn, site, mark, kind, one, other
            slate.many[0] += 1
        marks >>= 1
        mark += 1


@njit
def one_instance(arrays: Arrays, desk: Desk, slate: Slate, turn: int, kind: int) -> bool:
    """Record what single instances exclude, without notes (kind 0) or with them; False if a test fails."""
    for instance in range(arrays.kind.size):
        if not desk.active[instance]:
            continue
        begin, end = arrays.sites_at[instance], arrays.sites_at[instance + 1]
        for index in range(begin, end):
            mask = desk.masks[arrays.sites[index]]
            if kind == 0 and mask & (mask - 1):
                mask = arrays.alphabet[arrays.sites[index]]
            desk.own[index - begin] = mask
        desk.work[0] += end - begin
        if not remaining(arrays, instance, desk.own, desk.left, desk.alive, desk.spare, desk.memo):
            desk.failed[0] = instance
            return False
        for index in range(begin, end):
            site = arrays.sites[index]
            lost = desk.masks[site] & ~desk.left[index - begin]
            if lost:
                _record(slate, turn, site, lost, kind, instance, -1)
    return True


@njit
def two_instances(arrays: Arrays, desk: Desk, slate: Slate, turn: int, kind: int) -> bool:
    """Record what two instances exclude that share an open site, at most one of them global."""
    instances = arrays.kind.size
    for one in range(instances):
        if not desk.active[one]:
            continue
        for index in range(arrays.sites_at[one], arrays.sites_at[one + 1]):
            site = arrays.sites[index]
            mask = desk.masks[site]
            if mask & (mask - 1):
                for near in range(arrays.touch_at[site], arrays.touch_at[site + 1]):
                    other = arrays.touch[near]
                    if other > one and desk.active[other]:
                        desk.waits[other] = 1
        for other in range(one + 1, instances):
            if not desk.waits[other]:
                continue
            desk.waits[other] = 0
            if arrays.local[one]:
                first, second = one, other
            elif arrays.local[other]:
                first, second = other, one
            else:
                continue
            count = _together(arrays, desk, slate, first, second)
            if desk.work[0] > slate.budget[0]:
                for index in range(other + 1, instances):
                    desk.waits[index] = 0
                for index in range(count):
                    slate.place[slate.pair[index]] = -1
                return False
            for index in range(count):
                site = slate.pair[index]
                slate.place[site] = -1
                if slate.need[index]:
                    _record(slate, turn, site, slate.need[index], kind, one, other)
    return True


@njit
def _together(arrays: Arrays, desk: Desk, slate: Slate, first: int, second: int) -> int:
    """Find the marks that no joint choice of a local and another instance has, in `need`; return their sites.

    Choices are made at the shared open sites; the rest then follows from each instance alone. What a global
    instance excludes elsewhere is never written down before its test: the choice and one mark is all it sees.
    """
    count = shared = 0
    for index in range(arrays.sites_at[first], arrays.sites_at[first + 1]):
        site = arrays.sites[index]
        slate.pair[count] = site
        slate.place[site] = count
        count += 1
    own = count
    for index in range(arrays.sites_at[second], arrays.sites_at[second + 1]):
        site = arrays.sites[index]
        if slate.place[site] < 0:
            slate.pair[count] = site
            slate.place[site] = count
            count += 1
        elif slate.place[site] < own:
            mask = desk.masks[site]
            if mask & (mask - 1):
                slate.shared[shared] = slate.place[site]
                shared += 1
    left = 0
    for index in range(count):
        mask = desk.masks[slate.pair[index]]
        slate.layers[0, index] = mask
        slate.need[index] = mask if mask & (mask - 1) else 0
        left |= slate.need[index]
    depth = 0
    holds = left != 0 and _narrowed(arrays, desk, slate, first, second, 0, own, count)
    while desk.work[0] <= slate.budget[0]:
        site = -1
        if holds:
            useful = False
            for index in range(count):
                if slate.kept[index] & slate.need[index]:
                    useful = True
                    break
            holds = useful
        if holds:
            for index in range(shared):
                mask = slate.layers[depth, slate.shared[index]]
                if mask & (mask - 1):
                    if site < 0:
                        site = slate.shared[index]
                    if mask & slate.need[slate.shared[index]]:
                        site = slate.shared[index]
                        break
            if site < 0:
                for index in range(count):
                    slate.need[index] &= ~slate.kept[index]
            else:
                slate.chosen[depth] = site
                slate.rest[depth] = slate.layers[depth, site]
                depth += 1
        while depth and slate.rest[depth - 1] == 0:
            depth -= 1
        if depth == 0:
            break
        site = slate.chosen[depth - 1]
        wanted = slate.rest[depth - 1] & slate.need[site]
        bit = wanted & -wanted if wanted else slate.rest[depth - 1] & -slate.rest[depth - 1]
        slate.rest[depth - 1] ^= bit
        for index in range(count):
            slate.layers[depth, index] = slate.layers[depth - 1, index]
        slate.layers[depth, site] = bit
        holds = _narrowed(arrays, desk, slate, first, second, depth, own, count)
    return count


@njit
def _narrowed(
    arrays: Arrays, desk: Desk, slate: Slate, first: int, second: int, depth: int, own: int, count: int
) -> bool:
    """Let both instances exclude marks on a layer until nothing changes; return whether both tests hold.

    `kept` returns the layer, and at sites of a global instance alone what it leaves, which is not written.
    """
    masks = slate.layers[depth]
    everywhere = arrays.local[second]
    changed = True
    while changed:
        changed = False
        for instance in (first, second):
            begin, end = arrays.sites_at[instance], arrays.sites_at[instance + 1]
            for index in range(begin, end):
                desk.own[index - begin] = masks[slate.place[arrays.sites[index]]]
            desk.work[0] += end - begin
            if not remaining(arrays, instance, desk.own, desk.left, desk.alive, desk.spare, desk.memo):
                return False
            for index in range(begin, end):
                place = slate.place[arrays.sites[index]]
                left = desk.left[index - begin]
                slate.kept[place] = left
                if left != masks[place] and (everywhere or place < own):
                    if left == 0:
                        return False
                    masks[place] = left
                    changed = True
    for index in range(own if not everywhere else count):
        slate.kept[index] = masks[index]
    return True


@njit
def _wake_all(arrays: Arrays, desk: Desk) -> None:
    for instance in range(arrays.kind.size):
        wake(arrays, desk, instance)


@array_njit
def _falls(arrays: Arrays, desk: Desk, slate: Slate, deep: bool) -> bool:
    """Return whether kinds 0 and 1 (and 2, if `deep`) until nothing changes refute what waits on the desk."""
    while True:
        if not settle(arrays, desk):
            return True
        if not deep:
            return False
        gone = slate.gone.copy()
        many = slate.many[0]
        slate.gone[:] = 0
        two_instances(arrays, desk, slate, 0, 2)
        found = slate.many[0]
        slate.many[0] = many
        copy_row(gone, slate.gone)
        if found == many:
            return False
        for index in range(many, found):
            site, mark = slate.steps[index, 1], slate.steps[index, 2]
            left = desk.masks[site] & ~(1 << mark)
            write(arrays, desk, site, left, -1)
            if left == 0:
                desk.failed[0] = slate.steps[index, 4]
                _wake_none(desk)
                return True


@njit
def _wake_none(desk: Desk) -> None:
    for instance in range(desk.waits.size):
        desk.waits[instance] = 0
    desk.ends[:] = 0


@array_njit
def assumption(arrays: Arrays, desk: Desk, slate: Slate, turn: int, deep: bool, settled: bool) -> bool:
    """Record the marks whose assumption fails; False if the budget ended.

    `settled`: whether single instances exclude nothing in the position.
    """
    for site in range(desk.masks.size):
        mask = desk.masks[site]
        if mask & (mask - 1) == 0:
            continue
        bit, mark = 1, 0
        while mask >> mark:
            if mask & bit:
                height = desk.height[0]
                if not settled:
                    _wake_all(arrays, desk)
                write(arrays, desk, site, bit, -1)
                if _falls(arrays, desk, slate, deep):
                    _record(slate, turn, site, bit, DEEP if deep else 3, desk.failed[0], -1)
                take_back(desk, height)
                if desk.work[0] > slate.budget[0]:
                    return False
            bit <<= 1
            mark += 1
    return True


@njit
def _openness(desk: Desk) -> int:
    """Return 0 if a site has no mark, 1 if all have one mark, 2 if some are open."""
    found = 1
    for site in range(desk.masks.size):
        mask = desk.masks[site]
        if mask == 0:
            return 0
        if mask & (mask - 1):
            found = 2
    return found


@njit
def _apply(desk: Desk, slate: Slate, kinds: Ints, first: int, grade: Ints) -> None:
    """Exclude what a round has found, and count it."""
    for index in range(first, slate.many[0]):
        desk.masks[slate.steps[index, 1]] &= ~(1 << slate.steps[index, 2])
    width = slate.many[0] - first
    place = 0
    while kinds[place] != slate.steps[first, 3]:
        place += 1
    grade[1] += 1
    grade[2] = max(grade[2], place)
    grade[3] = max(grade[3], width)
    grade[4] = width if first == 0 else min(grade[4], width)
    grade[5] += width
    grade[6 + place] += 1


@array_njit
def traces(
    arrays: Arrays,
    desk: Desk,
    slate: Slate,
    starts: Ints,
    active: NDArray[np.bool_],
    kinds: Ints,
    rounds: int,
    budget: int,
    grades: Ints,
) -> None:
    """Apply rounds of steps to puzzles that differ in where they start and in what belongs to them.

    The desk then has the end of the last one, and the slate its exclusions. All is in one function, since
    each that calls it would be compiled with all of it once more.

    Args:
        arrays: a problem with all instances.
        desk: of this problem.
        slate: of this problem.
        starts: the positions; (puzzles, sites) int64.
        active: which instances belong to each; (puzzles or 1, instances).
        kinds: the kinds of steps, in the order in which they are tried.
        rounds: the most that are made.
        budget: the work after which an end is not known.
        grades: returns how each ends, its rounds, the place of its hardest kind among `kinds` (-1: none), the
            most and the fewest exclusions in a round, all exclusions, then the rounds of each of `kinds`;
            (puzzles, 6 + kinds) int64.
    """
    slate.budget[0] = budget
    for puzzle in range(starts.shape[0]):
        begin(desk, starts[puzzle], active[puzzle if active.shape[0] > 1 else 0])
        grade = grades[puzzle]
        grade[:] = 0
        grade[2] = -1
        slate.many[0] = 0
        end = -1
        while end < 0:
            slate.gone[:] = 0
            before = slate.many[0]
            openness = _openness(desk)
            settled = False
            if openness == 0:
                end = CONTRADICTION
            elif openness == 2 and grade[1] == rounds:
                end = STUCK
            place = 0
            while end < 0 and place < kinds.size and slate.many[0] == before:
                kind = kinds[place] if openness == 2 else 1
                if kind < 2:
                    if not one_instance(arrays, desk, slate, grade[1], kind):
                        end = CONTRADICTION
                    settled = settled or kind == 1
                elif kind == 2:
                    if not two_instances(arrays, desk, slate, grade[1], 2):
                        end = NOT_KNOWN
                elif not assumption(arrays, desk, slate, grade[1], kind == DEEP, settled):
                    end = NOT_KNOWN
                if openness == 1 and end < 0:
                    end = SOLVED
                place += 1
            if end >= 0:
                slate.many[0] = before
            elif slate.many[0] == before:
                end = STUCK
            else:
                _apply(desk, slate, kinds, before, grade)
        grade[0] = end
