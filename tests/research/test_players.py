"""Player models: known weights are found, people who are held out are foreseen, files are checked."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import EpcgError, StoreError
from epcg_core.difficulty import Inference
from epcg_core.store.traces import TracedAction

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

from epcg_research.players import files
from epcg_research.players.decisions import Log, Puzzle, _Replay
from epcg_research.players.features import Features, kind_of, outcomes
from epcg_research.players.fitting import Ask, Choices, choices_of, counted, fit, maximize
from epcg_research.players.models import Counts, Rules, Softmax, Uniform, softmax
from epcg_research.players.positions import DEAD, UNKNOWN, Positions
from epcg_research.players.sights import sights
from epcg_research.players.simulation import simulate
from epcg_research.players.validation import validate

STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
ROOM = """
....#
.#...
...P.
.#..G
"""
"""A token walks from the upper left corner to G; who falls into the pit P stays there."""


class Walk:
    """The rules of play."""

    def __init__(self, room: str) -> None:
        rows = room.split()
        self.cells = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}

    def initial(self, content: Any) -> tuple[int, int]:
        return 0, 0

    def actions(self, state: tuple[int, int]) -> list[str]:
        if self.cells[state] == "P":
            return []
        return [name for name in STEPS if self.cells.get(self.apply(state, name), "#") != "#"]

    def apply(self, state: tuple[int, int], action: str) -> tuple[int, int]:
        return state[0] + STEPS[action][0], state[1] + STEPS[action][1]

    def is_goal(self, state: tuple[int, int]) -> bool:
        return self.cells[state] == "G"

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


@attrs.frozen
class Rooms:
    """A generator of one room."""

    transition_model: Walk


def room(text: str = ROOM, name: str = "walk:room#0") -> Puzzle:
    model = Walk(text)
    return Puzzle(name, "walk", Rooms(model), "content", Positions(model, (0, 0), text), None)


def log_of(puzzle: Puzzle, traces: Sequence[dict[str, Any]]) -> Log:
    """Replay what was simulated."""
    replay = _Replay()
    replay._numbers, replay._puzzles = {puzzle.id: 0}, [puzzle]
    for trace in traces:
        for own in trace["puzzles"]:
            actions = [TracedAction(*each) for each in own["actions"]]
            replay.add(trace["player"], own["puzzle"], actions, own["finished"], own["seconds"])
    return replay.log([])


def played(*actions: str, player: str = "a", **parts: Any) -> dict[str, Any]:
    """A trace: 'move right', 'undo', 'hint' and so on, a second each."""
    rows = [[1000 * (n + 1), *action.split(" ", 1)] for n, action in enumerate(actions)]
    own = {"puzzle": "walk:room#0", "actions": rows, "finished": False, "seconds": len(rows)} | parts
    return {"player": player, "puzzles": [own]}


# --- positions and decisions ------------------------------------------------------------------------------


def test_distances_and_what_a_move_does_to_them() -> None:
    """From the corner it is seven steps; in the pit all is lost."""
    positions = room().positions
    assert (positions.distance(0), positions.exhausted) == (7, True)
    pit = positions.number_of((3, 2))
    assert positions.distance(pit) == DEAD
    before = positions.number_of((2, 2))
    told = dict(zip(positions.words(before), outcomes(positions, before), strict=True))
    assert told == {"up": "farther", "down": "nearer", "left": "farther", "right": "lost"}
    last = positions.number_of((4, 2))
    told = dict(zip(positions.words(last), outcomes(positions, last), strict=True))
    assert told == {"up": "farther", "down": "solves", "left": "lost"}


def test_a_puzzle_that_is_too_large_has_no_distances() -> None:
    positions = Positions(Walk(ROOM), (0, 0), ROOM, limit=5)
    assert (positions.distance(0), positions.exhausted) == (UNKNOWN, False)
    assert set(outcomes(positions, 0)) == {""}


def test_undo_restart_hint_and_solution_are_no_decisions() -> None:
    log = log_of(
        room(),
        [played("move right", "undo", "move down", "hint", "move down", "move up", "restart", "move right",
                "solution", "move right")],
    )  # fmt: skip
    puzzle = log.puzzles[0]
    assert [
        (puzzle.positions.states[d.position], puzzle.positions.words(d.position)[d.chosen], len(d.way))
        for d in log.decisions
    ] == [
        ((0, 0), "right", 0), ((0, 0), "down", 0), ((0, 2), "up", 2), ((0, 0), "right", 0)
    ], "the move after the hint and the one after the solution do not count"  # fmt: skip
    (visit,) = log.visits
    states = [puzzle.positions.states[number] for number in visit.path]
    assert states == [(0, 0), (1, 0), (0, 0), (0, 1), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0)]
    assert [puzzle.positions.states[n] for n in (*visit.undone, *visit.restarts)] == [(1, 0), (0, 1)]
    assert visit.gave_up


def test_a_move_that_is_not_legal_is_told() -> None:
    with pytest.raises(EpcgError, match=r"action 2, 'left', is not a legal move there: .*'up', 'down'"):
        log_of(room(), [played("move down", "move left")])


def test_kinds_are_moves_without_numbers() -> None:
    assert [kind_of(text) for text in ("c3 left", "left", "1 to 3", "snake 1 up")] == [
        "left", "left", "to", "snake up"
    ]  # fmt: skip


# --- fitting ----------------------------------------------------------------------------------------------

TRUE = {"solves": 1.9, "nearer": 1.6, "lost": -0.6, "choices": 0.5}
KINDS = ("farther", *(f"kind:{name}" for name in STEPS))
"""Left out: here all moves that are none of the others lead farther, so that one weight is free."""


def drawn(seed: int, people: int = 40, features: int = 3) -> tuple[Choices, Any]:
    """Choices of people by known weights, drawn without the code that is tested."""
    random = np.random.default_rng(seed)
    weights = np.array([1.0, -0.5, 0.25])[:features]
    rows, starts, chosen, owners, row = [], [], [], [], 0
    for person in range(people):
        for _ in range(30):
            own = random.standard_normal((int(random.integers(2, 6)), features))
            gumbel = random.gumbel(size=len(own))
            starts.append(row)
            chosen.append(row + int(np.argmax(own @ weights + gumbel)))
            owners.append(person)
            rows.append(own)
            row += len(own)
    found = Choices(np.concatenate(rows), np.array(starts), np.array(chosen), np.array(owners))
    return found, weights


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    from scipy.optimize import check_grad

    choices, _ = drawn(0)
    for at in (np.zeros(3), np.array([0.7, -2.0, 1.1])):
        error = check_grad(lambda w: choices.loss(w, 2.0)[0], lambda w: choices.loss(w, 2.0)[1], at)
        assert error < 1e-3 * len(choices.starts) ** 0.5


@pytest.mark.slow
def test_weights_and_errors_are_those_of_statsmodels() -> None:
    """Without a penalty: the conditional logit's weights, and of one decision a person nearly its errors."""
    from statsmodels.discrete.conditional_models import ConditionalLogit

    choices, _ = drawn(1)
    taken = np.zeros(len(choices.features))
    taken[choices.chosen] = 1
    model = ConditionalLogit(taken, choices.features, groups=choices.owners).fit(disp=False)
    weights = maximize(choices, 0.0)
    assert weights == pytest.approx(np.asarray(model.params), abs=1e-4)
    alone = attrs.evolve(choices, people=np.arange(len(choices.starts)))
    errors = alone.errors(weights, 0.0)
    assert errors == pytest.approx(np.asarray(model.bse), rel=0.1)


