"""A level as text: the text of its game, with this level as the only one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from threading import Lock

from epcg_puzzlescript.language.game import Game, parse_game, with_levels
from epcg_puzzlescript.language.sections import lines_of
from epcg_puzzlescript.rules.level import Level

_SPARE = "abcdefghijklmnopqrstuvwxyz0123456789!?$%&+-:;<>/^_{}αβγδεζηθικλμνξοπρστυφχψωбвгджзийклпфцчшщэюя"
_FORBIDDEN = frozenset("()=")
"""Glyphs that a row may hold, but which would make a comment of it, or decoration."""
_KEPT = 16


class _Games:
    """The games that were read last, by all of their text but the levels."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = Lock()

    def of(self, text: str) -> Game:
        """Return the game of a text. Only its levels are read if another one differs in them alone."""
        lines = lines_of(text)
        at = _levels_header(lines)
        if at is None:
            return parse_game(text)
        head = "\n".join(lines[:at])
        with self._lock:
            kept = self._games.pop(head, None)
            if kept is not None:
                self._games[head] = kept
        if kept is None:
            kept = parse_game(text)
            with self._lock:
                self._games[head] = kept
                if len(self._games) > _KEPT:
                    self._games.popitem(last=False)
            return kept
        return kept if kept.text == text else with_levels(kept, text)


_games = _Games()


def _levels_header(lines: list[str]) -> int | None:
    """Return the number of the line LEVELS, counted from 0, if there is just one."""
    found = [number for number, line in enumerate(lines) if line.split("(", 1)[0].strip().lower() == "levels"]
    return found[0] if len(found) == 1 else None


def read_game_text(text: str) -> Game:
    """Return the game of a text, from memory if it was read before. Raises GameError."""
    return _games.of(text)


def level_of(game: Game, number: int) -> Level:
    """Return map `number` of a game, from 0."""
    found = game.maps[number]
    return Level(game, found.width, found.height, found.cells)


def parse_level(text: str) -> Level:
    """Return the first level of a game's text. Raises GameError."""
    return level_of(read_game_text(text), 0)


def format_level(level: Level) -> str:
    """Return the text of the level's game, with the level as its only one.

    Cells that no glyph of the legend stands for get new glyphs there.
    """
    game = level.game
    rows, added = drawn(level)
    lines = lines_of(game.text)
    head = head_of(lines, game.headers["levels"])
    if added:
        at = game.headers.get("legend", 0)
        legend = [f"{glyph} = {' and '.join(names)}" for glyph, names in added.items()]
        head = [*head[:at], *legend, *head[at:]]
    return "\n".join([*head, "", *rows, ""])


def head_of(lines: list[str], header: int) -> list[str]:
    """Return the lines down to the header of the levels, whose number is given, from 1.

    A comment that begins there is left out: it would hide the levels below.
    """
    name = lines[header - 1]
    return [*lines[: header - 1], "LEVELS" if "(" in name else name]


def drawn(level: Level) -> tuple[list[str], dict[str, list[str]]]:
    """Return the rows of a level, and the glyphs that they need beyond the legend, with their objects."""
    game = level.game
    implied = _implied(level)
    known = _glyphs(game)
    spare = _spare(game)
    added: dict[str, list[str]] = {}
    glyphs: dict[int, str] = {}
    read = _read(level)
    for cell in level.cells[:read]:
        if cell in glyphs:
            continue
        glyph = known.get(cell) or known.get(cell & ~implied)
        if glyph is None:
            glyph = next(spare)
            bits = cell & ~implied or cell
            names = [thing.name for thing in game.objects if bits >> thing.number & 1]
            added[glyph] = names or list(game.vocabulary.homeless[:1])
        glyphs[cell] = glyph
    signs = [glyphs[cell] for cell in level.cells[:read]]
    if read < len(level.cells):  # of the cells from which on a map was not read only the first one counts
        signs.append(" " if 0 < read // level.height < level.width - 1 else next(spare))
        signs += [next(iter(known.values()), ".")] * (len(level.cells) - len(signs))
    rows = ["".join(signs[x * level.height + y] for x in range(level.width)) for y in range(level.height)]
    return rows, added


def _read(level: Level) -> int:
    """Return how many cells of a level's map were read: all, if the game has a background and each has one.

    Cells before the last one that was read may be empty too: of objects in no layer nothing is put there.
    """
    if level.game.background is None:
        return len(level.cells)
    return max((number for number, cell in enumerate(level.cells, 1) if cell), default=0)


def _implied(level: Level) -> int:
    """Return the background as a bit, if each cell of a level has it; 0 otherwise."""
    game = level.game
    if game.background is None:
        return 0
    mask = game.background_layer
    usual = 1 << game.background
    return usual if all(cell & mask == usual for cell in level.cells) else 0


def _glyphs(game: Game) -> Mapping[int, str]:
    """Return a glyph for each set of objects that has one."""
    found: dict[int, str] = {}
    for name, mask in game.vocabulary.glyphs.items():
        if len(name) == 1 and name not in _FORBIDDEN:
            found.setdefault(mask, name)
    return found


def _spare(game: Game) -> Iterator[str]:
    """Yield glyphs that a game does not use."""
    for glyph in _SPARE:
        if not game.vocabulary.defines(glyph):
            yield glyph
    for code in range(0x4E00, 0x9FFF):
        if not game.vocabulary.defines(chr(code)):
            yield chr(code)
