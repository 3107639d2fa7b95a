"""A game's text as a file that holds levels and messages, each of which is changed in its place.

A change is made in the lines and then read: it is kept only if the game is the same but for that piece, so
comments, which may begin and end anywhere, are never taken for rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

import attrs

from epcg_core.plugin import Fault, Piece, Sheet
from epcg_puzzlescript.formats.art import GameArt
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.text import (
    alone,
    drawn,
    format_level,
    grown,
    head_of,
    level_of,
    parse_level,
    read_game_text,
    spelling,
)
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.levels import MOST_LEVELS, Map, Message, Row, blocks
from epcg_puzzlescript.language.prelude import read_settings
from epcg_puzzlescript.language.problems import GameError, Problems, quoted
from epcg_puzzlescript.language.sections import PRELUDE, cut, lowered
from epcg_puzzlescript.rules.level import Level

_NAMED = re.compile(r"\s*\(\s*title\s*:\s*([^()]*[^()\s])\s*\)\s*", re.IGNORECASE)
"""A comment that names the level below it, as in a collection of Sokoban."""
_BRACKETS = str.maketrans("()", "[]")
MOST_CHARACTERS = 30_000_000
"""The texts of a game's levels, each of which repeats the game, have so many characters together at most."""
_TEMPLATE = "lanterns"
"""The shipped game whose first level a new file has."""


def read_levels(text: str, name: str) -> list[str]:
    """Return the text of each level of a game. Raises GameError."""
    try:
        game = read_game_text(text)
    except GameError as error:
        raise GameError(f"{name}: {error}") from None
    return [format_level(level_of(game, number)) for number in range(len(game.maps))]


def write_level(own: str, title: str) -> str:
    """Return the text of a game with one level, as it is."""
    parse_level(own)
    return own


class GameFile:
    """The levels and messages of a game. Implements `FileFormat`."""

    art = GameArt()
    """The pictures of the objects, which are painted."""

    def read(self, text: str) -> Sheet:
        opened = _open(text)
        faults = opened.faults
        head = "\n".join(opened.head)
        if len(head) * len(opened.parts) > MOST_CHARACTERS:
            sentence = (
                f"The game has {len(head)} characters before its {len(opened.parts)} levels, which is too "
                "much to open the levels one by one; divide them among several games."
            )
            return Sheet((), (Fault(0, sentence), *faults))
        pieces = [part.piece(head, opened.comment(number)) for number, part in enumerate(opened.parts)]
        settings = opened.settings
        title, author = settings.get("title", ""), settings.get("author", "")
        return Sheet(tuple(pieces), faults, title=title, author=author)

    def replace(self, text: str, number: int, piece: Piece) -> str:
        opened = _open(text)
        opened.check()
        part = opened.part(number)
        if part.kind != piece.kind:
            raise GameError(f"A {piece.kind} cannot take the place of a {part.kind}: insert it instead.")
        contents = [*opened.contents[:number], None, *opened.contents[number + 1 :]]
        if piece.kind == "message":
            words = _words(piece)
            trials = iter([opened.lines if words == part.words else opened.with_words(part, words)])
        else:
            trials = opened.with_level(number, piece)
        return opened.first(trials, contents, attrs.evolve(piece, title=""))  # its name stands beside it

    def entitle(self, text: str, number: int, title: str) -> str:
        """Give a level a name, in a comment above it; '' takes the name away."""
        opened = _open(text)
        opened.check()
        part, named = opened.part(number), _title(title)
        if part.kind == "message":
            raise GameError("A message has no name: its words are all that it has.")
        contents = [*opened.contents[:number], (named, *part.content), *opened.contents[number + 1 :]]
        before, behind = opened.lines[: part.top - 1], opened.lines[part.first - 1 :]
        own = [f"(title: {named})"] if named else []
        apart = ["", *own] if own and before and before[-1].strip() else own
        return opened.first(iter([[*before, *own, *behind], [*before, *apart, *behind]]), contents)

    def insert(self, text: str, before: int, piece: Piece) -> str:
        opened = _open(text)
        if not 0 <= before <= len(opened.parts):
            raise GameError(
                f"The game has {len(opened.parts)} levels and messages: there is no place {before}."
            )
        if not opened.header:
            opened.check()
        contents = [*opened.contents[:before], None, *opened.contents[before:]]
        return opened.first(opened.with_piece(before, piece), contents, piece)

    def remove(self, text: str, number: int) -> str:
        opened = _open(text)
        opened.check()
        part = opened.part(number)
        contents = [*opened.contents[:number], *opened.contents[number + 1 :]]
        return opened.first(opened.without(part), contents)

    def new(self, piece: Piece | None = None) -> str:
        """Return the text of a game with that piece; a game is never without a level."""
        if piece is not None and piece.kind == "content":
            parse_level(piece.text)
            return piece.text
        path = next(path for path in shipped_games() if path.stem == _TEMPLATE)
        text = read_levels(read_text(path), path.name)[0]
        return text if piece is None else self.insert(text, 0, piece)


