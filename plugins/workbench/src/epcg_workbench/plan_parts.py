"""The parts of a plan as the page's sentence has them: where from, how many, how, where what holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from epcg_core.inside import STRATEGIES, Part, PartRow, present, told
from epcg_core.plugin import DomainInfo, EpcgError, StrategyInfo, counted, number, plain, registry
from epcg_workbench.messages import Message

_CONDITIONS = ("filter ", "where ", "a finite ")
_NEEDY = ("novelty", "listed")
"""Strategies that need more than a number."""


def part_message(part: Part, table: Mapping[str, Any]) -> Message:
    """Describe a part, from what its text says."""
    kind = next((key for key in ("query", "run", "sql") if table.get(key) is not None), "")
    named = table.get("strategy")
    strategy = named.get("name") if isinstance(named, Mapping) else named
    wish: Message = {
        "metric": part.measure,
        "keep": strategy or "evenly",
        "count": table.get("count") or part.count,
    }
    wish |= {"where": [present(plain(each)) for each in part.where], "then": list(part.then)}
    return {
        "from": {"kind": kind, "value": table.get(kind) if kind else None},
        "keyed": isinstance(named, Mapping),
        "wish": wish | ({"apart": part.apart} if part.apart is not None else {}),
        "harder": part.harder,
        "order": table.get("order", "easiest_first"),
        "distinct": bool(part.distinct),
    }


def strategies() -> list[str]:
    """List the strategies that can be chosen by name alone, the usual one first."""
    known = [name for name in STRATEGIES if name not in _NEEDY]
    return known + [info.name for info in registry().all(StrategyInfo)]


_NUMBER = re.compile(r"-?[0-9][0-9,.]*(?<![,.])")


def met_text(row: PartRow, part: Part, domain: str) -> str:
    """Say how many candidates meet a part's conditions, and how many are left without mirror images."""
    if part.is_list or not row.candidates:
        return ""
    counts = [(rule, count) for rule, count, _ in row.rejections]
    met = row.candidates - sum(count for rule, count in counts if rule.startswith(_CONDITIONS))
    conditions = len(part.where)
    meet = "meets" if met == 1 else "meet"
    have = f"can be ranked by {_heading(domain, part.measure)}"
    how = {0: have, 1: f"{meet} it", 2: f"{meet} both"}.get(conditions, f"{meet} all {conditions} conditions")
    told = f"{met:,} of {counted(row.candidates, *_words(domain))} {how}"
    if part.distinct:
        alike = sum(count for rule, count in counts if rule == "one of each symmetry class")
        told += f", {met - alike:,} without mirror images"
    return f"{told}."


def short_text(domain: str, measure: str, value: Any) -> str:
    """Tell a value on a card: '7 moves' of 'solved in 7 moves', and the number first in any case.

    What explains a value behind a colon is left out.
    """
    metric, whole = registry().metric(domain, measure), told(domain, measure, value)
    if isinstance(value, str | bool):
        return whole
    text = number(value)
    if metric is not None and metric.sentence:
        found = _NUMBER.search(whole)
        if found is None:
            return whole.partition(": ")[0]
        rest = whole[found.start() :]
        return whole if found[0] == rest else rest
    if metric is None:
        return f"{text} {measure.replace('_', ' ')}"
    sign = f" {metric.unit}" if metric.unit and not metric.unit.isalpha() else ""
    return f"{text}{sign} {metric.heading}"


def _heading(domain: str, name: str) -> str:
    metric = registry().metric(domain, name)
    return name.replace("_", " ") if metric is None else metric.heading


def _words(domain: str) -> tuple[str, str]:
    try:
        info: DomainInfo = registry().domain(domain)
    except EpcgError:
        return "puzzle", "puzzles"
    return info.content_word
