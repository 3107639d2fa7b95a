"""The game: its rules of undo and hints, and a real terminal (a pseudo-terminal) that is left as it was."""

from __future__ import annotations

import os
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from epcg_snakebird.formats.drawing import parse_level, read_level
from epcg_snakebird.formats.shipped import shipped_levels
from epcg_snakebird.play.game import Game
from epcg_snakebird.play.screen import screen
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import GAME

from tests.workplace import epcg_command

pty = pytest.importorskip("pty", reason="a pseudo-terminal needs a POSIX system")
termios = pytest.importorskip("termios", reason="a pseudo-terminal needs a POSIX system")
fcntl = pytest.importorskip("fcntl", reason="a pseudo-terminal needs a POSIX system")

TWO = parse_level("name: Two\n.......\n.>1.F.E\n.>2....\n#######", "two")
ARROWS = {"U": "\x1b[A", "D": "\x1b[B", "R": "\x1b[C", "L": "\x1b[D"}
SECONDS = 60.0


# --- the game ----------------------------------------------------------------------------------------------


def test_moves_undo_and_restart() -> None:
    game = Game(TWO)
    first = game.position
    game.move("U")
    second = game.position
    game.move("R")
    assert (game.moves, game.message) == (2, "")
    game.undo()
    assert (game.position, game.moves) == (second, 1)
    game.restart()
    assert (game.position, game.moves) == (first, 0)
    game.undo()
    assert (game.position, game.message) == (first, "There is nothing to undo.")


def test_a_move_that_is_not_possible_is_not_made() -> None:
    game = Game(TWO)
    game.move("L")
    assert (game.moves, game.message) == (0, "Snake 1 cannot go left.")


def test_a_deadly_move_is_not_made() -> None:
    game = Game(parse_level(">1..E\n##..."))
    game.move("R")
    game.move("R")
    assert (game.moves, game.message) == (1, "Right is deadly: the move is not made.")


def test_choosing_snakes() -> None:
    game = Game(TWO)
    game.select_next()
    assert game.selected == 1
    game.select_next()
    assert game.selected == 0
    game.select(1)
    assert game.selected == 1
    game.select(4)
    assert (game.selected, game.message) == (1, "There is no snake 5.")


def test_a_snake_that_is_out_is_not_chosen() -> None:
    game = Game(parse_level(">1E\n###\n>2.\n###"))
    game.move("R")
    assert game.selected == 1
    game.select(0)
    assert (game.selected, game.message) == (1, "Snake 1 is out.")
    game.select_next()
    assert game.selected == 1
    game.undo()
    game.select(0)
    assert game.selected == 0


@pytest.mark.sweep(4)
@pytest.mark.parametrize("path", shipped_levels(), ids=lambda path: path.stem)
def test_hints_lead_to_the_exit(path: Path) -> None:
    game = Game(read_level(path))
    directions = {"up": "U", "down": "D", "left": "L", "right": "R"}
    left = []
    while not game.position.solved:
        game.hint()
        match = re.fullmatch(r"Hint: snake (\d) (\w+), (\d+) to go\.", game.message)
        assert match is not None
        left.append(int(match[3]))
        assert len(left) == 1 or left[-1] == left[-2] - 1, "a hint leads no nearer to the exit"
        game.select(int(match[1]) - 1)
        game.move(directions[match[2]])
    assert left == list(range(len(left), 0, -1))
    assert game.message == f"Solved in {len(left)} moves. No solution is shorter."
    game.hint()
    assert game.message == "The level is solved."


def test_no_way_out() -> None:
    game = Game(parse_level("1<.#.\n###E#"))
    game.hint()
    assert game.message == "There is no way out from here: undo (u) or restart (r)."


def test_a_longer_way_is_told() -> None:
    game = Game(parse_level(".....\n>1..E\n#####"))
    for direction in "URRR":
        game.move(direction)
    assert game.message == "Solved in 4 moves. 3 would do."


def test_the_screen_without_colours_is_the_level() -> None:
    game = Game(TWO)
    assert screen(game, colours=False) == [
        "Two",
        "",
        ". . . . . . . ",
        ". > 1!. F . e ",
        ". > 2 . . . . ",
        "##############",
        "**************",
        "",
        "0 moves, 1 fruit left, snake 1 moves",
        "",
        "arrows move, Tab or 1-9 choose a snake",
        "u undo, r restart, h hint, q quit",
    ]


def test_colours_change_no_width() -> None:
    game = Game(TWO)
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in screen(game)]
    assert [len(line) for line in bare] == [len(line) for line in screen(game, colours=False)]


# --- the terminal ------------------------------------------------------------------------------------------


