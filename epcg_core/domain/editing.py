"""The contract of editors: how a content is drawn, changed and played by hand.

An editor knows no page and no picture. It says where something can lie (`Site`), what can lie there (`Mark`),
how a content looks (`Scene`), and how an action is made by touch or keys (`Gesture`). From `put` alone the
core derives all changes of a content (see `epcg_core.combinatorics.contents`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import attrs

from epcg_core.base.errors import EpcgError, PluginError
from epcg_core.domain.content import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = TypeVar("State")
State_contra = TypeVar("State_contra", contravariant=True)
Point: TypeAlias = tuple[float, float]
"""(x, y) in units of the board: a square cell has sides of 1, and y grows downward."""

CELL, EDGE, VERTEX = "cell", "edge", "vertex"
"""The parts of a board that a site can be."""
_POINTS = {CELL: range(3, 65), EDGE: range(2, 3), VERTEX: range(1, 2)}
ERASE = ""
"""The name of no mark: to `put` it empties a site."""
CHANGE_KINDS = ("put", "erase", "move", "swap", "flip", "turn")
"""The kinds of change of a content, in the order of their ranks in the generator `changes`."""
USUAL_CHANGES = ("put", "erase")


def _points(points: Sequence[Sequence[float]]) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in points)


@attrs.frozen
class Site:
    """A place that can hold marks."""

    id: str
    """Its name in gestures and changes: 'c3,1' is column 3, row 1, counted from 1 at the top left."""
    points: tuple[Point, ...] = attrs.field(converter=_points)
    """The corners of a cell, the ends of an edge, or a vertex."""
    kind: Literal["cell", "edge", "vertex"] = "cell"
    title: str = ""
    """Its name for readers: 'column 3, row 1'; the id if there is none."""

    def __attrs_post_init__(self) -> None:
        if self.kind not in _POINTS or len(self.points) not in _POINTS[self.kind]:
            raise PluginError(f"The site {self.id}: {len(self.points)} points make no {self.kind}.")


def cell(column: int, row: int) -> str:
    """Return the id of a square cell, from its column and row counted from 0."""
    return f"c{column + 1},{row + 1}"


@cache
def square_cells(columns: int, rows: int) -> tuple[Site, ...]:
    """Return the sites of a board of square cells, row by row."""
    return tuple(
        Site(
            cell(x, y),
            ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)),
            title=f"column {x + 1}, row {y + 1}",
        )
        for y in range(rows)
        for x in range(columns)
    )


@attrs.frozen(kw_only=True)
class Mark:
    """Something that can lie on a site. Marks of one layer exclude each other there."""

    name: str
    title: str = ""
    """Its name for readers; the name if there is none."""
    colour: str = ""
    """A colour of SVG and CSS, '#rrggbb': of the whole cell, or of the outline or the glyph."""
    glyph: str = ""
    """A character or two that are drawn on the site."""
    outline: str = ""
    """The data of an SVG path in a box from -0.5 to 0.5 around the middle of the site."""
    picture: tuple[tuple[str, str], ...] = ()
    """A mark of several colours: (colour, data of an SVG path there), drawn in order, and nothing else."""
    lines: str = attrs.field(default="", kw_only=True)
    """The colour on edges and vertices, if it is another one there: of a ground, which lies on all sites."""
    fills: bool = False
    """The colour fills the whole site; an outline is then drawn in the palette alone."""
    key: str = ""
    """The key that chooses the mark in the palette."""
    kinds: tuple[str, ...] = ("cell",)
    """The kinds of site on which it can lie."""
    layer: str = ""
    """A site holds at most one mark of each layer."""
    turned: str = ""
    """The name of the mark that this one becomes when it is turned."""
    flipped: str = ""
    """The name of the mark that this one becomes when it is turned over; '' if that makes no difference."""
    group: str = ""
    """The heading of its part of the palette."""
    stroke: bool = False
    """It can be drawn over several sites in one go too (`Strokes`); `put` may refuse it."""
    shows: tuple[str, ...] | None = None
    """The marks that its site shows after it is put, and no others: it stands for all of them together.

    None for a mark that is shown itself.
    """
    once: str = ""
    """The name of what a content has one of, at most: a second one that is put takes the first one away.

    Marks of one name are counted together: a hero who looks to the left, and one who looks to the right.
    """


@attrs.frozen
class Path:
    """A line over the board: a snake, a drawn line, the outline of a piece."""

    points: tuple[Point, ...] = attrs.field(converter=_points)
    colour: str = "#333333"
    width: float = 0.1
    """In units of the board."""
    closed: bool = False
    """An outline, which is filled too, if it has a fill."""
    fill: str = ""
    head: bool = False
    """The first point is drawn as a head."""
    title: str = ""
    """Its name for readers."""


@attrs.frozen
class Scene:
    """How a content or a position looks."""

    sites: tuple[Site, ...]
    marks: Mapping[str, tuple[str, ...]]
    """The marks by site, the lowest first; empty sites may be left out."""
    paths: tuple[Path, ...] = ()
    note: str = ""
    """A sentence that belongs to the picture: 'One ball is left.'"""


@attrs.frozen
class Gesture:
    """How a person makes an action."""

    sites: tuple[str, ...] = ()
    """The sites that are touched, in order."""
    keys: tuple[str, ...] = ()
    """Keys that mean the same, as browsers name them: 'ArrowUp'.

    Actions may share a key if other sites are touched first: the key then belongs to what was touched last.
    """
    text: str = ""
    """The action in words."""


def empty_marks(editor: Any, kind: str) -> tuple[str, ...]:
    """Return the marks that an empty site of a kind shows in an editor."""
    empty: tuple[str, ...] = getattr(editor, "empty", ())
    if not empty:
        return ()
    kinds = {mark.name: mark.kinds for mark in editor.palette}
    return tuple(name for name in empty if kind in kinds.get(name, ()))


def laying(editor: Any, kind: str, marks: Collection[str]) -> tuple[str, ...]:
    """Return what is put on a site of a kind, in order, so that it shows some marks whatever lies there.

    The first is a mark that stands for several, or `ERASE`.
    """
    wanted = frozenset(marks)
    first, covered = ERASE, frozenset(empty_marks(editor, kind))
    if covered != wanted:
        for mark in editor.palette:
            if mark.shows is None or kind not in mark.kinds or not wanted.issuperset(mark.shows):
                continue
            if not covered <= wanted or len(mark.shows) > len(covered):
                first, covered = mark.name, frozenset(mark.shows)
    return (first, *(mark for mark in marks if mark not in covered))


class Editor(Protocol[State]):
    """One content, and all contents of its setting: boards of one size, say.

    Contents are states as the domain's evaluators take them; equal ones are equal and have the same hash.

    `EditorInfo.factory(text)` makes one. It may offer `setting` and `transition_model`, as generators do, and
    the capabilities `Resizable`, `Played`, `Judged`, `Strokes`, `Shaped`, `Imaged`, `Reads`, `Packing`,
    `Filling`, `Grounded`, `Floored`, `Keeping` and `Asked`.
    """

    @property
    def content(self) -> State:
        """The content that the text showed: a state as the domain's evaluators take it."""

    @property
    def palette(self) -> Sequence[Mark]:
        """The marks, those of one group together."""

    def parse(self, text: str) -> State:
        """Return the content of a text, of this setting. Raises EpcgError, which names the place."""

    def format(self, state: State) -> str:
        """Return a content as the text that `parse` reads."""

    def scene(self, state: State) -> Scene:
        """Return how a content looks. All contents of a setting have the same sites."""

    def put(self, state: State, site: str, mark: str) -> State:
        """Return the content after a mark is put on a site, or after the site is emptied (`ERASE`).

        A mark that there is only one of leaves its former site. Raises EpcgError if that makes no content.
        """


