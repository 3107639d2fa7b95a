"""The generators that every domain with an editor has: `contents` and `changes`.

`contents` is a list of contents given as texts. `changes` is everything that a few changes make of a content:
first all single changes, each another content, in the order of kinds, sites and marks; then those of two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from epcg_core.base.errors import CandidateError, EpcgError, ParamsError, RankError, UnknownNameError
from epcg_core.combinatorics.edits import EditedSpace, describe
from epcg_core.combinatorics.rearranged import ALL_REGIONS, Marks, Rearranging, Regions, puts_of, sites_of
from epcg_core.domain import Edit, EditorInfo, Reading, resolve
from epcg_core.domain.editing import CHANGE_KINDS, ERASE, USUAL_CHANGES, Editor, Mark, Site

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = TypeVar("State")


class Edited(Generic[State]):
    """The link between the contents of an editor and the other generators of their domain."""

    domain_attributes: ClassVar[tuple[str, ...]] = ("editor",)

    def __init__(self, editor: Editor[State]) -> None:
        self.editor = editor
        for capability in ("setting", "transition_model"):
            if hasattr(editor, capability):
                setattr(self, capability, getattr(editor, capability))
        if hasattr(editor, "reading_of"):
            whole: Reading = editor.reading_of(editor.content)
            self.reading: Reading = getattr(editor, "reading_of_others", whole)

    def parse(self, text: str) -> State:
        """Read the content of a text."""
        return self.editor.parse(text)

    def format(self, state: State) -> str:
        """Write a content as text."""
        return self.editor.format(state)


class Contents(Edited[State]):
    """The contents of some texts, in their order."""

    def __init__(self, editor: Editor[State], states: Sequence[State]) -> None:
        super().__init__(editor)
        self._states = tuple(states)
        if hasattr(editor, "reading_of"):
            self.reading = Reading.together([editor.reading_of(state) for state in self._states])

    @property
    def max_rank(self) -> int:
        """The number of contents."""
        return len(self._states)

    def unrank(self, rank: int) -> State:
        """Return a content. Raises RankError if there is none of that rank."""
        if not 0 <= rank < len(self._states):
            raise RankError(f"There is no content {rank}: there are {len(self._states)}.")
        return self._states[rank]


class Changes(Edited[State], EditedSpace[State]):
    """The contents that differ from an editor's by at most `most` changes, and by one at least.

    Several changes that make no content together, or one that fewer changes make, have no state: `unrank`
    raises CandidateError with the reason. With `keep`, so have those that do not keep what the editor keeps.
    """

    def __init__(
        self,
        editor: Editor[State],
        most: int = 1,
        marks: Sequence[str] = (),
        locked: Sequence[str] = (),
        kinds: Sequence[str] = USUAL_CHANGES,
        regions: Regions = ALL_REGIONS,
        keep: bool = False,
    ) -> None:
        Edited.__init__(self, editor)
        original = editor.content
        if not kinds:
            raise ParamsError(f"kinds: name one kind of change at least: {', '.join(CHANGE_KINDS)}.")
        for kind in kinds:
            if kind not in CHANGE_KINDS:
                raise UnknownNameError("kind of change", kind, CHANGE_KINDS, "kinds")
        puts = [mark for mark in _chosen(editor, marks) if ("erase" if mark is None else "put") in kinds]
        self._keeps = getattr(editor, "keeps", None) if keep else None
        singles = {
            state: edit
            for state, edit in _singles(editor, original, puts, _open(editor, original, locked))
            if self._is_kept(state, original)
        }
        self._goals: dict[Any, dict[str, Marks]] = {}
        rearranging = Rearranging(editor, original, locked, marks)
        for state, edit, goal in rearranging.changes(kinds, regions):
            if state != original and state not in singles and self._is_kept(state, original):
                singles[state] = edit
                self._goals[_key(edit)] = goal
        self._singles = {_key(edit): state for state, edit in singles.items()}
        self._made = frozenset(singles) if self._goals else frozenset[State]()
        """The contents of single changes, if several of these may make one of another kind."""
        EditedSpace.__init__(self, original, singles.values(), self._changed, most)

    def _is_kept(self, state: State, original: State) -> bool:
        return self._keeps is None or bool(self._keeps(original, state))

    def _changed(self, original: State, edits: tuple[Edit, ...]) -> State:
        if len(edits) == 1:
            return self._singles[_key(edits[0])]
        state = original
        try:
            for edit in edits:
                for site, mark in puts_of(edit):
                    state = self.editor.put(state, site, mark)
        except EpcgError as error:
            raise CandidateError(f"{describe(edits, range(len(edits)))}: {error}") from error
        if not self._is_kept(state, original):
            raise CandidateError(
                f"{describe(edits, range(len(edits)))}: then there are more, or fewer, of something of which "
                "levels have a fixed number."
            )
        if self._goals:
            self._check_places(state, edits)
        own = (self._singles[_key(edit)] for edit in edits)
        if state == original or state in self._made or any(state == single for single in own):
            raise CandidateError(f"{describe(edits, range(len(edits)))}: fewer changes make the same.")
        return state

    def _check_places(self, state: State, edits: tuple[Edit, ...]) -> None:
        """Raise CandidateError if changes share a site, or a rearranged site shows something else."""
        sites = [site for edit in edits for site in sites_of(edit)]
        goals = [goal for edit in edits for goal in self._goals.get(_key(edit), {}).items()]
        shown = self.editor.scene(state).marks
        if len(set(sites)) < len(sites):
            raise CandidateError(f"{describe(edits, range(len(edits)))}: these change one place twice.")
        if any(set(shown.get(site, ())) != set(marks) for site, marks in goals):
            raise CandidateError(f"{describe(edits, range(len(edits)))}: one undoes a part of another.")


class Packed(Edited[State]):
    """The array capability of contents whose editor packs them."""

    unrank: Callable[[int], State]

    def states_block(self, start: int, count: int) -> NDArray[Any]:
        """Return the contents of ranks start .. start + count - 1 as the domain packs them."""
        return self._pack(range(start, start + count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[Any]:
        """Return the contents of (n,) ranks as the domain packs them."""
        return self._pack(ranks.tolist())

    def _pack(self, ranks: Sequence[int]) -> NDArray[Any]:
        packed: NDArray[Any] = self.editor.packed([self.unrank(rank) for rank in ranks])  # type: ignore[attr-defined]
        return packed


class PackedContents(Packed[State], Contents[State]):
    """Contents that compiled evaluators take as arrays."""


class PackedChanges(Packed[State], Changes[State]):
    """Changes that compiled evaluators take as arrays."""


def contents_of(editor: Editor[State], states: Sequence[State]) -> Contents[State]:
    """Return a generator of some contents of an editor's setting."""
    return (PackedContents if hasattr(editor, "packed") else Contents)(editor, states)


