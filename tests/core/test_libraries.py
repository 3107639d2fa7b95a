"""Content made of several items that another run kept: sequences, choices, products, and their measure."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.base.params import plain
from epcg_core.combinatorics.several import OfItems, Several
from epcg_core.domain import NONE, VALUE
from epcg_core.plugins.registry import registry
from epcg_core.query import assembling, library
from epcg_core.query.assembling import ChoicesParams, Limit, Neighbours, ProductsParams, SequencesParams
from epcg_core.query.library import Library, library_of
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.query import from_table
from epcg_core.query.spec import space_spec
from epcg_core.rendering.render import render
from epcg_core.store import Store
from tests.core.test_reuse import Edited, place as place
from tests.faces import only
from tests.workplace import Numbers, Workplace, made_once

HOWS = ("sum", "mean", "lowest", "highest", "spread", "smallest_step", "largest_step")


def kept(size: int = 60, count: int = 6, name: str = "numbers") -> str:
    """Ask for the numbers below `size` with the largest sums of digits."""
    return f"""
name = "{name}"
domain = "numbers"
evaluators = [{{ name = "digits" }}, {{ name = "divisor" }}]
[generator]
name = "range"
size = {size}
[[select]]
metric = "digits"
count = {count}
"""


def made(where: str, generator: str = "sequences", more: str = "length = 2", how: str = "sum") -> str:
    """Ask for content of items; `where` is the table of the library."""
    return f"""
