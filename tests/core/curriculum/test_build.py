"""Plans over the toy domain: what is chosen and rejected, recorded with the reasons; what is refused."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epcg_core.base.errors import CurriculumError, EpcgError, UnknownNameError
from epcg_core.base.params import describe
from epcg_core.curriculum.build import Built, build, check
from epcg_core.curriculum.chosen import Chosen
from epcg_core.curriculum.plan import PartParams, Plan, from_data, parse_plan
from epcg_core.query.named import load_query
from epcg_core.store import Store, curricula
from tests.workplace import Numbers, Workplace

PLAN = """
name = "digits"
title = "Digits"
description = "Numbers by the sum of their digits."
[[chapters]]
name = "even"
title = "Even numbers"
query = "sums.toml"
where = ["even"]
measure = "digits"
strategy = "evenly"
count = 4
ties = "first"
[[chapters]]
name = "both"
query = "sums.toml"
measure = "digits"
count = 2
ties = "first"
representative = "first"
[[chapters.parts]]
name = "high"
strategy = "highest"
order = "hardest_first"
[[chapters.parts]]
name = "varied"
strategy = { name = "lowest", differ_by = "digits" }
distinct = true
"""
ONE = """
[[chapters]]
name = "one"
{source}
measure = "{measure}"
strategy = {strategy}
count = {count}
ties = "{ties}"
{more}
"""


@pytest.fixture
def sums(toy: Numbers) -> Workplace:
    toy.file("digits", "even", "root", "divisor", name="sums")
    return toy


def make(text: str, toy: Numbers, database: str = "epcg.db") -> Built:
    with Store.open(toy.folder / database, write=True) as store:
        return build(parse_plan(text, folder=toy.folder), store)


def one(
    source: str = 'query = "sums.toml"',
    measure: str = "digits",
    strategy: str = '"evenly"',
    count: int = 3,
    more: str = "",
    ties: str = "first",
) -> str:
    return ONE.format(source=source, measure=measure, strategy=strategy, count=count, more=more, ties=ties)


def chosen(built: Built, chapter: int = 0) -> list[tuple[int, Any]]:
    rows = [row for part in built.curriculum.chapters[chapter].parts for row in part.selections]
    return [(row.puzzle.rank, row.value) for row in rows if row.position is not None]


def asked(toy: Numbers, statement: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(toy.database) as connection:
        return connection.execute(statement).fetchall()


def test_what_is_chosen(sums: Workplace) -> None:
    built = make(PLAN, sums)
    # even numbers have digit sums 0 to 17: targets 0, 5.67, 11.33, 17
    assert chosen(built) == [(0, 0), (6, 6), (38, 11), (98, 17)]
    # 99 and 89, the highest that are left; then the lowest that are left and no mirror of what was chosen
    assert chosen(built, 1) == [(99, 18), (89, 17), (1, 1), (2, 2)]
    positions = [row.position for part in built.curriculum.chapters[1].parts for row in part.selections]
    assert [p for p in positions if p is not None] == [1, 2, 3, 4]


def test_every_candidate_is_chosen_or_rejected_with_a_reason(sums: Workplace) -> None:
    make(PLAN, sums)
    for chapter, part in ((1, 1), (2, 1), (2, 2)):
        where = f"chapter = {chapter} AND part = {part}"
        [(rows, puzzles)] = asked(
            sums, f"SELECT count(*), count(DISTINCT puzzle) FROM selections WHERE {where} AND reason <> ''"
        )
        assert rows == puzzles == 100
        [(rejected, recorded)] = asked(
            sums, f"SELECT sum(count), sum(recorded) FROM rejections WHERE {where}"
        )
        [(count,)] = asked(sums, f"SELECT sum(chosen) FROM selections WHERE {where}")
        assert rejected == recorded == 100 - count
    reasons = dict(
        asked(sums, "SELECT rank, reason FROM selections WHERE chapter = 1 AND chosen = 0 AND rank IN (1, 4)")
    )
    assert reasons == {1: "even is 0", 4: "4 is nearest to target 2, 5.66667, for which 6 was chosen"}
    [(reason,)] = asked(sums, "SELECT reason FROM selections WHERE part = 1 AND chapter = 2 AND rank = 98")
    assert reason == "chosen in chapter 'even'"
    [(reason,)] = asked(sums, "SELECT reason FROM selections WHERE part = 2 AND chapter = 2 AND rank = 10")
    assert reason == "equal by symmetry to numbers:range?size=100#1"


def test_rejected_beyond_the_bound_are_counted(sums: Workplace) -> None:
    make("rejected = 10\n" + PLAN, sums)
    rows = asked(sums, "SELECT rule, count, recorded FROM rejections WHERE chapter = 1 ORDER BY position")
    assert rows == [
        ("where even = true", 50, 0),
        ("a finite digits", 0, 0),
        ("each puzzle once", 0, 0),
        ("4 evenly over the range of digits, easiest first", 46, 10),
    ]
    assert asked(sums, "SELECT count(*) FROM selections WHERE chapter = 1 AND chosen = 0") == [(10,)]


def test_the_same_plan_is_recorded_once_and_is_the_same_elsewhere(sums: Workplace) -> None:
    first, again, elsewhere = make(PLAN, sums), make(PLAN, sums), make(PLAN, sums, "other.db")
    assert (first.new, again.new, elsewhere.new) == (True, False, True)
    assert first.number == again.number
    assert first.curriculum == again.curriculum == elsewhere.curriculum
    with Store.open(sums.database) as store, store.reader() as reader:
        assert curricula.read(reader.connection, first.number) == first.curriculum
    changed = make(PLAN.replace("count = 4", "count = 5"), sums)
    assert changed.number != first.number
    assert changed.curriculum.sha256 != first.curriculum.sha256


def test_a_choice_is_the_same_however_much_is_looked_at_at_once(
    sums: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PLAN.replace('ties = "first"', 'ties = "scattered"').replace('"first"', '"scattered"')
    built = make(text, sums)
    for name in ("choice.AT_ONCE", "sources._ROWS_AT_ONCE", "digests.MANY"):
        monkeypatch.setattr(f"epcg_core.curriculum.{name}", 3)
    again = make(text, sums, "other.db")
    assert again.curriculum.sha256 == built.curriculum.sha256
    assert [chosen(again, chapter) for chapter in (0, 1)] == [chosen(built, chapter) for chapter in (0, 1)]


def test_a_damaged_record_is_mended(sums: Workplace) -> None:
    make(PLAN, sums)
    with sqlite3.connect(sums.database) as connection:
        connection.execute("UPDATE selection SET reason = 'because' WHERE chosen = 1")
    mended = make(PLAN, sums)
    assert mended.new
    assert asked(sums, "SELECT count(*) FROM selections WHERE reason = 'because'") == [(0,)]
    assert not make(PLAN, sums).new


def test_sources_run_and_sql_choose_what_the_query_does(sums: Workplace) -> None:
    by_query = chosen(make(one(), sums))
    assert chosen(make(one("run = 1"), sums)) == by_query
    select = (
        "sql = \"SELECT epcg_puzzle(1, rank) AS puzzle, value AS digits FROM scores WHERE metric = 'digits'\""
    )
    assert chosen(make(one(select), sums)) == by_query == [(0, 0), (9, 9), (99, 18)]


def test_only_what_a_query_keeps(toy: Numbers) -> None:
    toy.file("digits", name="sums", more='[[select]]\nmetric = "digits"\nkeep = "threshold"\nmin = 15')
    built = make(one(count=4), toy)
    assert built.curriculum.chapters[0].parts[0].candidates == 10
    assert chosen(built) == [(69, 15), (79, 16), (89, 17), (99, 18)]
    assert chosen(make(one(more='rows = "all"', count=2), toy)) == [(0, 0), (99, 18)]


def test_a_number_without_a_value_is_rejected_for_that(sums: Workplace) -> None:
    make(one(measure="divisor", strategy='"highest"'), sums)
    assert asked(sums, "SELECT rank, reason FROM selections WHERE rule LIKE 'a finite%' ORDER BY rank") == [
        (0, "has no divisor"),
        (1, "has no divisor"),
    ]


def test_texts_are_shapes_and_filters(sums: Workplace) -> None:
    make(one(), sums)
    sql = (
        "SELECT epcg_puzzle(1, rank) AS puzzle, value AS digits, "
        "CASE rank % 3 WHEN 0 THEN 'red' WHEN 1 THEN 'green' END AS colour "
        "FROM scores WHERE metric = 'digits'"
    )
    source = f'sql = """{sql}"""'
    built = make(
        one(source, strategy='{ name = "lowest", differ_by = "colour", at_most = 2 }', count=6), sums
    )
    colours = [rank % 3 for rank, _ in chosen(built)]
    assert all(a != b for a, b in itertools.pairwise(colours))
    assert sorted(colours) == [0, 0, 1, 1, 2, 2]
    only = make(one(source, more="where = [\"colour = 'red'\"]"), sums)
    assert {rank % 3 for rank, _ in chosen(only)} == {0}
    with pytest.raises(CurriculumError, match=r"colour is a string \('red'\), and a number is needed"):
        make(one(source, measure="colour"), sums)


def test_one_content_of_two_spaces_is_one_puzzle(toy: Numbers) -> None:
    """The number 99 is in both ranges, under two ids; the second chapter does not choose it again."""
    toy.file("digits", name="sums")
    toy.file("digits", name="more", size=200)
    text = one(strategy='"highest"', count=1)
    second = text.replace('"one"', '"two"').replace("sums.toml", "more.toml")
    built = make(text + second, toy)
    assert chosen(built) == [(99, 18)]
    assert chosen(built, 1) == [(199, 19)]
    built = make(text + second.replace("count = 1", 'where = ["digits <= 18"]\ncount = 1'), toy)
    assert chosen(built, 1) == [(189, 18)]
    [(reason,)] = asked(toy, "SELECT reason FROM selections WHERE rule LIKE '%by content'")
    assert reason == "the same as numbers:range?size=100#99"


def test_scattered_ties_are_arbitrary_and_the_same_again(sums: Workplace) -> None:
    text = one(strategy='"lowest"', measure="even", count=5, ties="scattered")
    found = [rank for rank, _ in chosen(make(text, sums))]
    assert all(rank % 2 for rank in found)
    assert found != [1, 3, 5, 7, 9]
    assert [rank for rank, _ in chosen(make(text, sums, "other.db"))] == found


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(one(count=101), "chapter 'one' needs 101 puzzles and finds 100 among 100", id="count"),
        pytest.param(
            one(more='where = ["digits >= 18", "even"]'),
            r"finds 0 among 100 candidates: 'where digits of 18 or more' removed most, 99\.",
            id="filter",
        ),
        pytest.param(
            one(strategy='{ name = "lowest", differ_by = "even" }'),
            r"finds 2 among 100 candidates: of the 100 left, the strategy can choose no more\.",
            id="shapes",
        ),
        pytest.param(one(measure="digit"), r"measure 'digit'\. Did you mean 'digits'\?", id="measure"),
        pytest.param(
            one(more='where = ["evn >= 1"]'), "unknown measure 'evn'", id="filtered"
        ),
        pytest.param(one("run = 7"), "There is no run 7", id="run"),
        pytest.param(one('query = "no.toml"'), "There is no query file", id="query"),
        pytest.param(one('sql = "DELETE FROM run"'), "a plan only reads", id="delete"),
        pytest.param(one("sql = \"SELECT 1 AS digits\""), "has no column 'puzzle'", id="puzzle"),
        pytest.param(one("sql = \"SELECT 'x' AS puzzle, 1 AS digits\""), "is not a puzzle id", id="id"),
        pytest.param(
            one(f"sql = \"SELECT 'numbers:range?size=9#{2**63}' AS puzzle, 1 AS digits\""),
            "no rank is so large",
            id="large",
        ),
        pytest.param(
            one(
                "sql = \"SELECT 'numbers:range?size=9#1' AS puzzle, 1 AS digits "
                "UNION ALL SELECT 'numbers:range?size=9#1', 2\""
            ),
            "more than once",
            id="twice",
        ),
        pytest.param(
            one("sql = \"SELECT 'numbers:range?size=9#1' AS puzzle, 1 AS digits\"", count=1),
            "no run over numbers:range",
            id="space",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_built(sums: Workplace, text: str, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        make(text, sums)
    assert asked(sums, "SELECT count(*) FROM curriculum") == [(0,)]


def test_sql_that_writes_is_refused_whatever_it_hides_in(sums: Workplace) -> None:
    make(one(), sums)
    before = asked(sums, "SELECT count(*) FROM selection")
    for statement in (
        "UPDATE run SET state = 'x'",
        "WITH x AS (SELECT 1) DELETE FROM run",
        "SELECT 1 AS puzzle) ; DELETE FROM run; --",
        "ATTACH 'new.db' AS other",
    ):
        with pytest.raises(EpcgError, match=r"SQL|only reads"):
            make(one(f'sql = "{statement}"'), sums)
    assert asked(sums, "SELECT count(*) FROM selection") == before
    assert not Path("new.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("count = 4", "count = 0", r"count: 0 is not allowed"),
        ("count = 4", "counts = 4", r"unknown key 'counts'\. Did you mean 'count'\?"),
        (
            'strategy = "evenly"',
            'strategy = "evenli"',
            r"unknown strategy 'evenli'\. Did you mean 'evenly'\?",
        ),
        ('strategy = "evenly"', 'strategy = { name = "evenly", at_most = 0 }', "at_most: 0 is not allowed"),
        ('strategy = "evenly"', 'strategy = "novelty"', "the key 'needs' is missing"),
        ('name = "both"', 'name = "even"', "two chapters 'even'"),
        ('where = ["even"]', 'where = ["even >="]', "where 1: 'even >=': a value is missing"),
        (
            'where = ["even"]',
            'filters = [{ measure = "even", min = 1 }]',
            r"""the key is 'where', not 'filters': write where = \["even >= 1"\]\.""",
        ),
        ('query = "sums.toml"\nwhere', 'run = 1\nquery = "sums.toml"\nwhere', "there are query and run"),
        ('query = "sums.toml"\nwhere', "where", "there is none"),
        ("[[chapters]]", "[[chapter]]", r"unknown key 'chapter'\. Did you mean 'chapters'\?"),
        ('name = "digits"', 'name = digits"', "is not valid TOML"),
    ],
)
def test_what_is_no_plan(sums: Workplace, old: str, new: str, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        parse_plan(PLAN.replace(old, new), folder=sums.folder)


def test_a_part_says_its_own_source_or_takes_its_chapters(sums: Workplace) -> None:
    def read(more: str) -> Plan:
        return parse_plan(one(more='rows = "all"\n[[chapters.parts]]\n' + more), folder=sums.folder)

    inherited, own = read("count = 7"), read("run = 4")
    [(_, part)] = inherited.parts()
    assert (part.count, part.query is not None, part.rows) == (7, True, "all")
    [(_, part)] = own.parts()
    assert (part.query, part.run, part.rows) == (None, 4, None)


def test_a_plan_changes_its_query(sums: Workplace) -> None:
    settings = 'set = { generator = { size = 7 }, evaluators = { 0 = { name = "digits_array" } } }'
    [(_, part)] = parse_plan(one(more=settings), folder=sums.folder).parts()
    assert part.query is not None
    assert part.query.generator.params == {"size": 7}
    assert part.query.evaluators[0].name == "digits_array"


def test_symmetry_classes_need_symmetries(sums: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    import epcg_toy  # type: ignore[import-not-found]

    monkeypatch.delattr(epcg_toy.Range, "canonical_rank")
    for more in ("distinct = true", 'strategy.differ_by = "symmetry_class"'):
        text = one(more=more).replace('strategy = "evenly"', 'strategy.name = "evenly"')
        with pytest.raises(CurriculumError, match="has no symmetries"):
            check(parse_plan(text, folder=sums.folder))


def test_a_part_that_fills_the_memory_is_refused_before_anything_is_computed(
    toy: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epcg_core.curriculum.sources.physical_memory", lambda: 10**9)
    toy.file("digits", name="sums", size=15_000_000)
    with pytest.raises(
        CurriculumError, match=r"sums has 15,000,000 candidates, which take 1\.3 GB of memory"
    ):
        make(one(), toy)
    assert asked(toy, "SELECT count(*) FROM run") == [(0,)]
    monkeypatch.setattr("epcg_core.curriculum.sources.physical_memory", lambda: 5000)
    rows = ", ".join(f"('numbers:range?size=100#{rank}', {rank})" for rank in range(100))
    sql = f"WITH found(puzzle, digits) AS (VALUES {rows}) SELECT * FROM found"
    with pytest.raises(CurriculumError, match="the SELECT has 100 candidates, which take"):
        make(one(f'sql = "{sql}"'), toy)


def test_a_name_is_its_newest_build_and_older_ones_have_numbers(sums: Workplace) -> None:
    first = make(one(count=3), sums)
    second = make(one(count=5), sums)
    counted = "SELECT curriculum, curriculum_id, sum(chosen) FROM selections GROUP BY 1 ORDER BY 2"
    assert asked(sums, counted) == [("plan#1", 1, 3), ("plan", 2, 5)]
    assert asked(sums, "SELECT DISTINCT curriculum, curriculum_id FROM rejections ORDER BY 2") == [
        ("plan#1", 1), ("plan", 2),
    ]  # fmt: skip

    again = make(one(count=3), sums)
    assert (first.number, second.number, again.number, again.new) == (1, 2, 1, False)
    assert asked(sums, counted) == [("plan", 1, 3), ("plan#2", 2, 5)]
    with Store.open(sums.database) as store, store.reader() as reader:
        assert curricula.labels(reader.connection) == {1: "plan", 2: "plan#2"}
        found = {text: curricula.find(reader.connection, text) for text in ("plan", "plan#1", "plan#2", "2")}
        assert found == {"plan": 1, "plan#1": 1, "plan#2": 2, "2": 2}
        for unknown in ("plan#3", "3", "plan#", "#1", "plan#01", ""):
            with pytest.raises(EpcgError, match="curriculum"):
                curricula.find(reader.connection, unknown)
    shown = sums.epcg("curriculum", "show")
    assert "plan#2" in shown.output
    for name, count in (("plan", 3), ("plan#2", 5), ("2", 5)):
        data = json.loads(sums.epcg("curriculum", "show", name, "--json").output)
        assert len(data["chapters"][0]["parts"][0]["chosen"]) == count
    sums.epcg("curriculum", "export", "plan#2", "--format", "csv")
    assert len((sums.folder / "plan-2.csv").read_text().splitlines()) == 6


def test_a_plan_cannot_bear_the_name_of_an_older_build(sums: Workplace) -> None:
    with pytest.raises(CurriculumError, match="has a '#'"):
        parse_plan('name = "plan#1"\n' + one(), folder=sums.folder)


def test_no_value_of_a_measure_that_is_to_occur_once_occurs_twice(sums: Workplace) -> None:
    text = one(measure="root", strategy='"lowest"', count=4, more='once = ["digits"]')
    second = text.replace('name = "one"', 'name = "two"')
    built = make(text + second, sums)
    rows = [row for c in built.curriculum.chapters for part in c.parts for row in part.selections]
    digits = [json.loads(row.measures)["digits"] for row in rows if row.position is not None]
    assert len(set(digits)) == len(digits) == 8
    reasons = asked(sums, "SELECT DISTINCT rule FROM selections WHERE chapter = 2 AND NOT chosen")
    assert ("each digits once",) in reasons
    said = asked(sums, "SELECT DISTINCT reason FROM selections WHERE rule = 'each digits once'")
    assert all(re.fullmatch(r"digits \d+ is that of numbers:range\?size=100#\d+", row[0]) for row in said)


def test_neighbours_are_as_far_apart_as_is_asked(sums: Workplace) -> None:
    """The text of a number is 'number 42': two words, of which one is always the same."""
    near = make(one(strategy='{ name = "evenly", apart = 0.6 }', count=5), sums)
    assert len(chosen(near)) == 5
    with pytest.raises(CurriculumError, match=r"finds 1 among .*; choose a smaller 'apart'"):
        make(one(strategy='{ name = "evenly", apart = 0.7 }', count=5), sums, "far.db")
    twins = [row for row in near.curriculum.chapters[0].parts[0].selections if "differs by" in row.reason]
    assert twins == []


def test_of_a_symmetry_class_any_puzzle_may_be_chosen(sums: Workplace) -> None:
    """One of lowest rank always lies at the same corner of its board."""
    text = one(count=6, more="distinct = true")
    scattered = {rank for rank, _ in chosen(make(text, sums))}
    first = {rank for rank, _ in chosen(make(text + 'representative = "first"', sums))}
    assert scattered != first
    again = {rank for rank, _ in chosen(make(text, sums, "again.db"))}
    assert again == scattered
    generator = Chosen()
    classes = generator.canonical_ranks("numbers:range?size=100", np.array(sorted(scattered)))
    assert len(set(classes.tolist())) == 6


def test_a_plan_that_was_recorded_before_a_key_was_there_is_read(sums: Workplace) -> None:
    data = parse_plan(one(more='representative = "first"'), folder=sums.folder).resolved()
    assert not {"once", "representative", "description"} & data["chapters"][0]["parts"][0].keys()
    assert "apart" not in data["chapters"][0]["parts"][0]["strategy"]
    assert "how_to_play" not in data
    assert from_data(data).resolved() == data


def test_a_plan_takes_a_shipped_query_by_its_name(tmp_path: Path) -> None:
    text = one(source='query = "fling/best_by_expert_ratio"', measure="expert_ratio")
    [(_, part)] = parse_plan(text, folder=tmp_path).parts()
    assert part.query is not None
    assert part.query.name == load_query("fling/best_by_expert_ratio").name
    with pytest.raises(UnknownNameError, match=r"Did you mean 'fling/best_by_expert_ratio'\?"):
        parse_plan(text.replace("ratio", "ration"), folder=tmp_path)


def test_the_reference_says_what_a_strategy_may_be() -> None:
    rows = {key: allowed for key, allowed, _ in describe(PartParams)}
    assert rows["strategy"] == "a string or a table, optional"
    assert rows["query"] == "a string, optional"
    assert rows["once"] == "a list, each a string, default []"


THIRD = """
from typing import ClassVar
import attrs
from epcg_core import hookimpl
from epcg_core.curriculum.strategies import Pick
from epcg_core.domain import StrategyInfo
from epcg_core.base.params import param
EPCG_API_VERSION = 1

