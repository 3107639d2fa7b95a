"""A level as text: the text of its game, with this level as the only one."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from threading import Lock

import attrs

from epcg_core.plugin import Reading
from epcg_puzzlescript.language.game import Game, parse_game, with_levels
from epcg_puzzlescript.language.habits import Cells, comment_on
from epcg_puzzlescript.language.levels import with_background
from epcg_puzzlescript.language.sections import lines_of, lowered
from epcg_puzzlescript.metrics import CHANCE, RESTARTS
from epcg_puzzlescript.rules.level import Level

_SPARE = "abcdefghijklmnopqrstuvwxyz0123456789!?$%&+-:;<>/^_{}αβγδεζηθικλμνξοπρστυφχψωбвгджзийклпфцчшщэюя"
_FORBIDDEN = frozenset("()=")
"""Glyphs that a row may hold, but which would make a comment of it, or decoration."""
_WORD = re.compile(r"\w+")
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


def reading_of(game: Game) -> Reading:
    """Return how a game was read, and what searches of its levels leave out."""
    if not {CHANCE, RESTARTS} & set(game.unsearched):
        return game.reading
    levels = [level_of(game, number) for number in range(len(game.maps))]
    named = {reason for level in levels for reason in level.reading.unsearched}
    return attrs.evolve(
        game.reading, unsearched=tuple(reason for reason in game.unsearched if reason in named)
    )


def parse_level(text: str) -> Level:
    """Return the first level of a game's text. Raises GameError."""
    return level_of(read_game_text(text), 0)


def format_level(level: Level) -> str:
    """Return the text of the level's game, with the level as its only one.

    Cells that no glyph of the legend stands for get new glyphs there. A comment before the rows tells the
    habits of the game's levels, if the level alone does not show them.
    """
    game = level.game
    rows, added = drawn(level)
    head = head_of(lines_of(game.text), game.headers["levels"])
    return "\n".join([*grown(game, head, added), *alone(game, level.cells), "", *rows, ""])


def alone(game: Game, cells: Cells) -> list[str]:
    """Return the lines that a level needs below the header of its game's levels when it is taken out."""
    comment = comment_on(game, cells)
    return ["", comment] if comment else []


def grown(game: Game, lines: list[str], added: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the lines of a game with further glyphs at the beginning of the legend."""
    if not added:
        return lines
    at = game.headers.get("legend", 0)
    written = _written_names(game)
    legend = [
        f"{glyph} = {' and '.join(written.get(name, name) for name in names)}"
        for glyph, names in added.items()
    ]
    return [*lines[:at], *legend, *lines[at:]]


def head_of(lines: list[str], header: int) -> list[str]:
    """Return the lines down to the header of the levels, whose number is given, from 1.

    A comment that begins there is left out: it would hide the levels below.
    """
    name = lines[header - 1]
    return [*lines[: header - 1], "LEVELS" if "(" in name else name]


def drawn(level: Level) -> tuple[list[str], dict[str, list[str]]]:
    """Return the rows of a level, and the glyphs that they need beyond the legend, with their objects.

    Signs are written with the capitals that the game's text has. A cell of a glyph without a background gets
    the level's, which the first cell tells that has one: of the ways to write a level the one that needs the
    fewest new glyphs is taken.
    """
    game = level.game
    if game.background is None or not (mask := game.background_layer):
        return _drawn(level, 0)
    usual = 1 << game.background
    there = dict.fromkeys(cell & mask for cell in level.cells if cell & mask)
    backgrounds = sorted(there, key=lambda background: background != usual) or [usual]
    ways = [_drawn(level, background, implied) for background in backgrounds for implied in (False, True)]
    fitting = [way for way in ways if _has_backgrounds(level, way)]
    return min(fitting, key=lambda way: len(way[1])) if fitting else _drawn(level, 0)


def _has_backgrounds(level: Level, way: tuple[list[str], dict[str, list[str]]]) -> bool:
    """Return whether rows are read as the level, as far as backgrounds go that no glyph names."""
    game, (rows, added) = level.game, way
    masks = _masks(game)
    numbers = {thing.name: 1 << thing.number for thing in game.objects}
    masks = masks | {glyph: sum(numbers.get(name, 0) for name in names) for glyph, names in added.items()}
    read = _read(level)
    places = [divmod(index, level.height) for index in range(read)]
    cells = [masks[lowered(rows[y][x])] for x, y in places]
    return with_background(cells, game.vocabulary, game.background) == level.cells[:read]


def _drawn(level: Level, background: int, implied: bool = False) -> tuple[list[str], dict[str, list[str]]]:
    """Return rows and new glyphs of a level whose glyphs leave out one background; `implied` if they can."""
    game = level.game
    known = glyphs_of(game)
    spelled = spelling(game)
    spare = _spare(game)
    added: dict[str, list[str]] = {}
    glyphs: dict[int, str] = {}
    read = _read(level)
    for cell in level.cells[:read]:
        if cell in glyphs:
            continue
        less = cell & ~background
        glyph = (known.get(less) or known.get(cell)) if implied else (known.get(cell) or known.get(less))
        if glyph is None:
            glyph = next(spare)
            bits = less or cell
            names = [thing.name for thing in game.objects if bits >> thing.number & 1]
            added[glyph] = names or list(game.vocabulary.homeless[:1])
        glyphs[cell] = spelled.get(glyph, glyph)
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


def _masks(game: Game) -> dict[str, int]:
    """Return what each glyph that rows can hold puts into its cell."""
    known = game.vocabulary.glyphs
    return {name: mask for name, mask in known.items() if len(name) == 1 and name not in _FORBIDDEN}


@lru_cache(maxsize=_KEPT)
def spelling(game: Game) -> Mapping[str, str]:
    """Return how the levels of a game write each glyph, or how the legend does, with which capitals."""
    seen: dict[str, Counter[str]] = {}
    lines = lines_of(game.text)
    for line in lines[game.headers["levels"] :]:
        if not line.strip().lower().startswith(("message", "(")):
            for sign in line.strip():
                seen.setdefault(lowered(sign), Counter())[sign] += 1
    first = game.headers.get("legend", 0)
    for line in lines[first : game.headers["levels"]] if first else ():
        name = line.partition("=")[0].strip()
        if len(name) == 1:
            seen.setdefault(lowered(name), Counter({name: 1}))
    known = game.vocabulary.glyphs
    return {small: signs.most_common(1)[0][0] for small, signs in seen.items() if small in known}


def _written_names(game: Game) -> Mapping[str, str]:
    """Return the names of objects that the text writes with capitals, by their small letters."""
    found: dict[str, str] = {}
    for line in lines_of(game.text)[game.headers.get("objects", 0) : game.headers["levels"] - 1]:
        for word in _WORD.findall(line):
            found.setdefault(word.lower(), word)
    return found


@lru_cache(maxsize=_KEPT)
def glyphs_of(game: Game) -> Mapping[int, str]:
    """Return a glyph for each set of objects that has one."""
    found: dict[int, str] = {}
    for name, mask in _masks(game).items():
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
