"""Several responses of each person at once: which factors go with them, by a multivariate linear model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_research.statistics.estimates import Estimate

NAME = "Pillai's trace"
ASSUMES = (
    "people who are independent of each other, and residuals that are alike for all of them and not too far "
    "from normal ones, which counts less the more people there are"
)


@attrs.frozen
class Multivariate(Estimate):
    """A test of one factor on all responses together."""

    f: float | None = None
    """The F statistic that approximates it; exact for one degree of freedom of the factor."""
    df: float | None = None
    df_error: float | None = None


def multivariate(
    values: NDArray[np.float64], design: NDArray[np.float64], tested: Sequence[int]
) -> Multivariate:
    """Test whether columns of a design go with several responses, all other columns given.

    Pillai's trace, which of the usual statistics holds its level best where assumptions fail: C. L. Olson,
    "On choosing a test statistic in multivariate analysis of variance", Psychological Bulletin 83 (1976),
    579-586; by statsmodels' MANOVA. Of one column and one response it is the t test of linear regression, of
    a column of ones alone Hotelling's T squared.

    Args:
        values: (n, q) the responses of each person.
        design: (n, k) what is known of each person, a column of ones among it.
        tested: the columns of the design that are the factor.

    Returns:
        The trace, from 0 to the smaller of q and the number of tested columns; n counts people. Without a
        value if the numbers determine none; the note says why.
    """
    n, q = values.shape
    k = design.shape[1]

    def none(note: str) -> Multivariate:
        return Multivariate(NAME, None, n, "not computed", ASSUMES, note=note)

    if not q or not tested:
        return none("Not tested: there is nothing to test.")
    if n - k < q:
        return none(
            f"Not tested: there are {n} people, and {q} responses with {k} columns of factors take at least "
            f"{q + k}."
        )
    if _rank(design) < k:
        return none("Not tested: one factor follows from the others among these people.")
    slopes = np.linalg.lstsq(design, values, rcond=None)[0]
    rest = values - design @ slopes
    if _rank(rest / np.maximum(np.abs(values).max(axis=0), 1e-300)) < q:
        return none(
            "Not tested: one response follows from the factors or from other responses without any residual; "
            "ask for fewer responses."
        )
    contrast = np.eye(k)[list(tested)]
    value, f, df, df_error, p = _of_one(values, design, contrast) if q == 1 else _of(values, design, contrast)
    if not math.isfinite(f):
        return none("Not tested: the F statistic is not finite.")
    method = (
        "linear model (statsmodels' OLS)"
        if q == 1
        else f"multivariate linear model (statsmodels' MANOVA), {q} responses together"
    )
    return Multivariate(NAME, value, n, method, ASSUMES, p=p, f=f, df=df, df_error=df_error)


def _of(
    values: NDArray[np.float64], design: NDArray[np.float64], contrast: NDArray[np.float64]
) -> tuple[float, float, float, float, float]:
    """Return the trace, F, its degrees of freedom, and p."""
    from statsmodels.multivariate.manova import MANOVA

    row = MANOVA(values, design).mv_test([("factor", contrast)]).results["factor"]["stat"].loc[NAME]
    value, f, df, df_error, p = (
        float(row[name]) for name in ("Value", "F Value", "Num DF", "Den DF", "Pr > F")
    )
    return value, f, df, df_error, p


def _of_one(
    values: NDArray[np.float64], design: NDArray[np.float64], contrast: NDArray[np.float64]
) -> tuple[float, float, float, float, float]:
    """Return the same of one response, which MANOVA does not take: the F test of a linear model."""
    from statsmodels.regression.linear_model import OLS

    test = OLS(values[:, 0], design).fit().f_test(contrast)
    f, df, df_error = float(test.fvalue), float(test.df_num), float(test.df_denom)
    return df * f / (df * f + df_error), f, df, df_error, float(test.pvalue)


def _rank(matrix: NDArray[np.float64]) -> int:
    return int(np.linalg.matrix_rank(matrix, tol=1e-9 * max(matrix.shape) * max(1.0, np.abs(matrix).max())))
