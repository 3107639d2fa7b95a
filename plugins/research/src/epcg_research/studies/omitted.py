"""Whether answers that do not count go with a measure: missing numbers, and unfinished pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs
import numpy as np

from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate
from epcg_research.studies.answers import Answers
from epcg_research.studies.measures import Measure

LIKELY = 0.05
"""p, adjusted, below which what is left out is said to go with something."""
MOST = 4
"""Sentences about what goes with measures; further ones are counted."""


@attrs.frozen
class Omitted:
    """Answers to puzzles with a measure that lack a response, beside those that have it."""

    metric: str
    response: str
    estimate: Estimate
    """How often a puzzle without an answer has more of the measure than another one of the same person."""
    adjusted: float | None = None
    """p, adjusted for all measures and responses that were asked together."""

    @property
    def goes_with(self) -> bool:
        """Whether being left out goes with the measure."""
        return self.adjusted is not None and self.adjusted < LIKELY


def omitted(answers: Answers, measure: Measure, response: str) -> Omitted | None:
    """Ask whether being left out goes with a measure.

    Args:
        answers: the data set, with an empty answer for each puzzle that a person did not come to.
        measure: the measure; puzzles without a value are not asked.
        response: the name of the response; who gave up is not left out where that counts.

    Returns:
        The test within people; None if no answer is left out.

    Raises:
        UnknownNameError: if there is no such response.
    """
    counted = {id(each) for each in answers.counted(response)}
    own: dict[str, list[tuple[float, bool]]] = {}
    for answer in answers.answers:
        if answer.puzzle in measure.values:
            value = measure.values[answer.puzzle], id(answer) not in counted
            own.setdefault(answer.person, []).append(value)
    if not any(gone for each in own.values() for _, gone in each):
        return None
    estimate = statistics.left_out(
        [np.array([value for value, _ in each]) for each in own.values()],
        [np.array([gone for _, gone in each], bool) for each in own.values()],
    )
    return Omitted(measure.metric, response, estimate, estimate.p)


def together(found: Iterable[Omitted | None], adjust: Adjustment) -> list[Omitted | None]:
    """Return tests with p adjusted for their number."""
    every = list(found)
    ps = statistics.adjusted([None if each is None else each.estimate.p for each in every], adjust)
    return [
        None if each is None else attrs.evolve(each, adjusted=p) for each, p in zip(every, ps, strict=True)
    ]


def lines_of_omitted(found: Iterable[Omitted | None]) -> Iterator[str]:
    """Say what goes with a measure; nothing if nothing does. It stands in the first line of what is told."""
    odd = [each for each in found if each is not None and each.goes_with]
    for each in odd[:MOST]:
        value = each.estimate.value or 0.0
        yield (
            f"What is left out goes with '{each.metric}': '{each.response}' is missing more often of puzzles "
            f"with {'more' if value > 0 else 'less'} of it ({value:+.2f} within people, p adjusted "
            f"{each.adjusted:.2g}), so what remains may say something else than the whole would."
        )
    if len(odd) > MOST:
        yield f"So it is for {len(odd) - MOST:,} more measures and responses; --format json has all."