class Terminal:
    """`epcg snakebird play` in a pseudo-terminal, by keys and by what appears."""

    def __init__(self, level: str, columns: int = 80, lines: int = 30) -> None:
        self.screen, self._inside = pty.openpty()
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._inside, termios.TIOCSWINSZ, size)
        self.before = termios.tcgetattr(self._inside)
        self.seen = ""
        environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1"}
        for name in ("COLUMNS", "LINES"):
            environment.pop(name, None)
        command = epcg_command("snakebird", "play", level)
        self.process = os.posix_spawn(
            sys.executable, command, environment, setsid=True,
            file_actions=[(os.POSIX_SPAWN_DUP2, self._inside, fd) for fd in (0, 1, 2)],
        )  # fmt: skip

    def type(self, keys: str) -> None:
        os.write(self.screen, keys.encode())

    def wait_for(self, text: str) -> str:
        """Read until `text` appears; what came up to it."""
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            left = end - time.monotonic()
            assert left > 0, f"{text!r} did not appear in {self.seen!r}"
            if select.select([self.screen], [], [], left)[0]:
                self.seen += os.read(self.screen, 65536).decode()
        before, _, self.seen = self.seen.partition(text)
        return before

    def exit_code(self) -> int:
        """Read to the game's end and return its exit code."""
        end = time.monotonic() + SECONDS
        while True:
            process, status = os.waitpid(self.process, os.WNOHANG)
            while select.select([self.screen], [], [], 0.0 if process else 0.05)[0]:
                self.seen += os.read(self.screen, 65536).decode()
            if process:
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < end, "the game did not end"

    def is_restored(self) -> bool:
        """Whether the terminal's settings are those of before."""
        return bool(termios.tcgetattr(self._inside) == self.before)

    def close(self) -> None:
        try:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.screen)
        os.close(self._inside)


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def test_a_level_is_solved_by_keys(opened: list[Terminal]) -> None:
    path = next(path for path in shipped_levels() if path.stem.startswith("01"))
    level = read_level(path)
    moves = shortest_solution(Game(level).position, 10_000, GAME).actions
    terminal = Terminal("1")
    opened.append(terminal)
    terminal.wait_for("0 moves, 1 fruit left")
    terminal.type(ARROWS[moves[0].direction])
    terminal.wait_for("1 move, ")
    terminal.type("u")
    terminal.wait_for("0 moves, ")
    terminal.type("h")
    terminal.wait_for(f"{len(moves)} to go.")
    terminal.type("".join(ARROWS[move.direction] for move in moves[:5]))
    terminal.wait_for("5 moves")
    terminal.type("r")
    terminal.wait_for("0 moves, ")
    terminal.type("".join(ARROWS[move.direction] for move in moves))
    terminal.wait_for(f"Solved in {len(moves)} moves. No solution is shorter.")
    assert not terminal.is_restored()
    terminal.type("q")
    assert terminal.exit_code() == 0
    assert terminal.is_restored()
    assert "\x1b[?25h\x1b[?1049l" in terminal.seen
    assert f"{level.name}: Solved in {len(moves)} moves." in terminal.seen


def test_two_snakes_by_digits_and_tab(opened: list[Terminal]) -> None:
    terminal = Terminal("4")
    opened.append(terminal)
    terminal.wait_for("snake 1 moves")
    terminal.type("2")
    terminal.wait_for("snake 2 moves")
    terminal.type("\t")
    terminal.wait_for("snake 1 moves")
    terminal.type("9")
    terminal.wait_for("There is no snake 9.")
    terminal.type("\x1b")  # the escape key alone does nothing
    terminal.type("\x1bOA")  # the up arrow in the keypad's application mode
    terminal.wait_for("1 move, snake 1 moves")
    terminal.type("q")
    assert terminal.exit_code() == 0
    assert "Shoulders: 1 move, not solved." in terminal.seen
    assert terminal.is_restored()


def test_the_terminal_is_restored_after_an_interruption(interruptible: None, opened: list[Terminal]) -> None:
    terminal = Terminal("1")
    opened.append(terminal)
    terminal.wait_for("0 moves, ")
    os.kill(terminal.process, signal.SIGINT)
    assert terminal.exit_code() != 0
    assert terminal.is_restored()
    assert "\x1b[?25h\x1b[?1049l" in terminal.seen
    assert "Traceback" not in terminal.seen


def test_a_small_terminal_is_refused(opened: list[Terminal]) -> None:
    terminal = Terminal("1", columns=10, lines=5)
    opened.append(terminal)
    assert terminal.exit_code() == 1
    assert "First Bite needs a terminal of" in terminal.seen
    assert terminal.is_restored()


def test_without_a_terminal_there_is_no_game(capfd: pytest.CaptureFixture[str]) -> None:
    import subprocess

    done = subprocess.run(
        epcg_command("snakebird", "play", "1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: A game needs a terminal")
