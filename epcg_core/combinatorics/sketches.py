"""The generator `sketch` of every domain with an editor: all contents that fill the open sites of one.

A completion puts one of its marks, or nothing, on each open site. Completions are ranked lexicographically:
sites in the order of the board, marks in that of the palette, nothing first. How often a mark may occur is
limited exactly (`epcg_core.combinatorics.constrained`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from epcg_core.base.errors import CandidateError, EpcgError, ParamsError, RankError, UnknownNameError
from epcg_core.combinatorics.constrained import ConstrainedTuples, Occurrences
from epcg_core.combinatorics.contents import Edited, Packed
from epcg_core.combinatorics.products import MixedRadix
from epcg_core.domain import EditorInfo, resolve
from epcg_core.domain.editing import ERASE, Editor, Mark, Site, UnfilledError, Words, empty_marks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = TypeVar("State")
Range = int | Sequence[int]
"""How often a mark occurs: exactly so often, or at least and at most."""


class Sketch(Edited[State]):
    """All contents that fill the open sites of an editor's content.

    Completions that are no contents, or in which a mark does not stay because another one moves it, have no
    state: `unrank` raises CandidateError with the reason. The digits of `tuples` have prefixes, but a sketch
    offers none for branch and bound: bounds of evaluators are about the items of the generators that they
    were made for.
    """

    domain_attributes = ("editor", "places", "tuples", "marks_of")
    related = True

    def __init__(
        self,
        editor: Editor[State],
        places: Sequence[tuple[Site, Sequence[str]]],
        limits: Sequence[Occurrences],
    ) -> None:
        """Make the space of an editor's content.

        Args:
            editor: the editor.
            places: each open site with the names of its marks, '' for nothing.
            limits: how often digits occur; digit d at a position is the mark d of that place.
        """
        super().__init__(editor)
        self.places = tuple(places)
        self.tuples = ConstrainedTuples(MixedRadix([len(marks) for _, marks in places]), limits)
        self._empty = _emptied(editor, [site.id for site, _ in places])
        shown = editor.scene(self._empty).marks
        self._floors = {site.kind: frozenset(empty_marks(editor, site.kind)) for site, _ in self.places}
        self._wholes = {mark.name: frozenset(mark.shows) for mark in editor.palette if mark.shows is not None}
        self._kept = [
            (number, site)
            for number, (site, _) in enumerate(self.places)
            if frozenset(shown.get(site.id, ())) != self._floors[site.kind]
        ]
        """Places that cannot be emptied as long as nothing lies elsewhere."""
        self._paths: list[list[tuple[int, State]]] = []
        """The digits and the states on the way to a last completion, site by site: one for each thread."""
        if hasattr(editor, "images"):
            self.canonical_rank = self._canonical_rank

    @property
    def max_rank(self) -> int:
        """The number of completions, those that are no contents included."""
        return self.tuples.max_rank

    def unrank(self, rank: int) -> State:
        """Return the completion of `rank`. Raises RankError, and CandidateError if it makes no content."""
        return self._completed(self.tuples.unrank(rank))

    def rank(self, state: State) -> int:
        """Return the rank of a completion. Raises RankError if a content is none."""
        digits = self._digits(state)
        if digits is not None:
            try:
                rank = self.tuples.rank(digits)
                if self._completed(digits) == state:
                    return rank
            except (RankError, CandidateError):  # too often, or elsewhere another content
                pass
        raise RankError("This content does not complete the sketch.")

    def marks_of(self, rank: int) -> dict[str, str]:
        """Return what lies on each open site in a completion: {site: mark}, '' for nothing."""
        digits = self.tuples.unrank(rank)
        return {site.id: marks[digit] for (site, marks), digit in zip(self.places, digits, strict=True)}

    def _digits(self, state: State) -> list[int] | None:
        """Return the digits that a content shows; None if a site shows none of its marks."""
        shown = self.editor.scene(state).marks
        digits = []
        for site, marks in self.places:
            here = frozenset(shown.get(site.id, ()))
            found = [digit for digit, mark in enumerate(marks) if self._exactly(site, mark) == here]
            if not found:
                floor = self._floors[site.kind]
                found = [digit for digit, mark in enumerate(marks) if mark in here and mark not in floor]
                if len(found) != 1:
                    return None
            digits.append(found[0])
        return digits

    def _exactly(self, site: Site, mark: str) -> frozenset[str] | None:
        """Return what a site shows after a mark is put there; None if that may be different."""
        return self._floors[site.kind] if mark == ERASE else self._wholes.get(mark)

    def _canonical_rank(self, rank: int) -> int:
        found = [rank]
        for image in self.editor.images(self.unrank(rank)):  # type: ignore[attr-defined]
            try:
                found.append(self.rank(image))
            except RankError:  # outside the sketch
                continue
        return min(found)

    def _completed(self, digits: Sequence[int]) -> State:
        """Return the content that digits make."""
        try:
            state = self._in_order(digits)
        except EpcgError:
            state = self._as_they_can(digits)
        for (site, marks), digit in zip(self.places, digits, strict=True):
            try:
                stays = self.editor.put(state, site.id, marks[digit]) == state
            except EpcgError:
                stays = False
            if not stays:
                raise CandidateError(
                    f"{self._told(site, marks[digit])} does not stay when the other sites are filled."
                )
        if self._kept:
            shown = self.editor.scene(state).marks
            for number, site in self._kept:
                mark = self.places[number][1][digits[number]]
                here, exactly = frozenset(shown.get(site.id, ())), self._exactly(site, mark)
                if here != exactly and (exactly is not None or here - self._floors[site.kind] != {mark}):
                    raise CandidateError(f"{self._told(site, mark)}: what lies there cannot be taken away.")
        return state

    def _in_order(self, digits: Sequence[int]) -> State:
        """Put the marks one after the other; what is shared with the last completion is there already."""
        try:
            path = self._paths.pop()
        except IndexError:
            path = []
        same = 0
        while same < len(path) and path[same][0] == digits[same]:
            same += 1
        del path[same:]
        state = path[-1][1] if path else self._empty
        for (site, marks), digit in zip(self.places[same:], digits[same:], strict=True):
            state = self.editor.put(state, site.id, marks[digit])
            path.append((digit, state))
        self._paths.append(path)
        return state

    def _as_they_can(self, digits: Sequence[int]) -> State:
        """Put the marks in any order in which each makes a content; what empties sites comes last."""
        left = [(site, marks[digit]) for (site, marks), digit in zip(self.places, digits, strict=True)]
        left.sort(key=lambda each: each[1] == ERASE)
        state = self._empty
        while left:
            later, reason = [], None
            for site, mark in left:
                try:
                    state = self.editor.put(state, site.id, mark)
                except EpcgError as error:
                    later.append((site, mark))
                    reason = reason or f"{self._told(site, mark)}: {error}"
            if len(later) == len(left):
                raise CandidateError(str(reason))
            left = later
        return state

    def _told(self, site: Site, mark: str) -> str:
        titles = {each.name: each.title or each.name for each in self.editor.palette}
        return f"{site.title or site.id}: {titles.get(mark, 'nothing')}"


class PackedSketch(Packed[State], Sketch[State]):
    """Completions that compiled evaluators take as arrays."""


class FilledSketch(Sketch[State]):
    """Completions whose arrays are made from digits, a million a second and more."""

    def __init__(
        self,
        editor: Editor[State],
        places: Sequence[tuple[Site, Sequence[str]]],
        limits: Sequence[Occurrences],
    ) -> None:
        """Make the space of an editor's content (see `Sketch`).

        Raises UnfilledError if the editor does not fill these places by arrays.
        """
        super().__init__(editor, places, limits)
        listed = [(site.id, tuple(marks)) for site, marks in places]
        self.setting, self._fill = editor.filling(self._empty, listed)  # type: ignore[attr-defined]

    def states_block(self, start: int, count: int) -> NDArray[Any]:
        """Return the completions of ranks start .. start + count - 1 as the domain packs them."""
        if isinstance(self._fill, Words):
            return self.tuples.words_block(start, count, self._fill.shares, self._fill.empty)
        return self._filled(self.tuples.states_block(start, count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[Any]:
        """Return the completions of (n,) ranks as the domain packs them."""
        return self._filled(self.tuples.states_at(ranks))

    def _filled(self, digits: NDArray[np.int64]) -> NDArray[Any]:
        rows: NDArray[Any] = self._fill(digits)
        return rows


def _emptied(editor: Editor[State], sites: Sequence[str]) -> State:
    """Return a content with its open sites emptied, those that can be."""
    state = editor.content
    for site in sites:
        try:
            state = editor.put(state, site, ERASE)
        except EpcgError:  # something must lie there until a completion puts it elsewhere
            continue
    return state


def sketch_of(
    editor: Editor[State], places: Sequence[tuple[Site, Sequence[str]]], limits: Sequence[Occurrences] = ()
) -> Sketch[State]:
    """Return a generator of the completions of an editor's content (see `Sketch`)."""
    if hasattr(editor, "filling"):
        with suppress(UnfilledError):
            return FilledSketch(editor, places, limits)
    return (PackedSketch if hasattr(editor, "packed") else Sketch)(editor, places, limits)


