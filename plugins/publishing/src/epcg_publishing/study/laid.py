"""A study as it is run: puzzles by their ids, and the table of who gets what; the pages and `import` read it.

The digest covers all of it, so that a file of results says which study it belongs to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, ByHand, canonical_json, puzzle_id
from epcg_core.plugin import EpcgError, QueryError, Reader, documents, find
from epcg_publishing.study.design import Design, design
from epcg_publishing.study.plan import ArmParams, StudyParams, laid_questions
from epcg_publishing.texts import ENGLISH

FORMAT, VERSION = "epcg-study-plan", 1
TRAINING = "training"
_SHOWN = 60
_FILES = (".txt", ".map", ".toml", ".json", ".lvl")


@attrs.frozen
class Puzzle:
    """A puzzle of a study."""

    name: str
    """'SET/LABEL', or 'training/1'."""
    set: str
    """'' of the training."""
    label: str
    puzzle: str
    """The whole id."""


@attrs.frozen
class Laid:
    """A study as it is run."""

    plan: StudyParams
    puzzles: tuple[Puzzle, ...]
    """The training, then the sets."""
    design: Design

    def data(self) -> dict[str, Any]:
        """Return what `study.json` holds: all that pages and imports need, and the digest of it."""
        plan = self.plan
        numbers = {each.name: number for number, each in enumerate(self.puzzles)}
        groups, conditions = plan.groups or (None,), plan.conditions or (None,)
        data = {
            "format": FORMAT,
            "version": VERSION,
            "name": plan.name,
            "title": plan.title,
            "description": plan.description.strip(),
            "seed": plan.seed,
            "welcome": plan.welcome.strip(),
            "consent": plan.consent.strip(),
            "thanks": plan.thanks.strip(),
            **({} if plan.texts == ENGLISH else {"texts": plan.texts}),
            "groups": [arm.name for arm in plan.groups],
            "conditions": [arm.name for arm in plan.conditions],
            "tools": [[self._tools(group, condition) for condition in conditions] for group in groups],
            "training_tools": [self._tools(group, None) for group in groups],
            "puzzles": [attrs.asdict(each) for each in self.puzzles],
            "sets": [
                {"name": each.name, "puzzles": [numbers[f"{each.name}/{label}"] for label in each.labels]}
                for each in plan.sets
            ],
            "training": list(range(len(plan.training))),
            "questions": laid_questions(plan),
            "rows": [
                [row.group, [[each.set, each.condition, list(each.order)] for each in row.dealt]]
                for row in self.design.rows
            ],
        }
        return {**data, "digest": digest_of(data)}

    def _tools(self, group: ArmParams | None, condition: ArmParams | None) -> dict[str, bool]:
        found = attrs.asdict(self.plan.tools)
        for arm in (group, condition):
            for key in found:
                own = None if arm is None else getattr(arm, key)
                found[key] = found[key] if own is None else own
        return found


def digest_of(data: dict[str, Any]) -> str:
    """Return the digest of a study without its key `digest`."""
    own = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(canonical_json(own).encode()).hexdigest()


def lay(plan: StudyParams, where: str, folder: Path, reader: Reader | None, location: str) -> Laid:
    """Find the puzzles of a plan, and make its table.

    Args:
        plan: the plan.
        where: the beginning of messages.
        folder: where files that the plan names lie.
        reader: the database that knows short ids and RUN#RANK; None if there is none.
        location: where it is, or would be.

    Raises:
        EpcgError: if an entry names no puzzle, a puzzle occurs twice, or the design cannot be balanced.
    """
    found, by_hand = list[Puzzle](), ByHand()
    named: Sequence[tuple[str, str, str]] = [
        *(("", str(number), entry) for number, entry in enumerate(plan.training, 1)),
        *(
            (each.name, label, entry)
            for each in plan.sets
            for label, entry in zip(each.labels, each.entries, strict=True)
        ),
    ]
    for of, label, entry in named:
        name = f"{of or TRAINING}/{label}"
        puzzle = by_hand.puzzle(
            _whole(entry, f"{where}: {name}", folder, reader, location), f"{where}: {name}"
        )
        twice = next((each for each in found if each.puzzle == puzzle.puzzle), None)
        if twice is not None:
            raise QueryError(
                f"{where}: {name} and {twice.name} are one puzzle, and a person plays each only once."
            )
        found.append(Puzzle(name, of, label, puzzle.puzzle))
    return Laid(plan, tuple(found), design(plan, where))


def _whole(entry: str, where: str, folder: Path, reader: Reader | None, location: str) -> str:
    """Return a whole id or the text of a puzzle for what a plan names."""
    text = entry.strip()
    if not text:
        raise QueryError(f"{where} is empty: name a puzzle by its id, its text or a file.")
    if "\n" not in text and text.endswith(_FILES):
        return documents.read_text(folder / text, f"file of {where.rpartition(' ')[2]}", QueryError)
    if not find.is_id(text):
        return entry
    try:
        space, rank = find.named(text, reader, location)
    except PLUGIN_EXCEPTIONS as error:
        told = str(error) if isinstance(error, EpcgError) else f"{type(error).__name__}: {error}"
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
        raise QueryError(f"{where} names '{shown}': {told.partition(chr(10))[0]}") from error
    return puzzle_id(space.name, rank)