@attrs.frozen
class EveryThird:
    name: ClassVar[str] = "every_third"
    first: int = param(0, minimum=0, help="the first of them")
    columns = ()

    def rule(self, measure, count):
        return f"{count}, each third by {measure}"

    def choose(self, pool, count):
        return [Pick(i, "the third") for i in range(self.first, len(pool.values), 3)][:count]

    def declined(self, pool, picks, position):
        return "not a third"

@hookimpl
def epcg_register_strategies(register):
    register(StrategyInfo(name="every_third", summary="each third", params=EveryThird))
"""


def test_a_strategy_of_a_plugin(
    sums: Numbers,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,third")
    install_plugin("third", "epcg_third", THIRD, "epcg-third")
    built = make(one(strategy='{ name = "every_third", first = 1 }', count=3), sums)
    ranks = sorted(range(100), key=lambda rank: (sum(map(int, str(rank))), rank))
    assert [rank for rank, _ in chosen(built)] == ranks[1:10:3]
    with pytest.raises(
        UnknownNameError, match=r"unknown strategy 'every_thrid'\. Did you mean 'every_third'\?"
    ):
        make(one(strategy='{ name = "every_thrid" }', count=3), sums)


SEEING = """
from typing import ClassVar
import attrs
from epcg_core import hookimpl
from epcg_core.plugin import Pick, StrategyInfo, param
EPCG_API_VERSION = 1

