"""Texts and pictures: texts can be read back, pictures are well-formed."""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from xml.etree import ElementTree

from epcg_core.domain import RendererInfo, resolve
from epcg_core.errors import PLUGIN_EXCEPTIONS
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.spec import make_generator
from epcg_core.testing.report import SPACES, Laws, offering
from epcg_core.testing.snapshot import snapshot
from epcg_core.testing.subject import Space, Subject
from epcg_core.testing.violations import Broken, Case, Cases, Skip, require, require_type

LAWS = Laws()

_SVG = "{http://www.w3.org/2000/svg}svg"
_DRAWN = 6
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
    except ElementTree.ParseError as error:
        raise Broken(
            f"the SVG is not well-formed XML: {error}", "one <svg> element", _excerpt(drawn, error)
        ) from None
    require("the root element", _SVG, root.tag)
    if "viewBox" not in root.attrib and not {"width", "height"} <= set(root.attrib):
        raise Broken("the SVG has no size", "viewBox, or width and height", sorted(root.attrib))


def _excerpt(drawn: str, error: ElementTree.ParseError) -> str:
    line, column = error.position
    lines = re.split(r"\r?\n", drawn)
    return lines[line - 1][max(0, column - 40) : column + 40] if line <= len(lines) else drawn[-80:]