def changes_of(
    editor: Editor[State],
    most: int = 1,
    marks: Sequence[str] = (),
    locked: Sequence[str] = (),
    kinds: Sequence[str] = USUAL_CHANGES,
    region: Sequence[str] = (),
    size: Sequence[int] = (),
    keep: bool = False,
) -> Changes[State]:
    """Return a generator of the changes of an editor's content (see `Changes`).

    Kinds of change are 'put', 'erase', 'move' what lies on a site to an empty one, 'swap' what lies on two,
    'flip' (mirror) and 'turn' a rectangular region of square cells.

    Args:
        editor: the editor.
        most: changes that are made together, at most.
        marks: the marks that are put, or lie elsewhere afterwards; '' empties; none for all.
        locked: sites that stay as they are.
        kinds: the kinds of change.
        region: the sites at two opposite corners of the one region that is flipped and turned.
        size: columns and rows of regions that are flipped and turned, instead of `region`; default: 2 by 2.
        keep: whether contents are left out that do not have as many of something as the editor `keeps`.

    Returns:
        The generator.

    Raises:
        UnknownNameError: for kinds, marks and sites that there are not.
        ParamsError: if the region is not one of open square cells.
    """
    made = PackedChanges if hasattr(editor, "packed") else Changes
    return made(editor, most, marks, locked, kinds, Regions(tuple(region), tuple(size)), keep)


def make_contents(info: EditorInfo, params: Any) -> Contents[Any]:
    """Make the generator `contents` of an editor."""
    first: Editor[Any] = resolve(info.factory)(params.contents[0])
    return contents_of(first, [first.content, *map(first.parse, params.contents[1:])])


def make_changes(info: EditorInfo, params: Any) -> Changes[Any]:
    """Make the generator `changes` of an editor."""
    editor: Editor[Any] = resolve(info.factory)(params.content)
    return changes_of(
        editor,
        params.most,
        params.marks,
        params.locked,
        params.kinds,
        params.region,
        params.size,
        params.keep,
    )


def _chosen(editor: Editor[Any], names: Sequence[str]) -> list[Mark | None]:
    """Return the marks of some names, in the order of the palette; None stands for emptying a site."""
    palette = {mark.name: mark for mark in editor.palette}
    for name in names:
        if name and name not in palette:
            raise UnknownNameError("mark", name, list(palette), "marks")
    return [
        *([None] if ERASE in names or not names else []),
        *(mark for name, mark in palette.items() if name in names or not names),
    ]


def _open(editor: Editor[Any], state: Any, locked: Sequence[str]) -> list[Site]:
    sites = editor.scene(state).sites
    for name in locked:
        if all(site.id != name for site in sites):
            raise UnknownNameError("site", name, [site.id for site in sites], "locked")
    return [site for site in sites if site.id not in set(locked)]


def _singles(
    editor: Editor[State], original: State, marks: Sequence[Mark | None], sites: Sequence[Site]
) -> Iterator[tuple[State, Edit]]:
    """Yield each content that one change makes, with the first change that makes it, by site and mark."""
    seen = {original}
    for site in sites:
        for mark in marks:
            if mark is not None and site.kind not in mark.kinds:
                continue
            try:
                state = editor.put(original, site.id, ERASE if mark is None else mark.name)
            except EpcgError:  # no content
                continue
            if state not in seen:
                seen.add(state)
                yield state, _edit(site, mark)


def _key(edit: Edit) -> Any:
    return edit.place, edit.change.get("mark", "")


def _edit(site: Site, mark: Mark | None) -> Edit:
    made = "emptied" if mark is None else mark.title or mark.name
    return Edit(
        site.id,
        f"{site.title or site.id}: {made}",
        {"site": site.id, "mark": ERASE if mark is None else mark.name},
    )
