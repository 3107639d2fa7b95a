"""Many hypotheses at once: p adjusted for their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError

Adjustment = Literal["holm", "benjamini-hochberg", "none"]
ADJUSTMENTS: tuple[Adjustment, ...] = get_args(Adjustment)
_WORDS = {
    "holm": "by Holm 1979: the chance of any false finding is kept",
    "benjamini-hochberg": "by Benjamini & Hochberg 1995: the expected share of false findings is kept, if "
    "tests are independent or depend positively",
}


def in_words(adjustment: Adjustment, tests: int) -> str:
    """Say how p was adjusted: 'p adjusted for 3 tests by Holm 1979: ...'."""
    of = "one test" if tests == 1 else f"{tests:,} tests"
    if adjustment == "none":
        return f"p not adjusted for {of}: of many, some are small by chance"
    return f"p adjusted for {of} {_WORDS[adjustment]}"


def adjusted(ps: Sequence[float | None], adjustment: Adjustment = "holm") -> list[float | None]:
    """Adjust p for their number.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979), 65-70; Y. Benjamini & Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57 (1995), 289-300.

    Args:
        ps: p of each test; None of a test that could not be made, which does not count.
        adjustment: 'holm', 'benjamini-hochberg' or 'none'.

    Returns:
        The adjusted p, in the same order; None stays None.

    Raises:
        EpcgError: if there is no such adjustment, or a p is not from 0 to 1.
    """
    if adjustment not in ADJUSTMENTS:
        raise EpcgError(f"'{adjustment}' is not an adjustment: there are {', '.join(ADJUSTMENTS)}.")
    own = [p for p in ps if p is not None]
    if not all(0 <= p <= 1 for p in own):
        raise EpcgError("A p is not from 0 to 1.")
    if adjustment == "none" or not own:
        return list(ps)
    found = iter((_holm if adjustment == "holm" else _by_share)(np.array(own)).tolist())
    return [None if p is None else next(found) for p in ps]


def _holm(ps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Holm's p: statsmodels' collects garbage with it, a quarter of a second in a large process."""
    order, found = np.argsort(ps), np.empty_like(ps)
    found[order] = np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1)).clip(max=1)
    return found


def _by_share(ps: NDArray[np.float64]) -> NDArray[np.float64]:
    from statsmodels.stats.multitest import fdrcorrection

    adjusted: NDArray[np.float64] = fdrcorrection(ps)[1]
    return adjusted
