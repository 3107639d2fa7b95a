"""The winners of a run, computed again by plain code.

A search for the best selects errors: a kernel that is wrong for a dozen of 200,000 candidates is wrong for
just those that are kept, and an even sample does not meet them. So each candidate that people look at is
computed again: what a selection keeps, the first that it does not keep, and the extremes of each metric.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property, partial
from itertools import islice
from typing import Any

import attrs

from epcg_core.base.errors import CheckFailedError, EvaluationError, OutOfMemoryError
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.scores import RecordedScores, Score, block_scores, score_difference
from epcg_core.execution.apart import Apart, DiedError, TimeUpError, cpu_seconds
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.query import SelectParams
from epcg_core.query.spec import RunSpec
from epcg_core.runs.limited import given_up
from epcg_core.runs.recompute import plain_block
from epcg_core.runs.sequence import search_of
from epcg_core.runs.tables import WorkingFolder
from epcg_core.search.protocol import Checker, Search
from epcg_core.store import Reader, RunRecord, Store, chunk_queries, sparse
from epcg_core.store.chunk_queries import Scored
from epcg_core.store.likeness import Likeness
from epcg_core.store.selection import select

SHARE, LEAST, MOST = 0.2, 2.0, 60.0
"""Plain code gets this share of a run's CPU seconds for its winners, within these limits."""
NOTE = "not computed again: "
"""The beginning of the note of a kept candidate that plain code did not compute again."""
MOST_OPTIMA = 100
"""The optima of branch and bound that are computed again; there can be any number of equal ones."""
FIRST, MOST_TRIED = 100, 10_000
"""The winners that are tried before those that decide, and at most: a range of values can keep any number."""
KEPT, EXTREME, NEXT, CHOSEN, RESULT = "kept", "extreme", "first not kept", "chosen", "result"
"""Why a candidate is computed again."""


def seconds_for(run: RunRecord) -> float:
    """Return the CPU seconds of plain code for the winners of a run, at its end."""
    return float(f"{min(max(SHARE * run.cpu_seconds, LEAST), MOST):.2g}")


def note(seconds: float) -> str:
    """Return the recorded note of a kept candidate that plain code did not compute again in time."""
    return f"{NOTE}plain code had {seconds:g} s for all winners"


@attrs.frozen
class Again:
    """The winners of a run, and how many of them were computed again by which code."""

    winners: Mapping[int, str]
    """The role of each winner, by its rank."""
    plain: int = 0
    """How many of them plain code computed whole."""
    compiled: Mapping[str, int] = attrs.field(factory=dict)
    """How many needed compiled code for a part without a plain form, by its name."""
    fast: int = 0
    """How many compiled code computed, because plain code would have taken too long."""
    slow: tuple[int, ...] = ()
    """The ranks for which there was no time."""
    unproven: tuple[int, ...] = ()
    """The ranks that were given up for their time when the run was computed."""
    seconds: float = LEAST
    same: bool = False
    """Whether plain code had computed the run itself, so that computing again would show nothing."""

    def to_do(self, winners: Mapping[int, str]) -> dict[int, str]:
        """Return those of other winners that were not computed again yet."""
        done = self.winners.keys() - {*self.slow, *self.unproven}
        return {rank: role for rank, role in winners.items() if rank not in done}

    def followed_by(self, other: Again, winners: Mapping[int, str]) -> Again:
        """Return what was computed again in all.

        Args:
            other: what was computed after this.
            winners: the roles that it was about, also of those that were not to do any more.
        """
        return Again(
            {**winners, **{rank: role for rank, role in self.winners.items() if rank not in winners}},
            self.plain + other.plain,
            dict(Counter(self.compiled) + Counter(other.compiled)),
            self.fast + other.fast,
            tuple(rank for rank in self.slow if rank not in other.winners) + other.slow,
            tuple(rank for rank in self.unproven if rank not in other.winners) + other.unproven,
            other.seconds,
            self.same or other.same,
        )

    @property
    def roles(self) -> Mapping[str, int]:
        """The number of winners by role."""
        return Counter(self.winners.values())

    @property
    def number(self) -> int:
        return len(self.winners)

    @property
    def left(self) -> int:
        """How many were not computed again."""
        return len(self.slow) + len(self.unproven)

    def __str__(self) -> str:
        """Say in a sentence what was computed again, and what was not."""
        if not self.number:
            return "There is no winner to compute again."
        told = ", ".join(
            f"{number:,} {role}{'s' if role in (EXTREME, RESULT) and number > 1 else ''}"
            for role, number in self.roles.items()
        )
        if self.same:
            return f"{told}: computed by plain code."
        if self.plain == self.number:
            return f"{told}: computed again by plain code."
        parts = [f"{self.plain:,} by plain code"] if self.plain else []
        parts += [
            f"{number:,} by compiled code, because {name} has no plain form"
            for name, number in self.compiled.items()
        ]
        if self.fast:
            parts.append(f"{self.fast:,} by compiled code, because plain code had {self.seconds:g} s")
        if self.slow:
            parts.append(
                f"{len(self.slow):,} not, because plain code had {self.seconds:g} s (ranks {_few(self.slow)})"
            )
        if self.unproven:
            parts.append(f"{len(self.unproven):,} not, because a limit by time decided them")
        return f"{told}: computed again {'; '.join(parts)}."


