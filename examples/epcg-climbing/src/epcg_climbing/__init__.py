"""Hill climbing over ranks: from random starts to better neighbours. Not exhaustive."""

from __future__ import annotations

import random
from collections.abc import Callable

import attrs

from epcg_core.plugin import RunSpec, Scorer, SearchInfo, SelectiveSearch, hookimpl, param

EPCG_API_VERSION = 1


@attrs.frozen
class ClimbingParams:
    """How much is tried."""

    climbs: int = param(8, minimum=1, maximum=1000, help="random starts in each stretch of 4,096 ranks")
    seed: int = param(0, minimum=0, help="of the random starts")


class HillClimbing(SelectiveSearch):
    """Climbs to the best neighbour until none is better; neighbours are ranks at distances 1, 2, 4, ..."""

    name = "hill_climbing"

    def visit(self, params: ClimbingParams, spec: RunSpec, ranks: range, score: Scorer) -> None:
        draw = random.Random(f"{params.seed} {ranks.start}")
        sign = 1 if spec.metrics[0].direction == "max" else -1

        def height(rank: int) -> float:
            value = score(rank)
            return float("-inf") if value is None else sign * value

        for _ in range(params.climbs):
            here = draw.choice(ranks)
            while True:
                steps = (side << k for k in range(12) for side in (-1, 1))
                best = max((here + step for step in steps if here + step in ranks), key=height, default=here)
                if height(best) <= height(here):
                    break
                here = best


@hookimpl
def epcg_register_searches(register: Callable[[SearchInfo], None]) -> None:
    register(
        SearchInfo(
            name="hill_climbing",
            summary="climb from random ranks to better neighbours; not exhaustive",
            params=ClimbingParams,
            refuses={"filter": "it chooses ranks itself", "sample": "it chooses ranks itself"},
            factory=HillClimbing,
        )
    )
