"""The evaluators that every game of moves can have, from its transition model alone."""

from __future__ import annotations

from epcg_core.domain import EvaluatorInfo
from epcg_core.search.shortest_path import forgetting, intended


def play_evaluators(domain: str, *, forgets: bool = False) -> tuple[EvaluatorInfo, ...]:
    """Make a domain's evaluators of the solution that a designer intends, and of what a player must see.

    `intended_solution` tells whether it stays, and whether there is a shorter one; `other_solutions` counts
    the solutions beside it over the graph of positions. If the transition model `forgets`, as `Abstracting`
    says, `forgetting` tells how many moves seem not to be needed without a thing; its param `each` adds a
    metric for each thing that it names.

    Args:
        domain: the name of the domain.
        forgets: whether its transition model says what can be forgotten.
    """
    found = (
        EvaluatorInfo(
            name="intended_solution",
            domain=domain,
            summary="whether the intended solution stays, and how much shorter another one is",
            params="epcg_core.search.params:IntendedParams",
            metrics=intended.IntendedSolution.metrics,
            factory=intended.IntendedSolution,
            needs=intended.no_needs,
        ),
        EvaluatorInfo(
            name="other_solutions",
            domain=domain,
            summary="the solutions beside the intended one, counted over all positions",
            params="epcg_core.search.params:IntendedParams",
            metrics=intended.OtherSolutions.metrics,
            factory=intended.OtherSolutions,
            needs=intended.no_needs,
        ),
    )
    if not forgets:
        return found
    return (
        *found,
        EvaluatorInfo(
            name="forgetting",
            domain=domain,
            summary="what a player must see: moves that seem not to be needed if something is forgotten",
            params="epcg_core.search.params:ForgettingParams",
            metrics=forgetting.METRICS,
            factory=forgetting.Forgetting,
            adds=forgetting.losses,
            needs=forgetting.no_needs,
        ),
    )