def _few(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, ranks[:5])) + (", ..." if len(ranks) > 5 else "")


def extremes(reader: Reader, run: RunRecord, seen: Iterable[int] = ()) -> dict[int, str]:
    """Map the first candidates with the least and the greatest value of each metric to their role.

    Those in `seen` have a role already. A run without values has none.
    """
    if run.counted or run.dropped:
        return {}
    known, found = set(seen), {}
    for metric in reader.metrics(run.id):
        for sign in (1, -1):
            for rank, _ in chunk_queries.top(reader, run.id, metric.name, sign, 1):
                if rank not in known:
                    found[rank] = EXTREME
    return found


def of_run(reader: Reader, run: RunRecord) -> dict[int, str]:
    """Map the winners of a run by itself to their roles: the optima of branch and bound, and its extremes."""
    found: dict[int, str] = {}
    objective = sparse.objective_of(run)
    if objective is not None and objective.keep != "feasible":
        found = dict.fromkeys(islice(sparse.recorded_ranks(reader, run, objective), MOST_OPTIMA), KEPT)
    return found | extremes(reader, run, found)


def kept_and_next(
    reader: Reader, run_id: int, rule: SelectParams, likeness: Likeness
) -> tuple[list[Scored], list[int]]:
    """Return what a rule keeps, as `select` does, and the ranks that come next, by which it decided."""
    if rule.keeps_count:  # the choice of one more begins with the same ones
        found = select(reader, run_id, attrs.evolve(rule, count=rule.count + 1), likeness)
        return found[: rule.count], [rank for rank, _ in found[rule.count :]]
    kept = select(reader, run_id, rule, likeness)
    if kept and rule.keep == "best" and rule.wishes:  # that many of the top are just these
        more = attrs.evolve(rule, keep="top", count=len(kept) + 1)
        return kept, [rank for rank, _ in select(reader, run_id, more, likeness)[len(kept) :]]
    if rule.wishes or not kept or rule.keep not in ("best", "threshold"):
        return kept, []  # a plugin's rule, or all that meet conditions: nothing is next to what is kept
    values = [value for _, value in kept]
    below = chunk_queries.top(reader, run_id, rule.metric, 1, 1, high=_beyond(min(values), -1))
    above = chunk_queries.top(reader, run_id, rule.metric, -1, 1, low=_beyond(max(values), 1))
    own = {rank for rank, _ in kept}
    return kept, [rank for rank, _ in (*below, *above) if rank not in own]


def _beyond(value: Any, sign: int) -> float:
    """Return the next value above (1) or below (-1) another."""
    if isinstance(value, float):
        return math.nextafter(value, sign * math.inf)
    return int(value) + sign


Ask = Callable[[int, float], Block]
"""(rank, CPU seconds) -> the values by plain code. Raises TimeUpError after these seconds."""


class Plain:
    """The plain code of a run, which makes its parts at the first rank."""

    def __init__(self, search: Search, spec: RunSpec, inputs: Mapping[str, Any]) -> None:
        self._make = partial(search.checker, spec, inputs)

    @cached_property
    def checker(self) -> Checker:
        return self._make()

    def __call__(self, rank: int) -> Block:
        return plain_block(self.checker, rank)


def again(
    store: Store,
    run: RunRecord,
    spec: RunSpec,
    winners: Mapping[int, str],
    plain: Plain | None = None,
    ask: Ask | None = None,
) -> Again:
    """Compute winners of a run again at its end, as `compute_again` does.

    `ask` has `plain` compute a rank in a fork; without them a fork is started. If plain code computed the
    run, that shows nothing and is left to verification.
    """
    if not winners:
        return Again({})
    with ExitStack() as stack:
        if plain is None or ask is None:
            folder = stack.enter_context(WorkingFolder(None))
            plain = Plain(search_of(spec), spec, folder.inputs(spec, store, run))
            ask = stack.enter_context(Apart(plain))
        if plain.checker.same:
            return Again(dict(winners), len(winners), same=True)
        reader = stack.enter_context(store.reader())
        return compute_again(reader, run, spec, plain.checker, winners, seconds_for(run), ask)


