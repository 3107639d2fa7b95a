"""The positions of one content, each expanded once, for all that read them: play pages, entropy, rules.

Only the first positions are expanded by plain code, which needs no compiled kernel; then packed ones, many in
a call. So only a model is explored whose packed positions have the same successors (`Explorable`).
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from epcg_core.base.errors import PLUGIN_EXCEPTIONS
from epcg_core.domain.play import PackedModel, TransitionModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLAINLY = 32
"""Positions that are expanded by plain code before packed ones are made."""
BATCH = 4096
"""Positions that one call expands at most; never more than were expanded before."""
_UNPACKED = 256
"""Rows that are made positions at a time."""
KEPT, MOST_KEPT = 16, 50_000
"""Contents, and positions of all of them, that a thread keeps for the next reader."""
_Edges = tuple[tuple[Any, ...], tuple[int, ...]]


class Explored:
    """A transition model of one content that remembers: each of its positions has a number, from 0.

    It answers as the model does, for positions of this content only; its `key` is the number. States that it
    returns are its own, which it finds again without looking at what they hold.
    """

    def __init__(self, model: TransitionModel[Any, Any], content: Any) -> None:
        self.model, self._content = model, content
        self._packed: PackedModel[Any, Any] | None = None
        self._numbers: dict[Hashable, int] = {}
        """The numbers of positions by key, or by the bytes of a row as soon as positions are packed."""
        self._by_id: dict[int, int] = {}
        self._states: list[Any] = []
        """None for a position that is known by its row only."""
        self._rows: list[bytes] = []
        self._goals = bytearray()
        self._edges: list[_Edges | None] = []
        self._actions: dict[int, Any] = {}
        self._next = self._expansions = 0
        self.plainly = _plainly()
        """Whether no position is packed, because kernels would have to be compiled for it."""
        self._in_batches = True
        self._met(model.initial(content))

    def __len__(self) -> int:
        """Return the number of positions met so far."""
        return len(self._edges)

    def initial(self, content: Any) -> Any:
        """Return the first position of the content; the one argument is that content."""
        return self.state(0)

    def actions(self, state: Any) -> Sequence[Any]:
        """Return the actions of a position, in the model's order."""
        return self.edges(self.key(state))[0]

    def apply(self, state: Any, action: Any) -> Any:
        """Return the position after an action. Raises ValueError if it is not one of the position's."""
        actions, targets = self.edges(self.key(state))
        return self.state(targets[actions.index(action)])

    def is_goal(self, state: Any) -> bool:
        """Return whether a position is a goal."""
        return bool(self._goals[self.key(state)])

    def key(self, state: Any) -> int:
        """Return the number of a position; it is a new one if the content's play was not there before."""
        number = self._by_id.get(id(state))
        if number is not None:
            return number
        if self._packed is None:
            return self._met(state)
        return self._added(self._packed.pack(state).reshape(1, -1))[0]

    def state(self, number: int) -> Any:
        """Return the position of a number."""
        state = self._states[number]
        if state is None:
            self._unpack(number)
            state = self._states[number]
        return state

    def is_won(self, number: int) -> bool:
        """Return whether the position of a number is a goal."""
        return bool(self._goals[number])

    def edges(self, number: int) -> _Edges:
        """Return (the actions of a position in the model's order, the numbers that they lead to)."""
        found = self._edges[number]
        if found is None:
            self._expand(number)
            found = self._edges[number]
            assert found is not None
        return found

    # ---- positions

    def _met(self, state: Any) -> int:
        """Return the number of a plain position, which is kept if it is a new one."""
        number = self._numbers.setdefault(self.model.key(state), len(self._edges))
        if number == len(self._edges):
            self._new(bool(self.model.is_goal(state)), state)
        return number

    def _new(self, is_goal: bool, state: Any) -> None:
        if state is not None:
            self._by_id[id(state)] = len(self._edges)
        self._states.append(state)
        self._goals.append(is_goal)
        self._edges.append(None)

    def _added(self, rows: NDArray[np.uint64]) -> list[int]:
        """Return the numbers of rows, which are kept if they are new ones."""
        assert self._packed is not None
        data, width = rows.tobytes(), 8 * rows.shape[1]
        numbers, found = self._numbers, []
        for start in range(0, len(data), width):
            row = data[start : start + width]
            number = numbers.setdefault(row, len(self._rows))
            if number == len(self._rows):
                self._rows.append(row)
            found.append(number)
        if len(self._rows) > len(self._edges):
            new = self._rows_of(range(len(self._edges), len(self._rows)))
            for is_goal in self._packed.solved(new).tolist():
                self._new(is_goal, None)
        return found

    def _rows_of(self, numbers: Sequence[int]) -> NDArray[np.uint64]:
        import numpy as np

        assert self._packed is not None
        data = b"".join([self._rows[number] for number in numbers])
        return np.frombuffer(data, np.uint64).reshape(len(numbers), self._packed.words)

    def _unpack(self, number: int) -> None:
        """Make the positions of a row and of others beside it."""
        start = number - number % _UNPACKED
        stop = min(start + _UNPACKED, len(self._states))
        numbers = [each for each in range(start, stop) if self._states[each] is None]
        rows = self._rows_of(numbers)
        many = getattr(self._packed, "unpack_all", None)
        states = map(self._packed.unpack, rows) if many is None else many(rows)  # type: ignore[union-attr]
        for each, state in zip(numbers, states, strict=True):
            self._states[each] = state
            self._by_id[id(state)] = each

    # ---- expansions

    def _expand(self, number: int) -> None:
        self._expansions += 1
        if self._packed is None and self._expansions > PLAINLY and not self.plainly:
            self._pack()
        if self._packed is None or self._goals[number]:  # packed models need not know what follows a goal
            self._expand_plainly(number)
            return
        try:
            self._expand_rows([number, *self._others(number)])
        except PLUGIN_EXCEPTIONS:  # perhaps of another position than the one that is asked for
            self._in_batches = False
            self._expand_plainly(number)

    def _expand_plainly(self, number: int) -> None:
        model, state = self.model, self.state(number)
        actions = tuple(model.actions(state))
        self._edges[number] = actions, tuple([self.key(model.apply(state, action)) for action in actions])

    def _pack(self) -> None:
        """Go on with packed positions."""
        packed = self.model.packed(self._content)  # type: ignore[attr-defined]
        rows = [packed.pack(state).tobytes() for state in self._states]
        self._packed, self._rows = packed, rows
        self._numbers = {row: number for number, row in enumerate(rows)}

    def _others(self, number: int) -> list[int]:
        """Return further positions to expand, in the order in which they were met: as many as ever were."""
        found: list[int] = []
        most = min(BATCH, self._expansions) if self._in_batches else 0
        while len(found) < most and self._next < len(self._edges):
            here = self._next
            self._next += 1
            if here != number and self._edges[here] is None and not self._goals[here]:
                found.append(here)
        self._expansions += len(found)
        return found

    def _expand_rows(self, numbers: Sequence[int]) -> None:
        assert self._packed is not None
        found = self._packed.successors(self._rows_of(numbers))
        targets = self._added(found.positions)
        actions = [self._action(each) for each in found.actions.tolist()]
        start = 0
        for number, count in zip(numbers, found.counts.tolist(), strict=True):
            stop = start + count
            self._edges[number] = tuple(actions[start:stop]), tuple(targets[start:stop])
            start = stop

    def _action(self, number: int) -> Any:
        found = self._actions.get(number)
        if found is None:
            assert self._packed is not None
            found = self._actions[number] = self._packed.action(number)
        return found


