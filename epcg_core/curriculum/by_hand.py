"""Puzzles that a plan lists by hand: ids and texts, which are found and measured without any run."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, CurriculumError, EpcgError, UnknownNameError, shortened
from epcg_core.base.params import plain, structure
from epcg_core.curriculum.plan import Part
from epcg_core.curriculum.sources import Candidates, Column, column_of
from epcg_core.domain import Value
from epcg_core.domain.content import format_state
from epcg_core.editing import editing
from epcg_core.editing.score import measured
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.spec import PartSpec, SpaceSpec, make_generator, max_rank_of, space_spec
from epcg_core.store.find import is_id

_WHOLE = re.compile(r"[^\s:?#]+:[^\s?#]+(\?[^\s#]*)?#[0-9]+")
"""The form of a whole puzzle id."""
_LARGEST_RANK = 2**63 - 1
_SHOWN = 100
"""Characters of an entry that a message shows."""


@attrs.frozen(eq=False)
class Found:
    """A puzzle of a list."""

    entry: str
    """The id or the text as the plan has it."""
    space: SpaceSpec
    rank: int
    generator: Any
    state: str = attrs.field(repr=False)

    @property
    def puzzle(self) -> str:
        return puzzle_id(self.space.name, self.rank)

    @property
    def content_sha256(self) -> str:
        return content_digest(self.space.domain, self.state)


def content_digest(domain: str, state: str) -> str:
    """Return the digest of a content, which is equal for one content in two spaces."""
    return hashlib.sha256(f"{domain}\0{state}".encode()).hexdigest()


class ByHand:
    """The puzzles of lists, each found and measured once."""

    def __init__(self) -> None:
        self._found: dict[str, Found] = {}
        self._values: dict[tuple[str, int, str], tuple[Value | None, str]] = {}

    def puzzles(self, part: Part, where: str) -> list[Found]:
        """Return the puzzles of a part's list. Raises CurriculumError if an entry names none."""
        return [self.puzzle(entry, where) for entry in part.puzzles or ()]

    def puzzle(self, entry: str, where: str) -> Found:
        """Find the puzzle that an id or a text names. Raises CurriculumError if there is none."""
        if entry not in self._found:
            try:
                space, rank = _named(entry)
                generator = make_generator(registry(), space)
                size = max_rank_of(registry(), space, generator)
                if rank >= size:
                    raise CurriculumError(f"its space has ranks 0 to {size - 1}.")
                state = format_state(generator, generator.unrank(rank))
            except PLUGIN_EXCEPTIONS as error:
                told = str(error).partition("\n")[0]
                raise CurriculumError(
                    f"{where} lists {shortened(' '.join(entry.split()), _SHOWN)!r}: {told}"
                ) from error
            self._found[entry] = Found(entry, space, rank, generator, state)
        return self._found[entry]

    def value(self, found: Found, name: str) -> tuple[Value | None, str]:
        """Measure a puzzle by the first evaluator with default params that has the metric `name`.

        Returns the value and, if it is None, the reason.
        """
        key = found.space.name, found.rank, name
        if key not in self._values:
            self._values[key] = _measured(found, name)
        return self._values[key]


def _named(entry: str) -> tuple[SpaceSpec, int]:
    if _WHOLE.fullmatch(entry.strip()):
        space, rank = parse_puzzle_id(registry(), entry)
        if rank > _LARGEST_RANK:
            raise CurriculumError("its rank is 2^63 or more: write the puzzle's text instead.")
        return space, rank
    if is_id(entry):
        raise CurriculumError("this id holds in one database only: write the whole one, or the text.")
    domains = editing.recognised(entry)
    if not domains:
        raise CurriculumError("it is not a whole puzzle id, and no editor reads it as a content.")
    if len(domains) > 1:
        raise CurriculumError(f"several domains read this text, {', '.join(domains)}: write the puzzle's id.")
    text = editing.open_document(domains[0], entry).text
    return space_spec(registry(), domains[0], "contents", {"contents": [text]}), 0


