"""Pictures of puzzles for a browser, drawn once and cached; a sentence replaces a missing picture."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from hashlib import sha256
from xml.sax.saxutils import escape

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, render, render_animated, render_solved, render_unsolved
from epcg_core.plugin import EditorInfo, EpcgError, RendererInfo, registry

LONGEST_ID = 4_000
"""Most characters of a puzzle id; longer ids are not drawn."""
REMEMBERED = 1_024
LINE = 64

log = logging.getLogger("epcg.browsing")


@attrs.frozen
class Picture:
    """An SVG document, or the sentence why there is none."""

    svg: str
    found: bool = True

    @property
    def etag(self) -> str:
        """A digest that identifies its content."""
        return f'"{sha256(self.svg.encode()).hexdigest()[:32]}"'


def picture(puzzle: str, solved: bool = False) -> Picture:
    """Return the picture of a puzzle by its id, optionally with a solution. Never raises.

    If the domain draws no solutions, the solved picture is the sentence that says so.
    """
    try:
        return _drawn(puzzle, solved)
    except EpcgError as error:
        if error.__cause__ is not None:  # the exception of a plugin's part
            log.exception("The renderer of %s failed.", puzzle)
        return Picture(sentence_svg(str(error)), found=False)
    except (
        PLUGIN_EXCEPTIONS
    ) as error:  # a plugin may raise anything, and a page of others must not fail with it
        log.exception("The renderer of %s failed.", puzzle)
        return Picture(
            sentence_svg(f"{type(error).__name__}: {error}. This is a mistake in the plugin that draws it."),
            found=False,
        )


@lru_cache(REMEMBERED)
def _drawn(puzzle: str, solved: bool) -> Picture:
    if solved:
        svg = render_animated(puzzle) or render_solved(puzzle, "svg")
        return Picture(sentence_svg("Its domain draws no solutions."), False) if svg is None else Picture(svg)
    return Picture(render_unsolved(puzzle, "svg") or render(puzzle, "svg"))


def why_not(puzzle: str) -> str | None:
    """Return why a puzzle id cannot be drawn; None if it should have a picture."""
    domain, _, rest = puzzle.partition(":")
    generator = re.split("[?#@]", rest)[0]
    found = registry()
    try:
        found.generator(domain, generator, "puzzle id")
    except EpcgError as error:
        return str(error)
    return None if _renderer(domain) else f"The domain {domain} has no renderer for svg."


def draws_solutions(puzzle: str) -> bool:
    """Return whether the domain of a puzzle draws solutions."""
    info = _renderer(puzzle.partition(":")[0])
    return info is not None and info.draws_solution


def has_editor(puzzle: str) -> bool:
    """Return whether the domain of a puzzle has an editor."""
    return bool(registry().all(EditorInfo, puzzle.partition(":")[0]))


def _renderer(domain: str) -> RendererInfo | None:
    return registry().renderer(domain, "svg")


def sentence_svg(sentence: str) -> str:
    """Return a sentence as a small SVG document."""
    lines, words = [""], sentence[: 8 * LINE].split()
    for word in words:
        if len(lines[-1]) + len(word) >= LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word[:LINE]}".strip()
    height = 18 * len(lines) + 12
    text = "".join(
        f'<text x="8" y="{18 * i + 20}">{escape(_printable(line))}</text>' for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="480" height="{height}" viewBox="0 0 480 {height}" '
        f'font-family="sans-serif" font-size="13" fill="#555">{text}</svg>\n'
    )


def _printable(text: str) -> str:
    """Drop characters that XML forbids."""
    return "".join(c for c in text if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