name = "made"
domain = "numbers"
[generator]
name = "{generator}"
{more}
library = {where}
[[evaluators]]
name = "of_items"
metric = "digits"
how = "{how}"
[[select]]
metric = "of_items"
keep = "best"
"""


def of_numbers(numbers: Sequence[int], **values: Sequence[float | None]) -> Library:
    """Make a library of some numbers."""
    return library_of(space_spec(registry(), "numbers", "range", {"size": 1000}), numbers, values, "")


def places(generator: Any) -> list[tuple[int, ...]]:
    """Return the places of all candidates, which `rank` and the arrays must tell alike."""
    found = [generator.unrank(rank) for rank in range(generator.max_rank)]
    assert [generator.rank(state) for state in found] == list(range(generator.max_rank))
    block = generator.states_block(0, generator.max_rank)
    assert list(map(tuple, block.tolist())) == [state.places for state in found]
    some = np.arange(0, generator.max_rank, 3)
    assert generator.states_at(some).tolist() == block[::3].tolist()
    return [state.places for state in found]


def fits(values: Sequence[float | None], relation: Neighbours) -> bool:
    """Whether a relation holds from each value to the next, in plain Python."""
    for before, after in itertools.pairwise(values):
        if before is None or after is None:
            return False
        step = after - before
        if relation.least is not None and step < relation.least:
            return False
        if relation.most is not None and step > relation.most:
            return False
        if relation.differ and step == 0:
            return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_sequences_are_those_whose_neighbours_fit(toy: Numbers, seed: int) -> None:
    drawn = random.Random(seed)
    count, length = drawn.randint(1, 6), drawn.randint(1, 4)
    one: list[float | None] = [drawn.choice([None, *range(5), 2.5]) for _ in range(count)]
    other: list[float | None] = [float(drawn.randrange(3)) for _ in range(count)]
    items = of_numbers(range(10, 10 + count), one=one, other=other)
    relations = drawn.sample(
        [
            Neighbours("one", least=0.0),
            Neighbours("one", least=-2.0, most=1.0),
            Neighbours("other", most=0.0),
            Neighbours("other", differ=True),
        ],
        drawn.randint(1, 2),
    )
    values = {"one": one, "other": other}
    generator = assembling.make_sequences("numbers", SequencesParams(items, length, tuple(relations)))
    assert places(generator) == [
        each
        for each in itertools.product(range(count), repeat=length)
        if all(fits([values[relation.metric][place] for place in each], relation) for relation in relations)
    ]


def test_sequences_without_a_relation(toy: Numbers) -> None:
    items = of_numbers([3, 1, 4, 15], up=[0.0, 1.0, 2.0, 2.0])
    every = assembling.make_sequences("numbers", SequencesParams(items, 2))
    assert places(every) == list(itertools.product(range(4), repeat=2))
    different = assembling.make_sequences("numbers", SequencesParams(items, 3, repeats=False))
    assert sorted(places(different)) == list(itertools.permutations(range(4), 3))
    rising = SequencesParams(items, 2, (Neighbours("up", least=0.5),), repeats=False)
    assert places(assembling.make_sequences("numbers", rising)) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]
    assert every.unrank(1) == Several((0, 1), (3, 1))


@pytest.mark.parametrize("seed", range(12))
def test_choices_keep_limits_of_sums(toy: Numbers, seed: int) -> None:
    drawn = random.Random(seed)
    count = drawn.randint(1, 8)
    size = drawn.randint(1, count)
    columns = {name: [float(drawn.randint(-4, 6)) for _ in range(count)] for name in ("one", "other")}
    limits = [
        Limit("one", drawn.choice([None, drawn.randint(-5, 8)]), drawn.choice([None, drawn.randint(-2, 12)])),
        Limit("other", None, drawn.randint(-3, 15)),
    ]
    items = of_numbers(range(count), **columns)
    generator = assembling.make_choices("numbers", ChoicesParams(items, size, tuple(limits)))
    assert sorted(places(generator)) == [
        each
        for each in itertools.combinations(range(count), size)
        if all(
            (-math.inf if limit.least is None else limit.least)
            <= sum(columns[limit.metric][place] for place in each)
            <= (math.inf if limit.most is None else limit.most)
            for limit in limits
        )
    ]
    whole = assembling.make_choices("numbers", ChoicesParams(items, size))
    assert places(whole) == list(itertools.combinations(range(count), size))


def test_products_take_one_of_each(toy: Numbers) -> None:
    one, two = of_numbers([1, 2], digits=[1.0, 2.0]), of_numbers([30, 40, 50], digits=[3.0, 4.0, 5.0])
    generator = assembling.make_products("numbers", ProductsParams((one, two)))
    assert [generator.unrank(rank).states for rank in range(generator.max_rank)] == list(
        itertools.product([1, 2], [30, 40, 50])
    )
    assert places(generator)[0] == (0, 2)
    assert generator.column("digits").tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("how", HOWS)
def test_numbers_of_items_are_those_of_plain_python(how: Any) -> None:
    drawn = np.random.default_rng(len(how))
    values = np.where(drawn.random(9) < 0.2, np.nan, drawn.normal(size=9) * 10)
    states = drawn.integers(0, 9, (200, 4))
    evaluator = OfItems(values, how, 4)
    found = evaluator.evaluate_states(states)
    assert found.status is not None
    for row, value, status in zip(states.tolist(), np.asarray(found.values[0]), found.status, strict=True):
        plain = evaluator.evaluate(Several(tuple(row), ()))
        partial = evaluator.empty()
        bounds = [evaluator.bound(partial)]
        for item in row:
            partial = evaluator.extend(partial, item)
            bounds.append(evaluator.bound(partial))
        assert evaluator.value(partial) == (None if plain is None else plain[0])
        if plain is None:
            assert status == NONE
            continue
        own = [float(values[place]) for place in row]
        steps = [b - a for a, b in itertools.pairwise(own)]
        expected = {
            "sum": own[0] + own[1] + own[2] + own[3],
            "mean": (own[0] + own[1] + own[2] + own[3]) / 4,
            "lowest": min(own),
            "highest": max(own),
            "spread": max(own) - min(own),
            "smallest_step": min(steps),
            "largest_step": max(steps),
        }[how]
        assert (status, value, plain[0]) == (VALUE, expected, expected)
        assert all(bound is not None and bound >= expected - 1e-9 for bound in bounds)


def have(toy: Numbers, *queries: str) -> None:
    """Have the runs of some queries, computed once a process."""
    made_once(toy.database, ("libraries", queries), lambda: [toy.run(query).goal.id for query in queries])


BEST = [39, 48, 49, 57, 58, 59]
"""The six numbers below 60 with the largest sums of digits."""


def library_of_run(toy: Workplace, run: int) -> Library:
    """Return the library of a run's space."""
    name = toy.sql(f"SELECT space FROM runs WHERE run_id = {run}")[0][0]
    (found,) = library.libraries_of(registry(), parse_puzzle_id(registry(), f"{name}#0")[0])
    return found


