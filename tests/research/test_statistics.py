"""Statistics of studies: each against scipy, statsmodels, a hand calculation, or a printed example."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from epcg_research import statistics as own
from epcg_research.statistics import correlation as correlations
from epcg_research.statistics.correlation import METHODS, interval
from epcg_research.statistics.multiple import adjusted
from epcg_research.statistics.resampling import bias_corrected
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import EpcgError, PluginError
from tests.sweeps import most
from tests.workplace import OnUse, needs, sweep

stats = OnUse("scipy.stats")
pytestmark = [
    needs(library, "the extra 'statistics' is not installed") for library in ("scipy", "statsmodels")
]

Z = 1.959963984540054
SCIPY = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=25)


def of_scipy(method: str, x: Any, y: Any) -> Any:
    return getattr(stats, SCIPY[method])(x, y)


def small(seed: int, n: int, rho: float = 0.6) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    x = random.standard_normal(n)
    return x, rho * x + math.sqrt(1 - rho**2) * random.standard_normal(n)


# --- correlations -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(PAIRS, st.sampled_from(METHODS))
def test_coefficients_are_those_of_scipy(pairs: list[tuple[int, int]], method: Any) -> None:
    x, y = zip(*pairs, strict=True)
    found = correlations(x, y, method)
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert (found.value, found.low, found.p) == (None, None, None)
        assert "No correlation" in found.note
    else:
        assert found.value == pytest.approx(of_scipy(method, x, y).statistic)
        assert found.n == len(pairs)


@pytest.mark.parametrize("method", METHODS)
def test_p_of_many_pairs_is_that_of_scipy(method: Any) -> None:
    x, y = small(1, 40)
    assert correlations(x, y, method).p == pytest.approx(of_scipy(method, x, y).pvalue)
    assert correlations(np.round(x), np.round(y), method).p == pytest.approx(
        of_scipy(method, np.round(x), np.round(y)).pvalue
    )


@pytest.mark.parametrize("most", [4, pytest.param(6, marks=pytest.mark.slow)])
@settings(deadline=None, max_examples=most(25))
@given(data=st.data())
def test_p_of_few_pairs_counts_all_orders(most: int, data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, 3), st.integers(0, 3))
    pairs = data.draw(st.lists(pair, min_size=3, max_size=most))
    x, y = (list(side) for side in zip(*pairs, strict=True))
    if len(set(x)) < 2 or len(set(y)) < 2:
        return
    for method in ("spearman", "kendall"):
        values = [of_scipy(method, order, y).statistic for order in itertools.permutations(x)]
        here = of_scipy(method, x, y).statistic
        lower = sum(value <= here + 1e-9 for value in values) / len(values)
        higher = sum(value >= here - 1e-9 for value in values) / len(values)
        assert correlations(x, y, method).p == pytest.approx(min(1.0, 2 * min(lower, higher)))


def test_kendall_without_ties_is_exact() -> None:
    x, y = small(3, 12)
    assert correlations(x, y, "kendall").p == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue)


def test_intervals_by_hand() -> None:
    half = Z * math.sqrt(1.125 / 25)
    z = math.atanh(0.5)
    assert interval(0.5, 28, "spearman")[:2] == pytest.approx((math.tanh(z - half), math.tanh(z + half)))
    half = Z * math.sqrt(0.437 / 24)
    assert interval(0.5, 28, "kendall")[:2] == pytest.approx((math.tanh(z - half), math.tanh(z + half)))
    x, y = small(5, 30)
    found = correlations(x, y, "pearson", 0.9)
    assert (found.low, found.high) == pytest.approx(tuple(stats.pearsonr(x, y).confidence_interval(0.9)))


def test_an_interval_that_there_is_not_is_told() -> None:
    assert interval(0.5, 3, "spearman") == (None, None, "No interval: 3 pairs are too few, it takes 4.")
    assert interval(0.5, 4, "kendall")[2] == "No interval: 4 pairs are too few, it takes 5."
    perfect = correlations([1, 2, 3, 4, 5], [2, 3, 5, 8, 9])
    assert (perfect.value, perfect.low) == (pytest.approx(1.0), None)
    assert "perfect" in perfect.note
    assert correlations([], []).note.startswith("No correlation: there are no pairs")
    assert correlations([1], [1]).note.startswith("No correlation: there is one pair")
    assert "is 7 for all 3" in correlations([1, 2, 3], [7, 7, 7]).note


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(EpcgError, match="x: value 2 is nan"):
        correlations([1, math.nan], [1, 2])
    with pytest.raises(EpcgError, match="there are 2 and 3 values"):
        correlations([1, 2], [1, 2, 3])
    with pytest.raises(EpcgError, match="is not a correlation"):
        correlations([1, 2], [1, 2], "phi")  # type: ignore[arg-type]
    with pytest.raises(EpcgError, match="not between 0 and 1"):
        correlations([1, 2], [1, 2], confidence=95)


def test_a_result_says_method_number_and_assumptions() -> None:
    (line,) = correlations(*small(2, 20)).told()
    assert "n = 20" in line
    assert "Bonett & Wright" in line
    assert "Assumes pairs that are independent" in line


# --- two correlations with one response -------------------------------------------------------------------


def exact(r12: float, r13: float, r23: float, n: int) -> tuple[Any, Any, Any]:
    """Three variables whose correlations are exactly these."""
    random = np.random.default_rng(0)
    raw = random.standard_normal((n, 3))
    raw, _ = np.linalg.qr(raw - raw.mean(axis=0))
    raw -= raw.mean(axis=0)
    wanted = np.linalg.cholesky(np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]))
    return tuple((np.linalg.qr(raw)[0] @ wanted.T).T)  # type: ignore[return-value]


def test_the_example_that_zou_prints() -> None:
    """Psychological Methods 12 (2007), 399-413: r12 = .396, r13 = .179, r23 = .088, n = 66."""
    y, first, second = exact(0.396, 0.179, 0.088, 66)
    found = own.difference(y, first, second, "pearson")
    assert found.value == pytest.approx(0.217)
    assert (found.low, found.high) == pytest.approx((-0.093, 0.517), abs=5e-4)
    other = own.difference(y, second, first, "pearson")
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))  # type: ignore[operator]


def test_a_difference_without_interval_or_value() -> None:
    assert "No correlation" in own.difference([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], [1, 1, 1, 1, 1]).note
    found = own.difference([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    assert (found.value, found.low) == (pytest.approx(0.1), None)
    assert "perfect" in found.note


# --- resampling -------------------------------------------------------------------------------------------


def rank_correlation(x: Any, y: Any, axis: int = -1) -> Any:
    """Spearman's rho along an axis."""
    ranks = [stats.rankdata(side, axis=axis) for side in (x, y)]
    x, y = (own - own.mean(axis=axis, keepdims=True) for own in ranks)
    return (x * y).sum(axis=axis) / np.sqrt((x**2).sum(axis=axis) * (y**2).sum(axis=axis))


