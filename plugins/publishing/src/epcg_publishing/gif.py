"""The function `epcg_core.gif`: moves of a puzzle, or a solution of it, as a GIF.

Each position is drawn as its editor shows it (`scene_svg`) and made of pixels by resvg; Pillow puts the
pictures into one file. Both are an extra, so functions import them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import Note, Puzzle, Report
from epcg_core.inside import (
    Document,
    check_ending,
    checked,
    location_of,
    scene_svg,
    solution_actions,
    step_of,
    words_of,
)
from epcg_core.plugin import QueryError, Scene, documents, registry, require, svg
from epcg_publishing.limits import GIF_MS, GIF_SIZE
from epcg_publishing.sharing import gathered

if TYPE_CHECKING:
    from PIL.Image import Image

    from epcg_core import Table

MOST_MOVES = 1000
"""Moves of a GIF: each is a picture."""
FIRST, LAST = 2, 5
"""The first and the last picture stay for as many moves."""
_COLOURS = 256
_SAMPLED = 32
"""Pictures from which the colours of all are taken."""
_GROUND = "#ffffff"


@attrs.frozen(repr=False)
class Animation(Report):
    """A GIF that was written."""

    output: Path
    data: bytes
    moves: tuple[str, ...]
    """The moves that it shows, in words."""
    solved: bool
    """Whether they lead to the end of the puzzle."""

    def parts(self) -> Iterator[str | Table]:
        """Yield a sentence about the file."""
        count = len(self.moves)
        end = "to the end" if self.solved else "which do not solve it"
        size = documents.size_in_words(len(self.data))
        yield Note(f"{self.output} shows {count} move{'s' * (count != 1)}, {end}: {size}.")

    def json(self) -> dict[str, Any]:
        """Return the file and what it shows."""
        return {
            "output": str(self.output),
            "moves": [*self.moves],
            "solved": self.solved,
            "bytes": len(self.data),
        }

    def _repr_mimebundle_(self, **options: Any) -> dict[str, bytes]:
        return {"image/gif": self.data}


@checked
def gif(
    what: str | Path | Puzzle,
    output: str | Path | None = None,
    *,
    moves: Sequence[str] = (),
    level: int = 1,
    domain: str | None = None,
    size: int = GIF_SIZE,
    milliseconds: int = GIF_MS,
    db: str | Path | None = None,
) -> Animation:
    """Write a GIF of moves of a puzzle, as `epcg gif` does.

    Args:
        what: a file, a puzzle's id, RUN#RANK of the database, a text, or a puzzle.
        output: the file; None for TITLE.gif.
        moves: the moves, each in its words, as an intended solution names it, or by its number among those of
            its position, from 1; none for a solution.
        level: the level of a file, from 1.
        domain: the domain of a file or a text that several read.
        size: the pixels of the longer side.
        milliseconds: the time of a move.
        db: the database; as for `open`.

    Raises:
        EpcgError: if nothing reads the puzzle, or there is no such move, or no solution is found.
    """
    text = what.id if isinstance(what, Puzzle) else str(what)
    if output is not None:
        check_ending(Path(output), ".gif")
    found = gathered(text, domain, (level,), False, location_of(db))
    document = found.shared[0].document
    states, words = _played(document, moves)
    data = as_gif(document, states, size, milliseconds)
    target = Path(f"{documents.file_name(found.title)}.gif") if output is None else Path(output)
    with documents.replaced(target) as part:
        part.write_bytes(data)
    with registry().attribute_errors_to(document.info):
        return Animation(target, data, tuple(words), bool(document.model.is_goal(states[-1])))


def _played(document: Document, moves: Sequence[str]) -> tuple[list[Any], list[str]]:
    """Return the positions of moves, or of a solution if there are none, and the moves in words."""
    if len(moves) > MOST_MOVES:
        raise QueryError(f"A GIF shows up to {MOST_MOVES:,} moves, not {len(moves):,}: leave out some.")
    with registry().attribute_errors_to(document.info):
        model = document.model
        states, words = [model.initial(document.editor.content)], list[str]()
        for number, move in enumerate(moves or _solution(document)):
            state = states[-1]
            action = _named(document, state, move, number) if moves else move
            words.append(step_of(document, state, action).text)
            states.append(model.apply(state, action))
        return states, words


def _solution(document: Document) -> list[Any]:
    """Return the actions of a solution. Raises QueryError if none is known, or it is too long."""
    solution = solution_actions(document, ())
    if solution is None:
        raise QueryError("No solution of it is known, so there is nothing to show: name the moves.")
    if len(solution) > MOST_MOVES:
        raise QueryError(
            f"Its solution has {len(solution):,} moves, and a GIF shows up to {MOST_MOVES:,}: name the "
            "first ones."
        )
    return solution


def _named(document: Document, state: Any, move: str, number: int) -> Any:
    """Return the action of a move: in words, by its number from 1, or as an intended solution names it."""
    model = document.model
    actions = [] if model.is_goal(state) else list(model.actions(state))
    at = documents.whole_number(move)
    if at is not None and 1 <= at <= len(actions):
        return actions[at - 1]
    texts = [step_of(document, state, action).text for action in actions]
    own = words_of(model)
    for names in (texts, [own(action) for action in actions], [str(action) for action in actions]):
        fitting = [place for place, name in enumerate(names) if name.casefold() == move.strip().casefold()]
        if len(fitting) == 1:
            return actions[fitting[0]]
    can = ", ".join(f"{place} ({text})" for place, text in enumerate(texts[:8], 1))
    more = ", and so on" if len(texts) > 8 else ""
    raise QueryError(
        f"Move {number + 1} is '{move[:50]}', "
        + (f"and those of its position are {can}{more}." if can else "and its position has no moves.")
    )


def as_gif(document: Document, states: Sequence[Any], size: int = GIF_SIZE, step: int = GIF_MS) -> bytes:
    """Draw positions of play one after the other; the same positions always give the same bytes.

    Args:
        document: the content.
        states: its positions.
        size: the pixels of the longer side.
        step: the milliseconds that a position is shown.

    Raises:
        EpcgError: if the editor does not draw positions, or an extra is missing.
    """
    require("A GIF needs", "PIL", "resvg_py", extra="epcg-publishing[gif]")
    from PIL import Image

    pictures = [_pixels(document, scene, size) for scene in _scenes(document, states)]
    box = max(picture.width for picture in pictures), max(picture.height for picture in pictures)
    frames = []
    for picture in pictures:
        frame = Image.new("RGB", box, _GROUND)
        frame.paste(picture, ((box[0] - picture.width) // 2, (box[1] - picture.height) // 2))
        frames.append(frame)
    colours = _colours(frames)
    indexed = [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]
    times = [step * FIRST, *[step] * (len(frames) - 2), step * LAST][-len(frames) :]
    out = io.BytesIO()
    indexed[0].save(
        out, "GIF", save_all=True, append_images=indexed[1:], duration=times, loop=0, disposal=1
    )  # fmt: skip
    return out.getvalue()


def _scenes(document: Document, states: Sequence[Any]) -> Iterator[Scene]:
    editor: Any = document.editor
    if not hasattr(editor, "position_scene"):
        raise QueryError(
            f"Positions of {document.domain} cannot be drawn: its editor has no position_scene, which shows "
            "them."
        )
    with registry().attribute_errors_to(document.info):
        for state in states:
            yield editor.position_scene(editor.content, state)


def _pixels(document: Document, scene: Scene, size: int) -> Image:
    """Return a position as a picture whose longer side has so many pixels."""
    import resvg_py
    from PIL import Image

    editor: Any = document.editor
    picture = scene_svg(scene, editor.palette, document.domain, getattr(editor, "ground", None))
    points = [point for site in scene.sites for point in site.points]
    spans = [max(values) - min(values) for values in zip(*points, strict=True)]
    width, height = (size, None) if spans[0] >= spans[1] else (None, size)
    if "<text" in picture:
        _check_fonts()
    data = resvg_py.svg_to_bytes(svg_string=picture, background=_GROUND, width=width, height=height)
    return Image.open(io.BytesIO(bytes(data))).convert("RGB")


@cache
def _check_fonts() -> None:
    """Raise QueryError if this machine has no font: letters would be left out without a word."""
    import resvg_py
    from PIL import Image

    letter = svg.document(40, 40, "a letter", [svg.text(20, 30, 30, "8")])
    drawn = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=letter, background=_GROUND))))
    if len(drawn.convert("L").getcolors() or ()) == 1:
        raise QueryError(
            "This machine has no font, and the puzzle shows letters: install one, such as DejaVu."
        )


def _colours(frames: Sequence[Image]) -> Image:
    """Return the palette of all pictures, so that no colour flickers: taken from some of them together."""
    from PIL import Image

    some = frames[:: -(-len(frames) // _SAMPLED)]
    width, height = some[0].size
    together = Image.new("RGB", (width, height * len(some)))
    for number, frame in enumerate(some):
        together.paste(frame, (0, height * number))
    return together.quantize(_COLOURS, Image.Quantize.MEDIANCUT)