def test_the_run_of_a_library_is_made_first_and_reused(toy: Numbers) -> None:
    (toy.folder / "base.toml").write_text(kept())
    (toy.folder / "made.toml").write_text(made('{ query = "base.toml" }'))
    first = json.loads(toy.epcg("run", "made.toml", "--json", code=0).stdout)
    assert [(run["run"], run["computed"]) for run in first["runs"]] == [(2, True)]
    again = json.loads(toy.epcg("run", "made.toml", "--json", code=0).stdout)
    assert [(run["run"], run["computed"]) for run in again["runs"]] == [(2, False)]
    found = library_of_run(toy, 2)
    digests = toy.sql("SELECT digest FROM runs ORDER BY run_id")
    assert (list(found.ranks), found.run) == (BEST, digests[0][0])
    assert found.values["digits"] == (12, 12, 13, 12, 13, 14)
    assert found.values["divisor"] == (3, 2, 7, 3, 2, 59)
    assert toy.sql("SELECT rank, value FROM scores WHERE run_id = 2 ORDER BY value DESC LIMIT 1") == [
        (35, 28)
    ]
    assert toy.sql("SELECT state FROM kept WHERE run_id = 2") == [("number 59\n----\nnumber 59\n",)]
    assert not toy.failed(2)


def test_an_id_rebuilds_items_without_a_database(toy: Numbers) -> None:
    (toy.folder / "made.toml").write_text(made(f"{{ query = {{ {inline()} }} }}"))
    toy.epcg("run", "made.toml", code=0)
    space = toy.sql("SELECT space FROM runs WHERE run_id = 2")[0][0]
    toy.database.unlink()
    library._items.cache_clear()
    assert render(f"{space}#1") == "* 39 *\n----\n* 48 *\n"
    picture = render(f"{space}#1", "svg")
    assert picture.count("<svg") == 3
    assert picture.index(">39<") < picture.index(">48<")


def inline() -> str:
    """The query of `kept` in one line."""
    return (
        'domain = "numbers", evaluators = [{ name = "digits" }], generator = { name = "range", size = 60 }, '
        'select = [{ metric = "digits", count = 6 }]'
    )


def test_a_run_and_a_choice_of_its_candidates(toy: Numbers) -> None:
    have(toy, kept())
    every = 'select = { metric = "divisor", keep = "threshold", min = 11 }'
    toy.run(made(f'{{ run = 1, {every}, metrics = ["digits"] }}'))
    found = library_of_run(toy, 2)
    assert list(found.ranks) == [n for n in range(11, 60) if all(n % d for d in range(2, min(n, 11)))]
    assert list(found.values) == ["digits"]
    toy.run(made("{ run = 1 }", "choices", "count = 2\nlimits = [{ metric = 'digits', least = 27 }]"))
    assert toy.sql("SELECT count(*) FROM scores WHERE run_id = 3") == [(2,)]