def compute_again(
    reader: Reader,
    run: RunRecord,
    spec: RunSpec,
    checker: Checker,
    winners: Mapping[int, str],
    seconds: float,
    plain_code: Ask,
    fast_code: Ask | None = None,
) -> Again:
    """Compute winners again by plain code, in their order, as far as time goes.

    Args:
        reader: reads the run.
        run: the run.
        spec: what it computes.
        checker: its solvers for single ranks.
        winners: the roles of ranks.
        seconds: the CPU seconds of plain code.
        plain_code: computes a rank by plain code.
        fast_code: computes those for which plain code takes too long, for as many seconds, if given.

    Returns:
        What was computed again.

    Raises:
        CheckFailedError: if a winner has other values; names it, the metric, both values and the part.
    """
    scores = RecordedScores(partial(reader.chunk_at, run.id), spec.metrics)
    in_order = _in_order(winners)
    ranks, beyond = in_order[:MOST_TRIED], in_order[MOST_TRIED:]
    unproven: tuple[int, ...] = ()
    if spec.candidate_timeout is not None:
        unproven = tuple(rank for rank in ranks if given_up(spec, scores.at(rank)))
        ranks = [rank for rank in ranks if rank not in {*unproven}]
    compiled: Counter[str] = Counter()
    plain = 0

    def agree(rank: int, block: Block, close: bool) -> None:
        recorded, now = scores.at(rank), block_scores(block, spec.metrics, rank)
        text = score_difference(spec.metrics, recorded, now, close)
        if text is not None:
            raise CheckFailedError(
                f"{puzzle_id(run.space, rank)} ({winners[rank]}): {text} One of the two forms of "
                f"{_part(spec, recorded, now)} is wrong, or the record was changed; `epcg check "
                f"{spec.space.domain}` compares the forms of all parts."
            )

    slow: list[int] = []
    for rank, block in _within(plain_code, ranks, seconds):
        if block is None:
            slow.append(rank)
            continue
        compiled.update(block.compiled)
        plain += not block.compiled
        agree(rank, block, close=checker.compiled is not None)
    fast = 0
    if fast_code is not None:
        waiting, slow = slow, []
        for rank, block in _within(fast_code, waiting, seconds):
            if block is None:
                slow.append(rank)
            else:
                fast += 1
                agree(rank, block, close=False)
    return Again(dict(winners), plain, dict(compiled), fast, (*slow, *beyond), unproven, seconds)


def _in_order(winners: Mapping[int, str]) -> list[int]:
    """Return the ranks of winners in the order in which they are tried: those that decide come soon."""
    deciding = [rank for rank, role in winners.items() if role in (EXTREME, NEXT)]
    others = [rank for rank, role in winners.items() if role not in (EXTREME, NEXT)]
    return [*others[:FIRST], *deciding, *others[FIRST:]]


def _within(ask: Ask, ranks: Sequence[int], seconds: float) -> Iterator[tuple[int, Block | None]]:
    """Yield (rank, what is computed of it), None if the CPU seconds or the memory do not suffice."""
    left = seconds
    for position, rank in enumerate(ranks, 1):
        begun, block = cpu_seconds(), None
        if left > 0:
            with suppress(TimeUpError, OutOfMemoryError, DiedError), _values_expected():
                block = ask(rank, left if position == len(ranks) else left / 2)
            left -= cpu_seconds() - begun
        yield rank, block


@contextmanager
def _values_expected() -> Iterator[None]:
    """Let no error advise to record it: the candidate has values."""
    try:
        yield
    except EvaluationError as error:
        error.recordable = False
        raise


def _part(spec: RunSpec, recorded: Sequence[Score] | None, now: Sequence[Score] | None) -> str:
    """Name the part whose metric differs: its evaluator, or the search."""
    pairs = zip(spec.metrics, recorded or (), now or (), strict=False)
    differs = {metric.name for metric, was, is_now in pairs if was != is_now}
    for part in spec.evaluators:
        metrics = registry().metrics_of(spec.space.domain, part.name, part.params)
        if differs & {metric.name for metric in metrics}:
            return f"the evaluator {spec.space.domain}:{part.name}"
    return f"the search {spec.search.name}"
