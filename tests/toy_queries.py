"""Queries of the toy domains (`tests/toy_plugin.py`) that several tests ask."""

from __future__ import annotations


def numbers(size: int, *evaluators: str) -> str:
    """Ask for some measures of the numbers below `size`."""
    named = ", ".join(f'{{ name = "{name}" }}' for name in evaluators)
    return f"""
domain = "numbers"
evaluators = [{named}]
[generator]
name = "range"
size = {size}
"""


def those_with(metric: str, minimum: int) -> str:
    """Filter: only numbers with at least so much of a metric, whose evaluator has the same name."""
    return f"""
[filter]
metric = "{metric}"
min = {minimum}
search = {{ name = "exhaustive" }}
evaluators = [{{ name = "{metric}" }}]
"""


LAYERS = """
domain = "pegs"
[generator]
name = "line"
cells = 9
pegs = 4
[search]
name = "retrograde"
"""
LOW_LAYERS = LAYERS.replace("cells = 9", "cells = 6")
"""As many layers, of 6, 15, 20 and 15 boards instead of 9, 36, 84 and 126."""