@pytest.mark.parametrize(
    ("executor", "length"), [("threads", 3), pytest.param("processes", 5, marks=pytest.mark.slow)]
)
def test_workers_and_samples_see_the_same_items(toy: Numbers, executor: str, length: int) -> None:
    have(toy, kept())
    query = made("{ run = 1 }", more=f"length = {length}", how="smallest_step")
    serial = toy.run(query).goal
    assert serial.candidates == 6**length
    again = toy.run(query, again=True, executor=executor, workers=2, unit_size=6**length // 7).goal
    assert (again.id, again.digest) == (3, serial.digest)


FALLS = "neighbours = [{ metric = 'digits', most = 0 }]"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (made("{ run = 7 }"), "There is no run 7"),
        (made("{}"), "the key 'space' is missing"),
        (made("{ run = 1, query = 'base.toml' }"), "a library comes from one of query, run and texts"),
        (made("{ run = 1, colour = 2 }"), "generator.library: unknown key 'colour'"),
        (made("{ run = 1, metrics = ['size'] }"), "run 1: unknown metric 'size'"),
        (made("{ run = 1, select = { metric = 'digits', keep = 'threshold', min = 99 } }"), "is empty"),
        (made("{ run = 2 }"), "run 2 keeps no candidate, so its library is empty"),
        (made("{ run = 1 }", more="length = 2\nneighbours = [{ metric = 'moves', least = 1 }]"), "'moves'"),
        (made("{ run = 1 }", more="length = 7\nrepeats = false"), "has no sequence of 7 different ones"),
        (made("{ run = 1 }", "choices", "count = 7"), "has no choice of 7 different ones"),
        (
            made("{ run = 1 }", more=f"length = 2\nrepeats = false\n{FALLS}"),
            "one of them has to rise or fall",
        ),
        (made("{ run = 1 }", more="length = 2\nneighbours = [{ metric = 'digits' }]"), "give least"),
        (made("{ run = 1 }", "choices", "count = 2\nlimits = [{ metric = 'root', least = 1 }]"), "'root'"),
        (made("{ run = 1 }").partition("[[eval")[0] + '[[evaluators]]\nname = "root"', "scores single"),
        (kept().replace('"digits" }, ', '"of_items", metric = "digits" }, '), "scores several contents"),
        (made("{ texts = ['number 3'] }"), "contents"),
        (made("{ query = 'base' }"), "base"),
    ],
)  # fmt: skip
def test_what_makes_no_library_is_a_sentence(toy: Numbers, query: str, sentence: str) -> None:
    have(toy, kept(), kept(70).partition("[[select]]")[0])
    with pytest.raises(EpcgError) as raised:
        toy.run(query)
    assert sentence in str(raised.value)
    assert len(toy.sql("SELECT run_id FROM runs")) == 2


def test_a_dry_run_says_that_the_library_comes_first(toy: Numbers) -> None:
    (toy.folder / "base.toml").write_text(kept())
    (toy.folder / "made.toml").write_text(made('{ query = "base.toml" }'))
    sentence = "the library comes from the query 'numbers', which is not answered yet: run it first."
    assert sentence in toy.epcg("run", "made.toml", "--dry-run", code=1).stderr
    toy.run(kept())
    assert "36" in toy.epcg("run", "made.toml", "--dry-run", code=0).stdout


def test_queries_do_not_take_libraries_from_themselves(toy: Numbers) -> None:
    (toy.folder / "one.toml").write_text(made('{ query = "other.toml" }'))
    (toy.folder / "other.toml").write_text(made('{ query = "one.toml" }'))
    assert "takes a library from itself" in toy.epcg("run", "one.toml", code=1).stderr


def test_items_with_the_same_text_are_one(toy: Numbers) -> None:
    space = space_spec(registry(), "numbers", "range", {"size": 10})
    found = library_of(space, [3, 4, 3], {"digits": [3.0, 4.0, 3.0]}, "")
    assert (found.ranks, found.values) == ((3, 4), {"digits": (3.0, 4.0)})
    with pytest.raises(EpcgError, match="20,001 candidates are too many for a library"):
        library_of(space_spec(registry(), "numbers", "range", {"size": 30_000}), range(20_001), {}, "")


def test_a_library_that_was_changed_is_refused(toy: Numbers) -> None:
    found = of_numbers([1, 2])
    with pytest.raises(ParamsError, match="are not what they were when it was made"):
        attrs.evolve(found, ranks=(1, 3)).states  # noqa: B018
    with pytest.raises(ParamsError, match="has 1 values of digits: it was cut"):
        attrs.evolve(found, values={"digits": (1,)})


