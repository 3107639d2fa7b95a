"""Samples with strata: as many of each, weighed, so that what is frequent in a small part is met."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import QueryError
from epcg_core.query.query import parse_query
from epcg_core.runs.dry_run import estimate
from epcg_core.runs.estimates import estimates
from epcg_core.runs.sampling import drawn_ranks
from epcg_core.runs.strata import Strata, quotas
from epcg_core.store.records import Part, Sample
from tests.faces import only
from tests.workplace import Numbers, Workplace, epcg, recorded

WORDS = """
import attrs
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric
from epcg_core.combinatorics import FactoredSpace, MixedRadix
EPCG_API_VERSION = 1

@attrs.frozen
class Params:
    length: int = 3
    letters: int = 4

class Facts:
    metrics = (Metric("begins", "bool"), Metric("total", "int", at_least=0))
    def evaluate(self, state):
        length, word = state
        return length == 2 and word[0] == 1, sum(word) + 10 * length

def space(params):
    return FactoredSpace(range(1, params.length + 1), lambda length: MixedRadix((params.letters,) * length))

@hookimpl
def epcg_register_domains(register): register(DomainInfo("words", "Words", "words of some lengths"))
@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(domain="words", name="all", summary="words", params=Params, factory=space))
@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(domain="words", name="facts", summary="facts", metrics=Facts.metrics,
                           factory=lambda params, generator, tables: Facts()))
