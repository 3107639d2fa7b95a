"""Small games of rafts that flow to posts: some have a clock, some checkpoints.

The reference engine searched `SEARCHED` breadth first with all inputs of the player: the four directions, the
action key unless the game says `noaction`, the tick of a game with a clock, and the restart unless the game
says `norestart`. Of each game there are the boards that are new after each number of inputs, won ones not
counted, and the inputs of a shortest solution.
"""

from __future__ import annotations

from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.rules.level import Level

HEAD = """title rafts
{settings}
OBJECTS
floor .
black

post O
blue

mark M
white

raft R
green

stake #
grey

player P
red

LEGEND
background = floor
Q = player and mark

SOUNDS

COLLISIONLAYERS
floor
post
mark
player, raft, stake

RULES
{rules}

WINCONDITIONS
{win}

LEVELS

{board}
"""
CLOCK, START = "realtime_interval 0.5", "run_rules_on_level_start"
FLOWS = "[ raft ] -> [ right raft ]"
PUSH = "[ > player | raft ] -> [ > player | > raft ]"
REST = "[ stationary player ] [ raft ] -> [ player ] [ right raft ]"
SPREAD = "[ stationary player ] [ stationary raft | no raft no stake no player ] -> [ player ] [ > raft | ]"
FLAG = "late [ player mark ] -> [ player ] checkpoint"
WIN = "all post on raft"
WAIT = "#######\n#P#R.O#\n#######"


def game(board: str = WAIT, settings: str = f"{CLOCK}\nnoaction", rules: str = FLOWS, win: str = WIN) -> Game:
    found = parse_game(HEAD.format(settings=settings, rules=rules, board=board, win=win))
    assert found.problems == ()
    return found


def level(
    board: str = WAIT, settings: str = f"{CLOCK}\nnoaction", rules: str = FLOWS, win: str = WIN
) -> Level:
    return level_of(game(board, settings, rules, win), 0)


SEARCHED: dict[str, tuple[tuple[str, ...], tuple[str, ...], str, str, list[int], int | None]] = {
    "drift": (
        (
            CLOCK,
            "noaction",
            "require_player_movement",
        ),
        (FLOWS,),
        WIN,
        "P....\nR..#O\n#.R.O",
        [1, 3, 5, 2, 2, 2],
        None,
    ),
    "drift with an action": (
        (
            CLOCK,
            "require_player_movement",
        ),
        (
            FLOWS,
            "[ action player | raft ] -> [ action player | left raft ]",
        ),
        WIN,
        "P....\nR..#O\n.R...",
        [1, 3, 6, 8, 2, 2],
        None,
    ),
    "rain": (
        (
            CLOCK,
            "noaction",
        ),
        (
            "down [ stationary raft | no stake ] -> [ > raft | ]",
            PUSH,
        ),
        WIN,
        "P.R.\n..R#\n#...\nO..O",
        [1, 3, 5, 3, 2, 5, 5, 7, 4, 10, 6, 7, 2],
        10,
    ),
    "tide": (
        (
            CLOCK,
            "noaction",
            "require_player_movement",
        ),
        (
            "right [ stationary raft | no raft no stake no player ] -> [ > raft | ] again",
            "[ mark ] -> [ ] ",
            "late [ player no mark ] -> [ player mark ]",
        ),
        WIN,
        "Q....\nR.#.O\nR...O",
        [1, 3, 2, 2, 3, 2],
        None,
    ),
    "turning clock": (
        (
            CLOCK,
            "noaction",
            "require_player_movement",
        ),
        (
            "right [ raft | stake ] -> [ stake | raft ]",
            "[ > player | stake ] -> [ > player | > stake ]",
        ),
        WIN,
        "P.#.\nR#.O\n..#.",
        [1, 3, 2, 3, 3, 4, 3, 4, 4, 5, 5, 3, 2],
        None,
    ),
    "blink": (
        (
            CLOCK,
            "noaction",
            "require_player_movement",
        ),
        (
            "[ mark ] -> [ left mark ]",
            "late [ player mark ] -> cancel",
            PUSH,
        ),
        WIN,
        "P.M.\n.R.O\n....",
        [1, 2, 4, 6, 10, 14, 18, 20, 13, 12, 9, 4, 1],
        3,
    ),
    "a rule that waits for a tick": (
        (
            CLOCK,
            "noaction",
        ),
        ("[ stationary player | raft ] -> [ stationary player | > raft ]",),
        WIN,
        "P...\n.R.O\n....",
        [1, 2, 4, 9, 9, 13, 14, 17, 15, 15, 7, 7, 4, 3, 1],
        4,
    ),
    "rules at the start": (
        (
            START,
            "noaction",
        ),
        (
            REST,
            FLAG,
        ),
        WIN,
        "P.M.#..\nR...#..\n##...O.",
        [1, 2, 1, 4, 5, 5, 3, 3, 3, 4, 3, 1],
        None,
    ),
    "flight": (
        ("noaction",),
        (
            "[ > player | mark ] -> [ > player | ] checkpoint again",
            "right [ stationary player ] [ raft | no stake no player ] -> [ player ] [ > raft | ] again",
        ),
        "all post on player",
        "PM.#\nR..#\n##O#",
        [1, 1, 4, 4, 1],
        5,
    ),
    "the action goes back": (
        (START,),
        (
            REST,
            FLAG,
            "[ action player ] -> restart",
        ),
        WIN,
        "P.M.#\nR...#\n##..O",
        [1, 2, 1, 4, 5, 5, 3, 2],
        None,
    ),
    "always a checkpoint": (
        (
            START,
            "noaction",
        ),
        (
            REST,
            "late [ player ] -> checkpoint",
        ),
        WIN,
        "P..#.\nR...O",
        [1, 3, 4, 6, 5, 5, 3, 2, 1, 1],
        4,
    ),
    "clock and checkpoint": (
        (
            CLOCK,
            START,
            "noaction",
        ),
        (
            REST,
            FLAG,
            "[ raft | player ] -> [ | player ]",
        ),
        WIN,
        "P.M.#\nR...#\n##..O",
        [1, 2, 2, 4, 6, 4, 2],
        None,
    ),
    "clock and flight": (
        (
            CLOCK,
            "noaction",
        ),
        (
            "[ > player | mark ] -> [ > player | ] checkpoint again",
            SPREAD,
        ),
        WIN,
        "P.M\nR.#\n#.O",
        [1, 2, 6, 7, 9, 9, 7, 7, 2, 2, 1],
        5,
    ),
}
"""Settings, rules, what wins, the board; and what the reference engine found."""
