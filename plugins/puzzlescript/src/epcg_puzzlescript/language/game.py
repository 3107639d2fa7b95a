"""A game as the engines need it, made from its text."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Literal

import attrs

from epcg_puzzlescript.language.elementary import OverlapError, Rule, elementary
from epcg_puzzlescript.language.expansion import ExpansionError, expanded
from epcg_puzzlescript.language.levels import Map, Message, read_levels
from epcg_puzzlescript.language.problems import MOST_BYTES, GameError, Problem, Problems, quoted
from epcg_puzzlescript.language.rule_lines import LoopLine, RuleLine, read_rules
from epcg_puzzlescript.language.sections import PRELUDE, Line, cut
from epcg_puzzlescript.language.vocabulary import (
    Entry,
    GameObject,
    Vocabulary,
    read_layers,
    read_legend,
    read_objects,
)

MOST_RIGID_GROUPS = 30
MOST_ELEMENTARY = 100_000
PLAYED_SETTINGS = (
    "run_rules_on_level_start", "require_player_movement", "noaction", "noundo", "norestart",
    "realtime_interval",
)  # fmt: skip
"""The settings that change how a game is played."""
SETTINGS = (
    *PLAYED_SETTINGS, "title", "author", "homepage", "background_color", "text_color", "color_palette",
    "flickscreen", "zoomscreen", "scanline", "again_interval", "key_repeat_interval", "norepeat_action",
    "throttle_movement", "debug", "verbose_logging", "youtube",
)  # fmt: skip
"""All settings of the language."""


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


@attrs.frozen
class Mask:
    """A name in a condition: which objects, and whether all of them must lie in a cell."""

    bits: int
    whole: bool

    def lies_in(self, cell: int) -> bool:
        """Return whether a cell has it."""
        return cell & self.bits == self.bits if self.whole else cell & self.bits != 0


@attrs.frozen
class WinCondition:
    """'No A', 'Some A', 'All A', each possibly 'on B'."""

    quantifier: Literal["no", "some", "all"]
    what: Mask
    on: Mask | None
    line: int


@attrs.frozen(eq=False, slots=False)
class Game:
    """A game."""

    title: str
    author: str
    settings: Mapping[str, str]
    """The settings of the prelude by name in small letters."""
    vocabulary: Vocabulary
    normal: RuleList
    late: RuleList
    conditions: tuple[WinCondition, ...]
    levels: tuple[Map | Message, ...]
    player: Mask
    background: int
    """The number of the object that fills empty cells."""
    problems: tuple[Problem, ...]
    sha256: str
    rule_texts: Mapping[int, str]
    """The rules as written, by their line."""
    text: str
    headers: Mapping[str, int]
    """The line of each section's name."""

    @cached_property
    def identity(self) -> str:
        """A digest of the rules and pictures, in which levels, glyphs and lines do not count."""
        flags = sorted(name for name in PLAYED_SETTINGS if self.says(name))
        rules = [
            (late, group.random, group.rigid, [_meaning(rule) for rule in group.rules])
            for late, part in enumerate((self.normal, self.late)) for group in part.groups
        ]  # fmt: skip
        conditions = [(c.quantifier, c.what, c.on) for c in self.conditions]
        meaning = (
            flags, self.objects, self.layers, rules, self.normal.loops, self.late.loops, conditions,
            self.player, self.background,
        )  # fmt: skip
        return sha256(repr(meaning).encode()).hexdigest()

    @cached_property
    def crowded(self) -> bool:
        """Whether a cell of a level holds two objects of a layer, as a faulty glyph can put them there."""
        masks = [sum(1 << number for number in numbers) for numbers in self.layers]
        cells = {cell for level in self.maps for cell in level.cells}
        return any((cell & mask) & ((cell & mask) - 1) for cell in cells for mask in masks)

    @property
    def objects(self) -> tuple[GameObject, ...]:
        return self.vocabulary.objects

    @property
    def layers(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the objects of each layer."""
        return self.vocabulary.layers

    @property
    def entries(self) -> Mapping[str, Entry]:
        return self.vocabulary.entries

    @property
    def maps(self) -> tuple[Map, ...]:
        """The levels that are played."""
        return tuple(level for level in self.levels if isinstance(level, Map))

    def says(self, setting: str) -> bool:
        """Return whether the prelude has a setting."""
        return setting in self.settings

    @property
    def draws(self) -> bool:
        """Whether a rule draws random numbers."""
        return any(
            group.random
            or any(p.replacement and (p.replacement.random_objects or p.replacement.random_layers)
                   for rule in group.rules for p in rule.patterns)
            for rules in (self.normal, self.late) for group in rules.groups
        )  # fmt: skip

    @property
    def real_time(self) -> bool:
        """Whether the game ticks by the clock. It is played turn by turn here."""
        return self.says("realtime_interval")


def parse_game(text: str, name: str = "the game") -> Game:
    """Return the game of a text. Lines with faults are left out, and noted in its `problems`.

    Raises:
        GameError: if nothing can be played: all that was found, a line each.
    """
    problems = Problems()
    if len(text) > MOST_BYTES:
        raise GameError(f"{name} has {len(text)} characters; games of at most {MOST_BYTES} are read.")
    if "\0" in text:
        raise GameError(f"{name} is not the text of a game: it holds a character of number 0.")
    parts, headers = cut(text, problems)
    _stop(problems, name)
    settings = _settings(parts[PRELUDE], problems)
    vocabulary = Vocabulary(
        read_objects(parts["objects"], problems),
        read_legend(parts["legend"], problems),
        read_layers(parts["collisionlayers"]),
        problems,
    )
    last = text.count("\n") + 1
    for needed in ("player", "background"):
        if needed not in vocabulary.entries:
            problems.add(
                last, 1, f"There is no {needed}: an object or an entry of the legend of this name was "
                "expected, in a collision layer.", fatal=True,
            )  # fmt: skip
    _stop(problems, name)
    background = vocabulary.entries["background"].members[0]
    lines = list(read_rules(parts["rules"], vocabulary.entries, problems))
    normal, late = _Grouper(vocabulary, problems).lists(lines)
    levels = read_levels(parts["levels"], vocabulary, background, problems)
    if not any(isinstance(level, Map) for level in levels):
        problems.add(last, 1, "There is no level; at least one map was expected in LEVELS.", fatal=True)
    _stop(problems, name)
    return Game(
        title=settings.get("title", ""),
        author=settings.get("author", ""),
        settings=settings,
        vocabulary=vocabulary,
        normal=normal,
        late=late,
        conditions=tuple(_conditions(parts["winconditions"], vocabulary, problems)),
        levels=levels,
        player=_mask(vocabulary.entries["player"]),
        background=background,
        problems=problems.sorted(),
        sha256=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        rule_texts={line.line: line.text for line in lines if isinstance(line, RuleLine)},
        text=text,
        headers=headers,
    )


def _meaning(rule: Rule) -> tuple[object, ...]:
    return rule.direction, rule.rows, rule.commands, rule.rigid


def _stop(problems: Problems, name: str) -> None:
    if any(problem.fatal for problem in problems.found):
        shown = problems.sorted()[:20]
        fatal = [problem for problem in problems.found if problem.fatal and problem not in shown]
        listed = "\n".join(f"  {problem}" for problem in (*shown, *fatal))
        others = len(problems.found) + problems.left_out - len(shown) - len(fatal)
        raise GameError(f"{name} cannot be played:\n{listed}" + (f"\n  and {others} more." if others else ""))


def _settings(lines: Iterable[Line], problems: Problems) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        words = line.text.strip().split(None, 1)
        if not words:
            continue
        word = words[0].lower()
        found.setdefault(word, words[1].strip() if len(words) > 1 else "")
        if word not in SETTINGS:
            near = difflib.get_close_matches(word[:100], SETTINGS, n=1)
            meant = f"perhaps '{near[0]}' is meant" if near else "a setting or OBJECTS was expected"
            problems.add(
                line.number, 1 + line.text.index(words[0]),
                f"{quoted(word)} is not a setting and has no effect; {meant}.",
            )  # fmt: skip
    return found


def _mask(entry: Entry) -> Mask:
    return Mask(entry.mask, entry.kind == "and")


def _conditions(lines: Iterable[Line], vocabulary: Vocabulary, problems: Problems) -> Iterable[WinCondition]:
    quantifiers: dict[str, Literal["no", "some", "all"]] = {
        "no": "no", "some": "some", "any": "some", "all": "all"
    }  # fmt: skip
    for line in lines:
        words = line.lower.split()
        if not words:
            continue
        column = 1 + line.lower.index(words[0])
        if words[0] not in quantifiers or len(words) not in (2, 4) or (len(words) == 4 and words[2] != "on"):
            problems.add(
                line.number, column, "Expected 'No', 'Some' or 'All', a name, and possibly 'on' a name."
            )
            continue
        unknown = [name for name in words[1::2] if name not in vocabulary.entries]
        if unknown:
            problems.add(
                line.number, 1 + line.lower.index(unknown[0]),
                f"{quoted(unknown[0])} is not defined; the name of an object was expected.",
            )  # fmt: skip
            continue
        what, *on = (_mask(vocabulary.entries[name]) for name in words[1::2])
        yield WinCondition(quantifiers[words[0]], what, on[0] if on else None, line.number)


@attrs.define
class _Draft:
    """A group while its lines are read."""

    line: int
    looped: int
    """The number of its loop, from 1; 0 outside."""
    rules: list[tuple[RuleLine, Rule]] = attrs.field(factory=list)


class _Grouper:
    """Makes the lists of groups from the lines of the section RULES."""

    def __init__(self, vocabulary: Vocabulary, problems: Problems) -> None:
        self._vocabulary, self._problems = vocabulary, problems
        self._left = MOST_ELEMENTARY

    def lists(self, lines: Iterable[RuleLine | LoopLine]) -> tuple[RuleList, RuleList]:
        drafts: list[_Draft] = []
        loops = opened = 0
        for line in lines:
            if isinstance(line, LoopLine):
                if line.starts == (opened > 0):
                    sentence = (
                        "A loop begins here inside another one; loops do not nest." if line.starts
                        else "'endloop' stands here, but no loop is open; 'startloop' was expected before it."
                    )  # fmt: skip
                    self._problems.add(line.line, 1, sentence)
                    continue
                loops += line.starts
                opened = line.line if line.starts else 0
                continue
            if line.plus and drafts:
                draft = drafts[-1]
            else:
                if line.plus:
                    self._problems.add(line.line, 1, "'+' joins a rule to the one before, but there is none.")
                draft = _Draft(line.line, loops if opened else 0)
                drafts.append(draft)
            draft.rules += self._rules(line)
        if opened:
            self._problems.add(opened, 1, "This loop does not end; 'endloop' was expected below.")
        return self._list(drafts, late=False), self._list(drafts, late=True)

    def _rules(self, line: RuleLine) -> list[tuple[RuleLine, Rule]]:
        try:
            texts = expanded(line, self._vocabulary)
        except ExpansionError as error:
            self._problems.add(line.line, 1, str(error))
            return []
        last = {}
        for number, text in enumerate(texts):
            direction = text.direction if any(len(row) > 1 for row in text.left) else ""
            last[direction, text.left, text.right] = number
        found, overlap = [], ""
        for number in sorted(last.values()):
            try:
                rule = elementary(texts[number], line.line, line.rigid, line.commands, self._vocabulary)
            except OverlapError as error:
                overlap = str(error)
                continue
            if rule is not None:
                found.append((line, rule))
        if overlap:
            self._problems.add(line.line, 1, overlap)
        elif not found:
            self._problems.add(
                line.line, 1, "The rule can never match: a cell requires two things of one layer, or an "
                "object that it forbids.",
            )  # fmt: skip
        self._left -= len(found)
        if self._left < 0:
            self._problems.add(
                line.line, 1, f"The rules stand for more than {MOST_ELEMENTARY} elementary rules.", fatal=True
            )
            return []
        return found

    def _list(self, drafts: Iterable[_Draft], late: bool) -> RuleList:
        groups: list[Group] = []
        spans: dict[int, tuple[int, int]] = {}
        rigid = 0
        for draft in drafts:
            here = [(line, rule) for line, rule in draft.rules if line.late == late]
            if not here:
                continue
            rules = tuple(rule for _, rule in here)
            number = 0
            if not late and any(rule.rigid for rule in rules):
                rigid += 1
                number = rigid
                if rigid > MOST_RIGID_GROUPS:
                    self._problems.add(
                        draft.line,
                        1,
                        f"This is rigid group {rigid}; there may be at most {MOST_RIGID_GROUPS}.",
                    )
                    continue
            if draft.looped:
                first, _ = spans.get(draft.looped, (len(groups), 0))
                spans[draft.looped] = first, len(groups)
            groups.append(Group(draft.line, rules, here[0][0].random, number))
        return RuleList(tuple(groups), tuple(spans.values()))
