"""Intervals by resampling puzzles, people, or both."""

from __future__ import annotations

from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError
from epcg_research.statistics.censored import ordered
from epcg_research.statistics.correlation import NAMES, Method, correlation
from epcg_research.statistics.estimates import CONFIDENCE, Estimate, check_confidence, is_constant, quantile
from epcg_research.statistics.people import Average, averages, averaging, prepared

Resampled = Literal["puzzles", "people", "both"]
RESAMPLED: tuple[Resampled, ...] = get_args(Resampled)
REPETITIONS = 2_000
NO_PRODUCT_MOMENT = (
    "Of some puzzles half of the people are not known to solve them, so their medians have no number: "
    "correlate ranks, by Spearman's or Kendall's coefficient."
)
LEAST = 4
"""Puzzles or people: fewer say nothing by being drawn again."""
_WORDS = {
    "puzzles": "other puzzles like these, for the same people",
    "people": "other people like these, for the same puzzles",
    "both": "other people and other puzzles like these (both at once: Owen 2007)",
}
"""To what the interval generalizes."""


def bootstrap(
    measure: ArrayLike,
    responses: ArrayLike,
    over: Resampled = "both",
    *,
    other: ArrayLike | None = None,
    method: Method = "spearman",
    average: Average = "median",
    longer: NDArray[np.bool_] | None = None,
    confidence: float = CONFIDENCE,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Estimate:
    """Correlate a measure with people's responses; the interval resamples puzzles, people, or both.

    A resample draws as many puzzles, and as many people, with replacement; puzzles without an answer of a
    drawn person are missing in it. Intervals are bias-corrected percentiles, because averages of fewer
    distinct people are noisier, so that a resample correlates less. Both ways at once: A. B. Owen, "The
    pigeonhole bootstrap", Annals of Applied Statistics 1 (2007), 386-411. Ranks within people are those among
    all puzzles.

    Args:
        measure: (puzzles,) the values.
        responses: (people, puzzles) the responses; NaN where a person did not answer.
        over: what is resampled.
        other: (puzzles,) another measure: then the estimate is the difference of the two correlations.
        method: the correlation.
        average: how the responses of people to a puzzle become one number.
        longer: (people, puzzles) whether a person gave up then; None if all responses are whole.
        confidence: of the interval.
        repetitions: the number of resamples.
        seed: of the random numbers.

    Returns:
        The correlation, or the difference; without p.

    Raises:
        EpcgError: if shapes or values do not fit.
    """
    check_confidence(confidence)
    if over not in RESAMPLED:
        raise EpcgError(f"'{over}' cannot be resampled: there are {', '.join(RESAMPLED)}.")
    if repetitions < 1:
        raise EpcgError("The bootstrap needs at least one repetition; 2,000 are usual.")
    matrix = np.asarray(responses, np.float64)
    measures = [np.asarray(each, np.float64) for each in (measure, other) if each is not None]
    for values in measures:
        if matrix.ndim != 2 or values.shape != matrix.shape[1:]:
            raise EpcgError(
                f"A measure of {values.shape} does not fit responses of {matrix.shape}: people by puzzles."
            )
    answered = averages(matrix, average, longer)
    known = ~np.isnan(answered) & np.isfinite(np.array(measures)).all(axis=0)
    matrix, measures = matrix[:, known], [values[known] for values in measures]
    there = np.isfinite(matrix).any(axis=1)
    people, puzzles = int(there.sum()), matrix.shape[1]
    if longer is not None:
        longer = longer[:, known][there]
    matrix = prepared(matrix[there], average, longer)
    if average == "ranks":
        longer = None  # the scores are whole
    points = averages(matrix, averaging(average), longer)
    if method == "pearson" and np.isinf(points).any():
        raise EpcgError(NO_PRODUCT_MOMENT)
    found = [correlation(values, ordered(points), method, confidence) for values in measures]
    counted = people if over == "people" else puzzles
    name = NAMES[method] if other is None else f"difference of two {NAMES[method]}"
    assumes = (
        f"{'puzzles and people' if over == 'both' else over} that were drawn independently of each other"
    )
    note = next((each.note for each in found if each.value is None), "")
    if note:
        return Estimate(name, None, counted, "not computed", assumes, note=note, confidence=confidence)
    values_of = [each.value for each in found if each.value is not None]
    value = values_of[0] - values_of[1] if other is not None else values_of[0]
    few = min(counts for what, counts in (("puzzles", puzzles), ("people", people)) if over in (what, "both"))
    low = high = None
    made = ""
    if few < LEAST:
        note = f"No interval: there are {puzzles} puzzles and {people} people, and resampling takes {LEAST}."
    else:
        draws = _draws(measures, matrix, longer, over, method, averaging(average), repetitions, seed)
        valid = draws[np.isfinite(draws)]
        if len(valid) < 0.9 * repetitions:
            note = (
                f"No interval: in {repetitions - len(valid):,} of {repetitions:,} resamples there was no "
                "correlation, because all values were the same or puzzles had no answers."
            )
        else:
            low, high = bias_corrected(valid, value, confidence)
            made = f"bias-corrected bootstrap, {repetitions:,} resamples; it speaks of {_WORDS[over]}"
    return Estimate(
        name, value, counted, f"{puzzles} puzzles, {people} people; {_in_words(average)}", assumes, low, high,
        made, None, note, confidence,
    )  # fmt: skip


def _in_words(average: Average) -> str:
    return "mean of the ranks within people" if average == "ranks" else f"{average} over people"


def bias_corrected(draws: NDArray[np.float64], value: float, confidence: float) -> tuple[float, float]:
    """Return the ends of the bias-corrected percentile interval of an estimate.

    B. Efron, "Nonparametric standard errors and confidence intervals", Canadian Journal of Statistics 9
    (1981), 139-158: percentiles are moved as far as the estimate lies from the median of the resamples.

    Args:
        draws: (r,) the resampled estimates.
        value: the estimate itself.
        confidence: of the interval.

    Returns:
        The lower and the upper end.
    """
    normal = NormalDist()
    below = float((np.mean(draws < value) + np.mean(draws <= value)) / 2)
    below = min(max(below, 0.5 / len(draws)), 1 - 0.5 / len(draws))
    moved, z = 2 * normal.inv_cdf(below), quantile(confidence)
    low, high = np.quantile(draws, [normal.cdf(moved - z), normal.cdf(moved + z)])
    return float(low), float(high)


def _draws(
    measures: list[NDArray[np.float64]],
    matrix: NDArray[np.float64],
    longer: NDArray[np.bool_] | None,
    over: Resampled,
    method: Method,
    average: Average,
    repetitions: int,
    seed: int,
) -> NDArray[np.float64]:
    """Return (repetitions,) correlations of resamples, or differences of two; NaN if there was none."""
    random = np.random.default_rng(seed)
    people, puzzles = matrix.shape
    fixed = ordered(averages(matrix, average, longer))
    answered = np.empty((repetitions, puzzles))
    drawn = np.tile(np.arange(puzzles), (repetitions, 1))
    for i in range(repetitions):
        if over != "people":
            drawn[i] = random.integers(0, puzzles, puzzles)
        if over == "puzzles":
            answered[i] = fixed[drawn[i]]
        else:
            who, distinct = random.integers(0, people, people), np.unique(drawn[i], return_inverse=True)
            own = np.ix_(who, distinct[0])
            points = averages(matrix[own], average, None if longer is None else longer[own])
            answered[i] = ordered(points)[distinct[1]]
    found = [_rowwise(values[drawn], answered, method) for values in measures]
    return found[0] if len(found) == 1 else found[0] - found[1]


def _rowwise(x: NDArray[np.float64], y: NDArray[np.float64], method: Method) -> NDArray[np.float64]:
    """Return (r,) the correlations of the rows of two (r, n) arrays; y may have NaN."""
    from scipy import stats

    whole = np.isfinite(y).all(axis=1)
    found = np.full(len(x), np.nan)
    if method == "kendall":
        for row in range(len(x)):
            there = np.isfinite(y[row])
            if not is_constant(x[row, there]) and not is_constant(y[row, there]):
                found[row] = stats.kendalltau(x[row, there], y[row, there]).statistic
        return found
    for row in np.flatnonzero(~whole).tolist():
        there = np.isfinite(y[row])
        if there.sum() >= 2:
            found[row] = _products(x[[row]][:, there], y[[row]][:, there], method)[0]
    found[whole] = _products(x[whole], y[whole], method)
    return found


def _products(x: NDArray[np.float64], y: NDArray[np.float64], method: Method) -> NDArray[np.float64]:
    """Return (r,) product-moment correlations of rows, or of their ranks; NaN of a constant row."""
    from scipy import stats

    if method == "spearman":
        x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: NDArray[np.float64] = np.where(size > 0, (x * y).sum(axis=1) / size, np.nan)
    return found
