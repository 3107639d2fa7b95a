"""All candidates that have a value, proven: branch and bound that prunes nothing but what has none.

States are built item by item, as there. Where the evaluator's `bound` is None, no completion has a value, and
all of them, one range of ranks, are pruned with that reason. Bounds are not compared with anything. So every
unit is computed without the others, and what is recorded (each candidate with a value, all of its metrics) is
a property of the space.
"""

from __future__ import annotations

import attrs

from epcg_core.base.params import plain
from epcg_core.chunks.objective import Objective
from epcg_core.query.query import Query
from epcg_core.query.spec import PartSpec, RunSpec
from epcg_core.search.branch_and_bound.search import BranchAndBoundSearch
from epcg_core.search.planner import RunDraft


class FeasibleSearch(BranchAndBoundSearch):
    """Finds the candidates to which the first metric of the query's first evaluator gives a value.

    Further evaluators measure these.
    """

    def plan(self, query: Query) -> RunSpec:
        draft = RunDraft.of(self._registry, query, "feasible")
        every = draft.evaluated()
        metric = every.metrics[0]
        return attrs.evolve(
            every,
            search=PartSpec("feasible", plain(draft.params)),
            objective=Objective(metric.name, metric.direction, "feasible", "proof"),
        )
