"""Packed models: positions as words behave as the positions that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from epcg_testing.positions import PUZZLES, Play, explore
from epcg_testing.report import Laws
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Space, Subject
from epcg_testing.violations import Skip, require

LAWS = Laws()


def _packed_spaces(subject: Subject) -> Iterator[Space | Skip]:
    for space in subject.offering("transition_model"):
        if isinstance(space, Skip) or hasattr(space.generator.transition_model, "packed"):
            yield space
        else:
            yield Skip(space.where, "the model offers no packed positions")


@LAWS.ranked(
    "packed-equals-play",
    "a packed model has the goals, actions and successors of the plain one, and a row for each position",
    "compare the kernel's successors with apply for the position above.",
    _packed_spaces,
    PUZZLES,
)
def _packed(space: Space, rank: int) -> None:
    play = explore(space, rank)
    model = play.model
    packed = model.packed(space.unrank(rank))
    rows = np.array([packed.pack(state) for state in play.states], np.uint64).reshape(-1, packed.words)
    require("positions that share a row", 0, len(rows) - len(np.unique(rows, axis=0)))
    for row, state in zip(rows, play.states, strict=True):
        require(
            "the key of unpack(pack(position))",
            snapshot(model.key(state)),
            snapshot(model.key(packed.unpack(row))),
        )
    goals = [bool(model.is_goal(state)) for state in play.states]
    require("solved", goals, [bool(goal) for goal in packed.solved(rows)])
    _successors(play, packed, rows)


def _successors(play: Play, packed: Any, rows: Any) -> None:
    """Check the successors of each position; lost ones and actions without effect may be missing."""
    model = play.model
    open_ = [n for n, below in enumerate(play.children) if not model.is_goal(play.states[n])]
    found = packed.successors(rows[open_])
    require(
        "counts of successors",
        (len(open_), len(found.positions)),
        (len(found.counts), int(found.counts.sum())),
    )
    ends = np.cumsum(found.counts)
    for i, number in enumerate(open_):
        state, span = play.states[number], slice(int(ends[i] - found.counts[i]), int(ends[i]))
        got = [
            (snapshot(packed.action(int(a))), snapshot(model.key(packed.unpack(row))))
            for a, row in zip(found.actions[span], found.positions[span], strict=True)
        ]
        here = snapshot(model.key(state))
        plain = [(a, model.apply(state, a)) for a in model.actions(state)]
        listed = [(snapshot(a), snapshot(model.key(child))) for a, child in plain]
        needed = [
            told
            for told, (_, child) in zip(listed, plain, strict=True)
            if told[1] != here and (model.is_goal(child) or any(True for _ in model.actions(child)))
        ]
        missing = [pair for pair in needed if pair not in got]
        require(f"(action, key) of successors of {here!r} that are missing", [], missing)
        extra = [pair for pair in got if pair not in listed]
        require(f"(action, key) of successors of {here!r} that play does not have", [], extra)


def _traced_spaces(subject: Subject) -> Iterator[Space | Skip]:
    for space in _packed_spaces(subject):
        if isinstance(space, Skip) or not space.offers("edits"):
            yield space if isinstance(space, Skip) else Skip(space.where, "nothing is edited")
        elif not space.max_rank or not _packed_original(space).features:
            yield Skip(space.where, "the packed model has no features, so it traces nothing")
        else:
            yield space


def _packed_original(space: Space) -> Any:
    return space.generator.transition_model.packed(space.generator.original)


@LAWS.ranked(
    "footprints-tell-what-decides",
    "a position of both puzzles whose footprint meets no difference of an edit has the same successors",
    "set a bit for every feature that an expansion reads, also when it finds no action; an empty footprint "
    "says that nothing was read.",
    _traced_spaces,
    PUZZLES,
)
def _footprints(space: Space, rank: int) -> None:
    generator = space.generator
    model = generator.transition_model
    before, after = _packed_original(space), model.packed(space.unrank(rank))
    met = _met(after, after.pack(model.initial(space.unrank(rank))))
    rows = _met(before, before.pack(model.initial(generator.original)))
    rows = rows[[row.tobytes() in {other.tobytes() for other in met} for row in rows]]
    differences = before.differences(after)
    if (
        (before.words, before.features) != (after.words, after.features)
        or differences is None
        or not len(rows)
    ):
        return
    traced, edited = before.successors(rows, traced=True), after.successors(rows)
    prints = traced.footprints
    shape = (len(rows), -(-before.features // 64))
    require("the shape of the footprints", shape, None if prints is None else prints.shape)
    starts, others = np.cumsum(traced.counts) - traced.counts, np.cumsum(edited.counts) - edited.counts
    for i, row in enumerate(rows):
        if (prints[i] & differences).any():
            continue
        mine, theirs = (
            [
                (int(found.actions[j]), found.positions[j].tolist())
                for j in range(start[i], start[i] + found.counts[i])
            ]
            for found, start in ((traced, starts), (edited, others))
        )
        what = f"the successors of {snapshot(before.unpack(row))}, whose footprint meets no difference"
        require(what, mine, theirs)


def _met(packed: Any, first: Any, limit: int = 150) -> Any:
    """Return the rows of the first positions that play meets, goals left out."""
    rows, seen = [first], {first.tobytes()}
    for row in rows:
        if len(rows) < limit and not packed.solved(row[None])[0]:
            for other in packed.successors(row[None]).positions:
                if other.tobytes() not in seen:
                    seen.add(other.tobytes())
                    rows.append(other)
    table = np.array(rows, np.uint64).reshape(-1, packed.words)
    return table[~packed.solved(table)]
