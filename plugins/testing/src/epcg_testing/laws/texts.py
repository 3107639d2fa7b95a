"""Texts and pictures: texts can be read back, pictures are well-formed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from epcg_core.inside import PLUGIN_EXCEPTIONS, format_state, opened_state, puzzle_id, space_spec
from epcg_core.plugin import (
    EditorInfo,
    EpcgError,
    FormatInfo,
    GeneratorInfo,
    Reading,
    RendererInfo,
    make_generator,
    parse_puzzle_id,
    resolve,
    structure,
)
from epcg_testing.report import SPACES, Laws, offering
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Space, Subject
from epcg_testing.violations import Broken, Case, Cases, Skip, require, require_type

LAWS = Laws()

_SVG = "{http://www.w3.org/2000/svg}svg"
_DRAWN = 6
_WRITTEN = 8
_SOLVED = 2


@LAWS.listed(
    "names-rebuild-puzzles",
    "a puzzle's name, 'domain:generator?params#rank', rebuilds it",
    "everything that the states depend on must be among the params: files by their digest, choices by "
    "their seed.",
    SPACES,
)
def names_rebuild_puzzles(space: Space) -> Cases:
    if not space.max_rank:
        yield Skip(space.where, "it has no states")
        return
    found, _ = parse_puzzle_id(space.subject.registry, puzzle_id(space.spec.name, 0))
    other = make_generator(space.subject.registry, found)
    yield Case.once(f"{space.where}, its name", partial(_same_name, space))
    yield Case(space.where, partial(_same_state, space, other), space.few(16))


def _same_name(space: Space) -> None:
    found, rank = parse_puzzle_id(space.subject.registry, puzzle_id(space.spec.name, space.max_rank - 1))
    require("the space that the name of its last puzzle names", space.spec.name, found.name)
    require("the rank that it names", space.max_rank - 1, rank)


def _same_state(space: Space, other: Any, rank: int) -> None:
    require(
        "the state of a generator made from its name",
        snapshot(space.unrank(rank)),
        snapshot(other.unrank(rank)),
    )


@LAWS.ranked(
    "parse-inverts-format",
    "parse(format(state)) is the state",
    "format must write everything that a state is; parse must read all that format writes.",
    offering("format", "parse"),
)
def _parse(space: Space, rank: int) -> None:
    state = space.unrank(rank)
    text = space.generator.format(state)
    require_type("format(state)", str, text)
    require(
        f"parse(format(state)), the text being {text!r}",
        snapshot(state),
        snapshot(space.generator.parse(text)),
    )


@LAWS.whole(
    "formats-keep-content",
    "what a format writes it reads as the same content, and it refuses other texts with a sentence",
    "write everything that the own text says, or raise an EpcgError for what the format cannot hold; `read` "
    "returns a list of own texts, and raises an EpcgError for a text of another kind.",
)
def formats_keep_content(subject: Subject) -> Cases:
    for info in subject.parts(FormatInfo):
        where = f"format {info.name}"
        for space in subject.spaces:
            if not space.offers("format"):
                yield Skip(f"{where}, {space.where}", "the generator offers no format")
            elif info.write is None:
                yield Skip(f"{where}, {space.where}", "it is not written")
            else:
                yield Case(f"{where}, {space.where}", partial(_kept, space, info), space.few(_WRITTEN))
        if info.read is not None:
            for text in ("", "no such text", "[1", "<a", "=\n#\n"):
                yield Case.once(f"{where}, reading {text!r}", partial(_refused, resolve(info.read), text))


def _kept(space: Space, info: FormatInfo, rank: int) -> None:
    assert info.write is not None
    write, own = resolve(info.write), format_state(space.generator, space.unrank(rank))
    try:
        written = write(own, "check")
    except EpcgError:
        return  # the format cannot hold this state, and says so
    require_type("what it writes", str, written)
    require("what it writes, asked twice", written, write(own, "check"))
    if info.read is None:
        return
    read = resolve(info.read)
    texts = list(read(written, "check"))
    require("the number of contents in it, read again", 1, len(texts))
    require("the own text, written, read and written again", written, write(texts[0], "check"))
    parse = getattr(space.generator, "parse", None)
    if parse is None:
        require(
            "the own text without its lines of names, written and read again", _bare(own), _bare(texts[0])
        )
    else:
        require("the state, written and read again", snapshot(parse(own)), snapshot(parse(texts[0])))
    _refused(read, written[: len(written) // 2])


def _bare(own: str) -> list[str]:
    return [line.rstrip() for line in own.splitlines() if line.strip() and not line.startswith("name:")]


def _refused(read: Any, text: str) -> None:
    try:
        texts = read(text, "check")
    except EpcgError:
        return
    require("the types of what it reads", [], [type(t).__name__ for t in texts if type(t) is not str])


@LAWS.whole(
    "finds-names-what-a-text-shows",
    "finds names a puzzle that has the text, or None, and refuses other texts with a sentence",
    "return (params, rank), or (params, None) if the generator's parse and rank give it; None for a text of "
    "another kind; raise an EpcgError for a mistake.",
)
def finds_names_what_a_text_shows(subject: Subject) -> Cases:
    infos = [info for info in subject.parts(GeneratorInfo) if info.finds is not None]
    if not infos:
        yield Skip(subject.name, "no generator has finds")
    spaces = [space for space in subject.spaces if space.offers("format") and space.max_rank]
    for info in infos:
        where = f"generator {info.name}"
        for text in ("", "no such text", "[1", "o\0", "1" * 40):
            yield Case.once(f"{where}, finding {text!r}", partial(_answers, subject, info, text))
        for space in spaces:
            check = partial(_finds, subject, info, space)
            yield Case(f"{where}, finding texts of {space.where}", check, space.few(_WRITTEN))
        if spaces:
            yield Case.once(f"{where}, finding any text", partial(_finds_any, subject, info, spaces))
        else:
            yield Skip(where, "no generator offers format")


def _finds_any(subject: Subject, info: GeneratorInfo[Any, Any], spaces: Sequence[Space]) -> None:
    if not any(_shown(subject, info, space, rank) for space in spaces for rank in space.few(_WRITTEN)):
        raise Broken("whether it finds a text that a generator writes", "one of them", "none")


def _finds(subject: Subject, info: GeneratorInfo[Any, Any], space: Space, rank: int) -> None:
    _shown(subject, info, space, rank)


def _shown(subject: Subject, info: GeneratorInfo[Any, Any], space: Space, rank: int) -> bool:
    """Check the puzzles that are found for a rank's text, and for a file; return whether there are any."""
    text = format_state(space.generator, space.unrank(rank))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "shown.txt"
        path.write_text(text, encoding="utf-8")
        ways = [_found(subject, info, text, way) for way in (None, path)]
    shown = [found for found in ways if found is not None]
    for found in shown:
        if space.offers("parse") and _bare(text) != _bare(found):
            with suppress(EpcgError):  # a generator may read texts of another form only: links, not drawings
                read = snapshot(space.generator.parse(found))
                require("the text of the puzzle that it finds", snapshot(space.generator.parse(text)), read)
        again = _found(subject, info, found, None)
        require("the text that it finds, found again", _bare(found), _bare(again or found))
    return bool(shown)


