"""Compares how games with slips are read and played here and by PuzzleScript's own engine.

    python -m tests.puzzlescript.beside_reference GAMES ENGINE [--count 1000] [--first 0] [--node NODE]

GAMES is a folder of games; ENGINE the folder of a copy of increpare/PuzzleScript that holds `js`, which is
not part of this repository. Games are changed at random (words, signs, lines left out, doubled, exchanged),
and compared are the errors and warnings, whether the game is refused, the layers, and the boards after random
inputs. A game that differs is shrunk, and what is left of it is printed with both answers.
"""

from __future__ import annotations

import argparse
import json
import re
import select
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.levels import Map
from epcg_puzzlescript.language.prelude import SETTINGS
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.language.rule_words import COMMANDS, WORDS as RULE_WORDS
from epcg_puzzlescript.language.sections import SECTIONS
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Recorded
from epcg_puzzlescript.rules.turn import EndlessError

from tests.puzzlescript.random_games import widened_game

SEED = "a seed"
SIGNS = "()[]|><^v=+-.,*#!_ \t'\"\\&"
WORDS = (
    *sorted(RULE_WORDS), *sorted(COMMANDS), *SECTIONS, *SETTINGS, "late", "rigid", "sfx1", "startloop",
    "endloop", "and", "or", "on", "all", "some", "any", "->", "[", "]", "|", "...", "+", "=", "zork",
    "player", "background", "red",
)  # fmt: skip
PATIENCE = 5
"""Seconds that the engine may take for a game; it loops for ever on some."""


class Reference:
    """The engine in node, which answers a request a line."""

    def __init__(self, node: str, engine: Path) -> None:
        self._command = [node, str(Path(__file__).with_suffix(".js")), str(engine)]
        self._process: subprocess.Popen[str] | None = None

    def ask(self, source: str, inputs: Sequence[Any]) -> dict[str, Any] | None:
        """Return the answer about a game; None if there was none in time, nor in twice the time."""
        return self._ask(source, inputs, PATIENCE) or self._ask(source, inputs, 2 * PATIENCE)

    def _ask(self, source: str, inputs: Sequence[Any], patience: float) -> dict[str, Any] | None:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"source": source, "inputs": inputs, "seed": SEED}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], patience)[0]:
            self.close()
            return None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def ours(source: str, inputs: Sequence[Any]) -> dict[str, Any]:
    """Return the answer of this package about a game, in the form of the reference's."""
    answer: dict[str, Any] = {"crash": "", "refused": False, "told": [], "layers": [], "boards": []}
    try:
        game = parse_game(source)
        problems = game.problems
    except GameError as error:
        problems = error.problems
        answer["refused"] = True
        if any(problem.fatal and not problem.sentence.startswith("The reference") for problem in problems):
            answer["crash"] = next(problem.sentence for problem in problems if problem.fatal)
    for problem in problems:
        faults = [True] * problem.errors + [False] * problem.warnings
        answer["told"] += [[problem.line, is_error, problem.sentence] for is_error in faults]
    if answer["refused"]:
        return answer
    answer["layers"] = [[game.objects[number].name for number in layer] for layer in game.layers]
    boards: list[str] = answer["boards"]
    chance = Chance(SEED)
    first = next(number for number, level in enumerate(game.levels) if isinstance(level, Map))
    try:
        play = Recorded(game, lambda width, height: PlainEngine(game, width, height, chance), first)
        boards.append(f"{play.level}\n{play.text()}")
        for given in inputs:
            play.give(given)
            boards.append(f"{play.level}\n{play.text()}")
    except EndlessError:
        boards.append("! endless")
    return answer


def faults(answer: dict[str, Any]) -> tuple[int, int]:
    """Return the numbers of errors and warnings of an answer."""
    errors = sum(is_error for _, is_error, _ in answer["told"])
    return errors, len(answer["told"]) - errors


def difference(theirs: dict[str, Any] | None, here: dict[str, Any]) -> tuple[str, Any] | None:
    """Return in what two answers about a game differ, and how; None if they agree."""
    if theirs is None:
        return ("endless", "") if here["boards"] and here["boards"][-1] != "! endless" else None
    if theirs["refused"] and here["refused"]:
        return None
    if not theirs["crash"] and not here["crash"] and faults(theirs) != faults(here):
        return "faults", tuple(mine - other for mine, other in zip(faults(here), faults(theirs), strict=True))
    if theirs["refused"] != here["refused"]:
        return "refused", theirs["crash"]
    if here["layers"] != theirs["layers"]:
        return "layers", ""
    return None if until_won(here["boards"]) == until_won(theirs["boards"]) else ("boards", "")


def until_won(boards: Sequence[str]) -> list[str]:
    """Return the boards of the first level, and the first board of the next one."""
    here = [board for board in boards if board.split("\n")[0] == boards[0].split("\n")[0]]
    return list(boards[: len(here) + 1])


def changed(random: Random, source: str) -> str:
    """Return a game with one to three changes."""
    lines = source.split("\n")
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(lines))
        if not lines[at].strip() or re.fullmatch(r"[\d.]{5}", lines[at].strip()):
            at = random.randrange(len(lines))
        random.choice(CHANGES)(random, lines, at)
    return "\n".join(lines)


def _word(random: Random, lines: list[str], at: int) -> None:
    """Change the words of a line."""
    words = lines[at].split(" ")
    place = random.randrange(len(words))
    other = (
        random.choice(WORDS) if random.random() < 0.5 else random.choice(random.choice(lines).split() or [""])
    )
    match random.randrange(5):
        case 0:
            words[place] = other
        case 1:
            words.insert(place + random.randrange(2), other)
        case 2:
            del words[place]
        case 3:
            words.insert(place, words[place])
        case 4:
            second = random.randrange(len(words))
            words[place], words[second] = words[second], words[place]
    lines[at] = " ".join(words)


