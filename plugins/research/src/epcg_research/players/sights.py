"""Where people go wrong in a puzzle: first wrong moves, positions that take their time, where they stop."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median

import attrs

from epcg_research.players.decisions import Decision, Log, Visit
from epcg_research.players.features import outcomes
from epcg_research.players.positions import DEAD, UNKNOWN
from epcg_research.statistics import Estimate, preferred

MOST_OF = 0.5
"""A bottleneck is a position that at least so many of those pass who solve the puzzle."""


@attrs.frozen
class WrongMove:
    """A move that is the first wrong one of some people."""

    position: int
    move: int
    """Its number."""
    text: str
    after: str
    """What is wrong: 'lost', 'farther' or 'level'."""
    share: Estimate
    """Of all people who moved."""


@attrs.frozen
class Bottleneck:
    """A position that most of those pass who solve the puzzle."""

    position: int
    share: Estimate
    """Of those who solved it."""
    time: float
    """The mean share of their time with the puzzle that they spend there."""
    seconds: float | None
    """The median of their seconds there, of those who pass it; None if no times are recorded."""
    turned_back: int
    """How many people took a move back or began again there."""


@attrs.frozen
class Stop:
    """The last position of people who did not solve the puzzle."""

    position: int
    share: Estimate
    """Of all people who opened it."""
    gave_up: int
    """How many of them looked at the solution."""
    lost: bool | None
    """Whether nothing can be won there; None if that is not known."""


@attrs.frozen
class Sights:
    """What people did in one puzzle."""

    puzzle: str
    people: int
    solved: int
    wrong: tuple[WrongMove, ...]
    bottlenecks: tuple[Bottleneck, ...]
    stops: tuple[Stop, ...]
    exhausted: bool
    """Whether the distances are known, without which no move is known to be wrong."""


def sights(log: Log, puzzle: int, most: int = 3) -> Sights:
    """Find the places of a puzzle that people find hard.

    Args:
        log: what people did.
        puzzle: the number of the puzzle in the log.
        most: how many places of each kind, those of the largest shares.
    """
    own = [visit for visit in log.visits if visit.puzzle == puzzle]
    positions = log.puzzles[puzzle].positions
    solved = [visit for visit in own if visit.finished]
    return Sights(
        log.puzzles[puzzle].id, len(own), len(solved),
        tuple(_wrong(log, puzzle, own)[:most]), tuple(_bottlenecks(log, puzzle, solved, own)[:most]),
        tuple(_stops(log, puzzle, own)[:most]), positions.exhausted,
    )  # fmt: skip


def _wrong(log: Log, puzzle: int, visits: list[Visit]) -> list[WrongMove]:
    moved = [visit for visit in visits if visit.decisions]
    found = Counter[tuple[int, int, str]]()
    for visit in moved:
        for each in visit.decisions:
            what = _after(log, each)
            if what:
                found[each.position, each.chosen, what] += 1
                break
    return [
        WrongMove(number, move, log.puzzles[puzzle].shown(number)[move], what, preferred(times, len(moved)))
        for (number, move, what), times in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]


def _after(log: Log, decision: Decision) -> str:
    outcome = outcomes(log.puzzles[decision.puzzle].positions, decision.position)[decision.chosen]
    return outcome if outcome in ("lost", "farther", "level") else ""


def _bottlenecks(log: Log, puzzle: int, solved: list[Visit], visits: list[Visit]) -> list[Bottleneck]:
    positions = log.puzzles[puzzle].positions
    passed = Counter[int]()
    shares, seconds = defaultdict[int, float](float), defaultdict[int, list[float]](list)
    for visit in solved:
        own = defaultdict[int, float](float)
        for number, spent in zip(visit.path, visit.seconds, strict=True):
            own[number] += spent
        passed.update(own.keys())
        for number, spent in own.items():
            seconds[number].append(spent)
            shares[number] += spent / (sum(own.values()) or 1) / len(solved)
    timed = any(any(visit.seconds) for visit in solved)
    back = Counter[int]()
    for visit in visits:
        back.update({*visit.restarts, *visit.undone})
    found = [
        Bottleneck(
            number,
            preferred(times, len(solved)),
            shares[number],
            median(seconds[number]) if timed else None,
            back[number],
        )
        for number, times in passed.items()
        if times >= MOST_OF * len(solved) and not positions.goals[number]
    ]
    return sorted(found, key=lambda each: (-each.time, -(each.share.value or 0), each.position))


def _stops(log: Log, puzzle: int, visits: list[Visit]) -> list[Stop]:
    positions = log.puzzles[puzzle].positions
    ended, gave_up = Counter[int](), Counter[int]()
    for visit in visits:
        if not visit.finished:
            ended[visit.path[-1]] += 1
            gave_up[visit.path[-1]] += visit.gave_up
    return [
        Stop(number, preferred(times, len(visits)), gave_up[number], _lost(positions.distance(number)))
        for number, times in sorted(ended.items(), key=lambda item: (-item[1], item[0]))
    ]


def _lost(distance: int) -> bool | None:
    return None if distance == UNKNOWN else distance == DEAD
