"""The editor of boards."""

from __future__ import annotations

import numpy as np
import pytest
from epcg_fling.formats.boards import parse_board
from epcg_fling.rendering.editor import BoardEditor, new_board
from epcg_fling.rules.moves import BoardShape

from epcg_core.base.errors import EpcgError, UnknownNameError
from epcg_core.combinatorics.contents import changes_of, contents_of
from epcg_core.domain import resolve
from epcg_core.domain.editing import ERASE
from epcg_core.plugins.registry import registry

TEXT = "..o..\n.....\no.o.o\n.....\n"


def editor() -> BoardEditor:
    return BoardEditor(TEXT)


def test_balls_are_put_and_taken_away() -> None:
    own = editor()
    assert own.format(own.put(own.content, "c1,1", "ball")) == "o.o..\n.....\no.o.o\n....."
    assert own.format(own.put(own.content, "c3,1", ERASE)) == ".....\n.....\no.o.o\n....."
    assert own.scene(own.content).marks == dict.fromkeys(("c3,1", "c1,3", "c3,3", "c5,3"), ("ball",))


def test_a_board_is_made_and_resized() -> None:
    assert new_board(3, 2) == "o.o\n..."
    assert new_board(1, 3) == "o\n.\no"
    assert editor().resized(editor().content, 3, 3) == "..o\n...\no.o"
    for columns, rows in ((0, 4), (9, 9)):
        with pytest.raises(EpcgError, match=r"\w"):
            new_board(columns, rows)
        with pytest.raises(EpcgError, match=r"\w"):
            editor().resized(editor().content, columns, rows)


def test_a_move_is_a_touch_of_the_ball_and_of_the_next_cell() -> None:
    own = editor()
    model = own.transition_model
    position = model.initial(own.content)
    made = [own.gesture(own.content, position, action) for action in model.actions(position)]
    assert len({gesture.sites for gesture in made}) == len(made) > 0
    after = model.apply(position, next(iter(model.actions(position))))
    assert len(own.position_scene(own.content, after).marks) == 3


def test_changes_are_all_boards_with_one_ball_more_or_less() -> None:
    own = editor()
    space = changes_of(own)
    expected = {own.content ^ 1 << cell for cell in range(20)}
    assert {space.unrank(rank) for rank in range(space.max_rank)} == expected
    two = changes_of(own, most=2)
    assert two.max_rank == 20 + 190
    fixed = changes_of(own, marks=["ball"], locked=["c1,1"])
    assert fixed.max_rank == 20 - 4 - 1
    with pytest.raises(UnknownNameError, match="stone"):
        changes_of(own, marks=["stone"])
    with pytest.raises(UnknownNameError, match="c9,9"):
        changes_of(own, locked=["c9,9"])


@pytest.mark.parametrize("name", ["winning_moves", "legal_moves"])
def test_changes_are_measured_in_arrays_as_one_by_one(name: str) -> None:
    space = changes_of(editor())
    info = registry().evaluator("fling", name)
    evaluator = resolve(info.factory)(info.params(), space, {})
    found = evaluator.evaluate_states(space.states_at(np.arange(space.max_rank)))  # type: ignore[attr-defined]
    for rank in range(space.max_rank):
        own = evaluator.evaluate(space.unrank(rank))
        if own is not None:
            assert found.values[0][rank] == own[0]


def test_contents_are_boards_given_as_texts() -> None:
    own = editor()
    space = contents_of(own, [own.content, own.parse(".....\n.....\no...o\n.....")])
    assert space.max_rank == 2
    assert space.unrank(1) == parse_board(BoardShape(5, 4), ".....\n.....\no...o\n.....")
