"""The choice of one part of a plan among its candidates, and the reasons of its rejections."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, CurriculumError, EpcgError, format_exception
from epcg_core.base.params import canonical_json
from epcg_core.curriculum import wished
from epcg_core.curriculum.by_hand import content_digest
from epcg_core.curriculum.chosen import Chosen
from epcg_core.curriculum.digests import ascending, leading_digests
from epcg_core.curriculum.plan import Part
from epcg_core.curriculum.pooling import pool_of
from epcg_core.curriculum.sources import Candidates, blocks, place_type, positions_of
from epcg_core.curriculum.strategies import Pick, Pool, number
from epcg_core.domain import Metric, counted
from epcg_core.domain.content import format_state
from epcg_core.query.conditions import Condition
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.store import Reader, curricula
from epcg_core.store.selection import ties_text

AT_ONCE = 1 << 16
"""Candidates whose digests or symmetry classes are computed at once."""
Positions = NDArray[np.signedinteger[Any]]
ONCE = "each puzzle once"
ONE_OF_CLASS = "one of each symmetry class"
MANY = {"easiest_first": ", easiest first", "hardest_first": ", hardest first", "as_selected": ""}


@attrs.frozen(eq=False)
class _Rejection:
    """Candidates that one rule rejected."""

    rule: str
    positions: Positions
    """Ascending."""
    reason: Callable[[int], str]


@attrs.frozen(slots=False, eq=False)
class PartChoice:
    """A part with its candidates; `where` begins every message."""

    part: Part
    candidates: Candidates
    reader: Reader | None
    """The database; None if the candidates come from a list by hand."""
    where: str

    @cached_property
    def values(self) -> NDArray[Any]:
        """(n,) the measure: small integers if all have one, else float64 with NaN for a missing one."""
        column = self.candidates.columns[self.part.measure]
        is_small = column.values.dtype.kind in "iub" and column.values.dtype.itemsize <= 4
        return column.values if is_small and not column.missing.any() else column.numbers(self.where)

    @cached_property
    def by_hand(self) -> NDArray[np.bool_]:
        """(n,) mask of the puzzles that the plan lists by hand."""
        return self.candidates.by_hand()

    def scattered(self, keys: NDArray[Any], positions: Positions) -> NDArray[Any]:
        """Return the (n,) order of candidates by (n,) keys, of equal ones by the digests of their ids.

        That order is arbitrary, but always the same. Digests are computed for some candidates at once,
        so that few are in memory.
        """
        order = np.argsort(keys, kind="stable").astype(place_type(len(keys)))
        for block in _whole_groups(keys, order):
            own = order[block]
            digests, same = self._digests(positions[own], len(keys)), keys[own]
            order[block] = own[ascending(digests) if same[0] == same[-1] else np.lexsort((digests, same))]
        return order

    def _digests(self, positions: Positions, among: int) -> NDArray[np.uint64]:
        """Return the digests of some candidates, `among` a number of candidates: (n,)."""
        candidates, digests = self.candidates, np.empty(len(positions), np.uint64)
        for i, space in enumerate(candidates.spaces):
            mine = np.flatnonzero(candidates.space_of[positions] == i) if len(candidates.spaces) > 1 else ...
            ranks = candidates.ranks[positions[mine]]
            digests[mine] = leading_digests(f"{space}#".encode(), ranks, among)
        return digests

    @property
    def rule(self) -> str:
        """A description of the strategy."""
        part = self.part
        ties = "" if part.is_list else ties_text(part.wish)
        hand = f", {len(part.puzzles or ())} of them by hand" if part.fill else ""
        return part.strategy.rule(part.measure, part.count) + ties + hand + MANY[part.order]

    def metric(self, name: str) -> Metric:
        """Return the metric of the run that a measure is; of a column of a SELECT, larger is better."""
        run = self.candidates.run
        found = None if run is None or self.reader is None else self.reader.column(run.id, name).metric
        return Metric(name, "real", "max") if found is None else found


def _whole_groups(keys: NDArray[Any], order: NDArray[Any]) -> Iterator[slice]:
    """Yield slices of the order of (n,) keys, of AT_ONCE places or more, that have equal keys together."""
    start, count = 0, len(order)
    while start < count:
        stop = min(start + AT_ONCE, count)
        last = keys[order[stop - 1]]
        while stop < count and keys[order[stop]] == last:  # in steps: most groups are small or large
            more = keys[order[stop : stop + AT_ONCE]]
            stop += int(np.argmin(more == last)) if more[-1] != last else len(more)
        yield slice(start, stop)
        start = stop


def choose(choice: PartChoice, chosen: Chosen, limit: int) -> curricula.PartRow:
    """Choose the puzzles of a part; return its chosen and rejected rows and update `chosen`.

    At most `limit` rejected candidates are recorded individually: those that passed the most rules, by space
    and rank. Raises CurriculumError if there are too few candidates.
    """
    part, candidates = choice.part, choice.candidates
    picks, rejections = _decided(choice, chosen)
    rows = []
    for position, pick in enumerate(picks, 1):
        row = _row(choice, chosen, pick.position, position, choice.rule, pick.reason)
        chosen.where[row.puzzle.space, row.puzzle.rank] = choice.where
        chosen.contents[row.puzzle.content_sha256] = row.puzzle.puzzle
        chosen.used |= dict.fromkeys(_values(choice, pick.position), row.puzzle.puzzle)
        rows.append(row)
    rejected, counts = _rejected_rows(choice, chosen, rejections, limit)
    run = candidates.run
    return curricula.PartRow(
        part.name, part.described if run is None else f"run {run.id}, {run.space}", part.measure, part.harder,
        choice.rule, len(candidates), candidates.digest(), rows + rejected, counts,
    )  # fmt: skip


def passed_over(choice: PartChoice, chosen: Chosen) -> list[tuple[str, float]]:
    """Return (puzzle, value) of the candidates that all rules admit and the strategy did not choose.

    Raises CurriculumError if there are too few candidates.
    """
    *_, last = _decided(choice, chosen)[1]
    return [(choice.candidates.puzzle(p), float(choice.values[p])) for p in last.positions.tolist()]


def _decided(choice: PartChoice, chosen: Chosen) -> tuple[list[Pick], list[_Rejection]]:
    """Return the picks, as positions of candidates, and the rejections, the last one by the strategy."""
    part = choice.part
    alive = np.ones(len(choice.candidates), np.bool_)
    rejections = [_conditioned(choice, alive, condition) for condition in part.where]
    rejections += [_without_value(choice, alive), _once(choice, alive, chosen)]
    if part.distinct:
        rejections.append(_one_of_each_class(choice, alive, chosen))
    rejections += [_unused(choice, alive, chosen, name) for name in part.once]
    picks, declined = _by_strategy(choice, alive, chosen)
    rejections += declined
    if len(picks) < part.count:
        raise CurriculumError(_too_few(choice, rejections, len(picks), int(alive.sum())))
    return picks, rejections


def _reject(choice: PartChoice, alive: NDArray[np.bool_], admitted: NDArray[np.bool_]) -> Positions:
    """Mark the candidates that are not admitted as rejected and return their positions.

    What the plan lists by hand is admitted always.
    """
    gone = positions_of(alive & ~admitted & ~choice.by_hand)
    alive[gone] = False
    return gone


def _conditioned(choice: PartChoice, alive: NDArray[np.bool_], condition: Condition) -> _Rejection:
    """Reject what does not meet a condition, as `[[select]]` does."""
    column = choice.candidates.columns[condition.metric]
    admitted = wished.admitted(choice.candidates, condition, choice.where)

    def reason(position: int) -> str:
        value = column.at(position)
        return f"has no {condition.metric}" if value is None else f"{condition.metric} is {_text(value)}"

    return _Rejection(f"where {condition}", _reject(choice, alive, admitted), reason)


def _without_value(choice: PartChoice, alive: NDArray[np.bool_]) -> _Rejection:
    measure = choice.part.measure

    def reason(position: int) -> str:
        value = choice.values[position]
        return f"has no {measure}" if math.isnan(value) else f"{measure} is {value}"

    return _Rejection(f"a finite {measure}", _reject(choice, alive, np.isfinite(choice.values)), reason)


def _once(choice: PartChoice, alive: NDArray[np.bool_], chosen: Chosen) -> _Rejection:
    candidates = choice.candidates
    admitted = np.ones(len(candidates), np.bool_)
    for space, rank in chosen.where:
        if space in candidates.spaces:
            mine = candidates.space_of == candidates.spaces.index(space)
            admitted &= ~(mine & (candidates.ranks == rank))

    def reason(position: int) -> str:
        return f"chosen in {chosen.where[candidates.space(position), int(candidates.ranks[position])]}"

    return _Rejection(ONCE, _reject(choice, alive, admitted), reason)


@attrs.frozen(eq=False)
class _Classes:
    """The symmetry classes of some candidates."""

    of: Positions
    """(n,) the class of each candidate, from 0; -1 if it was not asked for."""
    count: int
    taken: dict[int, str]
    """Classes of puzzles chosen before, and the first of these with where it was chosen."""


def _classes(choice: PartChoice, chosen: Chosen, positions: Positions) -> _Classes:
    """Return the classes of the candidates at some positions."""
    candidates, distinct = choice.candidates, choice.part.distinct or True
    of, count, taken = np.full(len(candidates), -1, place_type(len(candidates))), 0, dict[int, str]()
    before = [list(found) for found in zip(*chosen.where, strict=True)] or [[], []]
    for i, space in enumerate(candidates.spaces):
        mine = candidates.among(i, positions)
        canonical = np.empty(len(mine), place_type(chosen.generator(space).max_rank))
        for block in blocks(len(mine), AT_ONCE):
            canonical[block] = chosen.canonical_ranks(space, candidates.ranks[mine[block]], distinct)
        classes = _different(canonical)
        for block in blocks(len(mine), AT_ONCE):
            of[mine[block]] = count + np.searchsorted(classes, canonical[block])
        ranks = [rank for other, rank in zip(*before, strict=True) if other == space]
        firsts = chosen.canonical_ranks(space, np.array(ranks, np.int64), distinct)
        places = np.searchsorted(classes, firsts)
        for rank, first, place in zip(ranks, firsts.tolist(), places.tolist(), strict=True):
            if place < len(classes) and classes[place] == first:
                text = f"{puzzle_id(space, rank)}, chosen in {chosen.where[space, rank]}"
                taken.setdefault(count + place, text)
        count += len(classes)
    return _Classes(of, count, taken)


def _different(numbers: Positions) -> Positions:
    """Return the different ones of (n,) numbers, ascending, in less memory than `np.unique`."""
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def _one_of_each_class(choice: PartChoice, alive: NDArray[np.bool_], chosen: Chosen) -> _Rejection:
    order = positions_of(alive)
    classes = _classes(choice, chosen, order)
    first = np.full(classes.count, -1, order.dtype)
    if choice.part.representative == "scattered":
        order = order[choice.scattered(classes.of[order], order)]
    first[classes.of[order[::-1]]] = order[::-1]  # of several the last one stays, the first in order
    first[list(classes.taken)] = -1
    admitted = np.zeros(len(alive), np.bool_)
    admitted[first[first >= 0]] = True

    def reason(position: int) -> str:
        number = int(classes.of[position])
        twin = classes.taken.get(number) or choice.candidates.puzzle(int(first[number]))
        return f"equal by symmetry to {twin}"

    return _Rejection(ONE_OF_CLASS, _reject(choice, alive, admitted), reason)


def _unused(choice: PartChoice, alive: NDArray[np.bool_], chosen: Chosen, name: str) -> _Rejection:
    """Reject what is equal in a measure to a puzzle chosen before."""
    column = choice.candidates.columns[name]
    admitted = alive.copy()
    for value in (value for measure, value in chosen.used if measure == name):
        admitted &= column.missing | (column.values != value)
    return _Rejection(
        f"each {name} once",
        _reject(choice, alive, admitted),
        lambda p: f"{name} {column.at(p)} is that of {chosen.used[name, column.at(p)]}",
    )


def _by_strategy(
    choice: PartChoice, alive: NDArray[np.bool_], chosen: Chosen
) -> tuple[list[Pick], list[_Rejection]]:
    """Choose by the strategy: (picks, as positions of candidates; positions passed over).

    Content that is in two spaces is two candidates: the second is left out, and the strategy chooses again;
    so is a second puzzle with the same value of a measure of `once`.
    """
    copies: dict[int, tuple[str, str]] = {}
    while True:
        order = positions_of(alive)
        order = order[_by_value(choice, order)]
        pool = pool_of(
            choice.part, choice.candidates, choice.values, chosen, order, choice.where,
            classes=lambda: _classes(choice, chosen, order).of,  # noqa: B023 (called at once)
        )  # fmt: skip
        picks = wished.filled(pool, choice.part, partial(_picks, choice))
        again = _copies(choice, chosen, [int(order[pick.position]) for pick in picks])
        again |= {int(order[place]): why for place, why in wished.alike(choice.part, pool, picks).items()}
        if not again:
            break
        copies |= again
        alive[list(again)] = False
    found = [Pick(int(order[pick.position]), pick.reason) for pick in _ordered(choice.part, pool, picks)]
    place = np.full(len(alive), -1, order.dtype)
    place[order] = np.arange(len(order))
    passed = alive.copy()
    passed[[pick.position for pick in found]] = False

    def reason(position: int) -> str:
        return choice.part.strategy.declined(pool, picks, int(place[position]))

    rules = sorted({rule for rule, _ in copies.values()})
    alike = {name: sorted(p for p, (rule, _) in copies.items() if rule == name) for name in rules}
    same = [_Rejection(name, np.array(of, np.int64), lambda p: copies[p][1]) for name, of in alike.items()]
    return found, [*same, _Rejection(choice.rule, positions_of(passed), reason)]


def _picks(choice: PartChoice, pool: Pool, count: int) -> list[Pick]:
    """Let the strategy choose. Raises CurriculumError, which names it, if it fails or its picks are wrong."""
    strategy, where = choice.part.strategy, f"{choice.where}: the strategy {choice.part.strategy.name}"
    try:
        picks = list(strategy.choose(pool, count))
    except EpcgError:
        raise
    except PLUGIN_EXCEPTIONS as error:
        raise CurriculumError(f"{where} raised {format_exception(error)}.") from error
    odd = next((pick for pick in picks if not isinstance(pick, Pick)), None)
    if odd is not None:
        raise CurriculumError(
            f"{where} chose {odd!r}: `choose` returns Picks, with a position in the pool and a reason."
        )
    positions = [pick.position for pick in picks]
    last = len(pool.values) - 1
    if len(set(positions)) < len(positions) or not all(0 <= position <= last for position in positions):
        raise CurriculumError(
            f"{where} chose the positions {positions}: they must be different, from 0 to {last}."
        )
    if len(picks) > count:
        raise CurriculumError(f"{where} chose {len(picks)} candidates, and the plan asks for {count}.")
    return picks


def _copies(choice: PartChoice, chosen: Chosen, positions: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Find candidates like a puzzle chosen before or an earlier candidate: (rule, reason) by position."""
    seen, used = dict(chosen.contents), dict(chosen.used)
    found: dict[int, tuple[str, str]] = {}
    for position in positions:
        if choice.by_hand[position]:
            continue
        row = _puzzle(choice, chosen, position)
        values = _values(choice, position)
        if row.content_sha256 in seen:
            found[position] = ONCE + ", by content", f"the same as {seen[row.content_sha256]}"
        elif (twice := next((value for value in values if value in used), None)) is not None:
            found[position] = f"each {twice[0]} once", f"{twice[0]} {twice[1]} is that of {used[twice]}"
        else:
            seen[row.content_sha256] = row.puzzle
            used |= dict.fromkeys(values, row.puzzle)
    return found


