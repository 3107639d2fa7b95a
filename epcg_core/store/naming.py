"""Puzzles named by their text, among the spaces that a database records."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, QueryError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import PartSpec, SpaceSpec, make_generator, version_in
from epcg_core.store.reader import Reader
from epcg_core.store.records import RunRecord
from epcg_core.store.short_ids import whole

_ID = re.compile(r"(?P<space>[A-Za-z0-9_-]+:[^\s#]+)#(?P<rank>[0-9]{1,18})")


class NotReadError(QueryError):
    """A generator does not read texts, or only with params."""


def space_of(record: RunRecord) -> SpaceSpec:
    """Return a run's space, for its plugin to make."""
    data = record.spec["query"]["generator"]
    return SpaceSpec(record.domain, PartSpec(data["name"], data["params"]), version_in(record.space))


def recorded(text: str, reader: Reader, domain: str | None) -> dict[str, tuple[SpaceSpec, int]]:
    """Find a text in the spaces of recorded runs, the newest first: {domain: (space, rank)}.

    `domain` limits the domains; None allows any.
    """
    found: dict[str, tuple[SpaceSpec, int]] = {}
    seen: set[str] = set()
    for record in reversed(reader.runs()):
        if record.space in seen or record.domain in found or domain not in (None, record.domain):
            continue
        seen.add(record.space)
        with suppress(*PLUGIN_EXCEPTIONS):
            space, _ = parse_puzzle_id(registry(), f"{record.space}#0")
            found[record.domain] = space, rank_of(space, text)
    return found


def rank_of(space: SpaceSpec, text: str, generator: Any = None) -> int:
    """Return the rank of the state that a text shows. Raises QueryError if its generator does not say it.

    `generator` is that of the space, if there is one already.
    """
    generator = make_generator(registry(), space) if generator is None else generator
    parse, rank = getattr(generator, "parse", None), getattr(generator, "rank", None)
    if parse is None or rank is None:
        raise NotReadError("The generator reads no texts.")
    return int(rank(parse(text)))


def recorded_rank(reader: Reader, text: str, run: int | None = None) -> int:
    """Return the rank of a puzzle in the space of a run, or else in the newest recorded one that holds it.

    Args:
        reader: the database.
        text: a puzzle's id, whole or short, or its text; never a file's name.
        run: the run; None for any.

    Raises:
        QueryError: if no recorded space has the puzzle, or spaces of several domains have it.
    """
    match = _ID.fullmatch(whole(reader, text))
    if match is not None:
        if run is not None and match["space"] != (space := reader.run(run).space):
            raise QueryError(f"{text} is not a puzzle of run {run}, which covers {space}.")
        return int(match["rank"])
    if run is not None:
        try:
            return rank_of(space_of(reader.run(run)), text)
        except NotReadError:
            raise QueryError(
                f"The generator of run {run} reads no texts: name puzzles by their ids."
            ) from None
        except PLUGIN_EXCEPTIONS as error:
            raise QueryError(f"This is not a puzzle of run {run}: {error}") from error
    found = recorded(text, reader, None)
    if len(found) == 1:
        return next(iter(found.values()))[1]
    several = f"runs of several domains have this puzzle ({', '.join(found)}): name the run"
    raise QueryError(f"epcg_rank: {several if found else 'no recorded run has this puzzle'}.")