class Resizable(Protocol[State_contra]):
    """The capability of an editor to make the board larger or smaller."""

    def resized(self, state: State_contra, columns: int, rows: int) -> str:
        """Return the text of the content on a board of another size; what lies outside is lost.

        Raises EpcgError if there is no such board.
        """


class Played(Protocol[State_contra]):
    """The capability of an editor to show positions of play, and to play them by gestures."""

    def position_scene(self, content: State_contra, position: Any) -> Scene:
        """Return how a position of the transition model looks that play of a content leads to."""

    def gesture(self, content: State_contra, position: Any, action: Any) -> Gesture:
        """Return how a person makes an action; no two actions of a position have the same gesture."""


@attrs.frozen
class Judgement:
    """Tell how a content is that can be solved, if the number of moves tells nothing."""

    good: bool
    """Whether it is as it should be."""
    label: str
    """A word or two: 'fair'."""
    sentence: str
    """A sentence about it: 'It has exactly one solution.'"""


class Judged(Protocol[State_contra]):
    """The capability of an editor of puzzles that are solved by writing, in any order."""

    def judged(self, state: State_contra) -> Judgement:
        """Return what is told of a content that can be solved, instead of how many moves a solution has."""


class Strokes(Protocol[State]):
    """The capability of an editor whose palette has marks that are drawn over several sites."""

    def stroke(self, state: State, sites: Sequence[str], mark: str) -> State:
        """Return the content after a mark is drawn over sites, in order. Raises EpcgError as `put` does."""


