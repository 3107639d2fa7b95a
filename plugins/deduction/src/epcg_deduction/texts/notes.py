"""Notes on puzzles: clues and rules that can never be met, each taken alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import clue_name
from epcg_deduction.rules import problem_of, rules_of
from epcg_deduction.rules.problems import scene_of
from epcg_deduction.solving.problem import Local

_MOST_STATES = 5_000
"""States of one instance, after which nothing is told."""
_MOST_TOLD = 5


def unmet(puzzle: Puzzle) -> Iterator[str]:
    """Yield a sentence for each clue or rule that cannot be met at its place, whatever else is written."""
    problem, told = problem_of(puzzle), 0
    scene = scene_of(puzzle)
    for rule in rules_of(puzzle.genre):
        for site, mask in rule.starts(scene):
            if mask == 0:
                place = problem.sites[site].place
                clue = next(
                    clue for clue in puzzle.clues if clue.place == place and clue.kind in rule.clue_kinds()
                )
                yield f"{_capital(clue_name(puzzle, clue))} is not a mark of its cell: there is no solution."
                told += 1
    for instance in problem.instances:
        if told >= _MOST_TOLD:
            return
        if isinstance(instance, Local) and not _possible(instance, problem.start):
            said = f"can never be met by rule {instance.rule + 1}: there is no solution."
            yield f"{_capital(instance.place)} {said}"
            told += 1


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _possible(instance: Local, start: tuple[int, ...]) -> bool:
    """Return whether some choice of possible marks fulfils an instance; True if that is too long to tell."""
    automaton, sites = instance.automaton, instance.sites
    waiting: list[tuple[int, Hashable]] = [(0, automaton.first())]
    seen = set(waiting)
    while waiting:
        index, state = waiting.pop()
        if index == len(sites):
            if automaton.accepts(state):
                return True
            continue
        mask = start[sites[index]]
        for mark in range(mask.bit_length()):
            after = automaton.after(state, index, mark) if mask >> mark & 1 else None
            if after is not None and (index + 1, after) not in seen:
                seen.add((index + 1, after))
                waiting.append((index + 1, after))
        if len(seen) > _MOST_STATES:
            return True
    return False