def make_sketch(info: EditorInfo, params: Any) -> Sketch[Any]:
    """Make the generator `sketch` of an editor. Raises ParamsError for sites and marks that do not fit."""
    editor: Editor[Any] = resolve(info.factory)(params.content)
    reading = _Reading(editor)
    groups = [reading.group(number, each) for number, each in enumerate(params.open)]
    same = reading.join(editor)
    places = [(site, reading.marks[site.id]) for site in reading.sites if site.id in reading.marks]
    positions = {site.id: position for position, (site, _) in enumerate(places)}
    limits = [
        limit
        for sites, counts, where in [*groups, (list(positions), params.counts, "counts")]
        for limit in _limits({positions[site]: reading.marks[site] for site in sites}, counts, where, same)
    ]
    limits += _at_most_once(editor, places)
    return sketch_of(editor, places, limits)


class _Reading(Generic[State]):
    """The sites and marks of a sketch, as its params name them."""

    def __init__(self, editor: Editor[State]) -> None:
        self.sites = editor.scene(editor.content).sites
        self._known = {site.id: site for site in self.sites}
        self._palette: dict[str, Mark] = {mark.name: mark for mark in editor.palette}
        self.marks: dict[str, list[str]] = {}

    def group(self, number: int, params: Any) -> tuple[list[str], Mapping[str, Range], str]:
        """Read one table of open sites; return its sites and counts, and its name in messages."""
        where = f"open {number + 1}"
        for name in params.marks:
            if name != ERASE and name not in self._palette:
                raise UnknownNameError("mark", name, list(self._palette), f"{where}.marks")
        if not params.marks:
            raise ParamsError(f"{where}: open sites need marks: what may stand there; '' for nothing.")
        for name in params.sites:
            if name not in self._known:
                raise UnknownNameError("site", name, list(self._known), f"{where}.sites")
            if name in self.marks:
                raise ParamsError(f"{where}.sites: '{name}' is open already.")
            site = self._known[name]
            for mark in params.marks:
                if mark != ERASE and site.kind not in self._palette[mark].kinds:
                    raise ParamsError(f"{where}: '{mark}' cannot lie on '{name}', which is a {site.kind}.")
            self.marks[name] = [mark for mark in (ERASE, *self._palette) if mark in params.marks]
        if not params.sites:
            raise ParamsError(f"{where}: there are no sites.")
        return list(params.sites), params.counts, f"{where}.counts"

    def join(self, editor: Editor[State]) -> Mapping[str, str]:
        """Keep one of the marks that make the same of an emptied site: a crate, and the glyph of a crate.

        Returns:
            The mark that is kept, by each that is not.
        """
        found: dict[str, str] = {}
        if all(mark.shows is None for mark in self._palette.values()):
            return found
        empty = _emptied(editor, list(self.marks))
        for site, marks in self.marks.items():
            first: dict[Any, str] = {}
            for mark in marks:
                made = _made(editor, empty, site, mark)
                if made is not None and first.setdefault(made, mark) != mark:
                    found[mark] = first[made]
            self.marks[site] = [mark for mark in marks if found.get(mark) not in marks]
        return found


