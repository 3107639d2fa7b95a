"""Figures: their numbers agree with plain Python, scipy and statsmodels, and journals can take them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from epcg_research import statistics
from epcg_research.figures import Paper
from epcg_research.figures.gathered import Spread, pairs, spreads
from epcg_research.figures.relations import coefficient, least_squares, midranks
from epcg_research.figures.shapes import MOST_STEPS, density

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from epcg_core.domain import Metric
from epcg_core.store.run_digest import EXACT_VALUES
from tests.workplace import Numbers, needs

pytestmark = [pytest.mark.usefixtures("answered"), needs("matplotlib"), needs("scipy")]
POINTS = 72
METRIC = Metric("m", "int")


def counted(seed: int, most: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points with counts, and the same points each as often as it is counted."""
    random = np.random.default_rng(seed)
    n = int(random.integers(5, most))
    x, noise = random.integers(-9, 30, n).astype(float), random.standard_normal(n)
    y = np.round(0.5 * x + 4 * noise, 1)
    counts = random.integers(1, 20, n)
    return x, y, counts, np.repeat(x, counts), np.repeat(y, counts)


@pytest.mark.parametrize("seed", range(12))
def test_counted_points_correlate_as_each_point_does(seed: int) -> None:
    from scipy import stats

    x, y, counts, every_x, every_y = counted(seed)
    assert coefficient(x, y, counts) == pytest.approx(stats.pearsonr(every_x, every_y).statistic)
    ranks = midranks(x, counts), midranks(y, counts)
    assert np.repeat(ranks[0], counts) == pytest.approx(stats.rankdata(every_x))
    assert coefficient(*ranks, counts) == pytest.approx(stats.spearmanr(every_x, every_y).statistic)
    assert coefficient(np.ones(len(x)), y, counts) is None


@pytest.mark.parametrize("seed", range(12))
def test_a_line_and_its_band_are_those_of_statsmodels(seed: int) -> None:
    linear = pytest.importorskip("statsmodels.regression.linear_model")
    x, y, counts, every_x, every_y = counted(seed)
    line = least_squares(x, y, counts)
    assert line is not None
    fit = linear.OLS(every_y, np.column_stack([np.ones_like(every_x), every_x])).fit()
    assert (line.height, line.slope) == pytest.approx(tuple(fit.params))
    at = np.array([-20.0, 0.0, 7.5, 60.0])
    low, high = fit.get_prediction(np.column_stack([np.ones(4), at])).conf_int(alpha=0.05).T
    assert line.at(at) - line.half(at) == pytest.approx(low)
    assert line.at(at) + line.half(at) == pytest.approx(high)
    assert least_squares(np.full(9, 3.0), np.arange(9.0)) is None


@pytest.mark.parametrize("seed", range(6))
def test_quantiles_are_those_of_every_candidate(seed: int) -> None:
    _, _, counts, every, _ = counted(seed)
    values = np.unique(every)
    spread = Spread("r", METRIC, [(v, v, int((every == v).sum())) for v in values.tolist()])
    assert spread.total == counts.sum()
    assert spread.mean == pytest.approx(every.mean())
    for share in (0.0001, 0.25, 0.5, 0.75, 1.0):
        assert spread.quantile(share) == np.quantile(every, share, method="inverted_cdf")


@pytest.mark.parametrize("seed", range(6))
def test_a_smoothed_violin_is_a_kernel_density(seed: int) -> None:
    from scipy import stats

    random = np.random.default_rng(seed)
    values = np.unique(np.round(random.gamma(2, 10, 400), 2))
    counts = random.integers(1, 5, len(values))
    grid, heights = density(values, counts)
    expected = stats.gaussian_kde(np.repeat(values, counts), "scott")(grid)
    assert heights == pytest.approx(expected, abs=0.01 * expected.max())
    grid, _ = density(values, counts, log=True)
    assert (grid[0], grid[-1]) == pytest.approx((values[0], values[-1]))


@pytest.mark.parametrize("seed", range(6))
def test_intervals_of_a_puzzle_are_by_order_statistics_and_by_t(seed: int) -> None:
    from scipy import stats

    values = np.sort(np.random.default_rng(seed).gamma(2, 10, 6 + 3 * seed))
    n = len(values)
    inside = [k for k in range(n // 2) if 2 * stats.binom.cdf(k, n, 0.5) <= 0.05]
    low, high = statistics.centre_interval(values, "median")
    assert (low, high) == (values[inside[-1]], values[n - 1 - inside[-1]])
    own = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))
    assert statistics.centre_interval(values, "mean") == pytest.approx(own)
    assert statistics.centre_interval(values[:1]) == (None, None)
    assert statistics.centre_interval(values[:5])[0] is None