"""
QUERY = """
domain = "words"
evaluators = [{ name = "facts" }]
[generator]
name = "all"
"""


@pytest.fixture
def words(
    bench: Workplace, install_plugin: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> Workplace:
    monkeypatch.setenv("EPCG_PLUGINS", only("words"))
    install_plugin("words", "epcg_words", WORDS, "epcg-words")
    return bench


def told(bench: Workplace, number: int = 1) -> Any:
    return bench.read(lambda reader: estimates(reader, reader.run(number)))


# --- drawing ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(0, 500), st.integers(0, 99))
def test_a_larger_sample_contains_the_smaller_of_each_stratum(
    sizes: list[int], number: int, seed: int
) -> None:
    cuts, stop = tuple(np.cumsum(sizes)[:-1].tolist()), sum(sizes)
    number = min(number, stop)
    small, large = (drawn_ranks(Sample(n, seed, 1, cuts), 0, stop).tolist() for n in (number // 2, number))
    assert set(small) <= set(large)
    assert len(set(large)) == number
    per = Strata(cuts, number, 0, stop).at(np.array(large, np.int64)) if large else np.zeros(0, np.int64)
    drawn = np.bincount(per, minlength=len(sizes))
    assert drawn.tolist() == quotas(np.array(sizes), number).tolist()
    open_ones = drawn[drawn < np.array(sizes)]
    assert not len(open_ones) or drawn.max() - open_ones.min() <= 1


@pytest.mark.parametrize("seeds", [120, pytest.param(600, marks=pytest.mark.slow)])
def test_estimates_are_unbiased_and_their_intervals_hold(seeds: int) -> None:
    """Strata of very different sizes; by chance a mean of estimates is within four standard errors."""
    sizes = [5, 40, 300, 4000]
    cuts, stop = (5, 45, 345), 4345
    stratum = np.repeat(np.arange(4), sizes)
    random = np.random.default_rng(4)
    values = random.poisson(2 + stratum)
    rare = (stratum == 1) & (random.random(stop) < 0.4)
    found: dict[str, list[Any]] = {"mean": [], "share": []}
    for seed in range(seeds):
        ranks = drawn_ranks(Sample(80, seed, 1, cuts), 0, stop)
        strata = Strata(cuts, 80, 0, stop)
        found["mean"].append(strata.mean(ranks, values[ranks]))
        found["share"].append(strata.share(ranks[rare[ranks]]))
    for name, truth in (("mean", values.mean()), ("share", rare.mean())):
        numbers = [each.value for each in found[name]]
        assert abs(np.mean(numbers) - truth) < 4 * np.std(numbers) / np.sqrt(seeds) + 1e-12
        assert sum(not each.low <= truth <= each.high for each in found[name]) <= 0.07 * seeds
    assert min(each.value for each in found["share"]) > 0, "an even sample of 80 meets none in four of ten"


# --- runs -------------------------------------------------------------------------------------------------


def test_what_a_small_part_of_a_large_space_has_is_met(words: Workplace) -> None:
    """Of 1.2 * 10^15 words, a quarter of the sixteen of two letters."""
    run = words.run(QUERY, "generator.length=25", sample=Sample(200, by=1)).goal
    assert run.max_rank > 10**15
    found = told(words)
    assert [each.candidates for each in found.strata] == [4**length for length in range(1, 26)]
    begins = found.strata[1].means["begins"]
    assert 1 / 16 <= begins.low <= 4 / 16 <= begins.high <= 12 / 16
    share, total = found.metrics[0].mean, found.metrics[1].mean
    assert share.low <= 4 / run.max_rank <= share.high
    expected = sum(4**n * (1.5 * n + 10 * n) for n in range(1, 26)) / run.max_rank
    assert total.low <= expected <= total.high
    assert words.failed(1) == {}


def test_a_sample_with_strata_goes_on_and_ends_as_any_run(words: Workplace) -> None:
    whole = words.folder / "whole.db"
    words.run(QUERY, database=whole)
    first = words.run(QUERY, sample=Sample(20, by=1)).goal
    assert (first.evaluated, first.sample.cuts, first.is_sample) == (20, (4, 20), False)
    assert words.run(QUERY, sample=Sample(30)).goal.evaluated == 30
    words.run(QUERY)
    assert recorded(words.database) == recorded(whole)


def test_every_face_says_that_there_are_strata(words: Workplace) -> None:
    query = words.folder / "words.toml"
    query.write_text(QUERY)
    common = ("run", query, "--sample", 40, "--by", 1, "--executor", "serial")
    assert "from 3 strata." in epcg(*common, "--dry-run").stderr
    said = epcg(*common).stdout
    assert "from 3 strata, each of which counts by its size." in said
    assert "if the size and the strata were chosen before looking" in said
    found = json.loads(epcg(*common, "--json").stdout)["estimates"]
    assert [(each["first"], each["candidates"]) for each in found["strata"]] == [(0, 4), (4, 16), (20, 64)]
    assert "from 3 strata" in " ".join(epcg("show", 1).stdout.split())


def test_strata_that_are_changed_in_the_record_are_found(words: Workplace) -> None:
    words.run(QUERY, sample=Sample(20, by=1))
    words.change('UPDATE run SET sample_strata = \'{"by": 1, "cuts": [4, 21]}\'')
    assert "The strata recorded are not those that the first items tell apart" in words.failed(1)["coverage"]
    words.change('UPDATE run SET sample_strata = \'{"by": 1, "cuts": [4, 2]}\'')
    assert "its strata do not lie in its range" in epcg("show", 1, code=1).stderr


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("sample", "changes", "message"),
    [
        (Sample(20, by=2), (), "by: 2 is not allowed; the states of .* have 2 items, so expected is 1 to 1"),
        (Sample(4, by=1), (), r"4 candidates are too few for 3 strata.* ask for --sample 6 or more"),
        (Sample(1100, by=1), ("generator.length=1200", "generator.letters=1"), "more than 1,000 strata"),
    ],
)
def test_strata_that_cannot_be_are_refused(
    words: Workplace, sample: Sample, changes: tuple[str, ...], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        words.run(QUERY, *changes, sample=sample)


def test_a_sample_keeps_its_strata(words: Workplace) -> None:
    words.run(QUERY, sample=Sample(20))
    with pytest.raises(QueryError, match="Run 1 has a sample drawn without strata"):
        words.run(QUERY, sample=Sample(20, by=1))
    with pytest.raises(QueryError, match="a part has no strata"):
        estimate(parse_query(QUERY), None, Sample(20, by=1), part=Part(1, 2))


def test_numbers_have_no_items(bench: Numbers) -> None:
    with pytest.raises(QueryError, match=r"^by: numbers:range.* so there are no strata: leave --by out\.$"):
        bench.run(bench.text("digits"), sample=Sample(20, by=1))
