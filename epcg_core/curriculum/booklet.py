"""Booklets: the puzzles of a curriculum in order, with pictures, measures and solutions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from epcg_core.base.errors import EpcgError, PluginError, UnknownNameError
from epcg_core.domain import GameData, Instruction, Metric, resolve
from epcg_core.domain.content import opened_state
from epcg_core.editing.editing import Document, open_document
from epcg_core.editing.play import Step, solution_steps
from epcg_core.editing.score import percentile
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator
from epcg_core.rendering.render import render_solved, render_unsolved, renderer_of
from epcg_core.runs.solutions import Solutions
from epcg_core.store import Reader, RunRecord, curricula
from epcg_core.store.recorded import parsed

_BITS = "one bit is a choice between two, and each further one doubles the ways to choose"


@attrs.frozen
class BookletPuzzle:
    """One puzzle of a booklet."""

    number: int
    """The number in the booklet, from 1."""
    position: int
    """The number in its chapter, from 1."""
    part: str
    puzzle: str
    """The puzzle's id."""
    state: str = attrs.field(repr=False)
    """The generator's text of the state."""
    measure: str
    value: Any
    measures: dict[str, Any]
    rule: str
    reason: str
    solutions: Sequence[Any]
    """The recorded solutions, each a list of actions."""
    part_number: int = 1
    harder: str = "higher"
    """Which values of the measure are harder, "higher" or "lower"."""
    percentile: float | None = None
    """The percentage of its run's candidates that are easier, and half of those that are equal; None if it
    does not come from a run that measured it."""
    compared: int = 0
    """The number of these candidates."""

    @property
    def domain(self) -> str:
        return self.puzzle.partition(":")[0]

    @property
    def difficulty(self) -> str:
        """The measure in the words of its metric: '53 positions to look at'."""
        return told(self.domain, self.measure, self.value)

    def layout(self) -> Mapping[str, Any] | None:
        """Return what lies where, as `GameData.layout` does; None if the domain does not say."""
        found = self._game_data()
        return None if found is None else found[0].layout(found[1])

    def moves(self) -> Sequence[Mapping[str, Any]] | None:
        """Return the moves of a solution, a recorded one if there is any; None if there is none."""
        found = self._game_data()
        actions = [str(action) for action in self.solutions[0]] if self.solutions else None
        return None if found is None else found[0].moves(found[1], actions)

    def _game_data(self) -> tuple[GameData[Any], Any] | None:
        try:
            info = registry().domain(self.domain)
        except (UnknownNameError, PluginError):
            return None
        if info.game_data is None:
            return None
        space, rank = parse_puzzle_id(registry(), self.puzzle)
        generator = make_generator(registry(), space)
        with registry().attribute_errors_to(info):
            return resolve(info.game_data)(generator), generator.unrank(rank)

    def document(self) -> Document:
        """Open the puzzle in its domain's editor. Raises EpcgError if there is none that reads it."""
        space, rank = parse_puzzle_id(registry(), self.puzzle)
        generator = make_generator(registry(), space)
        return open_document(self.domain, opened_state(generator, generator.unrank(rank)))

    def steps(self) -> list[Step] | None:
        """Return a solution as actions with the gestures that make them, a recorded one if there is any.

        None if there is no editor that plays the puzzle, or no solution is found.
        """
        try:
            return solution_steps(self.document(), self.recorded)
        except EpcgError:  # it cannot be played
            return None

    def picture(self) -> str | None:
        """Draw the puzzle as SVG; None if the domain draws none."""
        return render_unsolved(self.puzzle, "svg")

    def text(self) -> str:
        return render_unsolved(self.puzzle, "text") or self.state

    def solved_picture(self) -> str | None:
        """Draw the puzzle with a solution as SVG; None if the domain draws none."""
        return render_solved(self.puzzle, "svg", self.recorded)

    def solution_text(self) -> str:
        """Describe a solution: a recorded one if there is any, else the domain's."""
        if self.solutions:
            return ", ".join(map(str, self.solutions[0]))
        return render_solved(self.puzzle, "text") or "No solution is recorded."

    @property
    def recorded(self) -> Sequence[str]:
        """The actions of a recorded solution; empty if there is none."""
        return self.solutions[0] if self.solutions else ()


