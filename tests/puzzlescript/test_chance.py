"""Levels on which chance decides: what some draws win, what all draws win, and the chance of a win."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from epcg_puzzlescript.evaluation.chance import ChanceMeasures, Process, process_of
from epcg_puzzlescript.formats.text import level_of, parse_level
from epcg_puzzlescript.params import ChanceParams
from epcg_puzzlescript.rules.chance import Chance, Draws
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Play
from epcg_puzzlescript.rules.turn import EndlessError
from hypothesis import given, strategies as st

from epcg_core.plugin import LimitReachedError, shortest_path
from tests.puzzlescript.random_games import playable, random_game
from tests.workplace import epcg

GAME = """\
title Dice
{}
OBJECTS
background
green

wall
black

player
blue

coin
yellow

goal
white

pit
red

LEGEND
. = background
# = wall
p = player
c = coin
g = goal
x = pit
SOUNDS
COLLISIONLAYERS
background
goal, pit
player, wall, coin
RULES
{}
WINCONDITIONS
some player on goal
LEVELS

{}
"""


ASTRAY = "[ > player ] -> [ player ]\n[ action player ] -> [ randomdir player ]"


def dice(rules: str, board: str, settings: str = "") -> Level:
    return parse_level(GAME.format(settings, rules, board))


def measured(level: Level, limit: int = 1000) -> tuple[int | float | None, ...]:
    return ChanceMeasures(ChanceParams(limit)).evaluate(level)


def test_all_draws_are_made_once_with_their_probabilities() -> None:
    draws, found = Draws(), {}
    while True:
        first = draws.below(2)
        drawn = (first, draws.below(3)) if first else (first,)
        assert drawn not in found
        found[drawn] = Fraction(draws.probability).limit_denominator(100)
        if not draws.next():
            break
    assert found == {(0,): Fraction(1, 2)} | {(1, each): Fraction(1, 6) for each in range(3)}


def test_a_move_that_goes_astray_half_of_the_time() -> None:
    """The action key moves the player by chance, and walls keep it in the row."""
    level = dice(ASTRAY, "#####\n#p.g#\n#####")
    lucky, sure, chance, positions = measured(level)
    assert (lucky, sure, positions) == (2, None, 3)
    assert chance == pytest.approx(1)


def test_a_gamble_that_is_lost_for_good_half_of_the_time() -> None:
    rules = "[ > player | coin ] -> [ > player | random goal_or_pit ]\nlate [ player pit ] -> [ pit ]"
    text = GAME.format("", rules, "####\n#pc#\n####").replace(
        "x = pit\n", "x = pit\ngoal_or_pit = goal or pit\n"
    )
    lucky, sure, chance, positions = measured(parse_level(text))
    assert (lucky, sure, positions) == (1, None, 3)
    assert chance == 0.5


def test_a_way_that_no_draw_can_close() -> None:
    rules = "random [ coin | no wall no player no goal ] -> [ | coin ]"
    level = dice(rules, "######\n#p..g#\n#....#\n#...c#\n######")
    lucky, sure, chance, _ = measured(level)
    assert lucky == 3
    assert chance == pytest.approx(1)
    assert sure is None or sure >= 3


def test_without_chance_these_are_the_shortest_solution() -> None:
    level = dice("[ > player | coin ] -> [ > player | > coin ]", "######\n#p.cg#\n#....#\n######")
    moves = shortest_path(PuzzleScriptModel(), level, 1000).length
    assert measured(level)[:3] == (moves, moves, 1)


def test_a_certain_win_has_the_chance_1_however_long_it_takes() -> None:
    slow = Process({0: 1.0}, [[{0: 1 - 1e-9, 1: 1e-9}], []], [False, True])
    assert slow.certain() == {0, 1}
    assert slow.chance() == 1
    lossy = Process({0: 1.0}, [[{0: 0.5, 1: 0.25, 2: 0.25}], [], []], [False, True, False])
    assert lossy.certain() == {1}
    assert lossy.chance() == pytest.approx(0.5)
    either = Process({0: 1.0}, [[{1: 0.9, 2: 0.1}, {0: 0.999, 1: 0.001}], [], []], [False, True, False])
    assert either.chance() == 1


class Brute:
    """The same by trying every draw of every input, a given number of inputs deep."""

    def __init__(self, level: Level) -> None:
        self.level = level.searched
        self.known: dict[object, dict[object, Fraction]] = {}

    def outcomes(self, cells: object, given: str | None) -> dict[object, Fraction]:
        if (cells, given) not in self.known:
            self.known[cells, given] = {}
            self.draw(cells, given, [], Fraction(1))
        return self.known[cells, given]

    def draw(self, cells: object, given: str | None, fixed: list[int], share: Fraction) -> None:
        level, asked = self.level, []

        class Fixed:
            def below(self, count: int) -> int:
                asked.append(count)
                return fixed[len(asked) - 1] if len(asked) <= len(fixed) else 0

        play = Play(level.game, PlainEngine(level.game, level.width, level.height, Fixed()), cells)  # type: ignore[arg-type]
        play.restart_cells, play.checkpoints = level.cells, False
        play.start() if given == "start" else play.input(given)
        if len(asked) > len(fixed):
            count = asked[len(fixed)]
            for each in range(count):
                self.draw(cells, given, [*fixed, each], share / count)
            return
        found = self.known[cells, given]
        after = play.cells, play.won
        found[after] = found.get(after, Fraction(0)) + share

    def value(self, cells: object, won: bool, left: int) -> tuple[bool, bool, Fraction]:
        """Whether some draws win, whether all do, and the best chance, within some inputs."""
        if won or not left:
            return won, won, Fraction(won)
        best = [False, False, Fraction(0)]
        for each in ("up", "left", "down", "right", "action"):
            after = [
                (self.value(*board, left - 1), share)  # type: ignore[misc]
                for board, share in self.outcomes(cells, each).items()
            ]
            best[0] |= any(value[0] for value, _ in after)
            best[1] |= all(value[1] for value, _ in after)
            best[2] = max(best[2], sum((value[2] * share for value, share in after), Fraction(0)))
        return tuple(best)  # type: ignore[return-value]


@given(st.randoms(use_true_random=False))
def test_random_games_agree_with_trying_everything(random: Random) -> None:
    game = playable(random_game, random, chance=True, rules=3)
    level = level_of(game, 0)
    if not level.game.draws or game.keeps_checkpoints or game.says("run_rules_on_level_start"):
        return
    try:
        lucky, sure, chance, _ = ChanceMeasures(ChanceParams(150, 60)).evaluate(level)
    except (LimitReachedError, EndlessError):
        return
    brute = Brute(level)
    for left in range(3):
        some, every, best = brute.value(level.searched.cells, False, left)
        assert some == (lucky is not None and lucky <= left)
        assert every == (sure is not None and sure <= left)
        assert best <= Fraction(chance or 0) + Fraction(1, 10**9)


def test_seeds_play_as_the_process_says() -> None:
    """The share of seeds that win one gamble is the chance of it, as far as 300 seeds can tell."""
    level = dice(ASTRAY, "#####\n#p.g#\n#####")
    process = process_of(level, 100, 100)
    (start,) = process.first
    right = max(after for outcomes in process.turns[start] for after in outcomes if after != start)
    (outcomes,) = process.turns[start]
    expected = outcomes[right]
    moved = 0
    for seed in range(300):
        play = Play(
            level.game, PlainEngine(level.game, level.width, level.height, Chance(str(seed))), level.cells
        )
        play.input("action")
        moved += play.cells != level.cells
    assert expected == pytest.approx(0.25)
    assert 45 < moved < 105


@pytest.mark.parametrize(
    ("limit", "draws", "said"), [(2, 1000, "more than 2 positions"), (1000, 2, "more than 2 outcomes")]
)
def test_limits_are_said(limit: int, draws: int, said: str) -> None:
    level = dice(ASTRAY, "#####\n#p.g#\n#...#\n#####")
    with pytest.raises(LimitReachedError, match=said):
        process_of(level, limit, draws)


def test_commands_measure_chance_and_prove_it(tmp_path: Path) -> None:
    file = tmp_path / "dice.txt"
    rules = ASTRAY
    file.write_text(GAME.format("", rules, "####\n#pg#\n####\n\n#####\n#p#g#\n#####"), encoding="utf-8")
    (tmp_path / "q.toml").write_text(
        f'domain = "puzzlescript"\n[generator]\nname = "levels"\ngame = "{file}"\n'
        '[search]\nname = "exhaustive"\n[[evaluators]]\nname = "chance"\n',
        encoding="utf-8",
    )
    run = epcg(
        "run", str(tmp_path / "q.toml"), "--db", str(tmp_path / "c.db"), "--json", "--executor", "serial"
    )
    assert json.loads(run.stdout)["runs"][0]["evaluated"] == 2
    rows = epcg(
        "sql",
        "SELECT rank, metric, value FROM scores ORDER BY 1, 2",
        "--db",
        str(tmp_path / "c.db"),
        "--json",
    )
    found = {(row["rank"], row["metric"]): row["value"] for row in json.loads(rows.stdout)}
    assert (found[0, "lucky_moves"], found[0, "win_chance"]) == (1, pytest.approx(1))
    assert (found[1, "lucky_moves"], found[1, "sure_moves"], found[1, "win_chance"]) == (None, None, 0)
    scored = epcg("score", str(file), "--domain", "puzzlescript", "--db", str(tmp_path / "none.db")).stdout
    assert "no number of moves wins for all draws (proven)" in " ".join(scored.split())