@attrs.frozen
class _Part:
    """A level or a message, where it stands."""

    rows: tuple[Row, ...]
    """None of a message."""
    words: str
    column: int
    """The column behind the word that makes a message; 0 of a level."""
    first: int
    """The number of its first line, from 1."""
    last: int
    title: str = ""
    """The name of a level, which stands in the line above it."""

    @property
    def kind(self) -> str:
        return "content" if self.rows else "message"

    @property
    def top(self) -> int:
        """The number of the line with which it begins, with its name."""
        return self.first - bool(self.title)

    @property
    def content(self) -> tuple[str, ...]:
        """The words of a message, or the rows as they are written."""
        return tuple(row.written for row in self.rows) or ("message", self.words)

    @property
    def known(self) -> tuple[str, ...]:
        """Its name and what it holds."""
        return (self.title, *self.content)

    def piece(self, head: str, comment: Sequence[str]) -> Piece:
        """Return the piece; `head` is the game's text before its levels, `comment` what it needs besides."""
        lines = self.first, self.last
        if not self.rows:
            return Piece(self.words, "message", lines=lines)
        text = "\n".join([head, *comment, "", *(row.written for row in self.rows), ""])
        return Piece(text, title=self.title, lines=lines)


@attrs.frozen
class _Opened:
    """A text in lines, with what stands in them."""

    lines: list[str]
    parts: tuple[_Part, ...] = ()
    header: int = 0
    """The number of the line LEVELS; 0 if there is none."""
    game: Game | None = None
    """None if it is refused."""
    faults: tuple[Fault, ...] = ()
    settings: Mapping[str, str] = attrs.field(factory=dict)
    """What stands before its sections, also if it is refused."""

    @property
    def contents(self) -> list[tuple[str, ...] | None]:
        return [part.known for part in self.parts]

    @property
    def head(self) -> list[str]:
        return head_of(self.lines, self.header) if self.header else []

    def check(self) -> None:
        """Raise GameError if the game is refused."""
        for fault in self.faults:
            if fault.serious:
                raise GameError(f"Mend the text first. Line {fault.line}: {fault.message}")

    def part(self, number: int) -> _Part:
        if not 0 <= number < len(self.parts):
            raise GameError(
                f"The game has {len(self.parts)} levels and messages, and no number {number + 1}."
            )
        return self.parts[number]

    @cached_property
    def maps(self) -> dict[int, Map]:
        """The maps of the game by their first line; a map that is too large is not among them."""
        return {found.line: found for found in self.game.maps} if self.game is not None else {}

    def comment(self, number: int) -> list[str]:
        """Return the lines that a part needs to keep the habits of the game's levels when it is taken out."""
        found = self.map_at(number) if self.game is not None else None
        return [] if found is None or self.game is None else alone(self.game, found.cells)

    def map_at(self, number: int) -> Map | None:
        """Return the map of a part; None of a message."""
        return self.maps.get(self.parts[number].first)

    def first(
        self,
        trials: Iterable[list[str]],
        contents: Sequence[tuple[str, ...] | None],
        piece: Piece | None = None,
    ) -> str:
        """Return the first trial that has these contents, and the piece in the place of None."""
        after = None
        for lines in trials:
            text = "\n".join(lines)
            after = _open(text)
            if len(after.parts) != len(contents):
                continue
            new = contents.index(None) if None in contents else None
            others = [content for at, content in enumerate(after.contents) if at != new]
            if others != [content for content in contents if content is not None]:
                continue
            if not self._maps_are_kept(after, new):
                continue
            if new is None or (piece is not None and after.shows(new, piece)):
                return text
        if after is not None and piece is not None:
            after.check()
        raise GameError("The comments around this place are in the way: make the change in the game's text.")

    def _maps_are_kept(self, after: _Opened, new: int | None) -> bool:
        """Return whether maps whose rows are the same also mean the same: a legend may have grown."""
        if self.head == after.head:
            return True
        kept = {part.content: self.map_at(n) for n, part in enumerate(self.parts) if part.rows}
        for number, part in enumerate(after.parts):
            was, now = kept.get(part.content), after.map_at(number)
            if number != new and was is not None and now is not None and was.cells != now.cells:
                return False
        return True

    def shows(self, number: int, piece: Piece) -> bool:
        """Return whether a part is what a piece shows."""
        part = self.parts[number]
        if part.kind != piece.kind:
            return False
        if piece.kind == "message":
            return part.words == _words(piece)
        if piece.title and part.title != _title(piece.title):
            return False
        found = self.map_at(number)
        return (
            found is not None
            and self.game is not None
            and (Level(self.game, found.width, found.height, found.cells) == _in_game(piece, self.game))
        )

    def with_words(self, part: _Part, words: str) -> list[str]:
        """Return the lines with other words in a message."""
        lines = list(self.lines)
        raw = lines[part.first - 1]
        lines[part.first - 1] = f"{raw[: part.column - 1]} {words}".rstrip()
        return lines

    def with_level(self, number: int, piece: Piece) -> Iterator[list[str]]:
        """Yield the lines with another level in the place of a part, as few signs changed as may be."""
        assert self.game is not None
        part, old, level = self.parts[number], self.map_at(number), _in_game(piece, self.game)
        spelled = spelling(self.game)
        if old is not None and old.cells == level.cells:
            yield self.lines
        for rows, legend in self._ways(piece):
            if old is not None:
                own = ["".join(spelled.get(lowered(sign), sign) for sign in row) for row in rows]
                yield self._grown(self._with_rows(part, _mixed(part, old, level, own)), legend)
            yield self._grown(self._with_rows(part, rows), legend)

    def _ways(self, piece: Piece) -> Iterator[tuple[list[str], Mapping[str, Sequence[str]]]]:
        """Yield the rows of a level as they are written, and as this game draws it, each with new glyphs."""
        yield [row.written for row in _first_level(piece)], {}
        if self.game is not None:
            yield drawn(_in_game(piece, self.game))

    def _grown(self, lines: list[str], legend: Mapping[str, Sequence[str]]) -> list[str]:
        """Return lines with further glyphs at the beginning of the legend."""
        return lines if self.game is None else grown(self.game, lines, legend)

    def _with_rows(self, part: _Part, rows: Sequence[str]) -> list[str]:
        """Return the lines with other rows in a level. What else stands in its lines stays."""
        changed: dict[int, list[str]] = {}
        for y, old in enumerate(part.rows):
            raw, start = self.lines[old.line.number - 1], old.column - 1
            before, behind = raw[:start], raw[start + len(old.text) :]
            if y < len(rows):
                changed[old.line.number] = [before + rows[y] + behind]
            else:
                rest = before + behind
                changed[old.line.number] = [rest] if rest.strip() else []
            if y == len(part.rows) - 1:
                indent = "" if before.strip() else before
                changed[old.line.number] += [indent + row for row in rows[len(part.rows) :]]
        found: list[str] = []
        for number, raw in enumerate(self.lines, 1):
            found += changed.get(number, [raw])
        return found

    def with_piece(self, before: int, piece: Piece) -> Iterator[list[str]]:
        """Yield the lines with a further piece before a part: below the last one, else above this one."""
        if piece.kind == "message":
            ways: list[tuple[list[str], Mapping[str, Sequence[str]]]]
            ways = [([f"message {_words(piece)}".rstrip()], {})]
        else:
            title = _title(piece.title)
            named = [f"(title: {title})"] if title else []
            ways = [([*named, *rows], legend) for rows, legend in self._ways(piece)]
        places = [self.parts[before - 1].last if before else self._begin()]
        if before < len(self.parts):
            places.append(self.parts[before].top - 1)
        after_level = before > 0 and self.parts[before - 1].kind == "content"
        for new, legend in ways:
            for place in places:
                follows = self.lines[place] if place < len(self.lines) else ""
                if (after_level and place == places[0]) or not follows.strip():
                    block = ["", *new] if place < len(self.lines) else ["", *new, ""]
                else:
                    block = [*new, ""]
                yield self._grown([*self.lines[:place], *block, *self.lines[place:]], legend)

    def _begin(self) -> int:
        """Return the number of the last line of the header of the levels."""
        at = self.header
        while at < len(self.lines) and self.lines[at].strip() and not self.lines[at].strip(" \t="):
            at += 1
        return at

    def without(self, part: _Part) -> Iterator[list[str]]:
        """Yield the lines without a part and an empty line beside it; then with more of what is there."""
        lines, first, last = self.lines, part.top - 1, part.last
        if first > 0 and not lines[first - 1].strip():
            yield [*lines[: first - 1], *lines[last:]]
        elif last < len(lines) - 1 and not lines[last].strip():
            yield [*lines[:first], *lines[last + 1 :]]
        yield [*lines[:first], *lines[last:]]
        yield [*lines[:first], "", *lines[last:]]
        yield self._with_rows(part, [])  # which leaves comments that begin or end in it


