"""Questions to the domain `faults`, and what all messages have in common."""

from __future__ import annotations

from tests.workplace import Workplace, tables


class Faults(Workplace):
    """A workplace that asks about `faults`."""

    def text(self, *evaluators: str, size: int = 100, more: str = "") -> str:
        """A query over the ranks 0 .. size - 1; `more` is further TOML."""
        text = f'name = "faults"\ndomain = "faults"\n[generator]\nname = "cells"\nsize = {size}\n'
        return f"{text}{tables(evaluators)}\n{more}\n"


def only_sentences(text: str) -> bool:
    """Whether a message has at most three lines and no traceback."""
    return "Traceback" not in text and 1 <= len(text.strip().splitlines()) <= 3
