"""Params: what TOML may say, and which sentence answers what it may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import attrs
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError, UnknownNameError
from epcg_core.base.params import canonical_json, describe, param, plain, structure, unsupported


@attrs.frozen
class Cell:
    row: int = param(minimum=0)
    column: int = param(0, minimum=0, maximum=9)


@attrs.frozen
class Board:
    width: int = param(minimum=1, maximum=64, help="cells in a row")
    ratio: float = param(0.5, minimum=0.0, maximum=1.0)
    mode: Literal["plain", "wrapped"] = param("plain")
    closed: bool = param(False)
    label: str = param("")
    limit: int | None = param(None, minimum=1)
    sizes: tuple[int, ...] = param((), minimum=1, maximum=5)
    corner: Cell = param(Cell(0))
    cells: tuple[Cell, ...] = param(())
    more: dict[str, Any] = param(attrs.Factory(dict))


def test_every_type_is_structured_as_it_stands() -> None:
    table = {
        "width": 7, "ratio": 1, "mode": "wrapped", "closed": True, "label": "x", "limit": 3, "sizes": [1, 5],
        "corner": {"row": 4, "column": 2}, "cells": [{"row": 1}], "more": {"a": 1},
    }  # fmt: skip
    board = structure(Board, table, "generator")
    assert board == Board(7, 1.0, "wrapped", True, "x", 3, (1, 5), Cell(4, 2), (Cell(1),), {"a": 1})
    assert type(board.ratio) is float


@attrs.frozen
class Extended:
    width: int = param(3)
    mode: str = param("plain", named_if_default=False)


def test_a_param_that_was_added_later_is_named_only_if_it_has_another_value() -> None:
    assert plain(structure(Extended, {}, "g")) == plain(Extended(mode="plain")) == {"width": 3}
    assert plain(Extended(mode="other")) == {"width": 3, "mode": "other"}
    for board in (Extended(), Extended(mode="other")):
        assert structure(Extended, plain(board), "g") == board


def test_defaults_are_written_out() -> None:
    assert plain(structure(Board, {"width": 1}, "g")) == {
        "width": 1, "ratio": 0.5, "mode": "plain", "closed": False, "label": "", "limit": None, "sizes": [],
        "corner": {"row": 0, "column": 0}, "cells": [], "more": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({}, "generator: the key 'width' is missing (cells in a row)."),
        ({"width": "7"}, "generator.width: \"7\" is not an integer from 1 to 64."),
        ({"width": True}, "generator.width: true is not an integer from 1 to 64."),
        ({"width": 7.0}, "generator.width: 7.0 is not an integer from 1 to 64."),
        ({"width": 65}, "generator.width: 65 is not allowed; expected an integer from 1 to 64."),
        ({"width": 0}, "generator.width: 0 is not allowed; expected an integer from 1 to 64."),
        ({"width": 1, "ratio": True}, "generator.ratio: true is not a number from 0.0 to 1.0."),
        ({"width": 1, "ratio": float("nan")},
         "generator.ratio: nan is not allowed; expected a number from 0.0 to 1.0."),
        ({"width": 1, "closed": 1}, "generator.closed: 1 is not true or false."),
        ({"width": 1, "label": 5}, "generator.label: 5 is not a string."),
        ({"width": 1, "limit": 0}, "generator.limit: 0 is not allowed; expected an integer, 1 or more."),
        ({"width": 1, "sizes": 3}, "generator.sizes: 3 is not a list."),
        ({"width": 1, "sizes": [1, "b"]}, "generator.sizes 2: \"b\" is not an integer from 1 to 5."),
        ({"width": 1, "sizes": [1, 6]}, "generator.sizes 2: 6 is not allowed; expected a list, each an "
                                        "integer from 1 to 5."),
        ({"width": 1, "corner": 4}, "generator.corner: a table of keys is expected, not 4."),
        ({"width": 1, "corner": {"row": -1}}, "generator.corner.row: -1 is not allowed; expected an "
                                              "integer, 0 or more."),
        ({"width": 1, "cells": [{"row": 0}, {}]}, "generator.cells 2: the key 'row' is missing."),
        ({"width": 1, "more": []}, "generator.more: [] is not a table."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParamsError) as raised:
        structure(Board, table, "generator")
    assert str(raised.value) == sentence


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as raised:
        structure(Board, {"widht": 7}, "generator")
    assert raised.value.nearest == "width"
    assert str(raised.value).startswith("generator: unknown key 'widht'. Did you mean 'width'? Known: ")


def test_an_unknown_choice_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"generator\.mode: unknown value 'wraped'.*'wrapped'\?"):
        structure(Board, {"width": 1, "mode": "wraped"}, "generator")


def test_a_table_is_expected() -> None:
    with pytest.raises(ParamsError, match=r'generator: a table of keys is expected, not "x"\.'):
        structure(Board, "x", "generator")  # type: ignore[arg-type]


def test_describe_says_what_is_allowed() -> None:
    rows = {name: (allowed, help) for name, allowed, help in describe(Board)}
    assert rows["width"] == ("an integer from 1 to 64, required", "cells in a row")
    assert rows["mode"] == ('"plain" or "wrapped", default "plain"', "")
    assert rows["sizes"][0].startswith("a list, each an integer from 1 to 5")
    assert rows["more"][0] == "a table, default {}"
    assert rows["limit"][0] == "an integer, 1 or more, optional"


boards = st.builds(
    Board,
    width=st.integers(1, 64),
    ratio=st.floats(0, 1),
    mode=st.sampled_from(["plain", "wrapped"]),
    closed=st.booleans(),
    label=st.text(),
    limit=st.none() | st.integers(1, 10**20),
    sizes=st.lists(st.integers(1, 5)).map(tuple),
    corner=st.builds(Cell, st.integers(0, 5), st.integers(0, 9)),
    cells=st.lists(st.builds(Cell, st.integers(0, 5)), max_size=2).map(tuple),
    more=st.dictionaries(st.text(), st.integers(), max_size=2),
)


@given(boards)
def test_plain_and_structure_are_inverse_also_through_json(board: Board) -> None:
    assert structure(Board, plain(board), "g") == board
    assert structure(Board, json.loads(canonical_json(plain(board))), "g") == board


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans()), max_size=4))
def test_canonical_json_depends_on_content_only(data: dict[str, Any]) -> None:
    shuffled = dict(reversed(list(data.items())))
    assert canonical_json(data) == canonical_json(shuffled)
    assert json.loads(canonical_json(data)) == data


values = st.none() | st.integers() | st.floats() | st.text() | st.lists(st.integers())


@given(st.dictionaries(st.sampled_from(["width", "ratio", "sizes", "corner", "x"]), values))
def test_whatever_a_table_holds_the_answer_is_a_board_or_a_sentence(table: dict[str, Any]) -> None:
    try:
        board = structure(Board, table, "g")
    except EpcgError:
        return
    assert 1 <= board.width <= 64
    assert 0 <= board.ratio <= 1
    assert all(1 <= size <= 5 for size in board.sizes)


READABLE = (
    int, float, bool, str, Any, Literal["a", 2], int | None, tuple[str, ...], list[float], dict, Cell,
    dict[str, int], tuple[Cell, ...], str | dict[str, Cell], dict[str, tuple[int, ...]],
)  # fmt: skip
UNREADABLE = (
    set[int], frozenset[str], Path, bytes, complex, object, Fraction, date, list, tuple, tuple[int, str],
    dict[int, str], Literal["a", None], Callable[[int], int], int | bytes, tuple[set[int], ...],
)  # fmt: skip


@pytest.mark.parametrize("kind", [*READABLE, *UNREADABLE], ids=str)
def test_types_that_toml_does_not_have_are_found(kind: Any) -> None:
    made = attrs.make_class("Made", {"size": attrs.field(type=int), "extra": attrs.field(type=kind)})
    nested = attrs.make_class("Nested", {"inner": attrs.field(type=made)})
    found = unsupported(made)
    assert bool(found) == any(kind is other for other in UNREADABLE)
    assert all(told.startswith("extra: ") for told in found)
    assert bool(unsupported(nested)) == bool(found)


def test_a_field_without_a_type_is_found() -> None:
    assert unsupported(attrs.make_class("Made", ["size"])) == ["size: no type"]