def test_intervals_of_weights_hold_the_truth() -> None:
    """Of 60 times 3 intervals of 95 %, fewer than 160 would be a chance of less than 1 in 1000."""
    held = 0
    for seed in range(60):
        choices, true = drawn(seed, people=25)
        weights = maximize(choices, 0.0)
        errors = choices.errors(weights, 0.0)
        held += int((np.abs(weights - true) < 1.96 * errors).sum())
    assert held >= 160


def test_weights_that_people_were_simulated_with_are_found_again() -> None:
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax(TRUE), 300, 60, seed=3))
    found = fit(log, Ask("softmax", without=KINDS, penalty=0.0))
    assert isinstance(found, Softmax)
    assert found.weights.keys() == TRUE.keys()
    for name, weight in found.weights.items():
        error = found.errors[name]
        assert error is not None
        assert abs(weight - TRUE[name]) < 3.3 * error, name
        assert error < 0.3, name


def test_counts_back_off_to_the_class_and_then_to_all() -> None:
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax({"nearer": 2.0}), 60, 40, seed=1))
    found = fit(log, Ask("counts"))
    assert isinstance(found, Counts)
    for number in range(len(puzzle.positions.states)):
        if puzzle.positions.moves(number):
            assert found.probabilities(puzzle.positions, number).sum() == pytest.approx(1)
    much = attrs.evolve(found, strength=1e9).probabilities(puzzle.positions, 0)
    little = attrs.evolve(found, strength=1e-9).probabilities(puzzle.positions, 0)
    chosen = [d.chosen for d in log.decisions if d.position == 0]
    assert little == pytest.approx([chosen.count(0) / len(chosen), chosen.count(1) / len(chosen)])
    assert much[1] != pytest.approx(little[1])
    other = room(ROOM.replace("P", "."), "walk:room#1").positions
    unseen = found.probabilities(other, 0)
    told = dict(zip(outcomes(other, 0), unseen, strict=True))
    assert all(0 < p < 1 for p in told.values()), "a position of another puzzle has the class alone"
    none = counted(log, {}, 1.0)
    assert none.probabilities(puzzle.positions, 0) == pytest.approx([0.5, 0.5]), "and without people none"