def _values(choice: PartChoice, position: int) -> list[tuple[str, Any]]:
    """Return (measure, value) of a candidate that no other may have."""
    values = ((name, choice.candidates.columns[name].at(position)) for name in choice.part.once)
    return [(name, value) for name, value in values if value is not None]


def _by_value(choice: PartChoice, positions: Positions) -> Positions:
    """Return the (n,) order of candidates at ascending positions by value, of equal ones as the plan says."""
    values = choice.values if len(positions) == len(choice.candidates) else choice.values[positions]
    if not choice.part.then:
        if choice.part.ties == "first":
            return np.argsort(values, kind="stable").astype(place_type(len(positions)))
        return choice.scattered(values, positions)
    order = np.arange(len(positions), dtype=place_type(len(positions)))
    if choice.part.ties != "first":
        order = choice.scattered(np.broadcast_to(np.int8(0), len(positions)), positions)
    metrics = [choice.metric(name) for name in choice.part.then]
    own = wished.by_other_measures(choice.candidates, metrics, positions[order], choice.where)
    order = order[own]
    return order[np.argsort(values[order], kind="stable")]


def _ordered(part: Part, pool: Pool, picks: Sequence[Pick]) -> list[Pick]:
    """Sort the chosen puzzles in the part's order.

    The order of a strategy that walks from one end to the other is kept or reversed, so that neighbours
    differ in every order.
    """
    if part.order == "as_selected":
        return list(picks)
    values = [float(pool.values[pick.position]) for pick in picks]
    if values == sorted(values):
        found = list(picks)
    elif values == sorted(values, reverse=True):
        found = list(picks)[::-1]
    else:
        found = sorted(picks, key=lambda pick: pick.position)
    ascending = (part.order == "easiest_first") == (part.harder == "higher")
    return found if ascending else found[::-1]


