"""The generators that every domain with an editor has: `contents` and `changes`.

`contents` is a list of contents given as texts. `changes` is everything that marks put on a content make of
it: first all single changes, each another content, in the order of sites and marks; then those of two sites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from epcg_core.combinatorics.edits import EditedSpace, describe
from epcg_core.domain import Edit, EditorInfo, Reading, resolve
from epcg_core.domain.editing import ERASE, Editor, Mark, Site
from epcg_core.errors import CandidateError, EpcgError, RankError, UnknownNameError

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
            self.reading: Reading = editor.reading_of(editor.content)

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
    """The contents that differ from an editor's in marks on at most `most` sites, and on one at least.

    Several changes that make no content together, or one that fewer changes make, have no state: `unrank`
    raises CandidateError with the reason.
    """

    def __init__(
        self,
        editor: Editor[State],
        most: int = 1,
        marks: Sequence[str] = (),
        locked: Sequence[str] = (),
    ) -> None:
        Edited.__init__(self, editor)
        original = editor.content
        singles = dict(_singles(editor, original, _chosen(editor, marks), _open(editor, original, locked)))
        self._singles = {_key(edit): state for state, edit in singles.items()}
        EditedSpace.__init__(self, original, singles.values(), self._changed, most)

    def _changed(self, original: State, edits: tuple[Edit, ...]) -> State:
        if len(edits) == 1:
            return self._singles[_key(edits[0])]
        state = original
        try:
            for edit in edits:
                state = self.editor.put(state, edit.change["site"], edit.change["mark"])
        except EpcgError as error:
            raise CandidateError(f"{describe(edits, range(len(edits)))}: {error}") from error
        if state == original or any(state == self._singles[_key(edit)] for edit in edits):
            raise CandidateError(f"{describe(edits, range(len(edits)))}: fewer changes make the same.")
        return state


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
    editor: Editor[State], most: int = 1, marks: Sequence[str] = (), locked: Sequence[str] = ()
) -> Changes[State]:
    """Return a generator of the changes of an editor's content (see `Changes`).

    Raises UnknownNameError for marks and sites that the editor does not have.
    """
    return (PackedChanges if hasattr(editor, "packed") else Changes)(editor, most, marks, locked)


def make_contents(info: EditorInfo, params: Any) -> Contents[Any]:
    """Make the generator `contents` of an editor."""
    first: Editor[Any] = resolve(info.factory)(params.contents[0])
    return contents_of(first, [first.content, *map(first.parse, params.contents[1:])])


def make_changes(info: EditorInfo, params: Any) -> Changes[Any]:
    """Make the generator `changes` of an editor."""
    editor: Editor[Any] = resolve(info.factory)(params.content)
    return changes_of(editor, params.most, params.marks, params.locked)


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


def _key(edit: Edit) -> tuple[str, str]:
    return edit.change["site"], edit.change["mark"]


def _edit(site: Site, mark: Mark | None) -> Edit:
    made = "emptied" if mark is None else mark.title or mark.name
    return Edit(
        site.id,
        f"{site.title or site.id}: {made}",
        {"site": site.id, "mark": ERASE if mark is None else mark.name},
    )
