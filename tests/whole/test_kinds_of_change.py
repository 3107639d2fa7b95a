"""Moves, swaps, flips and turns of what lies on a content: all of them, once each, measured as if alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_fling.rendering.editor import BoardEditor
from epcg_puzzlescript.rendering import editor as puzzlescript
from epcg_snakebird.formats.drawing import format_level
from epcg_snakebird.rendering.editor import LevelEditor

import epcg_core as epcg
from epcg_core.base.errors import CandidateError, EpcgError, ParamsError, UnknownNameError
from epcg_core.base.params import structure
from epcg_core.combinatorics.contents import Changes, changes_of
from epcg_core.combinatorics.rearranged import puts_of, sites_of
from epcg_core.domain import resolve
from epcg_core.domain.editing import CHANGE_KINDS, cell
from epcg_core.plugins.registry import registry
from epcg_core.query.query import parse_query
from epcg_core.query.spec import space_spec
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.workplace import sweep

BOARD = "o..o\n.o..\n...."
LEVEL = "name: Small\n...E.\n.F.*.\n.1<..\n.###.\n"
REARRANGING = CHANGE_KINDS[2:]
Cells = tuple[Any, ...]
"""What lies on the cells of a board, row by row."""


def moved(cells: Cells, width: int, empty: Any, fixed: frozenset[int]) -> Iterator[Cells]:
    for a, b in permutations(range(len(cells)), 2):
        if cells[a] != empty and cells[b] == empty and not {a, b} & fixed:
            yield exchanged(cells, a, b)


def swapped(cells: Cells, width: int, empty: Any, fixed: frozenset[int]) -> Iterator[Cells]:
    for a, b in combinations(range(len(cells)), 2):
        if not {a, b} & fixed:
            yield exchanged(cells, a, b)


def exchanged(cells: Cells, a: int, b: int) -> Cells:
    found = list(cells)
    found[a], found[b] = found[b], found[a]
    return tuple(found)


def squares(cells: Cells, width: int, fixed: frozenset[int]) -> Iterator[tuple[int, int, int, int]]:
    """The places of each square of four cells, row by row."""
    for corner in range(len(cells) - width):
        places = corner, corner + 1, corner + width, corner + width + 1
        if corner % width < width - 1 and not {*places} & fixed:
            yield places


def shown(cells: Cells, places: tuple[int, ...], sources: tuple[int, ...]) -> Cells:
    found = list(cells)
    for place, source in zip(places, sources, strict=True):
        found[place] = cells[source]
    return tuple(found)


def flipped(cells: Cells, width: int, empty: Any, fixed: frozenset[int]) -> Iterator[Cells]:
    for a, b, c, d in squares(cells, width, fixed):
        yield shown(cells, (a, b, c, d), (b, a, d, c))
        yield shown(cells, (a, b, c, d), (c, d, a, b))


def turned(cells: Cells, width: int, empty: Any, fixed: frozenset[int]) -> Iterator[Cells]:
    for a, b, c, d in squares(cells, width, fixed):
        yield shown(cells, (a, b, c, d), (c, a, d, b))
        yield shown(cells, (a, b, c, d), (d, c, b, a))
        yield shown(cells, (a, b, c, d), (b, d, a, c))


EVERY: dict[str, Callable[..., Iterator[Cells]]] = {
    "move": moved, "swap": swapped, "flip": flipped, "turn": turned,
}  # fmt: skip


@attrs.frozen
class Case:
    """A content, and how it is read and made cell by cell, without its editor's puts."""

    editor: Any
    width: int
    empty: Any
    cells: Callable[[Any], Cells]
    content: Callable[[Cells], Any]
    locked: tuple[int, ...] = ()

    @property
    def names(self) -> list[str]:
        return [cell(number % self.width, number // self.width) for number in self.locked]

    def expected(self, kinds: tuple[str, ...]) -> set[Any]:
        """All contents that one change of these kinds makes, the original aside."""
        own = self.cells(self.editor.content)
        found = set()
        for kind in kinds:
            for cells in EVERY[kind](own, self.width, self.empty, frozenset(self.locked)):
                try:
                    found.add(self.content(cells))
                except EpcgError:  # no content
                    continue
        return found - {self.editor.content}


def fling() -> Case:
    def cells(board: int) -> Cells:
        return tuple(board >> number & 1 for number in range(12))

    def content(found: Cells) -> int:
        return sum(bit << number for number, bit in enumerate(found))

    return Case(BoardEditor(BOARD), 4, 0, cells, content)


def snakebird() -> Case:
    """The snake stays, so that each cell's letter stands for what lies there."""
    editor = LevelEditor(LEVEL)

    def cells(level: Any) -> Cells:
        return tuple("".join(format_level(level).splitlines()[1:]))

    def content(found: Cells) -> Any:
        rows = ["".join(found[start : start + 5]) for start in range(0, len(found), 5)]
        return editor.parse("\n".join(["name: Small", *rows, ""]))

    return Case(editor, 5, ".", cells, content, (11, 12))


def sokoban() -> Case:
    """The middle of a new level, whose walls stay."""
    editor = puzzlescript.LevelEditor(puzzlescript.new_level(7, 5))
    level = editor.content

    def cells(found: Any) -> Cells:
        return tuple(
            found.cells[x * level.height + y] for y in range(level.height) for x in range(level.width)
        )

    def content(found: Cells) -> Any:
        columns = [found[y * level.width + x] for x in range(level.width) for y in range(level.height)]
        return attrs.evolve(level, cells=tuple(columns))

    empty = editor.put(level, "c1,1", "").cells[0]
    border = [n for n in range(35) if n % 7 in (0, 6) or n // 7 in (0, 4)]
    return Case(editor, 7, empty, cells, content, tuple(border))


CASES = {"fling": fling, "snakebird": snakebird, "puzzlescript": sokoban}


def states(space: Changes[Any]) -> list[Any]:
    return [space.unrank(rank) for rank in range(space.max_rank)]


SWEPT = sweep(CASES, lambda domain: domain == "fling")
"""All domains; one is tried with the fast tests."""


@pytest.mark.parametrize("kinds", [*[(kind,) for kind in REARRANGING], REARRANGING], ids=" ".join)
@pytest.mark.parametrize("name", SWEPT)
def test_single_changes_of_a_kind_are_those_found_cell_by_cell(name: str, kinds: tuple[str, ...]) -> None:
    case = CASES[name]()
    space = changes_of(case.editor, locked=case.names, kinds=kinds)
    found = states(space)
    assert set(found) == case.expected(kinds)
    assert len(found) == len(set(found)) > 0
    assert len({edit.description for edit in space.edits}) == len(space.edits)


@pytest.mark.parametrize("name", SWEPT)
def test_further_kinds_come_after_what_is_put(name: str) -> None:
    case = CASES[name]()
    usual, every = changes_of(case.editor), changes_of(case.editor, kinds=CHANGE_KINDS)
    assert states(every)[: usual.max_rank] == states(usual)
    assert every.edits[: usual.max_rank] == usual.edits
    assert len({*states(every)}) == every.max_rank > usual.max_rank
    only = changes_of(case.editor, kinds=["erase"]).edits
    assert {edit.change["mark"] for edit in only} == {""}


def test_changes_are_told_in_words_and_made_by_puts() -> None:
    case = sokoban()
    space = changes_of(case.editor, kinds=REARRANGING, locked=case.names)
    words = [edit.description for edit in space.edits]
    assert "the keeper from column 2, row 2 to column 5, row 2" in words
    assert any(word.endswith("swapped") for word in words)
    for rank, state in enumerate(states(space)):
        (edit,) = (space.edits[number] for number in space.edits_of(rank))
        made = case.editor.content
        for site, mark in puts_of(edit):
            made = case.editor.put(made, site, mark)
        assert made == state
        assert not {*sites_of(edit)} & {*case.names}


def test_two_changes_are_made_together_or_the_reason_is_said() -> None:
    """Two moves of a board without shared places are both made; ranks and edits belong together."""
    case = fling()
    space = changes_of(case.editor, most=2, kinds=["erase", "move"])
    singles = changes_of(case.editor, kinds=["erase", "move"])
    alone, reasons = states(singles), set()
    for rank in range(singles.max_rank, space.max_rank):
        numbers = space.edits_of(rank)
        one, other = ({*sites_of(space.edits[number])} for number in numbers)
        assert space.rank_of(numbers) == rank
        try:
            state = space.unrank(rank)
        except CandidateError as error:
            reasons.add(str(error).rpartition(": ")[2])
            assert one & other
        else:
            first, second = (alone[number] ^ case.editor.content for number in numbers)
            assert not one & other
            assert state == case.editor.content ^ first ^ second
            assert state not in alone
    assert reasons == {"these change one place twice."}
    both = changes_of(case.editor, most=2, kinds=["put", "erase", "move"])
    with pytest.raises(CandidateError, match="fewer changes make the same"):
        both.unrank(both.rank_of((0, 1)))  # emptied, and filled beside it: a move


def test_a_region_is_named_or_has_a_size() -> None:
    board = BoardEditor("oo.\n...\n...")
    turns = changes_of(board, kinds=["turn"], region=["c3,3", "c1,1"])
    assert [board.format(state).split() for state in states(turns)] == [
        ["..o", "..o", "..."], ["...", "...", ".oo"], ["...", "o..", "o.."],
    ]  # fmt: skip
    assert [edit.description for edit in turns.edits] == [
        "column 1, row 1 to column 3, row 3: turned clockwise",
        "column 1, row 1 to column 3, row 3: turned by 180 degrees",
        "column 1, row 1 to column 3, row 3: turned counter-clockwise",
    ]
    wide = changes_of(board, kinds=["flip", "turn"], size=[3, 1])
    assert [board.format(state).split()[0] for state in states(wide)] == [".oo"]
    with pytest.raises(ParamsError, match="not locked"):
        changes_of(board, kinds=["flip"], region=["c1,1", "c2,2"], locked=["c2,1"])
    with pytest.raises(UnknownNameError, match=r"region: unknown site 'c4,4'"):
        changes_of(board, kinds=["flip"], region=["c1,1", "c4,4"])
    with pytest.raises(ParamsError, match="leave one of the two out"):
        changes_of(board, kinds=["flip"], region=["c1,1", "c2,2"], size=[2, 2])
    with pytest.raises(ParamsError, match="columns and rows"):
        changes_of(board, kinds=["flip"], size=[2])
    with pytest.raises(UnknownNameError, match=r"kinds: unknown kind of change 'mov'\. Did you mean 'move'"):
        changes_of(board, kinds=["mov"])
    with pytest.raises(ParamsError, match="name one kind"):
        changes_of(board, kinds=[])


def test_marks_narrow_what_is_taken_elsewhere() -> None:
    case = sokoban()
    space = changes_of(case.editor, kinds=["move", "swap"], marks=["keeper"], locked=case.names)
    assert len(states(space)) == 12
    assert {edit.change["kind"] for edit in space.edits} == {"move"}


def test_ids_of_usual_changes_stay() -> None:
    found = space_spec(registry(), "fling", "changes", {"content": BOARD})
    assert {"kinds", "region", "size"}.isdisjoint(found.generator.params)
    other = space_spec(registry(), "fling", "changes", {"content": BOARD, "kinds": ["move"]})
    assert other.generator.params["kinds"] == ["move"]


@pytest.mark.parametrize(
    ("domain", "fast", "alone"),
    [
        pytest.param("snakebird", "edit_effect", "shortest_solution", marks=pytest.mark.slow),
        pytest.param("puzzlescript", "edit_effect", "shortest_solution", marks=pytest.mark.slow),
        ("fling", "solution", "solution"),
    ],
)
def test_rearranged_contents_are_measured_as_by_plain_code(domain: str, fast: str, alone: str) -> None:
    case = CASES[domain]()
    space = changes_of(case.editor, kinds=CHANGE_KINDS, locked=case.names)

    def made(name: str) -> Any:
        info = registry().evaluator(domain, name)
        return resolve(info.factory)(structure(info.params, {}, name), space, {})

    quick, slow = made(fast), made(alone)
    slow = slow.plain() if hasattr(slow, "plain") else slow
    outcomes = set()
    for rank in range(space.max_rank):
        state = space.unrank(rank)
        values, expected = quick.evaluate(state), slow.evaluate(state)
        assert (values and values[0]) == (expected and expected[0]), space.edits[rank].description
        outcomes.add(values and values[0])
    assert len(outcomes) > 2


@pytest.mark.parametrize(
    ("name", "most"),
    [("fling", 1), *sweep([("fling", 2), ("snakebird", 1), ("puzzlescript", 1)], lambda _: False)],
)
def test_a_recorded_run_with_all_kinds_verifies_and_names_its_changes(
    name: str, most: int, tmp_path: Path
) -> None:
    case = CASES[name]()
    text = case.editor.format(case.editor.content)
    evaluator, metric = ("solution", "solution_length") if name == "fling" else ("edit_effect", "moves")
    query = f"""
domain = "{name}"
[generator]
name = "changes"
content = '''
{text}'''
most = {most}
kinds = ["erase", "move", "swap", "flip", "turn"]
locked = {case.names}
[[evaluators]]
name = "{evaluator}"
[[select]]
metric = "{metric}"
keep = "highest"
count = 3
[record]
rows = "all"
"""
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        run = execute(parse_query(query), store, Options("serial", quiet=True)).runs[-1]
    with Store.open(tmp_path / "epcg.db") as store:
        report = verify(store, run.id, sample=50)
    assert report.passed, [check for check in report.checks if check.verdict != "holds"]
    kinds = ["erase", *REARRANGING]
    space = changes_of(case.editor, most=most, locked=case.names, kinds=kinds)
    rows = epcg.open(tmp_path / "epcg.db").sql("SELECT position, description, change FROM edit ORDER BY 1")
    assert [row[1] for row in rows] == [edit.description for edit in space.edits]
    assert any('"kind":"move"' in row[2] and '"puts":[[' in row[2] for row in rows)