def _answers(subject: Subject, info: GeneratorInfo[Any, Any], text: str) -> None:
    _found(subject, info, text, None)


def _found(subject: Subject, info: GeneratorInfo[Any, Any], text: str, path: Path | None) -> str | None:
    """Return the text of the puzzle that is found for a text, or its file; None if there is none."""
    assert info.finds is not None
    finds = resolve(info.finds)
    try:
        answer = finds(text, path)
    except EpcgError:
        return None
    require("what finds returns, asked twice", snapshot(answer), snapshot(finds(text, path)))
    if answer is None:
        return None
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], Mapping):
        raise Broken("what finds returns", "(params, rank) or None", repr(answer))
    params, rank = answer
    generator = make_generator(
        subject.registry, space_spec(subject.registry, info.domain, info.name, dict(params))
    )
    if rank is None:
        rank = generator.rank(generator.parse(text))
    require_type("the rank of what finds returns", int, rank)
    if not 0 <= rank < generator.max_rank:
        raise Broken("the rank of what finds returns", f"0 to {generator.max_rank - 1}", str(rank))
    return format_state(generator, generator.unrank(rank))


def _opening(subject: Subject) -> Sequence[Space | Skip]:
    editors = {info.domain for info in subject.registry.all(EditorInfo)}
    found = [space for space in subject.spaces if space.spec.domain in editors]
    return found or [Skip(subject.name, "the domain has no editor")]


@LAWS.ranked(
    "opens-as-itself",
    "an editor opens a candidate as what it is, with all that the params say",
    "offer `opened`, the text for the editor, if `format` leaves out what the params say.",
    _opening,
    few=_WRITTEN,
)
def _opens(space: Space, rank: int) -> None:
    state = space.unrank(rank)
    text = opened_state(space.generator, state)
    for info in space.subject.registry.all(EditorInfo, space.spec.domain):
        try:
            content = resolve(info.factory)(text).content
        except EpcgError:  # no content, but a set of pieces, say
            continue
        if type(content) is type(state):
            require("the content that opens", snapshot(state), snapshot(content))