@attrs.frozen
class Cast:
    """The sites that a mark would cover."""

    sites: tuple[str, ...]
    fits: bool
    """Whether it can be put there now."""


class Shaped(Protocol[State_contra]):
    """The capability of an editor whose marks cover more sites than the one that they are put on."""

    def casts(self, state: State_contra, mark: str) -> Mapping[str, Cast]:
        """Return what a mark would cover, by the site that it is put on.

        A site is left out if the mark would stand over the edge there. Raises UnknownNameError for a mark
        that the palette does not have.
        """


class Grounded(Protocol):
    """The capability of an editor whose empty places have a picture."""

    @property
    def ground(self) -> Mark:
        """The mark below all others: it is drawn on each site of its kinds, and is not in the palette."""


class Floored(Protocol):
    """The capability of an editor whose empty sites show marks: a floor, water."""

    @property
    def empty(self) -> tuple[str, ...]:
        """The marks that a site shows after it is emptied (`ERASE`), as far as they can lie on its kind."""


class Keeping(Protocol[State_contra]):
    """The capability of an editor to say which changes keep a number that contents of its setting have."""

    def keeps(self, before: State_contra, after: State_contra) -> bool:
        """Return whether a changed content has as many of what there is a fixed number of: heroes, starts.

        Analyses try no change that does not; people may draw it.
        """


@attrs.frozen(kw_only=True)
class GameQuestion:
    """A question about a game or a content, asked of all that there is: which pieces, which board."""

    title: str
    """'Which set of the pieces?'"""
    about: str
    """A sentence: what is tried, and what for."""
    query: Mapping[str, Any]
    """The table of the generator."""
    measures: tuple[str, ...]
    """The evaluators by which the candidates are compared."""


class Asked(Protocol[State_contra]):
    """The capability of an editor to name the questions by which a designer goes on with a content.

    What moves could begin elsewhere, say: all starts are tried, and the hardest are kept.
    """

    def questions(self, state: State_contra) -> Sequence[GameQuestion]:
        """Return the questions about a content; none where it gives no reason for any.

        Their tables say the content by themselves: no file is put in.
        """


class Imaged(Protocol[State]):
    """The capability of an editor to turn and reflect contents."""

    def images(self, state: State) -> Sequence[State]:
        """Return the images of a content under the symmetries of its setting, itself among them or not."""


class Reads(Protocol[State_contra]):
    """The capability of an editor to say how the text of a content was read.

    If searches may leave out more of contents that are made of the editor's own, its attribute
    `reading_of_others` is their reading.
    """

    def reading_of(self, state: State_contra) -> Reading:
        """Return how it was read."""


class Packing(Protocol[State_contra]):
    """The capability of an editor to hand contents to the domain's compiled evaluators."""

    def packed(self, states: Sequence[State_contra]) -> NDArray[Any]:
        """Return contents as the array that `evaluate_states` of the domain's evaluators takes."""


class UnfilledError(EpcgError):
    """An editor does not make these completions as arrays."""


@attrs.frozen(eq=False)
class Words:
    """Completions as words of 64 bits: the exclusive or of the empty content and of a word for each mark."""

    empty: int
    shares: NDArray[np.uint64]
    """(sites, marks): what a mark of a site changes; 0 behind a site's last mark."""

    def __call__(self, digits: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of (n, sites) digits: (n,)."""
        import numpy as np

        found = np.full(len(digits), self.empty, np.uint64)
        for share, column in zip(self.shares, digits.T, strict=True):
            found ^= share[column]
        return found


class Filling(Protocol[State_contra]):
    """The capability of an editor to make the completions of a sketch as arrays, without contents."""

    def filling(
        self, empty: State_contra, places: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[Any, Callable[[NDArray[Any]], NDArray[Any]]]:
        """Return what the completions share, and the function from digits to arrays.

        Raises UnfilledError if these marks need contents.

        Args:
            empty: the content with the open sites emptied.
            places: each open site with its marks, '' for nothing.

        Returns:
            The generator's `setting`, and a function from (n, sites) int64 digits, which number the marks of
            each site, to what `evaluate_states` of the domain's evaluators takes: `Words` if that is one word
            for each content, which is the fastest. Every combination must be a content.
        """