def _measured(found: Found, name: str) -> tuple[Value | None, str]:
    domain, reason = found.space.domain, ""
    infos = [
        info for info in editing.evaluators(domain) if any(metric.name == name for metric in info.metrics)
    ]
    if not infos:
        known = {metric.name for info in editing.evaluators(domain) for metric in info.metrics}
        raise UnknownNameError(f"measure of {domain}", name, known)
    for info in infos:
        try:
            part = PartSpec(info.name, plain(structure(info.params, {}, info.name)))
            made = measured(info, part, found.generator, found.rank, name=found.space.generator.name)
            for measure in made:
                if measure.metric.name == name and measure.value is not None:
                    return measure.value, ""
                if measure.metric.name == name:
                    reason = reason or measure.reason
        except PLUGIN_EXCEPTIONS as error:  # another evaluator may have it, too
            reason = reason or str(error).partition("\n")[0]
    return None, reason


def with_list(
    candidates: Candidates | None, part: Part, found: Sequence[Found], by_hand: ByHand, where: str
) -> Candidates:
    """Add the puzzles of a part's list to the candidates of its source, if it has one.

    Puzzles that the source has keep its values; others are measured now.

    Raises:
        CurriculumError: if the list is empty, or one of its puzzles has no value of the part's measure.
    """
    if not found:
        raise CurriculumError(f"{where} lists no puzzle yet.")
    if candidates is None:
        none = np.zeros(0, np.int64)
        columns = {name: Column(name, none, none.astype(np.bool_)) for name in part.columns}
        candidates = Candidates([], none, none, columns, None)
    known = [_position(candidates, each) for each in found]
    new = [each for each, position in zip(found, known, strict=True) if position is None]
    spaces = sorted({*candidates.spaces, *(each.space.name for each in new)})
    number = {name: i for i, name in enumerate(spaces)}
    renamed = np.array([number[name] for name in candidates.spaces], dtype=np.int64)
    space_of = np.concatenate([
        renamed[candidates.space_of], np.array([number[e.space.name] for e in new], np.int64)
    ])  # fmt: skip
    ranks = np.concatenate([candidates.ranks, np.array([each.rank for each in new], np.int64)])
    order = np.lexsort((ranks, space_of))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    columns = {}
    for name, column in candidates.columns.items():
        own = column_of(name, [_value(by_hand, each, name, part.measure) for each in new], where)
        columns[name] = _joined(column, own, order)
    rest = iter(range(len(candidates), len(ranks)))
    listed = place[np.array([next(rest) if at is None else at for at in known], np.int64)]
    made = Candidates(
        spaces, space_of[order], ranks[order], columns, candidates.run, listed, order >= len(candidates)
    )
    for each, position in zip(found, listed.tolist(), strict=True):
        value = columns[part.measure].at(position)
        if not isinstance(value, int | float) or not math.isfinite(value):
            reason = "" if each not in new else by_hand.value(each, part.measure)[1]
            raise CurriculumError(
                f"{where} lists {shortened(each.puzzle, _SHOWN)}, which has no {part.measure}"
                f"{f' ({reason})' if reason else ''}: choose another measure for it, or leave it out."
            )
    return made


def _position(candidates: Candidates, found: Found) -> int | None:
    if found.space.name not in candidates.spaces:
        return None
    mine = candidates.space_of == candidates.spaces.index(found.space.name)
    at = np.flatnonzero(mine & (candidates.ranks == found.rank))
    return int(at[0]) if len(at) else None


def _value(by_hand: ByHand, found: Found, name: str, measure: str) -> Value | None:
    try:
        return by_hand.value(found, name)[0]
    except EpcgError:
        if name == measure:
            raise
        return None  # a column of the source only: it matters to the others


def _joined(column: Column, own: Column, order: Any) -> Column:
    mixed = object in (column.values.dtype, own.values.dtype)
    parts = [each.values.astype(object) if mixed else each.values for each in (column, own)]
    values = np.concatenate([part for part in parts if len(part)] or parts)
    return Column(column.name, values[order], np.concatenate([column.missing, own.missing])[order])
