"""Notes on puzzles: clues and rules that can never be met, and rules that contradict each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import clue_name
from epcg_deduction.rules import problem_of, rules_of
from epcg_deduction.rules.problems import scene_of
from epcg_deduction.solving.problem import Local

_MOST_STATES = 5_000
"""States of instances, after which nothing is told."""
_MOST_TOLD = 5
_END = "there is no solution."


def unmet(puzzle: Puzzle) -> Iterator[str]:
    """Yield a sentence for each clue or rule that cannot be met at its place, whatever else is written.

    Rules that read the same sites in the same order are tried together, too. Only the first few are told.
    """
    for told, sentence in enumerate(_sentences(puzzle)):
        if told == _MOST_TOLD:
            return
        yield sentence


def _sentences(puzzle: Puzzle) -> Iterator[str]:
    problem, scene = problem_of(puzzle), scene_of(puzzle)
    for rule in rules_of(puzzle.genre):
        for site, mask in rule.starts(scene):
            if mask == 0:
                place, kinds = problem.sites[site].place, rule.clue_kinds()
                clue = next(clue for clue in puzzle.clues if clue.place == place and clue.kind in kinds)
                yield f"{_capital(clue_name(puzzle, clue))} is not a mark of its cell: {_END}"
    together: dict[tuple[int, ...], list[Local]] = {}
    for instance in problem.instances:
        if isinstance(instance, Local):
            if _possible([instance], problem.start):
                together.setdefault(instance.sites, []).append(instance)
            elif instance.place.startswith("the clue"):
                yield f"{_capital(instance.place)} can never be met by rule {instance.rule + 1}: {_END}"
            else:
                yield f"{_name(puzzle, instance)} can never hold in {instance.place}: {_END}"
    for instances in together.values():
        if len(instances) > 1 and not _possible(instances, problem.start):
            names = " and ".join(dict.fromkeys(_name(puzzle, instance) for instance in instances))
            places = " and ".join(dict.fromkeys(instance.place for instance in instances))
            yield f"{names} contradict each other in {places}: {_END}"


def _name(puzzle: Puzzle, instance: Local) -> str:
    return f"Rule {instance.rule + 1} ({puzzle.genre.rules[instance.rule].kind})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _possible(instances: Sequence[Local], start: tuple[int, ...]) -> bool:
    """Return whether some choice of possible marks fulfils instances of the same sites at once.

    True, too, if that is too long to tell.
    """
    automata, sites = [instance.automaton for instance in instances], instances[0].sites
    waiting: list[tuple[int, tuple[Hashable, ...]]] = [(0, tuple(own.first() for own in automata))]
    seen = set(waiting)
    while waiting:
        index, states = waiting.pop()
        if index == len(sites):
            if all(own.accepts(state) for own, state in zip(automata, states, strict=True)):
                return True
            continue
        mask = start[sites[index]]
        for mark in range(mask.bit_length()):
            if mask >> mark & 1:
                after = tuple(
                    own.after(state, index, mark) for own, state in zip(automata, states, strict=True)
                )
                if None not in after and (index + 1, after) not in seen:
                    seen.add((index + 1, after))
                    waiting.append((index + 1, after))
        if len(seen) > _MOST_STATES:
            return True
    return False