@attrs.frozen
class Seeing:
    name: ClassVar[str] = "seeing"
    by: str = param("digits", help="a measure")

    @property
    def columns(self):
        return (self.by,)

    def rule(self, measure, count):
        return f"{count} of the most {self.by}, of even states"

    def choose(self, pool, count):
        values = pool.measure(self.by)
        even = [place for place in range(len(values)) if pool.state(place) % 2 == 0]
        even.sort(key=lambda place: (-values[place], place))
        return [Pick(place, f"{pool.puzzle(place)} has {values[place]:g}") for place in even[:count]]

    def declined(self, pool, picks, position):
        return "not among the most"

@hookimpl
def epcg_register_strategies(register):
    register(StrategyInfo(name="seeing", summary="", params=Seeing))
"""


def test_a_strategy_sees_other_measures_and_ids_and_states(
    sums: Numbers,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,seeing")
    install_plugin("seeing", "epcg_seeing", SEEING, "epcg-seeing")
    built = make(one(strategy='{ name = "seeing", by = "root" }', count=2), sums)
    rows = [row for row in built.curriculum.chapters[0].parts[0].selections if row.position is not None]
    assert sorted(row.puzzle.rank for row in rows) == [96, 98]
    for row in rows:
        assert row.reason == f"{row.puzzle.puzzle} has {row.puzzle.rank**0.5:g}"


WRONG = """
import attrs
from typing import ClassVar
from epcg_core import hookimpl
from epcg_core.curriculum.strategies import Pick
from epcg_core.domain import StrategyInfo
EPCG_API_VERSION = 1