def test_a_run_of_other_code_gives_no_library(place: Edited) -> None:
    select = '\n[[select]]\nmetric = "weight"\ncount = 3\n'
    head, generator, rest = (place.folder / "query.toml").read_text().partition("[generator]")
    (place.folder / "query.toml").write_text(head + generator + rest + select)
    place.start("run", "query.toml")
    (place.folder / "made.toml").write_text(
        """
domain = "edited"
evaluators = [{ name = "of_items", metric = "weight" }]
[generator]
name = "sequences"
length = 2
library = { run = 1 }
"""
    )
    place.start("run", "made.toml")
    place.write(rules=-4)
    _, said = place.start("run", "made.toml", code=1)
    assert "Run 1 (edited:numbers) was computed with other sources" in said


PLAN = """
name = "pairs"
[[chapters]]
name = "first"
title = "First"
measure = "of_items"
strategy = "evenly"
count = 3
"""


def test_a_curriculum_takes_candidates_of_several_items(toy: Numbers) -> None:
    (toy.folder / "base.toml").write_text(kept())
    (toy.folder / "made.toml").write_text(made('{ query = "base.toml" }'))
    (toy.folder / "plan.toml").write_text(f'{PLAN}query = "made.toml"\nrows = "all"\n')
    toy.epcg("curriculum", "build", "plan.toml", code=0)
    found = toy.sql("SELECT puzzle FROM selections WHERE chosen = 1")
    assert len(found) == 3
    assert all(each[0].startswith("numbers:sequences?") for each in found)


ROWS = """
from collections.abc import Sequence
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EditorInfo, EvaluatorInfo, Metric
from epcg_core.base.errors import EpcgError
from epcg_core.domain.editing import Mark, Scene
EPCG_API_VERSION = 1

class Row:
    palette = (Mark(name="peg"),)
    def __init__(self, text): self.content = self.parse(text)
    def parse(self, text):
        if not text.strip() or set(text.strip()) - set("o."): raise EpcgError("this is no row")
        return text.strip()
    def format(self, row): return row
    def scene(self, row): return Scene((), {})
    def put(self, row, site, mark): return row

def joins(texts):
    if texts[0] == texts[1]: raise EpcgError("two equal rows stand beside each other")
    return "".join(texts)

class Pegs:
    metrics = (Metric("pegs", "int"),)
    def evaluate(self, row): return (row.count("o"),)

@hookimpl
def epcg_register_domains(register): register(DomainInfo("lines", "Lines", "lines of pegs"))
@hookimpl
def epcg_register_editors(register):
    register(EditorInfo(domain="lines", summary="lines", factory=Row, new=lambda columns, rows: "." * columns,
                        size=(3, 1), joins=joins))
@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(domain="lines", name="pegs", summary="pegs", metrics=Pegs.metrics,
                           factory=lambda params, generator, tables: Pegs()))
"""


def test_what_cannot_be_joined_has_no_value_and_the_rest_has(
    toy: Numbers, install_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", only("numbers", "lines"))
    install_plugin("lines", "epcg_lines", ROWS, "epcg-lines")
    query = """
domain = "lines"
evaluators = [{ name = "pegs" }]
[generator]
name = "sequences"
length = 2
library = { texts = [%s] }
"""
    toy.run(query % '"o.", "oo", ".."')
    assert toy.sql("SELECT rank, value FROM scores WHERE run_id = 1 AND value IS NOT NULL") == [
        (1, 3), (2, 1), (3, 3), (5, 2), (6, 1), (7, 2)
    ]  # fmt: skip
    assert not toy.failed(1)
    with pytest.raises(EpcgError, match="The first 1 combinations make no content: two equal rows"):
        toy.run(query % '"o."')
    with pytest.raises(EpcgError, match="this is no row"):
        toy.run(query % '"o.", "x"')


# --- libraries are inputs -----------------------------------------------------------------------------------


def lied(toy: Numbers, **changes: Any) -> int:
    """Record a run whose query holds a library of run 1 with something changed; return its number."""
    have(toy, kept())
    with Store.open(toy.database) as store, store.reader() as reader:
        run = reader.run(1)
        scores = reader.scores_at(1, BEST)
    values = {"digits": [row["digits"] for row in scores]}
    asked = {"ranks": BEST, "values": values, "run": run.digest or ""} | changes
    space = space_spec(registry(), "numbers", "range", {"size": 60})
    false = library_of(space, asked["ranks"], asked["values"], asked["run"])
    query = {
        "domain": "numbers",
        "generator": {"name": "sequences", "length": 2, "library": plain(false)},
        "evaluators": [{"name": "of_items", "metric": "digits", "how": "sum"}],
    }
    return toy.run(from_table(query)).goal.id


def inputs_check(toy: Numbers, run: int) -> tuple[str, str]:
    return next((c.verdict, c.detail) for c in toy.checks(run) if c.name == "inputs")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("{ run = 1 }", "chosen again of run 1"),
        ('{ run = 1, select = { metric = "divisor", keep = "lowest", count = 5 } }', "chosen again of run 1"),
    ],
)
def test_what_a_library_was_chosen_from_is_an_input(toy: Numbers, source: str, told: str) -> None:
    have(toy, kept(), made(source))
    verdict, detail = inputs_check(toy, 2)
    assert (verdict, told in detail) == ("holds", True), detail
    rows = toy.sql("SELECT role, kind, input_run_id FROM inputs WHERE run_id = 2")
    assert rows == [("library library", "library", 1)]