def _open(text: str) -> _Opened:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    game: Game | None = None
    try:
        game = read_game_text(text)
        problems = game.problems
    except GameError as error:
        problems = error.problems
        if not problems:  # too long, say: nothing of it was read
            said = str(error)
            return _Opened(lines, faults=(Fault(0, said[:1].upper() + said[1:]),))
    fatal = {problem.line for problem in problems if problem.fatal}
    faults = tuple(
        Fault(
            problem.line,
            problem.sentence,
            column=problem.column,
            serious=problem.fatal or (problem.cause and problem.line in fatal),
        )
        for problem in sorted(problems, key=lambda problem: problem.line)
        if not problem.follows
    )
    sections, headers = cut(text, Problems())
    parts = tuple(
        _part(block, lines) for block in islice(blocks(sections["levels"], Problems()), MOST_LEVELS + 1)
    )
    settings = read_settings(sections[PRELUDE], Problems())
    return _Opened(lines, parts, headers.get("levels", 0), game, faults, settings)


def _part(block: Message | list[Row], lines: Sequence[str]) -> _Part:
    if isinstance(block, Message):
        return _Part((), block.text, block.column, block.line, block.line)
    first = block[0].line.number
    named = _NAMED.fullmatch(lines[first - 2]) if first > 1 else None
    return _Part(tuple(block), "", 0, first, block[-1].line.number, named[1] if named else "")


