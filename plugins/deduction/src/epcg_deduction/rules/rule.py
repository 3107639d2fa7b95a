"""The base of all kinds of rules: fields with faults, instances on a puzzle, and a sentence for people."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import attrs

from epcg_core.plugin import EpcgError, UnknownNameError, counted
from epcg_deduction.model.genre import Genre, RuleText
from epcg_deduction.model.puzzles import Clue
from epcg_deduction.model.sites import DERIVED
from epcg_deduction.rules.scene import Scene
from epcg_deduction.solving.problem import Instance


@attrs.frozen
class Fault:
    """Something wrong with a rule: which field (None: all), a sentence, and whether it forbids the rule."""

    field: str | None
    message: str
    serious: bool = True


class Rule(ABC):
    """A kind of rules: one of its class is a rule of a genre.

    Args:
        genre: the genre.
        index: the number of the rule in the genre.
    """

    kind: ClassVar[str]
    """The first key of the rule's table."""
    fields: ClassVar[Mapping[str, str]]
    """The keys that its table may have, and what each is: "text", "number", "flag" (true) or "table"."""

    def __init__(self, genre: Genre, index: int) -> None:
        self.genre, self.index = genre, index
        self.given: Mapping[str, Any] = genre.rules[index].fields

    @abstractmethod
    def faults(self) -> Iterator[Fault]:
        """Yield what is wrong with the fields on any board."""

    def misfits(self, scene: Scene) -> Iterator[Fault]:
        """Yield what is wrong on the board of a puzzle: its clues do not matter."""
        return iter(())

    def clue_kinds(self) -> tuple[str, ...]:
        """Return the kinds of clues that the instances depend on."""
        return ()

    def alone(self) -> str:
        """Return the kind of clues whose instances depend on one clue each; an empty string if none does."""
        return ""

    def of_clue(self, scene: Scene, clue: Clue) -> Iterator[Instance]:
        """Yield the instances of a clue of the kind `alone`."""
        return iter(())

    def tied(self) -> tuple[str, ...]:
        """Return the kinds of clues whose being given changes what other places may hold.

        A clue of another kind only says what is so in a solution.
        """
        return ()

    def starts(self, scene: Scene) -> Iterator[tuple[int, int]]:
        """Yield (number of a site, mask of the marks that it can have) before the first step."""
        return iter(())

    @abstractmethod
    def instances(self, scene: Scene) -> Iterator[Instance]:
        """Yield the instances on a puzzle."""

    @abstractmethod
    def sentence(self) -> str:
        """Return the rule in words for people."""

    # ---- what several kinds ask

    def text(self, key: str, usual: str = "") -> str:
        """Return a field that is a text."""
        found = self.given.get(key, usual)
        return found if isinstance(found, str) else str(found)

    def known_clue(self, field: str, kind: str) -> Iterator[Fault]:
        """Yield a fault if there is no such kind of clues."""
        if kind not in self.genre.clues:
            yield Fault(field, told(UnknownNameError("kind of clues", kind, self.genre.clues)))

    def known_mark(self, field: str, mark: str, derived: bool = True) -> Iterator[Fault]:
        """Yield a fault if a cell cannot have a mark, or a derived one where they are not possible."""
        marks = self.genre.marks
        if marks.links and mark in DERIVED:
            if not derived:
                yield Fault(
                    field, f"'{mark}' follows from lines: this rule needs a mark of the cells themselves."
                )
            return
        if isinstance(marks.cells, str):
            if not mark.isdigit():
                yield Fault(
                    field, f"'{mark}' is not a mark: the marks of cells are the digits {marks.cells}."
                )
            return
        if mark not in marks.cells:
            known = (*marks.cells, *(DERIVED if marks.links and derived else ()))
            yield Fault(field, told(UnknownNameError("mark", mark, known)))

    def known_layer(self, field: str, layer: str) -> Iterator[Fault]:
        """Yield a fault if the genre has no marks on a layer."""
        if layer not in ("edges", "links"):
            yield Fault(field, f'Lines are on "edges" or on "links", not on \'{layer}\'.')
        elif not getattr(self.genre.marks, layer):
            yield Fault(
                field, f'The genre has no marks on {layer}: add {layer} = ["line", "none"] to [marks].'
            )

    def known_regions(self, scene: Scene) -> Iterator[Fault]:
        """Yield a fault if the board has no regions."""
        if not scene.board.regions:
            yield Fault(
                None, "This rule is about regions, and the puzzle has none: draw them with regions = ..."
            )

    def connected_regions(self, scene: Scene) -> Iterator[Fault]:
        """Yield a fault for each region that is in several parts."""
        board = scene.board
        for index, cells in enumerate(board.regions):
            left, waiting = set(cells[1:]), list(cells[:1])
            while waiting:
                cell = waiting.pop()
                near = {board.step(cell, dx, dy) for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0))} & left
                left -= near
                waiting += near
            if left:
                name = board.names[index]
                said = f"Region {name} is in several parts, and this rule asks for one: draw it in one piece"
                yield Fault(None, f"{said}, or use another letter for the other part.")


def told(error: EpcgError) -> str:
    """Return the message of an error with a capital letter."""
    said = str(error)
    return said[:1].upper() + said[1:]


def line_of(genre: Genre, layer: str) -> str:
    """Return the mark of a line on a layer: the first one."""
    return str(getattr(genre.marks, layer)[0])


def rule_text(table: Mapping[str, Any], kinds: Mapping[str, object]) -> RuleText | None:
    """Return a rule as its table has it: its kind is the one key that names a kind; None: there is none."""
    named = [key for key in table if key in kinds]
    return RuleText(named[0], dict(table)) if len(named) == 1 else None


def how_many(low: int | None, high: int | None, noun: str) -> str:
    """Return 'exactly 1 star', 'at most 2 stars', '1 to 3 stars' or '2 stars or more'."""
    if low == high and low is not None:
        return f"exactly {counted(low, noun)}"
    if high is None:
        return f"at least {counted(low or 0, noun)}"
    return f"{low} to {counted(high, noun)}" if low else f"at most {counted(high, noun)}"