def _made(editor: Editor[Any], state: Any, site: str, mark: str) -> Any:
    """Return the content after a mark is put; None if it cannot be."""
    try:
        return editor.put(state, site, mark)
    except EpcgError:
        return None


def _at_most_once(editor: Editor[Any], places: Sequence[tuple[Site, Sequence[str]]]) -> list[Occurrences]:
    """Limit marks of which a content has one: to none, if it stands on a site that is not open."""
    once = {mark.name: mark.once for mark in editor.palette if mark.once}
    filled = {site.id for site, _ in places}
    shown = editor.scene(editor.content).marks if once else {}
    elsewhere = {
        once[name] for site, names in shown.items() if site not in filled for name in once.keys() & set(names)
    }
    entries: dict[str, list[tuple[int, int]]] = {}
    for at, (_, marks) in enumerate(places):
        for digit, mark in enumerate(marks):
            if mark in once:
                entries.setdefault(once[mark], []).append((at, digit))
    return [Occurrences(own, 0, 0 if name in elsewhere else 1) for name, own in entries.items()]


def _limits(
    marks: Mapping[int, Sequence[str]],
    counts: Mapping[str, Range],
    where: str,
    same: Mapping[str, str] | None = None,
) -> list[Occurrences]:
    """Return how often digits occur at some positions, from counts by mark, or by one that makes the same."""
    found = []
    allowed = sorted({mark for names in marks.values() for mark in names})
    for mark, count in counts.items():
        entries = [
            (at, list(names).index(each))
            for at, names in marks.items()
            for each in dict.fromkeys((mark, (same or {}).get(mark, mark)))
            if each in names
        ]
        if not entries:
            raise UnknownNameError("mark", mark, allowed, where)
        bounds = (count, count) if isinstance(count, int) else tuple(count)
        if len(bounds) != 2 or not 0 <= bounds[0] <= bounds[1]:
            raise ParamsError(f"{where}.{mark}: a number or [least, most] is expected, not {count}.")
        found.append(Occurrences(entries, *bounds))
    return found