def test_resampled_puzzles_agree_with_scipys_bootstrap() -> None:
    x, y = small(4, 30)
    found = own.bootstrap(x, y[None, :], "puzzles", repetitions=4000, seed=1)
    their = stats.bootstrap(
        (x, y), rank_correlation, paired=True, vectorized=True, n_resamples=4000, method="percentile", rng=2
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(their), abs=0.03)
    assert found.value == pytest.approx(stats.spearmanr(x, y).statistic)


def crossed(seed: int, people: int, puzzles: int, slope: float = 0.8, noise: float = 1.0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    measure = random.standard_normal(puzzles)
    hard = slope * measure + 0.5 * random.standard_normal(puzzles)
    level = random.standard_normal((people, 1))
    return measure, hard + level + noise * random.standard_normal((people, puzzles))


@pytest.mark.parametrize("method", sweep(METHODS, lambda method: method != "kendall"))
def test_what_is_resampled_makes_the_interval(method: Any) -> None:
    """Many people and few puzzles: people say where these puzzles are, and puzzles hardly anything."""
    measure, responses = crossed(6, 60, 12)
    widths = {}
    for over in own.RESAMPLED:
        found = own.bootstrap(measure, responses, over, method=method, repetitions=400)
        assert found.low is not None
        assert found.high is not None
        assert found.value == pytest.approx(of_scipy(method, measure, np.median(responses, axis=0)).statistic)
        widths[over] = found.high - found.low
    assert widths["people"] < widths["puzzles"]
    assert widths["both"] > 0.9 * widths["puzzles"]


@pytest.mark.parametrize("shape", [(20, 13), pytest.param((50, 9), marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", METHODS)
def test_rows_at_once_are_rows_one_by_one(method: Any, shape: tuple[int, int]) -> None:
    """Of up to 8 pairs, p is that of all orders, which takes long; most rows of 13 have more."""
    from epcg_research.statistics.resampling import _rowwise

    random = np.random.default_rng(7)
    x, y = random.integers(0, 4, shape).astype(float), random.integers(0, 5, shape).astype(float)
    y[random.random(shape) < 0.1] = np.nan
    found = _rowwise(x, y, method)
    for row in range(len(x)):
        there = np.isfinite(y[row])
        one = correlations(x[row, there], y[row, there], method).value
        assert found[row] == pytest.approx(math.nan if one is None else one, nan_ok=True)


def test_a_bootstrap_that_can_say_nothing_says_why() -> None:
    measure, responses = crossed(8, 3, 10)
    few = own.bootstrap(measure, responses, "people")
    assert (few.low, few.note) == (
        None, "No interval: there are 10 puzzles and 3 people, and resampling takes 4.",
    )  # fmt: skip
    assert own.bootstrap(measure, responses, "puzzles").low is not None
    rare = np.where(np.arange(10) < 9, 1.0, 2.0)[None, :]
    assert "all values were the same" in own.bootstrap(measure, rare, "puzzles").note
    assert "No correlation" in own.bootstrap(np.ones(10), responses, "puzzles").note
    with pytest.raises(EpcgError, match="does not fit"):
        own.bootstrap(measure[:5], responses)
    with pytest.raises(EpcgError, match="cannot be resampled"):
        own.bootstrap(measure, responses, "moves")  # type: ignore[arg-type]


def test_puzzles_without_answers_do_not_count() -> None:
    measure, responses = crossed(9, 20, 12)
    more = np.column_stack([responses, np.full(20, np.nan)])
    found = own.bootstrap(np.append(measure, 99.0), more, "both", repetitions=200)
    assert found == own.bootstrap(measure, responses, "both", repetitions=200)


def test_the_difference_of_two_measures_resampled() -> None:
    measure, responses = crossed(10, 30, 40)
    other = np.random.default_rng(0).standard_normal(40)
    found = own.bootstrap(measure, responses, "both", other=other, repetitions=500)
    assert found.low is not None
    assert found.low > 0
    same = own.bootstrap(measure, responses, "both", other=measure, repetitions=100)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_the_bias_correction_moves_percentiles_by_hand() -> None:
    """An estimate above 84.13 % of the resamples is one z above their median: twice that is added."""
    draws = np.arange(10_001) / 10_000
    assert bias_corrected(draws, 0.5, 0.95) == pytest.approx((0.025, 0.975), abs=1e-3)
    low, high = bias_corrected(draws, 0.8413, 0.95)
    assert (low, high) == pytest.approx((stats.norm.cdf(2 - Z), stats.norm.cdf(2 + Z)), abs=1e-3)


# --- people -----------------------------------------------------------------------------------------------


def test_ranks_within_people_by_hand() -> None:
    nan = math.nan
    found = own.ranks_within([[10, 30, 20, 20], [5, nan, 1, nan], [nan, 7, nan, nan], [nan] * 4])
    assert found[0].tolist() == [0.125, 0.875, 0.5, 0.5]
    assert found[1, [0, 2]].tolist() == [0.75, 0.25]
    assert np.isnan(found[1, [1, 3]]).all()
    assert np.isnan(found[2:]).all(), "one answer orders nothing"
    assert own.averages([[1, 2, 9], [3, nan, 9], [8, nan, 9]], "median")[:2].tolist() == [3, 2]
    assert own.averages([[1, 2], [3, nan]], "mean").tolist() == [2, 2]
    with pytest.raises(EpcgError, match="not an average"):
        own.averages([[1.0]], "mode")  # type: ignore[arg-type]


def test_ranks_take_off_the_level_and_the_scale_of_people() -> None:
    _, responses = crossed(11, 20, 15)
    changed = responses * np.linspace(0.1, 5, 20)[:, None] + np.linspace(-50, 50, 20)[:, None]
    assert own.averages(changed, "ranks").tolist() == own.averages(responses, "ranks").tolist()


def long(measure: Any, responses: Any) -> tuple[Any, Any, Any, Any]:
    people, puzzles = np.indices(responses.shape)
    return people.ravel(), puzzles.ravel(), measure[puzzles.ravel()], responses.ravel()


def test_the_mixed_model_of_balanced_answers_is_the_regression_of_means() -> None:
    """With all people answering all puzzles, REML and least squares of the puzzles' means agree."""
    measure, responses = crossed(12, 20, 15)
    found = own.mixed_slope(*long(measure, responses))
    line = stats.linregress(measure, responses.mean(axis=0))
    scale = np.std(measure) / np.std(responses)
    assert found.value == pytest.approx(line.slope * scale, rel=1e-4)
    half = stats.t.ppf(0.975, 13) * line.stderr * scale
    assert (found.low, found.high) == pytest.approx(
        (line.slope * scale - half, line.slope * scale + half), rel=2e-3, abs=2e-3
    )
    assert found.p == pytest.approx(line.pvalue, rel=0.02)
    assert "crossed random intercepts" in found.method


def test_many_answers_take_the_shorter_way_to_the_same_slope() -> None:
    measure, responses = crossed(13, 101, 15)
    found = own.mixed_slope(*long(measure, responses))
    line = stats.linregress(measure, responses.mean(axis=0))
    scale = np.std(measure) / np.std(responses)
    assert found.value == pytest.approx(line.slope * scale, rel=1e-4)
    assert found.high - found.value == pytest.approx(  # type: ignore[operator]
        stats.t.ppf(0.975, 13) * line.stderr * scale, rel=0.01
    )
    assert "people's means taken off" in found.method


def test_an_unbalanced_model_is_that_of_statsmodels() -> None:
    import pandas as pd
    import statsmodels.formula.api as smf

    measure, responses = crossed(14, 12, 15)
    people, puzzles, x, y = long(measure, responses)
    kept = np.random.default_rng(1).random(len(x)) < 0.6
    people, puzzles, x, y = people[kept], puzzles[kept], x[kept], y[kept]
    found = own.mixed_slope(people, puzzles, x, y)
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    frame = pd.DataFrame({"who": people, "which": puzzles, "x": x, "y": y, "all": 1})
    parts = {"who": "0 + C(who)", "which": "0 + C(which)"}
    model = smf.mixedlm("y ~ x", frame, groups="all", vc_formula=parts, re_formula="0").fit(method="lbfgs")
    assert found.value == pytest.approx(model.params["x"], rel=1e-3)
    half = stats.t.ppf(0.975, len(set(puzzles.tolist())) - 2) * model.bse["x"]
    assert found.high - found.value == pytest.approx(half, rel=1e-2)  # type: ignore[operator]


def test_a_model_that_cannot_be_fitted_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    measure, responses = crossed(15, 5, 6)
    assert "takes 4 and 2" in own.mixed_slope(*long(measure[:3], responses[:, :3])).note
    assert "takes 4 and 2" in own.mixed_slope(*long(measure, responses[:1])).note
    assert "the measure is 1" in own.mixed_slope(*long(np.ones(6), responses)).note
    assert "the response is 0" in own.mixed_slope(*long(measure, np.zeros((5, 6)))).note
    from statsmodels.regression.mixed_linear_model import MixedLM

    def singular(*args: Any, **kwargs: Any) -> Any:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(MixedLM, "fit", singular)
    assert "did not converge" in own.mixed_slope(*long(measure, responses)).note


# --- two conditions ---------------------------------------------------------------------------------------


def test_pairs_by_hand() -> None:
    """Differences 1, -2, 3, 4: ranks 1 to 4, of which 1 + 3 + 4 are positive."""
    found = own.paired([2, 0, 5, 9, 7], [1, 2, 2, 5, 7])
    assert (found.value, found.n) == ((8 - 2) / 10, 4)
    assert found.p == pytest.approx(stats.wilcoxon([1, -2, 3, 4]).pvalue)
    assert "4 pairs differ" in found.note
    assert own.paired([1, 2], [1, 2]).value is None
    assert own.paired([], []).note == "No pairs."
    assert "one sign" in own.paired(range(1, 9), [0] * 8).note


@settings(deadline=None, max_examples=most(40))
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_p_of_few_pairs_counts_all_signs(differences: list[int]) -> None:
    kept = [d for d in differences if d]
    if not kept:
        return
    ranks = stats.rankdata(np.abs(kept))
    positive = float(ranks[np.array(kept) > 0].sum())
    sums = [float(np.dot(ranks, s)) for s in itertools.product((0, 1), repeat=len(kept))]
    lower = sum(s <= positive + 1e-9 for s in sums) / len(sums)
    higher = sum(s >= positive - 1e-9 for s in sums) / len(sums)
    assert own.paired(differences, [0] * len(differences)).p == pytest.approx(min(1, 2 * min(lower, higher)))


def test_many_pairs_are_tested_as_scipy_does() -> None:
    x, y = small(16, 60)
    assert own.paired(x, y).p == pytest.approx(stats.wilcoxon(x, y, method="asymptotic").pvalue)
    x, y = small(17, 30)
    found = own.paired(x, y + 0.3)
    assert found.p == pytest.approx(stats.wilcoxon(x, y + 0.3, method="exact").pvalue)
    assert found.low is not None
    assert found.low < found.value < found.high  # type: ignore[operator]


def test_groups_by_hand() -> None:
    """The example of the R package effsize, which prints delta -0.25 and -0.7265846 to 0.3890062."""
    treated, control = [10, 10, 20, 20, 20, 30, 30, 30, 40, 50], [10, 20, 30, 40, 40, 50]
    found = own.unpaired(treated, control)
    assert found.value == pytest.approx(-0.25)
    assert (found.low, found.high) == pytest.approx((-0.7265846, 0.3890062), abs=1e-7)
    assert found.n == 16
    assert "do not overlap" in own.unpaired([1, 2, 3], [4, 5]).note
    assert "each needs one" in own.unpaired([], [4, 5]).note
    assert "each needs two" in own.unpaired([3], [2, 4]).note


@settings(deadline=None, max_examples=most(40))
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=5), st.lists(st.integers(0, 4), min_size=2, max_size=4)
)
def test_p_of_small_groups_counts_all_divisions(first: list[int], second: list[int]) -> None:
    pool = [*first, *second]
    found = own.unpaired(first, second)
    delta = np.sign(np.subtract.outer(first, second)).mean()
    assert found.value == pytest.approx(delta)
    sums = []
    for own_places in itertools.combinations(range(len(pool)), len(first)):
        others = [pool[i] for i in range(len(pool)) if i not in own_places]
        sums.append(np.sign(np.subtract.outer([pool[i] for i in own_places], others)).sum())
    here = np.sign(np.subtract.outer(first, second)).sum()
    tails = (np.mean(np.array(sums) <= here), np.mean(np.array(sums) >= here))
    assert found.p == pytest.approx(min(1, 2 * min(tails)))


def test_many_values_are_tested_as_scipy_does() -> None:
    x, y = small(18, 40)
    assert own.unpaired(x, y[:30]).p == pytest.approx(stats.mannwhitneyu(x, y[:30]).pvalue)
    assert own.unpaired(np.round(x), np.round(y)).p == pytest.approx(
        stats.mannwhitneyu(np.round(x), np.round(y)).pvalue
    )


def test_preferences_are_those_of_statsmodels_and_scipy() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for chosen, of in ((0, 5), (7, 10), (30, 41), (41, 41)):
        found = own.preferred(chosen, of)
        assert (found.low, found.high) == pytest.approx(proportion_confint(chosen, of, method="wilson"))
        assert found.p == pytest.approx(stats.binomtest(chosen, of).pvalue)
        assert found.value == chosen / of
    assert own.preferred(0, 0).value is None
    with pytest.raises(EpcgError, match="must be counts"):
        own.preferred(3, 2)


# --- many hypotheses --------------------------------------------------------------------------------------


def test_adjustments_by_hand() -> None:
    ps = [0.01, 0.04, None, 0.03, 0.005]
    assert adjusted(ps, "holm") == [pytest.approx(p) if p else None for p in (0.03, 0.06, None, 0.06, 0.02)]
    by_share = adjusted(ps, "benjamini-hochberg")
    assert by_share == [pytest.approx(p) if p else None for p in (0.02, 0.04, None, 0.04, 0.02)]
    assert [p for p in by_share if p is not None] == pytest.approx(
        stats.false_discovery_control([p for p in ps if p is not None])
    )
    assert adjusted(ps, "none") == ps
    assert adjusted([None]) == [None]
    with pytest.raises(EpcgError, match="not an adjustment"):
        adjusted(ps, "bonferroni")  # type: ignore[arg-type]
    with pytest.raises(EpcgError, match="from 0 to 1"):
        adjusted([2.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_adjustments_are_those_of_statsmodels(ps: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    # it collects garbage at each call, of all tests that are loaded here
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda: 0)
        holm, fdr = (multipletests(ps, method=method)[1].tolist() for method in ("holm", "fdr_bh"))
    assert adjusted(ps) == holm
    assert adjusted(ps, "benjamini-hochberg") == fdr


# --- power ------------------------------------------------------------------------------------------------


def test_power_of_preferences_is_that_of_the_binomial() -> None:
    for pairs, share in ((20, 0.5), (40, 0.7), (12, 0.9)):
        counts = np.arange(pairs + 1)
        found_at = [stats.binomtest(int(k), pairs).pvalue < 0.05 for k in counts]
        exact_power = float(stats.binom.pmf(counts, pairs, share)[found_at].sum())
        found = own.power_of_preference(pairs, share, repetitions=4000, seed=1)
        assert found.power.value == pytest.approx(exact_power, abs=0.03)
        assert found.mean == pytest.approx(share, abs=0.02)


@pytest.mark.slow
def test_power_of_correlations() -> None:
    nothing = own.power_of_correlation(20, 10, 0.0, repetitions=400, seed=2)
    assert nothing.power.low is not None
    assert nothing.power.high is not None
    assert nothing.power.low <= 0.05 <= nothing.power.high, "alpha, if there is nothing"
    quiet = own.power_of_correlation(30, 5, 0.5, 0.0, method="pearson", repetitions=400, seed=3)
    z = math.atanh(0.5) * math.sqrt(27)
    assert quiet.power.value == pytest.approx(stats.norm.sf(Z - z), abs=0.07), "Fisher's approximation"
    loud = own.power_of_correlation(30, 5, 0.5, 3.0, method="pearson", repetitions=200, seed=3)
    assert loud.mean < quiet.mean
    assert "normal measures" in loud.power.assumes


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ((3, 5, 0.5), "needs 4 puzzles"),
        ((5, 0, 0.5), "and a person"),
        ((5, 5, 1.5), "not from -1 to 1"),
        ((5, 5, 0.5, -1.0), "not 0 or more"),
    ],
)
def test_a_study_that_cannot_be_simulated(numbers: Any, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        own.power_of_correlation(*numbers)


def test_preferences_that_cannot_be_simulated() -> None:
    for numbers, more, sentence in (
        ((0, 0.5), {}, "one or more"), ((5, 1.5), {}, "not from 0 to 1"),
        ((5, 0.5), {"alpha": 1.0}, "0.05 is usual"), ((5, 0.5), {"repetitions": 0}, "1,000 are usual"),
    ):  # fmt: skip
        with pytest.raises(EpcgError, match=sentence):
            own.power_of_preference(*numbers, **more)  # type: ignore[arg-type]


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "statsmodels", None)
    with pytest.raises(PluginError, match=r"pip install 'epcg-research\[statistics\]'"):
        own.need_statistics("Studies need")