@attrs.frozen
class BookletChapter:
    """A chapter of a booklet."""

    number: int
    name: str
    title: str
    description: str
    difficulty: str
    """The range of each measure: '3 to 53 positions to look at'."""
    puzzles: Sequence[BookletPuzzle]
    headings: Sequence[tuple[str, str]] = ()
    """(name, description) of each part, if the chapter has several."""
    warns: bool = True
    """Whether players may be warned when nothing can be won any more."""

    @property
    def one_measure(self) -> bool:
        """Whether one measure is that of all its puzzles."""
        return len({puzzle.measure for puzzle in self.puzzles}) == 1

    def parts(self) -> Iterator[tuple[str, str, Sequence[BookletPuzzle]]]:
        """Yield (name, description, puzzles) of each part; one without a name if there is only one."""
        if not self.headings:
            yield "", "", self.puzzles
        for i, (name, description) in enumerate(self.headings):
            yield name, description, [puzzle for puzzle in self.puzzles if puzzle.part_number == i + 1]


@attrs.frozen
class Booklet:
    """A curriculum as it is printed."""

    name: str
    title: str
    description: str
    sha256: str
    chapters: Sequence[BookletChapter]
    rules: str = ""
    """How to play, in the words of the plan."""

    def how_to_play(self) -> list[Instruction]:
        """Return the plan's words, those of the domains about these puzzles, and what headings mean."""
        found = [Instruction(text) for text in paragraphs(self.rules)]
        puzzles = list(self.puzzles())
        for name in dict.fromkeys(puzzle.domain for puzzle in puzzles):
            found += instructions(name, [puzzle.puzzle for puzzle in puzzles if puzzle.domain == name])
        explained = set()
        for puzzle in puzzles:
            metric = _metric(puzzle.domain, puzzle.measure)
            meaning = "" if metric is None else _BITS if metric.unit == "bits" else metric.description
            if metric is None or not meaning or (metric.sentence, meaning) in explained:
                continue
            explained.add((metric.sentence, meaning))
            end = "harder" if puzzle.harder == "higher" else "easier"
            found.append(
                Instruction(f"“{puzzle.difficulty}” above a puzzle: {meaning}. The more, the {end}.")
            )
        return found

    def puzzles(self) -> Iterator[BookletPuzzle]:
        """Yield all of them, in order."""
        for chapter in self.chapters:
            yield from chapter.puzzles

    def solutions_explained(self, language: str = "en") -> list[str]:
        """Return how to read the drawn solutions, a paragraph for each domain that says it."""
        found: list[str] = []
        puzzles = [(puzzle.puzzle, renderer_of(puzzle.puzzle, "svg")) for puzzle in self.puzzles()]
        for info in dict.fromkeys(info for _, info in puzzles if info is not None):
            if info.explains is not None:
                states = _states([puzzle for puzzle, own in puzzles if own == info])
                with registry().attribute_errors_to(info):
                    told = resolve(info.explains)(states)
                found += [each.said(language) for each in _checked(info, "explains", [told])]
            elif info.solutions_explained:
                found.append(info.solutions_explained)
        return list(dict.fromkeys(found))


def read_booklet(reader: Reader, name: str) -> Booklet:
    """Read the booklet of the newest curriculum with a name, or of a build: 'name#number' or 'number'.

    Raises UnknownNameError if there is none.
    """
    number = curricula.find(reader.connection, name)
    curriculum = curricula.read(reader.connection, number, rejected=False)
    chapters: list[BookletChapter] = []
    before, solutions, percentiles = 0, Solutions(reader), _Percentiles(reader, curriculum)
    for number, chapter in enumerate(curriculum.chapters, 1):
        rows = [(i, part, row) for i, part in enumerate(chapter.parts, 1) for row in part.selections]
        planned = curriculum.plan["chapters"][number - 1]
        headings = [(part["name"], part.get("description", "")) for part in planned["parts"]]
        puzzles = [
            BookletPuzzle(
                before + position, position, part.name, row.puzzle.puzzle, row.puzzle.state, part.measure,
                row.value, parsed(row.measures, f"A selection of {curriculum.name}", dict),
                row.rule, row.reason,
                solutions.of(row.puzzle.space, row.puzzle.rank), i, part.harder, *percentiles.of(part, row),
            )
            for position, (i, part, row) in enumerate(rows, 1)
        ]  # fmt: skip
        before += len(puzzles)
        several = headings if len(headings) > 1 else ()
        chapters.append(
            BookletChapter(
                number, chapter.name, chapter.title, chapter.description, _range(puzzles), puzzles, several,
                planned.get("warn", True),
            )
        )  # fmt: skip
    return Booklet(
        curriculum.name, curriculum.title, curriculum.plan["description"], curriculum.sha256, chapters,
        curriculum.plan.get("how_to_play", ""),
    )  # fmt: skip