def _plainly() -> bool:
    """Return whether all positions are to be expanded by plain code: no kernel is to be compiled."""
    compiled = sys.modules.get("epcg_core.compiled")  # it imports numba, which the first positions do without
    return compiled is not None and bool(compiled.prefers_plain())


class _Kept(threading.local):
    """The contents that a thread has explored, the last read last."""

    def __init__(self) -> None:
        self.contents: OrderedDict[Hashable, Explored] = OrderedDict()
        self.last: tuple[TransitionModel[Any, Any], Any, Explored] | None = None
        """The last question and its answer: rules ask it again and again."""


_kept = _Kept()


def explored(model: TransitionModel[Any, Any], content: Any) -> TransitionModel[Any, Any]:
    """Return the explored positions of a content as a model; the model itself if it cannot be explored so.

    Models are taken for one if they are of one class and have an equal `play_identity`.
    """
    last, plainly = _kept.last, _plainly()
    if last is not None and last[0] is model and last[1] is content and last[2].plainly is plainly:
        return last[2]
    if not hasattr(model, "play_identity"):
        return model
    key = type(model), model.play_identity, content, plainly
    found = _kept.contents.pop(key, None) or Explored(model, content)
    _kept.contents[key] = found
    _kept.last = model, content, found
    while len(_kept.contents) > 1 and (
        len(_kept.contents) > KEPT or sum(map(len, _kept.contents.values())) > MOST_KEPT
    ):
        _kept.contents.popitem(last=False)
    return found
