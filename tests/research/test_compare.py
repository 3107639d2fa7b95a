"""Contents of other programs beside the whole space: against counting everything, and what is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from epcg_research.outside.measured import Copies, copies, distance

import epcg_core
from epcg_core.base.errors import EpcgError
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

faces: Any = epcg_core
SIZE = 60


@pytest.fixture
def measured(toy: Numbers) -> Numbers:
    """Run 1, with whole numbers, reals, truths, and a metric that some have not and whose best is small."""
    toy.given(toy.query("digits", "root", "even", "divisor", size=SIZE))
    return toy


def digits(number: int) -> int:
    return sum(map(int, str(number)))


def divisor(number: int) -> float:
    return next((d for d in range(2, number + 1) if number % d == 0), math.nan)


VALUES: dict[str, Callable[[int], float]] = {
    "digits": digits, "root": math.sqrt, "even": lambda n: n % 2 == 0, "divisor": divisor,
}  # fmt: skip


def compared(place: Numbers, ranks: list[int], **how: Any) -> Any:
    (place.folder / "list.json").write_text(json.dumps(ranks))
    return faces.compare("list.json", 1, db=place.database, **how)


@pytest.mark.parametrize("seed", range(5))
def test_all_numbers_are_those_of_counting_everything(measured: Numbers, seed: int) -> None:
    random = np.random.default_rng(seed)
    ranks = random.integers(0, SIZE if seed else 12, 3 + 11 * seed).tolist()
    found = compared(measured, ranks)
    assert (found.contents, found.inside, found.evaluated, found.outside) == (
        len(ranks),
        len(ranks),
        SIZE,
        (),
    )
    counts = Counter(ranks)
    assert found.same.different == len(counts)
    assert found.same.pairs == sum(a == b for i, a in enumerate(ranks) for b in ranks[:i])
    assert found.same.expected == pytest.approx(SIZE * (1 - (1 - 1 / SIZE) ** len(ranks)))
    classes = Counter(int("".join(sorted(str(rank)))) for rank in ranks)
    assert found.alike.different == len(classes)
    assert found.alike.of == len({int("".join(sorted(str(number)))) for number in range(SIZE)})
    for each in found.measures:
        value, sign = VALUES[each.metric.name], -1 if each.metric.direction == "min" else 1
        own = [value(rank) for rank in ranks if not math.isnan(value(rank))]
        every = [value(number) for number in range(SIZE) if not math.isnan(value(number))]
        assert (each.valued, each.whole) == (len(own), len(every))
        assert (each.mean, each.mean_of_all) == (pytest.approx(np.mean(own)), pytest.approx(np.mean(every)))
        assert each.median == pytest.approx(np.median(own))
        assert each.median_of_all == pytest.approx(np.median(every))
        assert each.best == max(own, key=lambda number: sign * number)
        assert value(each.best_rank) == each.best
        assert each.best_of_all == max(every, key=lambda number: sign * number)
        assert each.better == sum(sign * number > sign * each.best for number in every)
        more = np.mean([np.sign(one - other) for one, other in product(own, every)])
        assert each.more.value == pytest.approx(more)
        bins = each.distance.bins
        assert (sum(b.listed for b in bins), sum(b.whole for b in bins)) == (len(own), len(every))
        for bin in bins:
            assert bin.listed == sum(bin.low <= number <= bin.high for number in own)
            assert bin.whole == sum(bin.low <= number <= bin.high for number in every)
        apart = sum(abs(b.listed / len(own) - b.whole / len(every)) for b in bins) / 2
        assert each.distance.value == pytest.approx(apart)
        best = sorted(every, key=lambda number: -sign * number)[math.ceil(0.01 * len(every)) - 1]
        assert each.among_best.value == pytest.approx(np.mean([sign * n >= sign * best for n in own]))
        assert each.among_best_of_all == pytest.approx(np.mean([sign * n >= sign * best for n in every]))
    assert [b.whole for b in found.regions.bins] == [len(p) for p in np.array_split(np.arange(SIZE), 16)]
    for part in found.regions.bins:
        assert part.listed == sum(part.low <= rank <= part.high for rank in ranks)


def test_the_whole_space_is_at_no_distance_and_covered(measured: Numbers) -> None:
    found = compared(measured, list(range(SIZE)))
    assert (found.same.different, found.same.of, found.same.worth) == (SIZE, SIZE, None)
    for each in found.measures:
        assert each.distance.value == 0
        assert each.more.value == pytest.approx(0, abs=1e-12)
        assert each.distance.p == 1
        assert each.best == each.best_of_all
    assert not any(bin.off for each in found.measures for bin in each.distance.bins)


def test_a_list_that_is_drawn_evenly_is_seldom_found_off() -> None:
    """Of 150 lists, p of the distance and of 'more than all' is below 0.05 in about one of twenty."""
    from epcg_research.outside.measured import beside

    from epcg_core.plugin import Metric

    values, counts = np.array([1.0, 2, 5, 9]), np.array([50, 30, 15, 5])
    whole = np.repeat(values, counts)
    far = more = 0
    for seed in range(150):
        own = np.random.default_rng(seed).choice(whole, 25)
        found = beside(Metric("m", "real"), np.arange(25), own, values, counts)
        assert found is not None
        assert found.more.p is not None
        far += found.distance.p < 0.05
        more += found.more.p < 0.05
    assert far <= 15, "of more, the chance is 0.5 %"
    assert more <= 15


def test_repetitions_say_how_many_equally_likely_contents_there_seem_to_be() -> None:
    """On average over all lists of three of four contents, by enumeration."""
    lists = [np.array(each) for each in product(range(4), repeat=3)]
    pairs = [copies(each, 4).pairs for each in lists]
    assert np.mean(pairs) == pytest.approx(3 / 4)
    assert np.mean([copies(each, 4).different for each in lists]) == pytest.approx(
        copies(lists[0], 4).expected
    )
    assert copies(np.array([3, 3, 1, 3]), 9) == Copies(2, 9, 3, pytest.approx(9 * (1 - (8 / 9) ** 4)), 2.0)
    assert copies(np.array([3]), None) == Copies(1, None, 0, None, None)


def test_p_of_the_distance_is_near_that_of_all_lists() -> None:
    shares, own = np.array([2, 1, 1]), np.array([0.0, 0, 0, 2])
    edges = np.array([0.0, 1, 2])
    found = distance(own, edges, edges, shares)
    exact = 0.0
    for drawn in product(range(3), repeat=4):
        counts = np.bincount(drawn, minlength=3)
        far = np.abs(counts / 4 - shares / 4).sum() / 2
        exact += float(np.prod(shares[list(drawn)] / 4)) * (far >= found.value - 1e-12)
    assert found.value == pytest.approx(0.25)
    assert found.p == pytest.approx(exact, abs=0.03)


# --- files ------------------------------------------------------------------------------------------------

SPACE = f"numbers:range?size={SIZE}"
FILES = {
    "ids.txt": f"{SPACE}#3\n\n1#17\n {SPACE}#3 \n",
    "ranks.txt": "3\n17\n\n3\n",
    "list.json": json.dumps([3, f"{SPACE}#17", {"rank": 3, "made by": "x"}]),
    "lines.jsonl": '{"rank": 3}\n{"puzzle": "1#17"}\n3\n',
    "table.csv": "name,rank\na,3\nb,17\nc,3.0\n",
    "table.tsv": "puzzle\tscore\n1#3\t0.5\n1#17\t1\n1#3\t2\n",
}


@pytest.mark.parametrize("name", FILES)
def test_each_form_of_file_is_read(measured: Numbers, name: str) -> None:
    (measured.folder / name).write_text(FILES[name])
    found = faces.compare(name, 1, db=measured.database, metrics=["digits"])
    assert (found.contents, found.inside, found.same.different, found.same.pairs) == (3, 3, 2, 1)
    assert found.measures[0].mean == pytest.approx((3 + 8 + 3) / 3)


def test_what_is_outside_is_told_and_the_rest_compared(measured: Numbers) -> None:
    rows = ["3", "60", "x", "", "59"]
    (measured.folder / "table.csv").write_text("rank,n\n" + "".join(f"{row},1\n" for row in rows))
    found = faces.compare("table.csv", 1, db=measured.database)
    assert (found.contents, found.inside) == (5, 2)
    told = dict(found.outside)
    assert told["line 3"] == "the run covers ranks 0 to 59, not 60"
    assert told["line 4"] == "'x' is not a rank"
    assert told["line 5"] == "it is empty"
    (measured.folder / "ids.txt").write_text("numbers:range?size=9#3\n1#3\n")
    other = faces.compare("ids.txt", 1, db=measured.database)
    assert other.outside == (("line 1", "it is a puzzle of another space, numbers:range?size=9"),)


def test_a_condition_makes_a_part_the_whole(measured: Numbers) -> None:
    found = compared(measured, [3, 4, 8, 21], where="digits < 5", metrics=["digits"])
    part = [number for number in range(SIZE) if digits(number) < 5]
    assert (found.contents, found.inside, found.evaluated) == (4, 3, len(part))
    assert found.outside == (("rank 8", "not digits < 5"),)
    (own,) = found.measures
    assert (own.whole, own.best_of_all) == (len(part), 4)
    assert own.mean_of_all == pytest.approx(np.mean([digits(number) for number in part]))
    assert "of those with digits < 5" in str(found)
    with pytest.raises(EpcgError, match="holds for no candidate"):
        compared(measured, [3], where="digits > 99")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.json", "[]", "holds no content"),
        ("far.json", "[77]", "None of the 1 contents of far.json is a candidate of run 1"),
        ("odd.json", '{"a": 1}', "is not a list of contents"),
        ("odd2.json", "[[1]]", "content 1: a text, an id or a rank is expected"),
        ("odd3.jsonl", '{"rank": 1}\n{"rank"', "line 2"),
        ("odd.csv", "a,b\n1,2\n", "has none of the columns puzzle, rank, content, text"),
        ("text.txt", "a b\nc d\n\ne f\n", "the generator of the run reads no texts"),
    ],
)
def test_files_at_fault_are_told(measured: Numbers, name: str, text: str, said: str) -> None:
    (measured.folder / name).write_text(text)
    with pytest.raises(EpcgError) as raised:
        faces.compare(name, 1, db=measured.database)
    assert said in " ".join(str(raised.value).split())


def test_options_at_fault_are_told(measured: Numbers) -> None:
    (measured.folder / "table.csv").write_text("rank,n\n3,4\n")
    (measured.folder / "ranks.txt").write_text("3\n")
    for how, said in (
        ({"file": "table.csv", "column": "m"}, "unknown column 'm'"),
        ({"file": "ranks.txt", "column": "m"}, "is not a table"),
        ({"file": "ranks.txt", "metrics": ["digit"]}, "Did you mean 'digits'"),
        ({"file": "ranks.txt", "regions": 1}, "regions: 1 is not from 2"),
        ({"file": "nothing.txt"}, "nothing.txt"),
    ):
        with pytest.raises(EpcgError, match=said):
            faces.compare(run=1, db=measured.database, **how)


def test_runs_that_do_not_know_the_whole_are_refused(toy: Numbers, cli: Callable[..., Result]) -> None:
    (toy.folder / "ranks.txt").write_text("3\n")
    cli("run", toy.file("digits", size=300), "--sample", 20, "--executor", "serial", code=None)
    assert "is a sample" in " ".join(cli("compare", "ranks.txt", 1, code=1).stderr.split())
    cli("run", toy.file("digits", size=40), "--set", 'record="counts"', "--executor", "serial")
    refused = " ".join(cli("compare", "ranks.txt", 2, code=1).stderr.split())
    assert "does not record the values of all candidates" in refused


def test_the_command_prints_what_the_function_returns_and_draws(
    measured: Numbers, cli: Callable[..., Result]
) -> None:
    pytest.importorskip("matplotlib")
    ranks = [number for number in range(SIZE) if digits(number) > 8] * 2
    (measured.folder / "list.json").write_text(json.dumps(ranks))
    said = cli("compare", "list.json", 1, "--metric", "digits", "--plot", "digits.svg")
    words = " ".join((said.stdout + said.stderr).split())
    assert f"{len(ranks)} contents, {len(ranks)} of them among the 60 candidates of run 1" in words
    assert "different up to symmetry" in words
    assert "There too often or too rarely" in words
    assert "They repeat themselves as if there were" in words
    assert (measured.folder / "digits.svg").read_text().startswith("<?xml")
    printed = json.loads(cli("compare", "list.json", 1, "--metric", "digits", "--format", "json").stdout)
    found = faces.compare("list.json", 1, metrics=["digits"], db=measured.database)
    assert printed == json.loads(json.dumps(found.json()))
    assert printed["measures"][0]["best_puzzle"] == f"{SPACE}#59"
    assert "Bars: shares of the 60 candidates" in found.plot().caption
    assert "must end in" in cli("compare", "list.json", 1, "--plot", "a.gif", code=2).stderr