def _too_few(choice: PartChoice, rejections: Sequence[_Rejection], found: int, left: int) -> str:
    total = len(choice.candidates)
    needed, among = counted(choice.part.count, "puzzle"), counted(total, "candidate")
    start = f"{choice.where} needs {needed} and finds {found:,} among {among}"
    before = [r for r in rejections if r.rule != choice.rule and len(r.positions)]
    reasons = []
    if before:
        most = max(before, key=lambda rejection: len(rejection.positions))
        reasons.append(f"'{most.rule}' removed most, {len(most.positions):,}")
    if found < left:
        reasons.append(f"of the {left:,} left, the strategy can choose no more")
        if getattr(choice.part.strategy, "apart", 0) or choice.part.apart is not None:
            reasons.append("choose a smaller 'apart'")
    less = f" Ask for {found:,} (count = {found}), or look among more." if found else ""
    return start + (": " + "; ".join(reasons) if reasons else "") + "." + less


def _rejected_rows(
    choice: PartChoice, chosen: Chosen, rejections: Sequence[_Rejection], limit: int
) -> tuple[list[curricula.SelectionRow], list[tuple[str, int, int]]]:
    """Return the rows of the candidates that passed the most rules, and all counts by rule."""
    room, recorded = limit, []
    found: list[tuple[int, str, str]] = []
    for rejection in reversed(rejections):
        some = rejection.positions[:room]
        room -= len(some)
        found += [(position, rejection.rule, rejection.reason(position)) for position in some]
        recorded.append((rejection.rule, len(rejection.positions), len(some)))
    rows = [_row(choice, chosen, position, None, rule, reason) for position, rule, reason in sorted(found)]
    return rows, recorded[::-1]