def _sign(random: Random, lines: list[str], at: int) -> None:
    """Change a sign of a line."""
    line, place = lines[at], random.randrange(len(lines[at]) + 1)
    sign = random.choice(SIGNS if random.random() < 0.7 else "abcxyz0159")
    match random.randrange(3):
        case 0:
            line = line[:place] + sign + line[place:]
        case 1:
            line = line[:place] + line[place + 1 :]
        case 2:
            line = line[:place] + sign + line[place + 1 :]
    lines[at] = line


def _line(random: Random, lines: list[str], at: int) -> None:
    """Leave out a line, double it, or exchange it with another one."""
    other = random.randrange(len(lines))
    match random.randrange(4):
        case 0 if len(lines) > 1:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines.insert(other, lines[at])
        case _:
            lines[at], lines[other] = lines[other], lines[at]


CHANGES: tuple[Callable[[Random, list[str], int], None], ...] = (_word, _word, _sign, _line)


def shrunk(source: str, differs: Callable[[str], bool]) -> str:
    """Return the game with as few lines, and then words, as still differ."""
    lines = source.split("\n")
    size = len(lines) // 2
    while size:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + size :]
            if fewer and differs("\n".join(fewer)):
                lines = fewer
            else:
                at += size
        size //= 2
    for at in range(len(lines)):
        words = lines[at].split(" ")
        place = 0
        while place < len(words) > 1:
            fewer = words[:place] + words[place + 1 :]
            if differs("\n".join([*lines[:at], " ".join(fewer), *lines[at + 1 :]])):
                words = fewer
                lines[at] = " ".join(words)
            else:
                place += 1
    return "\n".join(lines)


def games(folder: Path, drawn: int) -> list[str]:
    """Return the games of a folder, and some that are drawn."""
    found = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.txt"))]
    return found + [widened_game(Random(f"beside {number}")) for number in range(drawn)]


def inputs_of(random: Random) -> list[Any]:
    """Return random inputs."""
    return [random.choice((0, 1, 2, 3, 0, 1, 2, 3, 4, "undo", "restart", "tick")) for _ in range(12)]


def show(kind: tuple[str, Any], source: str, theirs: dict[str, Any] | None, here: dict[str, Any]) -> None:
    """Print a game that differs, and both answers: of faults those whose numbers differ by the line."""
    print(f"== {kind[0]}: {kind[1]}")
    if kind[0] != "faults":
        print(source)
    for name, answer, other in (("here", here, theirs), ("reference", theirs, here)):
        if answer is None or other is None:
            print(f"-- {name}: {'an answer' if answer else 'none in time'}")
        elif kind[0] in ("layers", "boards"):
            print(f"-- {name}: {answer['layers']}")
            pairs = zip(here["boards"], other["boards"], strict=False)
            number = next((n for n, (mine, theirs_) in enumerate(pairs) if mine != theirs_), 0)
            print("\n".join(answer["boards"][: number + 1]))
        else:
            print(f"-- {name}: refused {answer['refused']} {answer['crash']}")
            for line, is_error, sentence in told_otherwise(answer, other):
                text = source.split("\n")[line - 1] if line else ""
                print(f"   {'error' if is_error else 'warning'} {line} [{text}]: {sentence}")


def told_otherwise(answer: dict[str, Any], other: dict[str, Any]) -> list[list[Any]]:
    """Return the faults of the lines of which the other answer tells another number."""
    mine, others = (Counter((line, is_error) for line, is_error, _ in a["told"]) for a in (answer, other))
    return [told for told in answer["told"] if mine[told[0], told[1]] != others[told[0], told[1]]]


def look(reference: Reference, source: str, inputs: Sequence[Any], number: int | None) -> str:
    """Return in what the answers about a game differ, or nothing; print it under a number, if any."""

    def answers(text: str) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        signal.alarm(4 * PATIENCE)
        try:
            return reference.ask(text, inputs), ours(text, inputs)
        except TimeoutError:  # loops of loops are slow here: nothing is compared
            reference.close()
            return None, {"boards": []}
        finally:
            signal.alarm(0)

    found = difference(*answers(source))
    if found is None:
        return ""
    if number is not None:
        if found[0] not in ("faults", "endless"):
            source = shrunk(source, lambda text: difference(*answers(text)) == found)
        print(f"\n#{number}", end=" ")
        show(found, source, *answers(source))
        sys.stdout.flush()
    return found[0]


def _stop(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    signal.signal(signal.SIGALRM, _stop)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("games", type=Path)
    parser.add_argument("engine", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--drawn", type=int, default=20)
    parser.add_argument("--node", default=shutil.which("node"))
    parser.add_argument("--show", type=int, default=30, help="so many games are shrunk and printed")
    given = parser.parse_args()
    sources = games(given.games, given.drawn)
    reference = Reference(given.node, given.engine)
    counts: Counter[str] = Counter()
    try:
        for number in range(given.first, given.first + given.count):
            random = Random(f"change {number}")
            source = changed(random, random.choice(sources)) if number >= len(sources) else sources[number]
            found = look(
                reference, source, inputs_of(random), number if counts.total() < given.show else None
            )
            if found:
                counts[found] += 1
    finally:
        reference.close()
    print(f"\n{given.count} games, of which differ: {dict(counts)}")


if __name__ == "__main__":
    main()
