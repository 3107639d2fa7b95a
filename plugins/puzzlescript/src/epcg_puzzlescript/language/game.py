"""A game as the engines need it, made from its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256

import attrs

from epcg_core.plugin import Reading, counted
from epcg_puzzlescript.language.conditions import Mask, WinCondition, read_conditions
from epcg_puzzlescript.language.dialects import features
from epcg_puzzlescript.language.elementary import Rule
from epcg_puzzlescript.language.grouping import Group, Grouper, RuleList
from epcg_puzzlescript.language.legend import LegendReader
from epcg_puzzlescript.language.levels import Map, Message, read_levels
from epcg_puzzlescript.language.memory import keep, memory_of
from epcg_puzzlescript.language.needed_names import NeededNames, background_of, player_of
from epcg_puzzlescript.language.objects import ObjectReader
from epcg_puzzlescript.language.prelude import PLAYED_SETTINGS, START_TICK, read_settings
from epcg_puzzlescript.language.problems import (
    MOST_BYTES,
    MOST_ERRORS,
    MOST_MESSAGES,
    GameError,
    Problem,
    Problems,
    unread,
)
from epcg_puzzlescript.language.rule_lines import read_rules
from epcg_puzzlescript.language.rule_trees import RuleLine
from epcg_puzzlescript.language.sections import FIRST_SOUNDS, PRELUDE, Line, cut
from epcg_puzzlescript.language.sounds import read_sounds
from epcg_puzzlescript.language.vocabulary import Entry, GameObject, Vocabulary, read_layers
from epcg_puzzlescript.metrics import CHANCE, RESTARTS, UNDO_OF_CHECKPOINTS, UNDO_OF_TICKS

__all__ = ["Game", "Group", "Mask", "RuleList", "WinCondition", "parse_game"]
_NAMING = ("objects", "legend", "collisionlayers")
"""The sections that define names."""
MOST_SHOWN = 20
"""So many faults are told by the error of a game that is refused, and the last for which it is refused."""
_NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


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
    background: int | None
    """The number of the object that fills empty cells; None if it is in no layer, and cells stay empty."""
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
        flags = [name for name in PLAYED_SETTINGS if self.says(name)]
        flags = sorted(name for name in flags if name != "realtime_interval" or self.real_time)
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
        """Whether a cell can hold two objects of a layer, as faulty rules put them there."""
        masks = [self.vocabulary.layer_mask(layer) for layer in range(len(self.layers))]
        cells = {
            pattern.replacement.set for rules in (self.normal, self.late) for group in rules.groups
            for rule in group.rules for pattern in rule.patterns if pattern.replacement is not None
        }  # fmt: skip
        return any((cell & mask) & ((cell & mask) - 1) for cell in cells for mask in masks)

    @property
    def reading(self) -> Reading:
        """How the text was read."""
        return Reading(self.identity, self.unread, self.unsearched)

    @cached_property
    def unsearched(self) -> tuple[str, ...]:
        """What searches leave out though it can lead to a board that they do not see, in words."""
        found = []
        if self.draws:
            found.append(CHANCE)
        again, undoes = "again" in self.commands, not self.says("noundo")
        if self.keeps_checkpoints and "restart" in self.commands and undoes:
            found.append(UNDO_OF_CHECKPOINTS)
        if again and "restart" in self.commands and undoes:
            found.append(UNDO_OF_TICKS)
        # A restart while ticks run takes an earlier checkpoint of them, and undo takes the board back.
        stopped = undoes and (self.says(START_TICK) or self.real_time)
        if again and self.player_restarts and (stopped or "checkpoint" in self.commands):
            found.append(RESTARTS)
        return tuple(found)

    @property
    def unread(self) -> str:
        """The parts that were not read as they are written, in words; '' if all were.

        For example '2 rules left out: lines 64, 80'.
        """
        return unread(self.problems)

    @property
    def background_layer(self) -> int:
        """The objects of the background's layer as bits; 0 if there is none."""
        if self.background is None:
            return 0
        return self.vocabulary.layer_mask(self.objects[self.background].layer)

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

    @cached_property
    def commands(self) -> frozenset[str]:
        """The commands of all rules."""
        rules = (r for part in (self.normal, self.late) for group in part.groups for r in group.rules)
        return frozenset(command for rule in rules for command in rule.commands)

    @property
    def keeps_checkpoints(self) -> bool:
        """Whether a position tells to which checkpoint a restart goes back.

        It does if rules restart, or if a restart by the player can lead to a board that was not seen: rules
        run on the checkpoint's board, or it was not at rest. Otherwise the board was seen.
        """
        if "checkpoint" not in self.commands:
            return False
        other = self.says(START_TICK) or "again" in self.commands
        return "restart" in self.commands or (self.player_restarts and other)

    @property
    def player_restarts(self) -> bool:
        """Whether the player may restart."""
        return not self.says("norestart")

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
        """Whether the game ticks by the clock, as it does if the interval is a number above 0."""
        interval = self.settings.get("realtime_interval", "")
        return bool(_NUMBER.fullmatch(interval)) and 0 < float(interval) < float("inf")