def strategy(label, picks):
    class Wrong:
        name = label
        columns = ()
        def rule(self, measure, count):
            return label
        def choose(self, pool, count):
            return picks(pool, count)
        def declined(self, pool, picks, position):
            return ""
    Wrong.__annotations__ = {"name": ClassVar[str]}
    return attrs.frozen(Wrong)

KINDS = {
    "raises": lambda pool, count: len(pool),
    "positions": lambda pool, count: [0, 1],
    "twice": lambda pool, count: [Pick(0, "x"), Pick(0, "x")],
    "beyond": lambda pool, count: [Pick(-1, "x")],
    "many": lambda pool, count: [Pick(i, "x") for i in range(9)],
}

@hookimpl
def epcg_register_strategies(register):
    for name, picks in KINDS.items():
        register(StrategyInfo(name=name, summary="", params=strategy(name, picks)))
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("raises", "the strategy raises raised TypeError: object of type 'Pool' has no len()"),
        ("positions", "chose 0: `choose` returns Picks, with a position in the pool and a reason"),
        ("twice", "chose the positions [0, 0]: they must be different, from 0 to 99"),
        ("beyond", "chose the positions [-1]"),
        ("many", "chose 9 candidates, and the plan asks for 3"),
    ],
)
def test_what_a_strategy_of_a_plugin_does_wrong_is_told(
    sums: Numbers,
    install_plugin: Callable[[str, str, str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    says: str,
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,wrong")
    install_plugin("wrong", "epcg_wrong", WRONG, "epcg-wrong")
    with pytest.raises(CurriculumError) as raised:
        make(one(strategy=f'"{name}"', count=3), sums)
    assert "chapter 'one': the strategy" in str(raised.value)
    assert says in str(raised.value)
