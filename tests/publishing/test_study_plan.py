"""Plans of studies: who gets what, and what is refused, each in a sentence."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from epcg_publishing.study.design import design, latin_square, williams
from epcg_publishing.study.laid import digest_of, lay
from epcg_publishing.study.plan import parse_study
from epcg_publishing.study.site import write_study

from epcg_core.base.errors import EpcgError, QueryError
from tests.workplace import Numbers, epcg

HEAD = 'name = "s"\nconsent = "yes?"\n'


def sets(count: int, size: int = 2) -> str:
    return "".join(
        f'[[sets]]\nname = "set {n}"\npuzzles = [{", ".join(repr(f"{n}.{p}") for p in range(size))}]\n'
        for n in range(count)
    )


def plan_of(top: str = "", count: int = 4, size: int = 2, more: str = "") -> Any:
    return parse_study(HEAD + top + "\n" + sets(count, size) + more)


@pytest.mark.parametrize("size", range(1, 9))
def test_in_a_williams_design_each_follows_each_other_one_equally_often(size: int) -> None:
    rows = williams(size)
    assert len(rows) == (size if size % 2 == 0 or size == 1 else 2 * size)
    for square in (rows[:size], latin_square(size)):
        assert all(sorted(row) == list(range(size)) for row in square)
        assert all(sorted(column) == list(range(size)) for column in zip(*square, strict=True))
    follows = Counter(pair for row in rows for pair in itertools.pairwise(row))
    assert len(follows) == size * (size - 1)
    assert len(set(follows.values())) <= 1


@pytest.mark.sweep(8)
@pytest.mark.parametrize("order", ["balanced", "latin", "random", "fixed"])
@pytest.mark.parametrize("within", ["balanced", "random", "fixed"])
@pytest.mark.parametrize("each", [2, 4])
def test_everything_occurs_equally_often_in_a_cycle(order: str, within: str, each: int) -> None:
    arms = "".join(
        f'[[{kind}]]\nname = "{name}"\n'
        for kind, names in (("groups", "ab"), ("conditions", "cd"))
        for name in names
    )
    plan = plan_of(f'order = "{order}"\nwithin = "{within}"\nsets_each = {each}', more=arms)
    found = design(plan)
    rows = found.rows[: found.cycle]
    assert len(found.rows) % found.cycle == 0
    counts = Counter(
        (row.group, one.set, one.condition) for row in rows for one in row.dealt
    )  # every set in every condition and group
    assert len(counts) == 2 * 4 * 2
    assert len(set(counts.values())) == 1
    assert all(len({one.set for one in row.dealt}) == each for row in rows)
    if order in ("balanced", "latin"):
        places = Counter((row.group, at, one.set) for row in rows for at, one in enumerate(row.dealt))
        assert len(set(places.values())) == 1
    if order == "balanced":
        follows = Counter((row.group, a.set, b.set) for row in rows for a, b in itertools.pairwise(row.dealt))
        assert len(follows) == 2 * 4 * 3
        assert len(set(follows.values())) == 1
    if within == "balanced":
        orders = Counter((row.group, one.set, one.condition, one.order) for row in rows for one in row.dealt)
        assert len(orders) == 2 * 4 * 2 * 2
        assert len(set(orders.values())) == 1
    assert design(plan) == found
    if "random" in (order, within):
        assert len({row.dealt for row in found.rows}) > found.cycle / 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "sorts = 3\n" + sets(2), "unknown key 'sorts'"),
        (HEAD + '[[sets]]\nname = "a"\npuzzles = ["x"]\n', "set 'a' has 1 puzzle: a set has two or more"),
        (HEAD + "sets_each = 5\n" + sets(4), "sets_each is 5, and there are 4 sets"),
        (HEAD + "sets = []\n", "one set of puzzles or more"),
        ('name = "s"\n' + sets(2), "the key 'consent' is missing"),
        ('name = "s"\nconsent = " "\n' + sets(2), "'consent' is empty"),
        (HEAD + sets(2) + '[[groups]]\nname = "a"\n', "one group, 'a': compare it with another"),
        (HEAD + sets(2) + '[[groups]]\nname = "a"\n' * 2, "2 groups are called 'a'"),
        (HEAD + sets(3) + '[[conditions]]\nname = "a"\n[[conditions]]\nname = "b"\n',
         "3 sets of a person cannot be shared out equally among 2 conditions"),
        (HEAD + '[[sets]]\nname = "a"\npuzzles = ["x", "y"]\n' * 2, "2 sets are called 'a'"),
        (HEAD + '[[sets]]\nname = "a/b"\npuzzles = ["x", "y"]\n', "a set is called 'a/b'"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "end"\nkind = "scale"\nlow = 5\nhigh = 1\n',
         "goes from 5 to 1: 'low' must be the smaller"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "end"\nkind = "scale"\nhigh = 100\n',
         "at most 11 steps"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "end"\nkind = "text"\n' * 2,
         "2 questions are called 'q'"),
        (HEAD + sets(2) + '[[questions]]\nwhen = "set"\nkind = "which"\nwords = ["fun", "fun"]\n',
         "2 questions are called 'fun'"),
        (HEAD + sets(2) + '[[questions]]\nname = "moves"\nwhen = "end"\nkind = "text"\n', "rename"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "puzzle"\nkind = "which"\n', "after a set or"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "end"\nkind = "choice"\noptions = ["a"]\n',
         "two options or more"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "end"\nkind = "text"\nlow = 2\n',
         "'low' belongs to a question of kind 'scale'"),
        (HEAD + sets(2) + '[[questions]]\nname = "q"\nwhen = "later"\nkind = "text"\n', "value 'later'"),
        (HEAD + sets(2) + '[[questions]]\nwhen = "end"\nkind = "text"\n', "has a name, or else words"),
        (HEAD + "consent = 3\n" + sets(2), "not valid TOML"),
    ],
)  # fmt: skip
def test_a_plan_that_cannot_be_run_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(EpcgError) as refused:
        parse_study(text)
    assert said in str(refused.value)
    assert str(refused.value).startswith("plan")


@pytest.mark.parametrize(
    ("top", "count", "size", "said"),
    [
        ("people = 10", 4, 2, "10 people cannot be balanced, because the design repeats after 64"),
        ("people = 100", 4, 2, "plan for 64 or 128"),
        ("", 9, 5, "everything would be balanced after"),
        ("sets_each = 6", 12, 2, "can be chosen in 665,280 ways"),
    ],
)  # fmt: skip
def test_a_design_that_cannot_be_balanced_is_refused(top: str, count: int, size: int, said: str) -> None:
    with pytest.raises(QueryError) as refused:
        design(plan_of(top, count, size))
    assert said in str(refused.value)


def test_the_number_of_people_is_taken_if_it_is_balanced() -> None:
    assert design(plan_of("people = 128")).cycle == 64


def test_puzzles_are_files_texts_and_ids_and_each_occurs_once(reader: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(".....\n.o...\n..o.o\no...o\n")
    board = '"""\n.o..o\n.....\n"""'
    good = (
        HEAD + f'training = ["a.txt"]\n[[sets]]\nname = "x"\n[sets.puzzles]\none = {board}\n'
        'two = "fling:boards?height=8&pieces=2&width=7#0"\n'
    )
    laid = lay(parse_study(good), "p", tmp_path, None, "epcg.db")
    assert [each.name for each in laid.puzzles] == ["training/1", "x/one", "x/two"]
    data = laid.data()
    assert digest_of(data) == data["digest"]
    for entry, said in (
        ('"b.txt"', "There is no file of training/1"),
        ('"fling:boards?height=8&pieces=2&width=7#99999"', "its space has ranks"),
        ('"4#7"', "There is no database"),
        ('"no puzzle at all"', "training/1"),
        ('""', "training/1 is empty"),
        ('"fling:boards?height=8&pieces=2&width=7#0"', "are one puzzle"),
    ):
        with pytest.raises(EpcgError, match=said):
            lay(parse_study(good.replace('"a.txt"', entry)), "p", tmp_path, None, "epcg.db")


def test_a_puzzle_without_a_solution_and_a_folder_that_is_not_empty_are_refused(
    reader: Path, tmp_path: Path
) -> None:
    text = HEAD + '[[sets]]\nname = "x"\npuzzles = ["""\n.o..o\n.....\n""", """\no....\n...o.\n"""]\n'
    laid = lay(parse_study(text), "p", tmp_path, None, "epcg.db")
    with pytest.raises(QueryError, match="x/2 has no solution"):
        write_study(laid, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    for folder, said in ((tmp_path, "There is something in the folder"), (tmp_path / "file", "is a file")):
        with pytest.raises(QueryError, match=said):
            write_study(laid, folder)


@pytest.mark.parametrize(
    "name", ["fling/which_is_harder", pytest.param("snakebird/design_of_2020", marks=pytest.mark.slow)]
)
def test_shipped_studies_make_the_same_pages_each_time(name: str, reader: Path) -> None:
    found = [json.loads(epcg("study", "site", name, "--output", n, "--json").stdout) for n in ("a", "b")]
    assert found[0]["digest"] == found[1]["digest"]
    files = [{p.relative_to(n): p.read_bytes() for p in Path(n).rglob("*.*")} for n in ("a", "b")]
    assert files[0] == files[1]
    assert name in epcg("domains", name.partition("/")[0]).stdout


def test_a_study_of_another_name_is_told(toy: Numbers) -> None:
    said = toy.epcg("study", "site", "nothing.toml", code=1).stderr
    assert "There is no plan of a study 'nothing.toml'" in said
