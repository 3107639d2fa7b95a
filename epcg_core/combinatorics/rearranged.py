"""Changes that rearrange what lies on a content: moves, swaps, and regions that are mirrored or turned.

Each says what some sites show afterwards. It is made by puts of the editor, and left out if these make no
content, or change other sites too. Marks keep their own direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, permutations
from typing import Any, Generic, TypeVar

import attrs

from epcg_core.base.errors import EpcgError, ParamsError, UnknownNameError
from epcg_core.domain import Edit
from epcg_core.domain.editing import CELL, CHANGE_KINDS, ERASE, Editor, Site, empty_marks, laying

State = TypeVar("State")
Marks = tuple[str, ...]
Put = tuple[str, str]
"""A site, and the mark that is put there; '' empties it."""

MOVE, SWAP, FLIP, TURN = REARRANGING = CHANGE_KINDS[2:]
USUAL_SIZE = 2, 2
_Turned = Callable[[int, int, int, int], tuple[int, int]]
"""From column, row, columns and rows within a region to the column and row that is shown there."""
_WAYS: Mapping[str, Mapping[str, _Turned]] = {
    FLIP: {
        "mirrored left to right": lambda x, y, width, height: (width - 1 - x, y),
        "mirrored upside down": lambda x, y, width, height: (x, height - 1 - y),
    },
    TURN: {
        "turned clockwise": lambda x, y, width, height: (y, width - 1 - x),
        "turned by 180 degrees": lambda x, y, width, height: (width - 1 - x, height - 1 - y),
        "turned counter-clockwise": lambda x, y, width, height: (height - 1 - y, x),
    },
}
_ANY_SHAPE = "turned by 180 degrees"


@attrs.frozen
class Regions:
    """Rectangular regions of square cells: one, or all of one size."""

    corners: tuple[str, ...] = ()
    """The sites at two opposite corners; none for all regions of the size."""
    size: tuple[int, ...] = ()
    """Columns and rows; none for the usual size."""

    def __attrs_post_init__(self) -> None:
        if self.corners and self.size:
            raise ParamsError("size: the region says it already; leave one of the two out.")
        if len(self.corners) not in (0, 2):
            raise ParamsError("region: expected the sites at two opposite corners, as ['c1,1', 'c3,2'].")
        if len(self.size) not in (0, 2) or any(number < 1 for number in self.size):
            raise ParamsError("size: expected columns and rows of 1 or more, as [3, 2].")

    def of(self, sites: Sequence[Site], locked: Sequence[str]) -> Iterator[list[list[Site]]]:
        """Yield the regions that have no locked site, each as rows of sites.

        Raises UnknownNameError and ParamsError for corners that are not open square cells.
        """
        places = {place: site for site in sites if (place := _place(site)) is not None}
        if self.corners:
            for name in self.corners:
                if all(site.id != name for site in sites):
                    raise UnknownNameError("site", name, [site.id for site in sites], "region")
            known = {site.id: place for place, site in places.items()}
            if not set(self.corners) <= known.keys():
                raise ParamsError("region: its corners are not square cells.")
            (a, b), (c, d) = (known[name] for name in self.corners)
            starts, width, height = [(min(a, c), min(b, d))], abs(a - c) + 1, abs(b - d) + 1
        else:
            width, height = self.size or USUAL_SIZE
            starts = sorted(places, key=lambda place: (place[1], place[0]))
        closed = set(locked)
        for left, top in starts:
            cells = [[places.get((left + x, top + y)) for x in range(width)] for y in range(height)]
            found = [[site for site in row if site is not None and site.id not in closed] for row in cells]
            if all(len(row) == width for row in found):
                yield found
            elif self.corners:
                raise ParamsError("region: each of its places must be a square cell that is not locked.")


def _place(site: Site) -> tuple[int, int] | None:
    """Return the column and row of a square cell, counted from 0 at any corner; None for other sites."""
    x, y = (min(axis) for axis in zip(*site.points, strict=True))
    square = {(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)}
    if site.kind != CELL or set(site.points) != square or x % 1 or y % 1:
        return None
    return int(x), int(y)


ALL_REGIONS = Regions()
"""All regions of the usual size."""


class Rearranging(Generic[State]):
    """The arrangement of a content on its sites, and the other arrangements of it."""

    def __init__(self, editor: Editor[State], original: State, locked: Sequence[str], marks: Sequence[str]):
        """Look at a content.

        Args:
            editor: the editor.
            original: the content.
            locked: sites that stay as they are.
            marks: the marks that may lie elsewhere afterwards; none for all.
        """
        scene = editor.scene(original)
        self._editor, self._original = editor, original
        self._sites, self._locked = scene.sites, set(locked)
        self._shown = {site: tuple(own) for site, own in scene.marks.items() if own}
        self._titles = {mark.name: mark.title or mark.name for mark in editor.palette}
        self._kinds = {mark.name: mark.kinds for mark in editor.palette}
        self._fixed = {name for name in self._kinds if marks and name not in marks}
        self._fixed -= set(getattr(editor, "empty", ()))
        self._kinds_of_sites = {site.id: site.kind for site in scene.sites}
        self._floors = {kind: empty_marks(editor, kind) for kind in set(self._kinds_of_sites.values())}
        self._empty = {
            site.id for site in scene.sites if set(self._lying(site)) == set(self._floors[site.kind])
        }
        self._layings: dict[tuple[str, Marks], Marks] = {}

    def changes(
        self, kinds: Sequence[str], regions: Regions
    ) -> Iterator[tuple[State, Edit, dict[str, Marks]]]:
        """Yield contents with their change, and what each changed site shows; equal contents may recur."""
        for kind in REARRANGING:
            if kind in kinds:
                wanted = {MOVE: self._moves, SWAP: self._swaps}.get(kind)
                found = wanted() if wanted is not None else self._turned(kind, regions)
                for place, description, about, goal in found:
                    made = self._made(goal)
                    if made is not None:
                        state, puts = made
                        change = {"kind": kind, **about, "puts": [list(put) for put in puts]}
                        yield state, Edit((kind, *place), description, change), goal

    def _open(self) -> list[Site]:
        return [site for site in self._sites if site.id not in self._locked]

    def _lying(self, site: Site) -> Marks:
        return self._shown.get(site.id, ())

    def _laying(self, site: str, marks: Marks) -> Marks:
        """Return what is put on a site so that it shows some marks."""
        kind = self._kinds_of_sites[site]
        if (kind, marks) not in self._layings:
            self._layings[kind, marks] = laying(self._editor, kind, marks)
        return self._layings[kind, marks]

    def _words(self, site: Site) -> str:
        lying = [mark for mark in self._lying(site) if mark not in self._floors[site.kind]]
        return " and ".join(self._titles.get(mark, mark) for mark in lying) or "nothing"

    def _moves(self) -> Iterator[tuple[tuple[str, ...], str, dict[str, Any], dict[str, Marks]]]:
        """Yield moves of what lies on a site to an empty one of its kind."""
        for site, other in permutations(self._open(), 2):
            holds = self._lying(site) and site.id not in self._empty
            if holds and other.id in self._empty and site.kind == other.kind:
                words = f"the {self._words(site)} from {_title(site)} to {_title(other)}"
                goal = {site.id: self._floors[site.kind], other.id: self._lying(site)}
                yield (site.id, other.id), words, {"from": site.id, "to": other.id}, goal

    def _swaps(self) -> Iterator[tuple[tuple[str, ...], str, dict[str, Any], dict[str, Marks]]]:
        """Yield exchanges of what lies on two sites of one kind."""
        for site, other in combinations(self._open(), 2):
            if self._lying(site) != self._lying(other) and site.kind == other.kind:
                words = " and ".join(f"{_title(each)} ({self._words(each)})" for each in (site, other))
                goal = {site.id: self._lying(other), other.id: self._lying(site)}
                yield (site.id, other.id), f"{words} swapped", {"between": [site.id, other.id]}, goal

    def _turned(
        self, kind: str, regions: Regions
    ) -> Iterator[tuple[tuple[str, ...], str, dict[str, Any], dict[str, Marks]]]:
        """Yield regions that are mirrored, or turned."""
        for rows in regions.of(self._sites, tuple(self._locked)):
            width, height = len(rows[0]), len(rows)
            ends = rows[0][0], rows[-1][-1]
            for way, source in _WAYS[kind].items():
                if kind == TURN and width != height and way != _ANY_SHAPE:
                    continue
                goal = {}
                for y, row in enumerate(rows):
                    for x, site in enumerate(row):
                        column, line = source(x, y, width, height)
                        marks = self._lying(rows[line][column])
                        if marks != self._lying(site):
                            goal[site.id] = marks
                words = f"{_title(ends[0])} to {_title(ends[1])}: {way}"
                about = {"region": [end.id for end in ends], "how": way}
                if goal:
                    yield (ends[0].id, ends[1].id, way), words, about, goal

    def _made(self, goal: Mapping[str, Marks]) -> tuple[State, list[Put]] | None:
        """Return the content that shows the goal and else what the original shows; None if there is none."""
        if self._fixed and any(self._fixed & {*self._shown.get(site, ()), *goal[site]} for site in goal):
            return None
        shown = {site: set(marks) for site, marks in {**self._shown, **goal}.items() if marks}
        state, puts = self._original, []
        left: list[Put] = []
        for site, marks in goal.items():
            first, *others = self._laying(site, marks)
            left += [(site, mark) for mark in others]
            if first != ERASE or site not in self._empty:
                with suppress(
                    EpcgError
                ):  # what there must be one of leaves its site when it is put elsewhere
                    state = self._editor.put(state, site, first)
                    puts.append((site, first))
        while left:
            later = []
            for site, mark in left:
                try:
                    state = self._editor.put(state, site, mark)
                    puts.append((site, mark))
                except EpcgError:  # perhaps after another has left
                    later.append((site, mark))
            if len(later) == len(left):
                return None
            left = later
        found = self._editor.scene(state).marks
        made = {site: set(marks) for site, marks in found.items() if marks} == shown
        return (state, puts) if made else None


def puts_of(edit: Edit) -> list[Put]:
    """List the (site, mark) that are put one after the other to make a change of `Changes`."""
    if "puts" in edit.change:
        return [(site, mark) for site, mark in edit.change["puts"]]
    return [(edit.change["site"], edit.change["mark"])]


def sites_of(edit: Edit) -> list[str]:
    """List the sites that a change of `Changes` touches."""
    return list(dict.fromkeys(site for site, _ in puts_of(edit)))


def _title(site: Site) -> str:
    return site.title or site.id