def _range(puzzles: Sequence[BookletPuzzle]) -> str:
    texts = []
    for measure in dict.fromkeys(puzzle.measure for puzzle in puzzles):
        values = [puzzle.value for puzzle in puzzles if puzzle.measure == measure]
        texts.append(told(puzzles[0].domain, measure, min(values), max(values)))
    return "; ".join(dict.fromkeys(texts))


def told(domain: str, measure: str, low: Any, high: Any = None) -> str:
    """Tell a value of a measure, or all from `low` to `high`, by the metric's sentence if it is a metric."""
    if isinstance(low, str):
        return f"{measure.replace('_', ' ')} {low}" + ("" if high in (None, low) else f" to {high}")
    return (_metric(domain, measure) or Metric(measure)).told(low, high)


def _metric(domain: str, measure: str) -> Metric | None:
    """Return the metric that a measure is; None if it is a column of SQL's own."""
    return registry().metric(domain, measure)


def instructions(domain: str, puzzles: Sequence[str]) -> list[Instruction]:
    """Ask a domain how its puzzles are played; nothing if the plugin is missing or says nothing."""
    try:
        info = registry().domain(domain)
    except (UnknownNameError, PluginError):
        return []
    if info.how_to_play is None:
        return []
    states = _states(puzzles)
    with registry().attribute_errors_to(info):
        found = list(resolve(info.how_to_play)(states))
    return _checked(info, "how_to_play", found)


def _checked(info: object, name: str, found: list[Any]) -> list[Instruction]:
    """Return what a function of a part gave. Raises PluginError if it gave anything but instructions."""
    wrong = [each for each in found if not isinstance(each, Instruction)]
    if wrong:
        raise PluginError(f"The {registry().described(info)}: {name} returns Instructions, not {wrong[0]!r}.")
    return found


def _states(puzzles: Sequence[str]) -> list[Any]:
    """Return the states of puzzles, by their ids."""
    found = (parse_puzzle_id(registry(), puzzle) for puzzle in puzzles)
    return [make_generator(registry(), space).unrank(rank) for space, rank in found]


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines part, each in one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def capitalized(text: str) -> str:
    """Return a text with a capital letter first."""
    return text[:1].upper() + text[1:]


class _Percentiles:
    """The places of a curriculum's puzzles among all that their runs measured."""

    def __init__(self, reader: Reader, curriculum: curricula.CurriculumRow) -> None:
        self._reader = reader
        self._runs = [reader.run(number) for number, _ in curriculum.runs]
        self._wanted: dict[tuple[str, str], set[float]] = {}
        for part in (part for chapter in curriculum.chapters for part in chapter.parts):
            for row in part.selections:
                if isinstance(row.value, int | float):
                    self._wanted.setdefault((row.puzzle.space, part.measure), set()).add(row.value)
        self._found: dict[tuple[str, str], dict[float, tuple[float, int]]] = {}

    def of(self, part: curricula.PartRow, row: curricula.SelectionRow) -> tuple[float | None, int]:
        """Return (percentile, how many candidates it is compared with)."""
        key = row.puzzle.space, part.measure
        if key not in self._found:
            self._found[key] = self._compared(*key) if key in self._wanted else {}
        found = self._found[key].get(row.value)
        if found is None:
            return None, 0
        percent, count = found
        return round(percent if part.harder == "higher" else 100 - percent, 1), count

    def _compared(self, space: str, measure: str) -> dict[float, tuple[float, int]]:
        run = next((run for run in self._runs if run.space == space and measure in self._measures(run)), None)
        if run is None:
            return {}
        wanted = np.array(sorted(self._wanted[space, measure]))
        below, equal, count = np.zeros(len(wanted)), np.zeros(len(wanted)), 0
        for _, values in self._reader.values(run.id, measure):
            ordered = np.sort(values)
            left, right = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
            below, equal, count = below + left, equal + (right - left), count + len(values)
        return {
            value: (percentile(lower, same, count), count)
            for value, lower, same in zip(wanted.tolist(), below.tolist(), equal.tolist(), strict=True)
            if count
        }

    def _measures(self, run: RunRecord) -> set[str]:
        return {metric.name for metric in self._reader.every_metric(run.id)}