def _title(words: str) -> str:
    """Return a name as a comment can hold it: one line, in which brackets would end the comment."""
    return " ".join(words.translate(_BRACKETS).split())


def _words(piece: Piece) -> str:
    """Return the words of a message. Raises GameError if they are more than a line."""
    words = piece.text.strip()
    if "\n" in words or "\r" in words:
        raise GameError("A message is one line: write several messages, one below the other.")
    return words


def _first_level(piece: Piece) -> list[Row]:
    """Return the rows of the first level of a piece's text."""
    sections, _ = cut(piece.text, Problems())
    found = (block for block in blocks(sections["levels"], Problems()) if not isinstance(block, Message))
    return next(found, [])


def _in_game(piece: Piece, game: Game) -> Level:
    """Return the level of a piece with the objects of a game, by their names. Raises GameError."""
    level = parse_level(piece.text)
    if level.game.identity == game.identity:
        return attrs.evolve(level, game=game)
    numbers = {thing.name: thing.number for thing in game.objects}
    found = {}
    for mask in set(level.cells):
        names = [thing.name for thing in level.game.objects if mask >> thing.number & 1]
        for name in names:
            if name not in numbers:
                raise GameError(f"The level holds {quoted(name)}, which is not an object of this game.")
        found[mask] = sum(1 << numbers[name] for name in names)
    return Level(game, level.width, level.height, tuple(found[mask] for mask in level.cells))


def _mixed(part: _Part, old: Map, level: Level, rows: Sequence[str]) -> list[str]:
    """Return rows with the old signs in the cells that are as they were."""
    found = []
    for y, row in enumerate(_even(rows, level.width)):
        if y >= old.height:
            found.append(row)
            continue
        written = part.rows[y].written
        (signs,) = _even([written], old.width)
        kept = [
            x < old.width and old.cells[x * old.height + y] == level.cells[x * level.height + y]
            for x in range(level.width)
        ]
        if all(kept) and level.width == old.width:
            found.append(written)
        else:
            found.append("".join(signs[x] if kept[x] else row[x] for x in range(level.width)))
    return found


def _even(rows: Sequence[str], width: int) -> list[str]:
    """Return rows of one length, as rows of other lengths are read."""
    return [row[:width].ljust(width, row[-1]) for row in rows]