def parse_game(text: str, name: str = "the game") -> Game:
    """Return the game of a text. Lines with faults are left out, and noted in its `problems`.

    Raises:
        GameError: if nothing can be played: all that was found, a line each.
    """
    _check_text(text, name)
    problems = Problems()
    parts, headers = cut(text, problems)
    _stop(problems, name, parts)
    settings = read_settings(parts[PRELUDE], problems)
    cells = (cell for line in parts["rules"] for cell in re.findall(r"\[([^\]]*)", line.lower))
    spoken = {word for cell in cells for word in re.split(r"[\s|\[]+", cell)}
    places = ("winconditions", "collisionlayers")
    named = spoken | {word for name in places for line in parts[name] for word in line.lower.split()}
    objects = ObjectReader(problems, spoken, named)
    objects.read(parts["objects"])
    legend = LegendReader(objects, problems)
    legend.read(parts["legend"])
    layers = read_layers(parts["collisionlayers"], problems)
    last = text.count("\n") + 1
    vocabulary = Vocabulary(
        objects, legend, layers, headers.get("sounds", 0), headers.get(FIRST_SOUNDS, 0), problems
    )
    if not vocabulary.objects:
        sentence = "There is no collision layer with an object; one was expected."
        problems.add(headers.get("collisionlayers", last), 1, sentence, fatal=True)
    _stop(problems, name, parts)
    sounds = read_sounds(parts["sounds"], vocabulary, problems)
    needed = NeededNames(vocabulary, parts, headers)
    player, background = player_of(needed, problems), background_of(needed, problems)
    names = *(tuple(parts[name]) for name in _NAMING), headers.get("sounds", 0), headers.get(FIRST_SOUNDS, 0)
    memory = memory_of(names)
    lines = list(read_rules(parts["rules"], vocabulary, sounds, problems, memory))
    normal, late = Grouper(vocabulary, problems, memory).lists(lines)
    keep(names, memory)
    conditions = tuple(read_conditions(parts["winconditions"], vocabulary, problems))
    levels = read_levels(parts["levels"], vocabulary, background, problems)
    _check_levels(levels, last, problems, name, parts)
    return Game(
        title=settings.get("title", ""),
        author=settings.get("author", ""),
        settings=settings,
        vocabulary=vocabulary,
        normal=normal,
        late=late,
        conditions=conditions,
        levels=levels,
        player=player,
        background=background,
        problems=problems.sorted(),
        sha256=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        rule_texts={line.line: line.text for line in lines if isinstance(line, RuleLine)},
        text=text,
        headers=headers,
    )


def with_levels(game: Game, text: str) -> Game:
    """Return the game of a text that differs from a game's in its levels only.

    Raises:
        GameError: as `parse_game` does.
    """
    _check_text(text, "the game")
    first = game.headers["levels"]
    problems = Problems()
    parts, _ = cut(text, problems)
    levels = read_levels(parts["levels"], game.vocabulary, game.background, problems)
    own = [problem for problem in problems.found if problem.line >= first]
    problems = Problems()
    for problem in (*(problem for problem in game.problems if problem.line < first), *own):
        problems.note(problem)
    _check_levels(levels, text.count("\n") + 1, problems, "the game", parts)
    return attrs.evolve(game, levels=levels, problems=problems.sorted(), text=text)


def _check_text(text: str, name: str) -> None:
    """Refuse what is too long, or no text."""
    if len(text) > MOST_BYTES:
        raise GameError(f"{name} has {len(text)} characters; games of at most {MOST_BYTES} are read.")
    if "\0" in text:
        raise GameError(f"{name} is not the text of a game: it holds a character of number 0.")


def _check_levels(
    levels: Sequence[Map | Message],
    last: int,
    problems: Problems,
    name: str,
    parts: Mapping[str, Sequence[Line]],
) -> None:
    """Refuse a game without a map, or with too many faults."""
    if not any(isinstance(level, Map) for level in levels):
        problems.add(last, 1, "There is no level; at least one map was expected in LEVELS.", fatal=True)
    _count(problems, last)
    _stop(problems, name, parts)


def _count(problems: Problems, last: int) -> None:
    """Refuse a game with too many faults."""
    if problems.errors > MOST_ERRORS:
        sentence = f"The reference engine counts {counted(problems.errors, 'error')}"
    elif problems.errors + problems.warnings > MOST_MESSAGES:
        sentence = f"The reference engine counts {problems.errors + problems.warnings} errors and warnings"
    else:
        return
    limit = f"{MOST_ERRORS} errors" if problems.errors > MOST_ERRORS else f"{MOST_MESSAGES} of both"
    problems.add(
        last, 1, f"{sentence} in this game, and plays games of at most {limit}; a fault may be several of "
        "its errors.", errors=0, fatal=True,
    )  # fmt: skip


def _meaning(rule: Rule) -> tuple[object, ...]:
    return rule.direction, rule.rows, rule.commands, rule.rigid


def _stop(problems: Problems, name: str, parts: Mapping[str, Sequence[Line]]) -> None:
    """Raise GameError if nothing can be played; a text of a dialect is told by its words first."""
    if not any(problem.fatal for problem in problems.found):
        return
    told = problems.sorted()
    causes = [problem for problem in told if not problem.follows]
    shown = causes[:MOST_SHOWN]
    shown += [problem for problem in told if problem.fatal and problem not in shown][-1:]
    dialect = features(parts)
    if dialect:
        error = GameError(
            f"{name} is written in a dialect of PuzzleScript ({dialect}), which is not read. As PuzzleScript "
            f"it has {counted(problems.count, 'fault')}, the first: {shown[0]}"
        )
    else:
        listed = "\n".join(f"  {problem}" for problem in shown)
        others = problems.count - sum(not problem.follows for problem in shown)
        more = f"\n  and {others} more." if others else ""
        error = GameError(f"{name} cannot be played:\n{listed}{more}")
    error.problems = told
    raise error
