"""`epcg snakebird play`: a level in the terminal."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from epcg_core.plugin import EpcgError, hide_messages
from epcg_snakebird.commands.options import own_tail_option
from epcg_snakebird.formats.shipped import named_level
from epcg_snakebird.play.game import Game
from epcg_snakebird.play.screen import screen
from epcg_snakebird.rules.variants import LEAVES, OwnTail, Rules

ESCAPE_SECONDS = 0.05
"""The time that the rest of an arrow key's characters may take."""
_ARROWS = {"A": "U", "B": "D", "C": "R", "D": "L"}
"""The last character that an arrow key sends -> the move."""
_QUIT = "q"
_HINT = "h"


def command() -> click.Command:
    """Make the click command."""

    @click.command("play", short_help="Play a level in the terminal.")
    @click.argument("level")
    @own_tail_option(LEAVES)
    @click.option("--no-colour", is_flag=True, help="Draw with characters only; so does NO_COLOR.")
    def play(level: str, own_tail: OwnTail, no_colour: bool) -> None:
        """Play LEVEL: a file, or the number or name of a level that comes with the plugin.

        The arrow keys move the selected snake; digits and Tab choose another one. u takes a move back,
        r begins again, h asks the solver for the next move, q quits.
        """
        _play(
            Game(named_level(level), Rules(own_tail=own_tail)), not (no_colour or os.environ.get("NO_COLOR"))
        )

    return play


def _play(game: Game, colours: bool) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise EpcgError("A game needs a terminal to read keys from and to draw in: run the command in one.")
    _check_size(game)
    hide_messages()  # they would be written across the drawing
    with _terminal() as keyboard:
        keys = _keys(keyboard)
        _draw(game, colours)
        for key in keys:
            if key == _QUIT:
                break
            if key == _HINT:
                game.message = "Asking the solver ..."
                _draw(game, colours)
            _act(game, key)
            _draw(game, colours)
    moves = "1 move" if game.moves == 1 else f"{game.moves} moves"
    print(f"{game.level.name}: {game.message if game.position.solved else f'{moves}, not solved.'}")


def _act(game: Game, key: str) -> None:
    commands: Mapping[str, Callable[[], None]] = {
        "u": game.undo, "r": game.restart, _HINT: game.hint, "\t": game.select_next,
    }  # fmt: skip
    if key in commands:
        commands[key]()
    elif key in _ARROWS.values():
        game.move(key)
    elif key.isdigit() and key != "0":
        game.select(int(key) - 1)


def _check_size(game: Game) -> None:
    """Raise EpcgError if the terminal is too small for the level."""
    lines = screen(game, colours=False)
    width, height = max(map(len, lines)), len(lines)
    has = shutil.get_terminal_size()
    if has.columns < width or has.lines < height:
        raise EpcgError(
            f"{game.level.name} needs a terminal of {width} columns and {height} lines; this one has "
            f"{has.columns} and {has.lines}."
        )


def _draw(game: Game, colours: bool) -> None:
    lines = screen(game, colours)
    sys.stdout.write("\x1b[H" + "\x1b[K\n".join(lines) + "\x1b[K\x1b[J")
    sys.stdout.flush()


@contextmanager
def _terminal() -> Iterator[int]:
    """Set up keys one by one and a separate screen, and restore the terminal; yield the keyboard."""
    try:
        import termios
        import tty
    except ImportError as error:
        raise EpcgError("A game needs a POSIX terminal, which this system does not have.") from error
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        settings = termios.tcgetattr(keyboard)
        # Suspended, the game would leave its screen to the shell.
        settings[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(keyboard, termios.TCSADRAIN, settings)
        sys.stdout.write("\x1b[?1049h\x1b[?25l")
        yield keyboard
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _keys(keyboard: int) -> Iterator[str]:
    """Yield keys as typed: U, D, R and L for the arrows, else the character in lower case."""
    while True:
        key, escaped = _character(keyboard), False
        while key == "\x1b":  # an arrow is ESC [ A or ESC O A; the escape key alone is ignored
            escaped = _waits(keyboard)
            key = _character(keyboard) if escaped else " "
        if escaped and key in ("[", "O") and _waits(keyboard):
            yield _ARROWS.get(_character(keyboard), " ")
        elif key:
            yield key.lower()
        else:
            return


def _waits(keyboard: int) -> bool:
    return bool(select.select([keyboard], [], [], ESCAPE_SECONDS)[0])


def _character(keyboard: int) -> str:
    """Return the next character typed; empty at the end of input."""
    try:
        return os.read(keyboard, 1).decode("ascii", "replace")
    except OSError:  # the terminal has gone
        return ""