def test_values_are_gathered_in_groups_and_pairs(answered: Numbers) -> None:
    """The toy's digits, evenness and root of 0 .. 99, against plain Python."""
    digits = [n // 10 + n % 10 for n in range(100)]
    (whole,) = answered.read(lambda reader: spreads(reader, 1, "digits"))
    assert list(whole.bins) == [(d, d, digits.count(d)) for d in sorted(set(digits))]
    odd, even = answered.read(lambda reader: spreads(reader, 1, "digits", by=("even", None)))
    assert (odd.label, even.label, odd.group, odd.total, even.total) == ("no", "yes", "even", 50, 50)
    assert list(even.bins) == [
        (d, d, own.count(d)) for own in [digits[::2]] for d in sorted(set(own))
    ]  # fmt: skip
    parts = answered.read(lambda reader: spreads(reader, 1, "even", by=("digits", 3)))
    assert sum(one.total for one in parts) == 100
    assert [one.label for one in parts] == ["0 to 7", "8 to 11", "12 to 18"]
    (few,) = answered.read(lambda reader: spreads(reader, 1, "digits", where="rank < 10"))
    assert list(few.bins) == [(d, d, 1) for d in range(10)]
    both = answered.read(lambda reader: pairs(reader, 1, "digits", "even"))
    found = dict(zip(zip(both.x, both.y, strict=True), both.counts.tolist(), strict=True))
    assert found == {
        (d, e): sum(digits[n] == d and n % 2 != e for n in range(100))
        for d, e in {(digits[n], n % 2 == 0) for n in range(100)}
    }


@pytest.mark.slow
def test_every_kind_is_drawn_and_told(cli: Callable[..., Result]) -> None:
    said = cli("plot", 1, "--metric", "digits", "--kind", "ecdf", "--by", "even", "--output", "a.svg").stderr
    assert "over 100 candidates in groups by even. no: n = 50; yes: n = 50." in said
    assert "with at most so much" in said
    said = cli("plot", 1, "--metric", "root", "--kind", "violins", "--output", "b.svg").stderr
    assert "Gaussian kernel, Scott's rule" in said
    said = cli(
        "plot", 1, "--metric", "digits", "--kind", "violins", "--by", "even", "--output", "c.svg"
    ).stderr
    assert "Width at a value: its share." in said
    said = cli("plot", 1, "--metric", "digits", "--shares", "--where", "even", "--output", "d.svg").stderr
    assert "Bars are shares." in said
    assert "Only candidates where even." in said
    said = cli("plot", 1, "--metric", "digits", "--over", "root", "--fit", "--output", "e.svg").stderr
    assert "digits" in said
    assert "There are no intervals, because these are all candidates and not a sample." in said
    assert "Line: least squares" in said
    digest = re.search(r"digest ([0-9a-f]{64})", said)
    assert digest is not None
    for name in "abcde":
        assert Path(f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_a_sample_has_intervals(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", "root", size=5000), "--sample", 200, "--quiet")
    said = cli("plot", 3, "--metric", "digits", "--shares", "--output", "a.svg").stderr
    assert "The candidates were drawn by chance. Intervals: 95 %, Clopper and Pearson." in said
    assert re.search(r"Of all candidates, with 95% confidence each: the mean is 1\d\.\d+ to 1\d\.\d+;", said)
    said = cli("plot", 3, "--metric", "digits", "--over", "root", "--fit", "--output", "b.svg").stderr
    assert re.search(r"Spearman's rho = -?0\.\d+ \(95 %: -?0\.\d+ to -?0\.\d+\)", said)
    assert "band: 95 % of the mean" in said


def test_many_points_are_counted_in_cells(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits", "root", size=6_000), "--quiet")
    said = cli("plot", 3, "--metric", "digits", "--over", "root", "--output", "a.svg").stderr
    assert "Colours: candidates in a cell" in said
    cli("plot", 3, "--metric", "root", "--kind", "ecdf", "--output", "b.svg")
    assert Path("b.svg").stat().st_size < 80 * MOST_STEPS  # all 6,000 steps would take twice as much


@pytest.mark.parametrize(("options", "inches"), [(["--columns", 1], 3.5), (["--width", 5, "--height", 2], 5)])
def test_a_journal_can_take_a_pdf(cli: Callable[..., Result], options: list[object], inches: float) -> None:
    cli("plot", 1, "--metric", "digits", *options, "--font", "DejaVu Serif", "--output", "f.pdf", "--caption")
    data = Path("f.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", data)
    assert box is not None
    assert float(box[1]) == pytest.approx(POINTS * inches, abs=0.5)
    assert b"/FontFile2" in data  # TrueType, embedded
    assert b"/Type3" not in data
    assert b"DejaVuSerif" in data
    assert Path("f.txt").read_text().startswith("Distribution of digits")
    streams = [
        zlib.decompress(part) for part in re.findall(rb"stream\r?\n(x.*?)\nendstream", data, re.DOTALL)
    ]
    titled = any(b"Numbers range" in stream for stream in streams)
    assert not titled or "--columns" not in options


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["1", "--by", "root"], 1, "at most 12 groups are drawn"),
        (["1", "--by", "root:1"], 2, "into how many groups, 2 to 12"),
        (["1", "--by", "rot:3"], 1, "Did you mean 'root'?"),
        (["1", "2", "--over", "root"], 1, "of one run"),
        (["1", "--over", "root", "--shares"], 1, "leave these out"),
        (["1", "--fit"], 1, "--over"),
        (["1", "--kind", "ecdf", "--shares"], 1, "Shares are for bars"),
        (["1", "--where", "digits > 900"], 1, "No candidate of run 1"),
        (["1", "--where", "digits >"], 1, "--where"),
        (["1", "--font", "DejaVu Serf"], 1, "Did you mean 'DejaVu Serif'?"),
        (["1", "--width", "0"], 1, "width 0 is not between"),
        (["1", "--width", "nan"], 1, "width nan is not between"),
        (["1", "--font-size", "900"], 1, "font size 900"),
        (["--layers", "--kind", "ecdf"], 2, "--kind belongs to RUN"),
    ],
)
def test_mistakes(cli: Callable[..., Result], arguments: list[str], code: int, sentence: str) -> None:
    assert sentence in cli("plot", *arguments, "--output", "x.svg", code=code).stderr
    assert not Path("x.svg").exists()


@pytest.mark.parametrize(
    ("size", "exact"), [(1_000, 64), pytest.param(60_000, EXACT_VALUES, marks=pytest.mark.slow)]
)
def test_counts_alone_have_bars_but_no_violin(
    toy: Numbers, cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, size: int, exact: int
) -> None:
    """There are more primes than values that are counted one by one, of which `exact` is the most."""
    monkeypatch.setattr("epcg_core.store.run_digest.EXACT_VALUES", exact)
    toy.run('record = "counts"\n' + toy.text("digits", "divisor", size=size))
    cli("plot", 3, "--metric", "digits", "--kind", "violins", "--output", "exact.svg")
    cli("plot", 3, "--metric", "divisor", "--output", "a.svg")
    assert (
        "draw bars"
        in cli("plot", 3, "--metric", "divisor", "--kind", "violins", "--output", "b.svg", code=1).stderr
    )


def test_a_notebook_draws_on_any_paper(answered: Numbers, tmp_path: Path) -> None:
    run = epcg.open(answered.database).run(1)
    drawn = run.plot("digits", over="root", fit=True, paper=Paper.of_journal(2))
    assert "Spearman's rho" in drawn.caption
    drawn.save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(EpcgError, match="must end in"):
        drawn.save(tmp_path / "a.doc")
    with pytest.raises(EpcgError, match="between 1 and 40"):
        run.plot("digits", paper=Paper(width=100))


def test_a_study_is_drawn_with_what_it_assumes(answered: Numbers, cli: Callable[..., Result]) -> None:
    random = np.random.default_rng(1)
    lines = ["who,number,ms"]
    for who in range(9):
        lines += [
            f"{who},{n},{1000 * (5 + n // 10 + n % 10) + random.integers(0, 9000)}" for n in range(3, 99, 7)
        ]
    Path("play.csv").write_text("\n".join(lines) + "\n")
    cli("import", "responses", "play.csv", "--space", 1, "--puzzle", "number", "--person", "who",
        "--time", "seconds=ms[ms]")  # fmt: skip
    said = cli("study", "plot", "digits", "--response", "seconds", "--output", "s.pdf", "--columns", 1).stderr
    assert "14 puzzles, 9 people. Vertical: 95 % by order statistics, of people." in said
    assert re.search(r"Spearman's rho = 0\.\d+ \(95 %: 0\.\d+ to 0\.\d+\)", said)
    assert "Assumes" in said
    assert "band" in said
    assert Path("s.pdf").read_bytes().startswith(b"%PDF")
    drawn = epcg.open(answered.database).study().plot("digits", "seconds", people="ranks", fit=False)
    assert "ranks" in drawn.caption
    assert "Line" not in drawn.caption
    wrong = cli("study", "plot", "digit", "--response", "seconds", "--output", "t.svg", code=1).stderr
    assert "Did you mean 'digits'?" in wrong