def test_a_run_rests_on_the_run_of_its_library(toy: Numbers) -> None:
    have(toy, kept(), made("{ run = 1 }"))
    toy.change("UPDATE score_histogram SET count = count + 1 WHERE run_id = 1 AND position = 0")
    assert "runs underneath" in toy.failed(2)
    assert toy.epcg("forget", 1, "--yes", "--db", toy.database, code=1)


def test_false_values_of_a_library_are_found(toy: Numbers) -> None:
    values = {"digits": [99, *[1] * (len(BEST) - 1)]}
    assert inputs_check(toy, lied(toy, values=values))[0] == "does not hold"


def test_a_library_of_a_run_that_is_not_here_is_a_condition(toy: Numbers) -> None:
    run = lied(toy, run="0" * 64)
    verdict, detail = inputs_check(toy, run)
    assert (verdict, "is not in this database" in detail) == ("holds if others hold", True)
    toy.epcg("verify", run, "--db", toy.database, code=6)


def test_other_items_than_a_run_keeps_are_a_condition(toy: Numbers) -> None:
    with_values = {"digits": [3, 4]}
    run = lied(toy, ranks=(3, 4), values=with_values)
    verdict, detail = inputs_check(toy, run)
    assert (verdict, "rules are not recorded" in detail) == ("holds if others hold", True)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "change",
    [
        """choice = '{"select":[{"metric":"divisor","keep":"lowest","count":3}]}'""",
        "input_run_id = 3",
        "source = 'numbers:range?size=61'",
        "digest = 'false'",
        "role = 'library other'",
    ],
)
def test_a_row_of_an_input_that_was_changed_is_found(toy: Numbers, change: str) -> None:
    have(toy, kept(), made("{ run = 1 }"), kept(size=50))
    toy.change(f"UPDATE run_input SET {change} WHERE run_id = 2")
    assert inputs_check(toy, 2)[0] == "does not hold"


def test_a_run_that_read_one_that_is_gone_does_not_hold(toy: Numbers) -> None:
    have(toy, kept(), made("{ run = 1 }"))
    toy.change("PRAGMA foreign_keys = OFF", "UPDATE run_input SET input_run_id = 99 WHERE run_id = 2")
    assert "rest on run 99" in toy.epcg("verify", 2, "--db", toy.database, code=4).stderr


@pytest.mark.parametrize("change", ["choice = NULL", "input_run_id = NULL"])
def test_an_input_without_its_run_or_rules_is_no_proof(toy: Numbers, change: str) -> None:
    have(toy, kept(), made('{ run = 1, select = { metric = "divisor", keep = "lowest", count = 5 } }'))
    toy.change(f"UPDATE run_input SET {change} WHERE run_id = 2")
    assert inputs_check(toy, 2)[0] == "holds if others hold"