@LAWS.ranked(
    "titles-name-states",
    "titles names each rank: the same texts every time, the whole before the part",
    "titles(params) returns a function from a rank to a tuple of strings, as ('herons.txt', 'level 2').",
    lambda subject: (
        [space for space in subject.spaces if _titles_of(space) is not None]
        or [Skip(subject.name, "no generator has titles")]
    ),
    few=_WRITTEN,
)
def _titled(space: Space, rank: int) -> None:
    titles = _titles_of(space)
    assert titles is not None
    found = titles(rank)
    require_type("the titles of a rank", tuple, found)
    for title in found:
        require_type("a title", str, title)
    if not found or not all(title.strip() for title in found):
        raise Broken("the titles of a rank", "one or more, none of them blank", found)
    again = _titles_of(space)
    assert again is not None
    require("the titles of a rank, asked twice", found, again(rank))


def _titles_of(space: Space) -> Callable[[int], Any] | None:
    info = space.subject.registry.generator(space.spec.domain, space.spec.generator.name)
    if info.titles is None:
        return None
    params: Any = structure(info.params, space.spec.generator.params, info.name)
    titles: Callable[[int], Any] = resolve(info.titles)(params)
    return titles


@LAWS.listed(
    "readings-repeat",
    "reading is a Reading with a digest of what was read; a generator of the same params has an equal one",
    "give Reading(sha256, unread, unsearched): a digest of all from which the states are made, one line that "
    "says what of the text was not read as it is written, or '', and lines of what searches leave out.",
    offering("reading"),
)
def readings_repeat(space: Space) -> Cases:
    yield Case.once(space.where, partial(_readings, space))


def _is_line(text: str) -> bool:
    return bool(text.strip()) and len(text.splitlines()) == 1


def _readings(space: Space) -> None:
    found = space.generator.reading
    require_type("reading", Reading, found)
    if not found.sha256.strip():
        raise Broken("the digest of a reading", "one of what was read", found.sha256)
    require("the lines of what was not read", 1, len(found.unread.splitlines()) or 1)
    require(
        "the lines of what is not searched", len(found.unsearched), len([*filter(_is_line, found.unsearched)])
    )
    require("the reading, made again", found, make_generator(space.subject.registry, space.spec).reading)


@LAWS.whole(
    "renderers-draw",
    "renderers give text that is not empty and well-formed SVG with a size, the same each time",
    "escape texts with xml.sax.saxutils.escape, close elements, name the SVG namespace, give a viewBox.",
)
def renderers_draw(subject: Subject) -> Cases:
    infos = subject.parts(RendererInfo)
    for format in ("text", "svg"):
        if all(info.format != format for info in infos):
            yield Skip(subject.name, f"no renderer for {format} is registered")
    for info in infos:
        way = f"{info.format} {info.name}".rstrip()
        for space in subject.spaces:
            try:
                draw = resolve(info.factory)(space.generator)
            except PLUGIN_EXCEPTIONS as error:
                yield Case.once(f"{space.where} as {way}", partial(_raise, error))
                continue
            yield Case(f"{space.where} as {way}", partial(_draw, space, info, draw), space.few(_DRAWN))
            if info.draws_solution:
                where = f"{space.where} as {way} with a solution"
                yield Case(where, partial(_draw_solved, space, info, draw), space.few(_SOLVED))


def _raise(error: BaseException) -> None:
    raise error


def _draw(space: Space, info: RendererInfo, draw: Any, rank: int) -> None:
    drawn = draw(space.unrank(rank))
    _check(info, drawn)
    require("the drawing, asked twice", drawn, draw(space.unrank(rank)))


def _draw_solved(space: Space, info: RendererInfo, draw: Any, rank: int) -> None:
    for solution in (False, True):
        _check(info, draw(space.unrank(rank), solution=solution))
    if info.animates_solution:
        _check(info, draw(space.unrank(rank), animate=True))


def _check(info: RendererInfo, drawn: Any) -> None:
    require_type("the drawing", str, drawn)
    if info.format == "text":
        if not drawn.strip():
            raise Broken("a state as text", "something to see", drawn)
        return
    try:
        root = ElementTree.fromstring(drawn)
    except UnicodeEncodeError:
        raise Broken("the SVG holds half a character", "whole characters", _half(drawn)) from None
    except ElementTree.ParseError as error:
        raise Broken(
            f"the SVG is not well-formed XML: {error}", "one <svg> element", _excerpt(drawn, error)
        ) from None
    require("the root element", _SVG, root.tag)
    if "viewBox" not in root.attrib and not {"width", "height"} <= set(root.attrib):
        raise Broken("the SVG has no size", "viewBox, or width and height", sorted(root.attrib))


def _half(drawn: str) -> str:
    place = next(place for place, letter in enumerate(drawn) if 0xD800 <= ord(letter) <= 0xDFFF)
    return ascii(drawn[max(0, place - 40) : place + 40])


def _excerpt(drawn: str, error: ElementTree.ParseError) -> str:
    line, column = error.position
    lines = re.split(r"\r?\n", drawn)
    return lines[line - 1][max(0, column - 40) : column + 40] if line <= len(lines) else drawn[-80:]
