"""From the lines of the section RULES to groups of elementary rules, with their loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from epcg_puzzlescript.language.elementary import Faults, Overlap, Rule, elementary
from epcg_puzzlescript.language.expansion import ExpansionError, UndecidedError, expanded
from epcg_puzzlescript.language.memory import RuleMemory
from epcg_puzzlescript.language.problems import Problems
from epcg_puzzlescript.language.rule_trees import Cell, LoopLine, RuleLine
from epcg_puzzlescript.language.vocabulary import Entry, Vocabulary

MOST_RIGID_GROUPS = 30
_MOST_NUMBER = 31
"""Numbers of rigid groups are kept in five bits."""
MOST_ELEMENTARY = 200_000


@attrs.frozen
class Group:
    """Rules that run together."""

    line: int
    rules: tuple[Rule, ...]
    random: bool
    rigid: int
    """Its number among the groups with rigid rules, from 1; 0 if it has none."""


@attrs.frozen
class RuleList:
    """Groups in their order, with loops as (first group, last group)."""

    groups: tuple[Group, ...] = ()
    loops: tuple[tuple[int, int], ...] = ()


@attrs.define
class _Draft:
    """A group while its lines are read."""

    line: int
    rules: list[tuple[RuleLine, Rule]] = attrs.field(factory=list)
    lines: list[RuleLine] = attrs.field(factory=list)


class Grouper:
    """Makes the lists of groups of a game."""

    def __init__(self, vocabulary: Vocabulary, problems: Problems, memory: RuleMemory) -> None:
        self._vocabulary, self._problems, self._memory = vocabulary, problems, memory
        self._left = MOST_ELEMENTARY

    def lists(self, lines: Iterable[RuleLine | LoopLine]) -> tuple[RuleList, RuleList]:
        """Return the normal and the late groups."""
        drafts: list[_Draft] = []
        marks: list[LoopLine] = []
        for line in lines:
            if isinstance(line, LoopLine):
                marks.append(line)
                continue
            if not (line.plus and drafts):
                drafts.append(_Draft(line.line))
            draft = drafts[-1]
            if draft.lines and line.late and not draft.lines[0].late:
                self._problems.add(
                    line.line, 1, "A late rule is joined to a rule that is not late; each runs at its own "
                                  "time.",
                    errors=0, warnings=1, effect="none",
                )  # fmt: skip
            draft.lines.append(line)
            draft.rules += self._rules(line)
        loops = self._loops(marks, drafts)
        return self._list(drafts, loops, late=False), self._list(drafts, loops, late=True)

    def _loops(self, marks: Sequence[LoopLine], drafts: Sequence[_Draft]) -> list[tuple[int, int]]:
        """Return the first and the last line of each loop: marks are taken in pairs, whatever their kinds."""
        for number, mark in enumerate(marks):
            if mark.starts != (number % 2 == 0):
                self._problems.add(
                    mark.line, 1, "A loop begins here inside another one; loops do not nest." if mark.starts
                    else "'endloop' stands here, but no loop is open; 'startloop' was expected before it.",
                )  # fmt: skip
        if len(marks) % 2:
            last = marks[-1]
            self._problems.add(last.line, 1, "This loop does not end; 'endloop' was expected below.")
        loops = [(begin.line, end.line) for begin, end in zip(marks[::2], marks[1::2], strict=False)]
        spans = [
            (min(lines), max(lines))
            for draft in drafts for late in (False, True)
            if (lines := [line.line for line, _ in draft.rules if line.late == late])
        ]  # fmt: skip
        unclosed = [(mark.line, mark.line) for mark in marks[len(loops) * 2 :]]
        for loop in (*loops, *unclosed):
            if any(first < mark < last for first, last in spans for mark in loop):
                self._problems.add(
                    loop[0], 1, "A group of rules, joined by '+', lies partly in this loop; it goes with its "
                                "first rule.",
                )  # fmt: skip
        return loops

    def _rules(self, line: RuleLine) -> list[tuple[RuleLine, Rule]]:
        key = line.left, line.right, line.directions, line.late, line.rigid, line.commands
        number = line.line
        found = self._memory.result(
            key, number, self._problems, lambda problems: _Line(line, self._vocabulary, problems).rules()
        )
        self._left -= len(found)
        if self._left < 0:
            self._problems.add(
                number, 1, f"The rules stand for more than {MOST_ELEMENTARY} elementary rules.", fatal=True
            )
            return []
        return [(line, rule if rule.line == number else attrs.evolve(rule, line=number)) for rule in found]

    def _list(self, drafts: Iterable[_Draft], loops: Iterable[tuple[int, int]], late: bool) -> RuleList:
        groups: list[Group] = []
        spans: dict[tuple[int, int], tuple[int, int]] = {}
        rigid = 0
        for draft in drafts:
            here = [(line, rule) for line, rule in draft.rules if line.late == late]
            if not here:
                continue
            rules = tuple(rule for _, rule in here)
            number = 0
            if not late and any(rule.rigid for rule in rules):
                rigid += 1
                number = min(rigid, _MOST_NUMBER)
                if rigid > MOST_RIGID_GROUPS:
                    self._problems.add(
                        draft.line,
                        1,
                        f"This is rigid group {rigid}; there may be at most {MOST_RIGID_GROUPS}.",
                    )
            for loop in loops:
                if loop[0] < draft.line < loop[1]:
                    first, _ = spans.get(loop, (len(groups), 0))
                    spans[loop] = first, len(groups)
            groups.append(Group(draft.line, rules, here[0][0].random, number))
        return RuleList(tuple(groups), tuple(spans.values()))


class _Line:
    """Makes the elementary rules of one line."""

    def __init__(self, line: RuleLine, vocabulary: Vocabulary, problems: Problems) -> None:
        self._line, self._vocabulary, self._problems = line, vocabulary, problems

    def rules(self) -> tuple[Rule, ...]:
        """Return the elementary rules; none if it is left out."""
        line = self._line
        self._check_cells(line)
        try:
            texts = expanded(line, self._vocabulary)
        except ExpansionError as error:
            self._problems.add(
                line.line, 1, f"{error} The rule is left out.", effect="rule",
                fatal=isinstance(error, UndecidedError),
            )  # fmt: skip
            return ()
        last = {}
        for number, text in enumerate(texts):
            direction = text.direction if any(len(row) > 1 for row in text.left) else ""
            last[direction, text.left, text.right] = number
        found: list[Rule] = []
        faults = Faults()
        for number in sorted(last.values()):
            rule = elementary(
                texts[number], line.line, line.rigid, line.commands, self._vocabulary, faults
            )  # fmt: skip
            if rule is not None:
                found.append(rule)
        self._check_overlaps(line, faults.overlaps)
        for mask in sorted(faults.forbidden):
            names = [thing.name for thing in self._vocabulary.objects if mask >> thing.number & 1]
            self._tell(line, f"A cell requires '{', '.join(names)}' and forbids it.", 0, 1)
        if not found:
            self._problems.add(
                line.line, 1, "The rule can never match: a cell requires two things of one layer, or an "
                "object that it forbids, or a random direction.",
                effect="rule" if faults.clashes or _slips(line) else "none", errors=int(faults.clashes > 0),
            )  # fmt: skip
        return tuple(found)

    def _check_overlaps(self, line: RuleLine, overlaps: Iterable[Overlap]) -> None:
        for overlap in sorted(overlaps, key=lambda found: (found.first, found.second, found.drawn)):
            who = f"'{overlap.first}' and '{overlap.second}'"
            sentence = (
                f"{who} cannot lie in one cell on the right: they are of one layer. Both are put there."
            )
            self._problems.add(
                line.line, 1, sentence, errors=int(not overlap.drawn), warnings=int(overlap.drawn)
            )

    def _check_cells(self, line: RuleLine) -> None:
        """Tell names behind 'no' and 'random' that say nothing, or the opposite of others."""
        for rows, check in ((line.left, self._check_left), (line.right, self._check_right)):
            for cell in (cell for row in rows for cell in row):
                check(line, cell)

    def _tell(self, line: RuleLine, sentence: str, errors: int, warnings: int) -> None:
        self._problems.add(line.line, 1, sentence, errors=errors, warnings=warnings, effect="none")

    def _check_left(self, line: RuleLine, cell: Cell) -> None:
        """Tell what need not be forbidden, as other things of its layers are there."""
        layers: dict[int, str] = {}
        required = 0
        for word, name in cell:
            entry = None if word in ("no", "...") else self._plain(name)
            if entry is not None:
                layers.update(dict.fromkeys(entry.layers, name))
                required |= entry.mask
        for word, name in cell:
            if word != "no":
                continue
            entry = self._vocabulary.entries[name]
            if entry.kind != "and" and not set(entry.layers) - set(layers) and not entry.mask & required:
                others = ", ".join(f"'{layers[layer]}'" for layer in sorted(layers))
                self._tell(line, f"'no {name}' beside {others} says nothing: they are of one layer.", 0, 1)

    def _plain(self, name: str) -> Entry | None:
        """Return the entry of the name of an object, a property of one layer, or an 'and'; else None."""
        entry = self._vocabulary.entries[name]
        if entry.kind == "or":
            return entry if len(entry.layers) == 1 and not entry.unknown else None
        return entry if entry.kind == "and" else self._vocabulary.object_entry(name)

    def _check_right(self, line: RuleLine, cell: Cell) -> None:
        vocabulary = self._vocabulary
        present = [name for word, name in cell if word != "no" and vocabulary.object_entry(name) is not None]
        for word, name in cell:
            entry = vocabulary.entries.get(name)
            if entry is None:
                continue
            if word == "no" and any(entry.mask & vocabulary.entries[other].mask for other in present):
                others = ", ".join(f"'{other}'" for other in present)
                sentence = (
                    f"'no {name}' stands with {others} in a cell on the right; what is required is put there."
                )
                self._tell(line, sentence, int(entry.kind != "and"), 0)
            elif word == "random":
                for part in entry.parts if entry.kind == "and" else (name,):
                    if vocabulary.entries[part].kind == "object":
                        self._tell(line, f"'random {part}': there is one object of this name to draw.", 0, 1)


def _slips(line: RuleLine) -> bool:
    """Return whether a cell on the left names a thing twice, or draws a direction: no rule is meant so."""
    cells = [cell for row in line.left for cell in row]
    return any(len({name for _, name in cell}) < len(cell) or "randomdir" in dict(cell) for cell in cells)