def _row(
    choice: PartChoice, chosen: Chosen, position: int, place: int | None, rule: str, reason: str
) -> curricula.SelectionRow:
    candidates = choice.candidates
    measures = {name: column.at(position) for name, column in candidates.columns.items()}
    run = candidates.run_of(position)
    if run is not None and place is not None and choice.reader is not None:
        measures |= choice.reader.scores_at(run.id, [int(candidates.ranks[position])])[0]
    value = candidates.columns[choice.part.measure].at(position)
    return curricula.SelectionRow(
        _puzzle(choice, chosen, position), place, int(value) if isinstance(value, bool) else value,
        canonical_json({name: _json_number(value) for name, value in measures.items()}), rule, reason,
    )  # fmt: skip


def _puzzle(choice: PartChoice, chosen: Chosen, position: int) -> curricula.PuzzleRow:
    candidates = choice.candidates
    space, rank = candidates.space(position), int(candidates.ranks[position])
    generator = chosen.generator(space)
    if rank >= generator.max_rank:
        raise CurriculumError(f"{choice.where}: {space} has ranks 0 to {generator.max_rank - 1}, not {rank}.")
    state = format_state(generator, generator.unrank(rank))
    content = content_digest(space.partition(":")[0], state)
    run = candidates.run_of(position)
    return curricula.PuzzleRow(
        puzzle_id(space, rank), content, state, space, rank, None if run is None else run.id
    )


def _json_number(value: Any) -> Any:
    """Replace infinities, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else number(value)
