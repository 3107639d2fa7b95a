"""What is said of a content that is being edited: measures, effects of changes, suggestions, play."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from epcg_fling.rules.moves import BoardShape, fling
from epcg_fling.rules.solving import Solver
from epcg_workbench.changes import Change, Effects, Suggestion, Suggestions, own_values, reduced

from epcg_core.base.errors import EpcgError, QueryError, UnknownNameError
from epcg_core.domain.editing import ERASE
from epcg_core.editing import editing
from epcg_core.editing.editing import open_document
from epcg_core.editing.play import Play

BOARD = "o..o\n.o..\no..o"
SOLVER = Solver(BoardShape(4, 3), "successors")

SOLVED = "o..o\n.o..\no..o"


def document(text: str = BOARD) -> editing.Document:
    return open_document("fling", text)


def values(text: str, evaluator: str, metric: str, **more: int) -> dict[str, object]:
    found = Effects(document(text), evaluator, **more)  # type: ignore[arg-type]
    return {change.description: change.values[metric] for part in found for change in part}


def test_the_measures_are_those_of_all_evaluators_plain_or_compiled() -> None:
    def told(plain: bool) -> dict[str, object]:
        return {
            measure.metric.name: (measure.value, measure.reason)
            for _, found in editing.measures(document(), plain_code=plain)
            for measure in found
            if not isinstance(measure, str)
        }

    assert told(True) == told(False)
    assert told(False)["solution_length"] == (4, "")
    assert {"muse", "winning_moves", "dead_share"} <= told(False).keys()


def test_the_player_knows_the_rules_that_are_named() -> None:
    def entropy(rules: list[str] | None) -> object:
        ((_, found),) = editing.measures(document(), ["entropy"], rules=rules)
        return [measure.value for measure in found if not isinstance(measure, str)]

    assert editing.known_rules("fling") == [("independent", editing.known_rules("fling")[0][1], True)]
    assert entropy(None) == entropy(["independent"])
    assert entropy([]) != entropy(["independent"])
    knowing, naive = (
        {c.rank: c.values for part in Effects(document(), "entropy", rules=rules) for c in part}
        for rules in (["independent"], [])
    )
    assert knowing.keys() == naive.keys()
    assert knowing != naive


def test_the_effect_of_every_change_is_that_of_the_changed_content() -> None:
    """Changes of one and of two cells, compared with a solver without kernels."""
    found = Effects(document(), "winning_moves", most=2)
    changes = [change for part in found for change in part]
    assert [change.rank for change in changes] == list(range(len(found)))
    assert len(changes) == 12 + 66
    original = document().editor.content
    for change in changes:
        board = original
        for edit in change.edits:
            x, y = map(int, edit.change["site"][1:].split(","))
            board ^= 1 << 4 * (y - 1) + x - 1
        assert change.values == {"winning_moves": len(SOLVER.winning_moves(board))}


def test_a_change_without_a_value_says_why() -> None:
    found = [change for part in Effects(document("o.o."), "solution") for change in part]
    unsolved = [change for change in found if change.values["solution_length"] is None]
    assert unsolved
    assert all(change.reason for change in unsolved)


def test_locked_places_are_not_changed() -> None:
    assert len(Effects(document(), "solvable", locked=["c1,1", "c2,1"])) == 10


def suggested(
    effects: Effects, own: int | None, most: int, part: int = 1000, metric: str = "winning_moves"
) -> list[Suggestion]:
    """What is chosen of changes that come in parts."""
    changes = every(effects)
    choosing = Suggestions(
        effects, metric, own_values(effects.document, effects.info.name) | {metric: own}, most
    )
    for start in range(0, len(changes), part):
        choosing.add(changes[start : start + part])
    return choosing.found()


def every(effects: Effects) -> list[Change]:
    return [change for part in effects for change in part]


def test_suggestions_are_the_extremes_of_all_changes() -> None:
    effects = Effects(document(), "winning_moves")
    own = len(SOLVER.winning_moves(document().editor.content))
    found = suggested(effects, own, most=1)
    numbers = [change.values["winning_moves"] for change in every(effects)]
    by_kind = {each.kind: each.value for each in found}
    assert by_kind.get("highest", own) == max(numbers)  # type: ignore[type-var]
    assert by_kind.get("lowest", own) == min(numbers)  # type: ignore[type-var]
    assert {each.change.rank for each in found} == {
        each.change.rank for each in suggested(effects, own, most=1, part=3)
    }
    solvable = suggested(effects, None, most=100)
    assert {each.kind for each in solvable} == {"solvable"}
    assert len(solvable) == len(effects)


def test_the_most_different_content_is_that_of_all_measures_together() -> None:
    """Compared with distances of fractions, over all changes of one and two cells."""
    effects = Effects(document(SOLVED), "solution", most=2)
    own = own_values(effects.document, "solution")
    metric = "solution_length"
    valued = [change for change in every(effects) if change.values[metric] is not None]
    assert own[metric] is not None
    assert len(effects.metrics) > 1

    def distance(change: Change) -> Fraction:
        total = Fraction(0)
        for name in change.values:
            others = [c.values[name] for c in valued if c.values[name] is not None]
            everything = [Fraction(v) for v in (*others, own[name]) if v is not None]
            span = max(everything) - min(everything)
            mine, here = change.values[name], own[name]
            if mine is None or here is None:
                total += mine is not here
            elif span:
                total += abs(Fraction(mine) - Fraction(here)) / span
        return total

    found = suggested(effects, own[metric], 5, 7, metric)  # type: ignore[arg-type]
    chosen = [each.change for each in found if each.kind == "different"]
    expected = sorted(valued, key=lambda change: (-distance(change), change.rank))[:5]
    assert [float(distance(c)) for c in chosen] == pytest.approx([float(distance(c)) for c in expected])
    assert len(chosen) == 5
    assert not [each for each in suggested(effects, None, 5, 7, metric) if each.kind == "different"]


@pytest.mark.parametrize("mark", [ERASE, "ball"])
def test_what_is_reduced_keeps_its_value_and_is_at_an_end(mark: str) -> None:
    text, name, locked = "o..o..\n......\n.o....\n....o.", "legal_moves", ["c1,1", "c6,4"]
    steps = list(reduced(document(text), name, name, mark, locked))
    end = document(steps[-1].text if steps else text)
    assert own_values(end, name) == own_values(document(text), name)
    assert all(
        change.values[name] != own_values(end, name)[name]
        for change in every(Effects(end, name, marks=[mark], locked=locked))
    )
    assert [len(step.made) for step in steps] == list(range(1, len(steps) + 1))
    assert [end.text[0], end.text[-1]] == [text[0], text[-1]]
    with pytest.raises(QueryError, match="has no solution_length, so there is nothing to keep"):
        list(reduced(document(text), "solution", "solution_length"))
    with pytest.raises(UnknownNameError, match="unknown mark 'x'"):
        list(reduced(document(text), name, name, "x"))


def test_a_mark_that_there_is_only_one_of_is_moved_but_once_to_each_place() -> None:
    """The exit of a level: filling with it ends, and the value stays."""
    level = next(iter(editing.examples("snakebird").values()))
    start = editing.open_document("snakebird", level)
    steps = list(reduced(start, "shortest_solution", "moves", "exit"))
    end = editing.open_document("snakebird", steps[-1].text if steps else level)
    assert own_values(end, "shortest_solution")["moves"] == own_values(start, "shortest_solution")["moves"]
    assert len({step.made[-1] for step in steps}) == len(steps)


def test_play_follows_the_rules_and_its_gestures_are_distinct() -> None:
    rng = random.Random(3)
    shape = BoardShape(4, 3)
    for _ in range(20):
        board = sum(1 << cell for cell in rng.sample(range(12), 5))
        text = "\n".join("".join("o" if board >> 4 * y + x & 1 else "." for x in range(4)) for y in range(3))
        taken: list[int] = []
        while True:
            play = Play(document(text), taken)
            position = play.position()
            gestures = [(step.gesture.sites, step.gesture.keys) for step in position.steps]
            assert len(set(gestures)) == len(gestures)
            if position.solved or not position.steps:
                break
            number = rng.randrange(len(position.steps))
            board = fling(shape, board, list(play._model.actions(play.state))[number])
            taken.append(number)
            assert Play(document(text), taken).state == board


def test_a_solution_is_found_from_any_position_and_dead_moves_are_known() -> None:
    play = Play(document())
    found = play.solve()
    numbers = play.numbers(found.actions)
    assert Play(document(), numbers).position().solved
    assert Play(document(), numbers[:1]).solve().length == len(numbers) - 1
    boards = [play._model.apply(play.state, action) for action in play._model.actions(play.state)]
    assert play.dead() == [not SOLVER.solvable(board) for board in boards]
    assert set(play.dead(limit=0)) <= {None}


def test_wrong_requests_get_a_sentence() -> None:
    with pytest.raises(QueryError, match="There is no action 99 here"):
        Play(document(), [99])
    with pytest.raises(UnknownNameError, match="unknown site 'c9,9'"):
        document().put(["c9,9"], "ball")
    with pytest.raises(UnknownNameError, match=r"unknown mark 'bal'\. Did you mean 'ball'"):
        document().put(["c1,1"], "bal")
    with pytest.raises(EpcgError, match="Row 2"):
        document("o..o\n.x..\n....")
    with pytest.raises(QueryError, match="100,001 characters"):
        document("o" * 100_001)
    with pytest.raises(EpcgError, match="65 cells"):
        document().resized(65, 1)


def test_texts_find_their_domain() -> None:
    assert "fling" in editing.recognised(BOARD)
    assert editing.recognised("no puzzle\x00 at all") == []
