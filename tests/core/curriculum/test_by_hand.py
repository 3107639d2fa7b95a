"""Puzzles that a plan lists by hand, alone or beside a source: chosen, measured, recorded, verified."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from epcg_core.base.errors import EpcgError
from epcg_core.curriculum.booklet import read_booklet
from epcg_core.curriculum.build import Built, Choices, build
from epcg_core.curriculum.choice import passed_over
from epcg_core.curriculum.plan import from_data, parse_plan
from epcg_core.curriculum.verify import verify
from epcg_core.store import Store
from tests.workplace import Numbers, Workplace

OWN = "numbers:range?size=100"
CHAPTER = """
[[chapters]]
name = "{name}"
measure = "digits"
{keys}
"""
BOARD = "o..o\n.o..\no..o"
MIRRORED = "o..o\n..o.\no..o"


@pytest.fixture
def sums(toy: Numbers) -> Workplace:
    toy.file("digits", "even", "root", "divisor", name="sums")
    return toy


def plan(*chapters: str) -> str:
    return "".join(CHAPTER.format(name=f"c{i}", keys=keys) for i, keys in enumerate(chapters))


def listed(*ranks: int) -> str:
    return f"puzzles = {[f'{OWN}#{rank}' for rank in ranks]}"


def make(text: str, folder: Path) -> Built:
    with Store.open(folder / "epcg.db", write=True) as store:
        return build(parse_plan(text, folder=folder), store)


def rows(built: Built, chapter: int = 0) -> list[tuple[str, Any, str]]:
    parts = built.curriculum.chapters[chapter].parts
    return [
        (r.puzzle.puzzle, r.value, r.reason) for p in parts for r in p.selections if r.position is not None
    ]


AUTO = 'query = "sums.toml"\nstrategy = "lowest"\nties = "first"\ncount = {}\n'


def test_a_list_alone_keeps_its_order_and_is_measured_without_a_run(toy: Numbers) -> None:
    built = make(plan(listed(99, 7, 12)), toy.folder)
    assert rows(built) == [
        (f"{OWN}#99", 18, "number 1 of the list by hand"),
        (f"{OWN}#7", 7, "number 2 of the list by hand"),
        (f"{OWN}#12", 3, "number 3 of the list by hand"),
    ]
    assert built.curriculum.runs == []
    (part,) = built.curriculum.chapters[0].parts
    assert (part.source, part.rule, part.candidates) == ("a list by hand", "3 listed by hand", 3)
    other = make(plan(listed(7, 99, 12)), toy.folder)
    assert other.curriculum.sha256 != built.curriculum.sha256
    again = make(plan(listed(99, 7, 12)), toy.folder)
    assert (again.new, again.number) == (False, built.number)


def test_a_list_beside_a_source_takes_its_values_and_says_why_others_wait(sums: Workplace) -> None:
    filters = 'where = ["even"]\n'
    built = make(plan(AUTO.format(3) + filters + listed(77, 8)), sums.folder)
    assert [puzzle for puzzle, *_ in rows(built)] == [f"{OWN}#77", f"{OWN}#8"]
    (part,) = built.curriculum.chapters[0].parts
    assert part.candidates == 100
    assert [run for run, _ in built.curriculum.runs] == [1]
    rejected = {r.puzzle.rank: (r.rule, r.reason) for r in part.selections if r.position is None}
    assert rejected[3] == ("where even = true", "even is 0")
    assert rejected[4] == ("2 listed by hand", "not in the list by hand")
    assert len(rejected) == 98


def test_no_other_part_takes_what_is_listed(sums: Workplace) -> None:
    built = make(
        plan(AUTO.format(3), AUTO.format(2) + 'distinct = true\nrepresentative = "first"\n', listed(0, 1)),
        sums.folder,
    )
    assert [p.rpartition("#")[2] for p, *_ in rows(built)] == ["10", "2", "11"]
    assert [p.rpartition("#")[2] for p, *_ in rows(built, 1)] == ["3", "12"]
    part = built.curriculum.chapters[0].parts[0]
    reasons = {r.puzzle.rank: r.reason for r in part.selections if r.position is None}
    assert reasons[0] == "chosen in chapter 'c2'"


def test_it_is_recorded_and_verified_and_a_wrong_space_is_found(sums: Workplace) -> None:
    text = plan(AUTO.format(3), listed(40), 'puzzles = ["numbers:range?size=50#49"]')
    built = make(text, sums.folder)
    read = from_data(built.curriculum.plan)
    assert read.resolved() == parse_plan(text, folder=sums.folder).resolved()
    with Store.open(sums.database) as store:
        assert all(check.passed for check in verify(store, built.number)), verify(store, built.number)
        with store.reader() as reader:
            booklet = read_booklet(reader, str(built.number))
    assert [puzzle.value for puzzle in booklet.puzzles()] == [0, 1, 1, 4, 13]
    with sqlite3.connect(sums.database) as connection:
        connection.execute("UPDATE space SET max_rank = '51' WHERE name = 'numbers:range?size=50'")
    with Store.open(sums.database) as store:
        wrong = [check.name for check in verify(store, built.number) if not check.passed]
    assert wrong == ["spaces"]


def test_texts_are_contents_of_the_domain_that_reads_them(tmp_path: Path) -> None:
    keys = f"puzzles = ['''\n{BOARD}''', '''{MIRRORED}''']"
    text = plan(keys).replace("digits", "solution_length")
    built = make(text, tmp_path)
    assert [value for _, value, _ in rows(built)] == [4, 4]
    assert all(puzzle.startswith("fling:contents?") for puzzle, *_ in rows(built))
    with Store.open(tmp_path / "epcg.db") as store:
        assert all(check.passed for check in verify(store, built.number))


def test_what_could_be_chosen_instead(sums: Workplace) -> None:
    make(plan(AUTO.format(3)), sums.folder)
    asked = parse_plan(plan(AUTO.format(3) + listed(5, 6), listed(7)), folder=sums.folder)
    with Store.open(sums.database) as store, store.reader() as reader:
        (record,) = reader.runs()
        from epcg_core.base.params import canonical_json

        (_, part), *_ = asked.parts()
        assert part.query is not None
        choices = Choices(asked, reader, {canonical_json(part.query.resolved()): record})
        found = dict(passed_over(choices.of(0), choices.chosen))
    assert len(found) == 97
    assert found[f"{OWN}#14"] == 5
    assert f"{OWN}#7" not in found


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("chapters", "sentence"),
    [
        (["puzzles = []"], "chapter 'c0' lists no puzzle yet"),
        ([listed(1, 1)], "listed twice"),
        (
            [listed(1), listed(1)],
            "chapter 'c1' lists numbers:range.size=100#1, and chapter 'c0' lists it, too",
        ),
        ([listed(1), 'puzzles = ["numbers:range?size=50#1"]'], "chapter 'c0' lists the same content"),
        ([listed(100)], "ranks 0 to 99"),
        (['puzzles = ["nobody:range?size=3#1"]'], "unknown domain 'nobody'"),
        (['puzzles = ["3#1"]'], "holds in one database only"),
        (['puzzles = ["some words"]'], "no editor reads it"),
        ([f'puzzles = ["{OWN}#{10**20}"]'], "write the puzzle's text instead"),
        (["puzzles = [3]"], "puzzles"),
        ([listed(1).replace("#1", "#2") + '\nstrategy = "evenl"'], "Did you mean 'evenly'"),
        (['strategy = "listed"\ncount = 3\nrun = 1'], "takes 'puzzles'"),
        (["run = 1\ncount = 3"], "'strategy' is missing; or list 'puzzles'"),
        (['run = 1\nstrategy = "evenly"'], "'count' is missing; or list 'puzzles'"),
        ([listed(1) + '\nrows = "all"'], "'rows' belongs to a query or run"),
        ([listed(1) + "\nset = { x = 1 }"], "the source is a list by hand"),
        ([listed(1) + '\n[[chapters.parts]]\nname = "x"'], "write 'puzzles' into one of them"),
    ],
)
def test_wrong_lists_get_a_sentence(toy: Numbers, chapters: list[str], sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        make(plan(*chapters), toy.folder)


def test_a_measure_that_the_domain_lacks_is_named(toy: Numbers) -> None:
    with pytest.raises(EpcgError, match="unknown measure of numbers 'moves'"):
        make(plan(listed(1)).replace("digits", "moves"), toy.folder)


def test_a_puzzle_without_a_value_is_named(tmp_path: Path) -> None:
    lost = "puzzles = ['''o...\n....\n...o''']"
    with pytest.raises(EpcgError, match="has no solution_length"):
        make(plan(lost).replace("digits", "solution_length"), tmp_path)
