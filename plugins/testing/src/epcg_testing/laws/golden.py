"""Golden declarations that must never change: numbers of states, counts of values, transcripts of play."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from epcg_core.inside import BlockEvaluator
from epcg_core.plugin import EvaluatorInfo, UnknownNameError
from epcg_testing.declaration import DeclaredCount, DeclaredPlay
from epcg_testing.laws.play import replay
from epcg_testing.report import SPACES, Laws
from epcg_testing.subject import Space, scores_of
from epcg_testing.violations import Case, Cases, Skip, require

LAWS = Laws()

_BLOCK = 4_096


@LAWS.listed(
    "numbers-of-states",
    "a space has the declared number of states",
    "either the space has changed, and with it the meaning of every recorded rank, or the "
    "declaration is wrong.",
    SPACES,
)
def numbers_of_states(space: Space) -> Cases:
    if space.declared.states is None:
        yield Skip(space.where, "the number of states is not declared: states = ...")
    else:
        yield Case.once(space.where, partial(_states, space, space.declared.states))


def _states(space: Space, states: int) -> None:
    require("the number of states", states, space.max_rank)


@LAWS.listed(
    "counts-of-values",
    "as many states as declared have a value",
    "look at what changed since the count was right; correct it only if it was a mistake.",
    SPACES,
)
def counts_of_values(space: Space) -> Cases:
    if not space.declared.counts:
        yield Skip(space.where, "no counts are declared: [[spaces.counts]]")
    every = [info.name for info in space.subject.registry.all(EvaluatorInfo, space.spec.domain)]
    checked = {scored.info.name for scored in space.evaluators}
    for count in space.declared.counts:
        if count.evaluator in every and count.evaluator not in checked:
            yield Skip(space.where, f"the evaluator {count.evaluator} is of another plugin")
            continue
        yield Case.once(f"{space.where} by {count.evaluator}", partial(_count, space, count))


def _count(space: Space, declared: DeclaredCount) -> None:
    """Check a count over all states, by arrays if the parts offer them, as runs do."""
    known = {scored.info.name: scored for scored in space.evaluators}
    if declared.evaluator not in known:
        raise UnknownNameError("evaluator", declared.evaluator, known, "conformance.toml, counts")
    scored = known[declared.evaluator]
    metrics = scored.evaluator.metrics
    names = [metric.name for metric in metrics]
    if declared.metric not in names:
        raise UnknownNameError("metric", declared.metric, names, "conformance.toml, counts")
    at = names.index(declared.metric)
    counter: Counter[float | None] = Counter()
    block = BlockEvaluator(space.generator, scored.evaluator)
    for start in range(0, space.max_rank, _BLOCK):
        evaluation = block.block(start, min(_BLOCK, space.max_rank - start)).evaluation
        counter.update(_number(score[at][1]) for score in scores_of(evaluation, metrics))
    value = "none" if declared.value is None else f"{declared.value:g}"
    require(f"states whose {declared.metric} is {value}", declared.count, counter[declared.value])


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


@LAWS.listed(
    "transcripts-of-play",
    "the declared transcripts can be played, with the same choices on the way, and end at a goal",
    "look at the rules of play and at the texts of actions.",
    SPACES,
)
def transcripts_of_play(space: Space) -> Cases:
    if not space.declared.plays:
        yield Skip(space.where, "no transcripts are declared: [[spaces.plays]]")
    for play in space.declared.plays:
        yield Case(space.where, partial(_transcript, space, play), (play.rank,))


def _transcript(space: Space, play: DeclaredPlay, rank: int) -> None:
    if rank != play.rank:
        return
    *before, (goal, _) = replay(space, rank, play.actions)
    if play.choices:
        require(
            "the numbers of actions along the play", play.choices, tuple(choices for _, choices in before)
        )
    require("whether the play ends at a goal", True, goal)
