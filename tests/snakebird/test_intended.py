"""What the page about the intended solution says of real levels."""

from __future__ import annotations

from statistics import median

import pytest
from epcg_snakebird.generators.edits import Edits
from epcg_snakebird.params import EditsParams
from epcg_snakebird.rules.model import SnakebirdModel

from epcg_core.base.errors import EpcgError
from epcg_core.domain import LimitReachedError
from epcg_core.search.params import IntendedParams
from epcg_core.search.shortest_path.intended import IntendedSolution, OtherSolutions
from tests.snakebird.real_levels import LEVELS, real_level


class Levels:
    """A generator of levels."""

    transition_model = SnakebirdModel()


@pytest.mark.slow
def test_published_levels_have_few_solutions_of_other_moves() -> None:
    other = OtherSolutions(IntendedParams(limit=400_000), Levels())
    found, without = [], 0
    for path in sorted(LEVELS.glob("*.map")):
        try:
            values = other.evaluate(real_level(path.stem))
        except (LimitReachedError, EpcgError):
            continue
        without += values is None
        found += [] if values is None else [values]
    if not found:
        pytest.skip("the published levels are not at hand")
    others = [values[0] for values in found]
    assert (len(found), without) == (60, 1)
    assert (others.count(0), median(others), max(others)) == (5, 5, 2_309_999)
    assert sum(not values[1] for values in found) == 43
    assert sum(bool(values[2]) for values in found) == 1


@pytest.mark.nightly
def test_most_changes_keep_the_solution_and_few_take_others_away() -> None:
    counts = [counted(f"{number:02}") for number in range(1, 15)]
    assert [sum(column) for column in zip(*counts, strict=True)] == [1574, 965, 887, 30, 4]


def counted(level: str) -> tuple[int, int, int, int, int]:
    """All changes; those that keep the solution, without a shorter one, with fewer others, with none now."""
    edits = Edits(EditsParams(level))
    intended, other = (make(IntendedParams(), edits) for make in (IntendedSolution, OtherSolutions))
    own = other.evaluate(edits.original)
    stays = kept = fewer = only = 0
    for rank in range(edits.max_rank):
        state = edits.unrank(rank)
        is_there, _, saved = intended.evaluate(state)
        stays += bool(is_there)
        if is_there and not saved:
            beside = other.evaluate(state)
            assert own is not None
            assert beside is not None
            kept += 1
            fewer += (beside[0] or 0) < (own[0] or 0)
            only += beside[0] == 0 != own[0]
    return edits.max_rank, stays, kept, fewer, only