def test_a_rule_player_slips_as_often_as_people_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule: never turn to the left. A quarter of the moves are made without looking."""
    from epcg_core.difficulty import Answer

    rule = Inference[Any, Any]([lambda state, action: Answer.CANNOT if action == "left" else Answer.UNKNOWN])
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], Rules(("r",), {}, 0.25, rule), 200, 60, seed=2))
    monkeypatch.setattr("epcg_research.players.fitting.made_rules", lambda *_: [rule_of(rule)])
    found = fit(log, Ask("rules", ("r",)))
    assert isinstance(found, Rules)
    assert found.slip == pytest.approx(0.25, abs=0.06)
    weights = fit(log, Ask("softmax", ("r",), without=KINDS))
    assert isinstance(weights, Softmax)
    assert weights.weights["ruled_out"] < -1


def rule_of(inference: Inference[Any, Any]) -> Any:
    return inference._rules[0]


def test_what_cannot_be_fitted_is_told() -> None:
    puzzle = room()
    alone = log_of(puzzle, [played("move right", "move right", "move down", "move down")])
    found = fit(alone, Ask("softmax"))
    assert isinstance(found, Softmax)
    assert set(found.errors.values()) == {None}
    with pytest.raises(EpcgError, match=r"One person has decisions .* nothing can be held out"):
        validate(alone, [Ask("softmax")])
    with pytest.raises(EpcgError, match="grow without end"):
        fit(alone, Ask("softmax", penalty=0.0))
    with pytest.raises(EpcgError, match="no feature 'speed' here, but solves, nearer"):
        fit(alone, Ask("softmax", without=("speed",)))
    with pytest.raises(EpcgError, match="The penalty -1 is not 0 or more"):
        fit(alone, Ask("softmax", penalty=-1.0))
    with pytest.raises(EpcgError, match=r"No feature differs .* are constant"):
        fit(log_of(room("....G"), [played("move right", "move right", "move left")]),
            Ask("softmax", without=("nearer", "solves", "choices", *KINDS[:1], *KINDS[3:])))  # fmt: skip
    with pytest.raises(EpcgError, match="one legal move only: nothing was decided"):
        fit(log_of(room(".G"), [played("move right")]), Ask("softmax"))
    with pytest.raises(StoreError, match="There are no decisions of people"):
        log_of(puzzle, [played("hint", "move right")])
    with pytest.raises(EpcgError, match="needs the inference rules"):
        fit(alone, Ask("rules"))


def test_a_domain_adds_features_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """People who like to go right, whatever that leads to: the domain says how far right a move is."""

    def right(model: Walk, state: tuple[int, int], action: str) -> dict[str, float]:
        return {"right": float(STEPS[action][0])}

    monkeypatch.setattr(Walk, "move_features", right, raising=False)
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax({"own:right": 1.5}), 100, 40))
    found = fit(log, Ask("softmax", without=KINDS))
    assert isinstance(found, Softmax)
    assert found.weights["own:right"] == pytest.approx(1.5, abs=0.25)
    assert abs(found.weights["nearer"]) < 0.35


def test_a_step_back_undoes_and_an_earlier_position_returns() -> None:
    """From (1, 0) after (0, 0), left leads back; standing there again, so does the way to it."""
    positions = room().positions
    here = positions.number_of((1, 0))
    found = dict(
        zip(positions.words(here), Features(("undoes", "returns")).of(positions, here, (0,)), strict=True)
    )
    assert {name: row.tolist() for name, row in found.items()} == {"left": [1, 1], "right": [0, 0]}
    far = positions.number_of((2, 0))
    later = Features(("undoes", "returns")).of(positions, here, (here, far))
    assert [row.tolist() for row in later] == [[0, 0], [1, 1]]


# --- validation -------------------------------------------------------------------------------------------


def test_people_who_are_held_out_are_foreseen() -> None:
    """The softmax that made them is nearest to the entropy of their choices; uniform people gain nothing."""
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax(TRUE), 80, 60, seed=5))
    found = validate(log, [Ask("counts"), Ask("softmax")], seed=1)
    losses = {each.model: each.bits.value for each in found.found}
    decisions = [d for d in log.decisions if len(puzzle.positions.moves(d.position)) > 1]
    alike = sum(math.log2(len(puzzle.positions.moves(d.position))) for d in decisions) / len(decisions)
    assert losses["uniform"] == pytest.approx(alike)
    true = -sum(
        math.log2(softmax(TRUE).probabilities(puzzle.positions, d.position)[d.chosen]) for d in decisions
    ) / len(decisions)
    assert losses["softmax"] == pytest.approx(true, abs=0.02)
    for each in found.found[1:]:
        assert each.below is not None
        assert each.below.low is not None
        assert each.below.low > 0.1
    assert (found.people, found.folds, found.decisions) == (80, 5, len(decisions))
    chance = log_of(puzzle, simulate([puzzle], Uniform(), 40, 60, seed=6))
    (_, none) = validate(chance, [Ask("softmax")]).found
    assert none.below is not None
    assert none.below.high is not None
    assert none.below.high < 0.02


def test_three_people_have_a_loss_without_an_interval() -> None:
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax(TRUE), 3, 60))
    for each in validate(log, [Ask("softmax")]).found:
        assert each.bits.value is not None
        assert each.bits.low is None
        assert "there are 3 people, and resampling takes 4" in each.bits.note


def test_looking_at_the_way_foresees_people_who_do_not_turn_round() -> None:
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax({"nearer": 0.5, "undoes": -3.0}), 40, 60))
    plain = Ask("softmax")
    way = attrs.evolve(plain, way=True)
    found = fit(log, way)
    assert isinstance(found, Softmax)
    assert found.weights["undoes"] < -2
    losses = [each.bits.value for each in validate(log, [plain, way]).found]
    assert losses[2] is not None
    assert losses[1] is not None
    assert losses[2] < losses[1] - 0.2


# --- files ------------------------------------------------------------------------------------------------


def test_a_model_is_the_same_after_it_was_written(tmp_path: Path) -> None:
    puzzle = room()
    log = log_of(puzzle, simulate([puzzle], softmax(TRUE), 20, 60))
    for kind in ("uniform", "counts", "softmax"):
        made = files.Fitted.of("walk", puzzle.generator, fit(log, Ask(kind)), log.about())
        path = tmp_path / f"{kind}.json"
        path.write_text(made.text())
        again = files.load(path, puzzle.generator)
        assert again == made
        assert (files.digest(str(path)), again.text()) == (made.sha256, path.read_text())
        assert again.fitted_on["people"] == 20
        for number in range(3):
            own = made.model.probabilities(puzzle.positions, number)
            assert again.model.probabilities(puzzle.positions, number).tolist() == own.tolist()
    assert isinstance(made.model, Softmax)
    for value in (*made.model.weights.values(), *made.model.errors.values()):
        assert value is not None
        assert value == round(value, 6), "further digits would be those of the processor"


def test_probabilities_do_not_depend_on_the_order_of_features() -> None:
    """As from another file, another hash or another library of linear algebra: not in the last digit."""
    puzzle = room()
    weights = {"nearer": 1.9, "choices": 0.1, "kind:right": -2.0, "kind:down": -1.9, "kind:up": -1.8}
    found = {
        tuple(
            p for number in range(3)
            for p in softmax(dict(order)).probabilities(puzzle.positions, number).tolist()
        )
        for order in itertools.permutations(weights.items())
    }  # fmt: skip
    assert len(found) == 1


SOFTMAX: dict[str, Any] = {
    "format": "epcg-player", "version": 1, "domain": "walk", "play": f"{__name__}:Walk", "model": "softmax",
    "fitted_on": {}, "weights": {"nearer": 1.0}, "errors": {"nearer": 0.1}, "rules": [], "rule_params": {},
}  # fmt: skip
BAD: list[tuple[Any, str]] = [
    ('{"format": "epcg-pl', "is not valid JSON"),
    ([], "this is not a player model"),
    ({**SOFTMAX, "format": "epcg-traces"}, "this is not a player model"),
    ({**SOFTMAX, "version": 2}, "version 2 is not known, only 1: fit it again"),
    ({**SOFTMAX, "play": "chess:Rules"}, "was fitted on play of walk .chess:Rules., and these puzzles"),
    ({**SOFTMAX, "model": "oracle"}, "'oracle', and not one of uniform, rules, counts, softmax"),
    ({**SOFTMAX, "fitted_on": 7}, '"fitted_on" is missing'),
    ({**SOFTMAX, "weights": {}}, "do not have the same features"),
    ({**SOFTMAX, "weights": {"nearer": "much"}}, "'much', which is not a number"),
    ({**SOFTMAX, "weights": {"luck": 1}, "errors": {"luck": None}}, "There is no feature 'luck'"),
    ({**SOFTMAX, "weights": {"ruled_out": 1}, "errors": {"ruled_out": None}}, '"rules" is empty'),
    ({**SOFTMAX, "rules": ["clairvoyance"]}, "player.json': rules: unknown domain 'walk'"),
    ({**SOFTMAX, "model": "rules", "slip": 1.5}, '"slip" is not from 0 to 1'),
    ({**SOFTMAX, "model": "counts"}, '"counts" is not a table'),
    ({**SOFTMAX, "model": "counts", "counts": {"a": {"b": -1}}}, "'-1', which is not a count"),
    ({**SOFTMAX, "model": "counts", "counts": {}, "classes": {"x": [1]}}, "not a pair of counts"),
    ({**SOFTMAX, "model": "counts", "counts": {}, "classes": {}, "strength": 0}, "is not more than 0"),
]


@pytest.mark.parametrize(("data", "told"), BAD)
def test_a_file_that_is_not_a_model_is_told(tmp_path: Path, data: Any, told: str) -> None:
    path = tmp_path / "player.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    with pytest.raises(StoreError, match=told) as caught:
        files.load(path, room().generator)
    assert str(path) in str(caught.value)


def test_a_good_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "player.json").write_text(json.dumps(SOFTMAX))
    found = files.load(tmp_path / "player.json", room().generator).model
    assert isinstance(found, Softmax)
    assert found.weights == {"nearer": 1.0}


# --- where people go wrong --------------------------------------------------------------------------------


def test_first_wrong_moves_bottlenecks_and_stops() -> None:
    puzzle = room()
    way = [f"move {each}" for each in ("right", "right", "down", "right", "right", "down", "down")]
    log = log_of(
        puzzle,
        [played(*way, player=f"{n}", finished=True) for n in range(3)]
        + [
            played("move right", "move left", *way, player="turned", finished=True),
            played("move down", "move down", "move right", "move right", "move right", player="fell"),
            played("move right", "move right", "move down", "move down", "move right", "solution",
                   player="fell too"),
        ],
    )  # fmt: skip
    found = sights(log, 0)
    assert (found.people, found.solved, found.exhausted) == (6, 4, True)
    told = {(puzzle.positions.states[each.position], each.text): each for each in found.wrong}
    assert {key: (each.after, each.share.value) for key, each in told.items()} == {
        ((2, 2), "right"): ("lost", pytest.approx(2 / 6)),
        ((1, 0), "left"): ("farther", pytest.approx(1 / 6)),
    }  # fmt: skip
    (stop,) = found.stops
    assert (puzzle.positions.states[stop.position], stop.lost, stop.gave_up) == ((3, 2), True, 1)
    assert stop.share.low == pytest.approx(0.097, abs=0.001), "Wilson's interval of 2 of 6"
    first = found.bottlenecks[0]
    assert (first.position, first.share.value, first.seconds) == (0, 1.0, 1.0)
    assert first.time == pytest.approx((3 / 7 + 2 / 9) / 4), "who turned round was there twice"


def test_a_puzzle_that_is_too_large_has_no_wrong_moves() -> None:
    puzzle = attrs.evolve(room(), positions=Positions(Walk(ROOM), (0, 0), ROOM, limit=3))
    found = sights(log_of(puzzle, [played("move right", "move left")]), 0)
    assert (found.exhausted, found.wrong, len(found.stops)) == (False, (), 1)


def test_rows_of_decisions_with_one_move_are_left_out() -> None:
    log = log_of(room("..G\n#.#"), [played("move right", "move down", "move up")])
    found = choices_of(log, Features(("nearer",)), log.decisions)
    assert (len(found.starts), len(found.features)) == (1, 3)
