"""The questions that the game's rules leave open, and the sets of answers that have a name.

Light: nothing but attrs is imported. `epcg_witness.rules.panel.Panel` has a `Variant`; the plain rules and
the kernels ask it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args, get_type_hints

import attrs

from epcg_core.plugin import UnknownNameError
from epcg_witness.rules.grid import PanelError


def _unknown(kind: str, name: object, known: Iterable[str], where: str) -> PanelError:
    return PanelError(str(UnknownNameError(kind, str(name), known, where)))


@attrs.frozen
class Variant:
    """One answer to each question. Raises PanelError for an answer that does not exist."""

    erasers: Literal["stay", "leave"] = "stay"
    """Whether an eraser that has acted stays on the panel and counts for stars, or leaves it."""
    erased: Literal["fewest", "any"] = "fewest"
    """Whether no more symbols are erased than must be, or any that were violated before the erasers acted."""
    equal_areas: Literal["accepted", "shapes"] = "accepted"
    """Whether pieces whose areas cancel each other satisfy a region, or only if their shapes cancel, too."""
    off_panel: Literal["allowed", "forbidden"] = "allowed"
    """Whether pieces may leave the panel where negative ones take the cells away."""
    crossing: Literal["allowed", "forbidden"] = "allowed"
    """Whether a line that hangs into a region may cross a piece."""
    gaps: Literal["closed", "missing"] = "closed"
    """Whether a gap only keeps lines off, or its edge is missing, so that cells it opens are outside."""
    pairs: Literal["once", "twice"] = "once"
    """Whether a pair of lines is one solution, or two, because either of them can be the first."""

    def __attrs_post_init__(self) -> None:
        for question, answers in ANSWERS.items():
            if getattr(self, question) not in answers:
                raise _unknown("answer", getattr(self, question), answers, question)

    def words(self) -> str:
        """Describe the variant in words that `parse_variant` reads: its name, or how it departs from one."""
        described: list[tuple[int, str]] = []
        for name, variant in VARIANTS.items():
            changed = [
                f"{question} {getattr(self, question)}"
                for question in ANSWERS
                if getattr(self, question) != getattr(variant, question)
            ]
            parts = [*([name] if name != "default" or not changed else []), *changed]
            described.append((len(parts), ", ".join(parts)))
        return min(described, key=lambda row: row[0])[1]


ANSWERS: Mapping[str, tuple[str, ...]] = {
    name: get_args(hint) for name, hint in get_type_hints(Variant).items()
}
"""The answers to each question, the default first."""
DEFAULT = Variant()
GAME = Variant(
    erasers="leave", erased="any", equal_areas="shapes", off_panel="forbidden", crossing="forbidden",
    pairs="twice",
)  # fmt: skip
VARIANTS: Mapping[str, Variant] = {"default": DEFAULT, "game": GAME, "windmill": DEFAULT}
"""The named sets of answers. The default answers are those of The Windmill."""


def parse_variant(text: str) -> Variant:
    """Read a variant: its name, or changes of one, as in 'game, pairs once'. Raises PanelError."""
    found: Variant = DEFAULT
    for place, part in enumerate(text.split(",")):
        question, _, answer = part.strip().partition(" ")
        if place == 0 and not answer and question not in ANSWERS:
            if question not in VARIANTS:
                raise _unknown("variant", question, VARIANTS, "variant")
            found = VARIANTS[question]
            continue
        if question not in ANSWERS:
            raise _unknown("question", question, ANSWERS, "variant")
        if answer.strip() not in ANSWERS[question]:
            raise _unknown("answer", answer.strip(), ANSWERS[question], question)
        changes: Any = {question: answer.strip()}
        found = attrs.evolve(found, **changes)
    return found
