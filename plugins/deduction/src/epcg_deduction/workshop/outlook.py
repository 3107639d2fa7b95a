"""What is known at once of a genre that is made: its first puzzle, and what can be asked of its board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epcg_core.plugin import EpcgError, GameAnswer, GameFact, GameQuestion, ParamsError, PuzzleKind, counted
from epcg_deduction.evaluation.facts import Needed, counted as count
from epcg_deduction.formats.own import format_puzzle, parse_puzzle
from epcg_deduction.generators.fair import FairPuzzles
from epcg_deduction.generators.projection import check_work
from epcg_deduction.generators.solutions import solutions_of
from epcg_deduction.generators.values import columns_of, determined_kinds
from epcg_deduction.metrics import STEP_WORDS
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.params import FairParams, SolutionsParams
from epcg_deduction.rendering.picture import puzzle_svg, two_solutions_svg
from epcg_deduction.rendering.renderers import first_solutions
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.steps import KINDS, grade
from epcg_deduction.states.changes import with_clues
from epcg_deduction.workshop.puzzle_texts import PuzzleTexts

_WORK = 100_000_000
"""The work of a search while one waits: a second or so."""
_FEW_SOLUTIONS = 20_000
_SHORT = 2e9
"""Steps of counting fair puzzles while one waits."""
_STEPS = dict(zip(KINDS, STEP_WORDS, strict=True))


def first_of(text: str) -> Puzzle:
    """Return the first puzzle of a file. Raises ParamsError if there is none, or a fault."""
    sheet = PuzzleTexts().read(text)
    serious = [fault for fault in sheet.faults if fault.serious]
    if serious:
        fault = serious[0]
        column = f", column {fault.column}" if fault.column else ""
        raise ParamsError(f"line {fault.line}{column}: {fault.message}" if fault.line else fault.message)
    if not sheet.pieces:
        raise ParamsError("The genre has no puzzle yet: add [[puzzles]] with a size, as in size = [4, 4].")
    return parse_puzzle(sheet.pieces[0].text)


def answer_of(puzzle: Puzzle) -> GameAnswer:
    """Say how many solutions a puzzle has; draw the one, or two side by side."""
    found = count(puzzle, 100, _WORK)
    clues = GameFact("clues", str(len(puzzle.clues)))
    if found.number == 0 and found.complete:
        about = "No marks keep all rules. Change a clue, or take one away."
        return GameAnswer(title="No solution", solved=False, about=about, facts=(clues,))
    if found.number == 0:
        return GameAnswer(title="Not known", solved=None, about="The search takes too long.", facts=(clues,))
    shown = first_solutions(puzzle)
    if found.fair:
        facts = (clues, *_facts(puzzle))
        svg = puzzle_svg(puzzle, shown[0] if shown else None)
        about = "The puzzle is fair."
        return GameAnswer(title="One solution", solved=True, about=about, svg=svg, facts=facts)
    number = f"{found.number:,}{'' if found.complete else ' or more'}"
    about = "Where the two that are drawn differ is tinted: a clue there tells them apart."
    svg = two_solutions_svg(puzzle, shown[0], shown[1]) if len(shown) > 1 else ""
    facts = (clues, GameFact("solutions", number, problem=True))
    return GameAnswer(title=f"{number} solutions", solved=True, about=about, svg=svg, facts=facts)


def _facts(puzzle: Puzzle) -> Iterator[GameFact]:
    """Yield what is told of a fair puzzle: clues that can go, and the hardest step."""
    needed = Needed(SolutionsParams(work=_WORK)).evaluate(puzzle)
    if needed is not None:
        yield GameFact("clues that can go, one at a time", str(needed[1]))
    graded = grade(problem_of(puzzle), budget=_WORK)
    if graded.end == "solved":
        hardest = _STEPS.get(graded.hardest or "", "nothing is left to find")
        yield GameFact("hardest step", hardest)
        yield GameFact("rounds", str(graded.rounds))
    else:
        yield GameFact("hardest step", "more than an assumption" if graded.end == "stuck" else "not known")


def kinds_of(puzzle: Puzzle) -> list[PuzzleKind]:
    """Return the fair puzzles of a board by the number of their clues; none if they take long to count."""
    try:
        kinds = determined_kinds(puzzle, ())
        if not kinds:
            return []
        bare = with_clues(puzzle, [clue for clue in puzzle.clues if clue.kind not in kinds])
        if not 0 < count(bare, _FEW_SOLUTIONS, _WORK).number < _FEW_SOLUTIONS:
            return []
        solutions = solutions_of(bare, _FEW_SOLUTIONS)
        places = len(columns_of(bare, kinds, solutions))
        check_work(places, solutions.count, _SHORT)
        space = FairPuzzles(FairParams(format_puzzle(puzzle)))
        least = FairPuzzles(FairParams(format_puzzle(puzzle), minimal=True)).by_size
        found = []
        for size, (fair, minimal) in enumerate(zip(space.by_size, least, strict=True)):
            if fair:
                found.append(_kind(size, fair, minimal, puzzle, space))
        return found
    except EpcgError:  # too many to be counted while one waits
        return []


def _kind(size: int, fair: int, minimal: int, puzzle: Puzzle, space: FairPuzzles) -> PuzzleKind:
    some = f", all needed in {minimal:,}" if 0 < minimal < fair else ""
    example = format_puzzle(space.unrank(sum(space.by_size[:size])))
    query: dict[str, Any] = {"name": "fair", "clues": [size]}
    return PuzzleKind(
        title=f"{counted(size, 'clue')}{some}", puzzles=fair, proper=fair, example=example, query=query,
        measures=("clues", "steps"),
    )  # fmt: skip


def questions_of(puzzle: Puzzle) -> list[GameQuestion]:
    """Return what can be asked of a board, and of its genre."""
    genre, found = puzzle.genre, []
    if determined_kinds(puzzle, ()):
        found += [
            GameQuestion(
                title="Which fair puzzles?",
                about="All sets of clues of this board that leave one solution, and how they are solved.",
                query={"name": "fair"}, measures=("clues", "steps"),
            ),
            GameQuestion(
                title="Which need each of their clues?",
                about="The fair puzzles of this board from which no clue can be taken away.",
                query={"name": "fair", "minimal": True}, measures=("clues", "steps"),
            ),
        ]  # fmt: skip
    for name in genre.clues:
        found.append(
            GameQuestion(
                title=f"Which one clue '{name}'?",
                about="All ways to place one clue of this kind, and how many solutions each leaves.",
                query={"name": "clues", "kind": name, "clues": [1]}, measures=("solutions",),
            )
        )  # fmt: skip
    if has_regions(genre):
        found.append(
            GameQuestion(
                title="Which division into regions?",
                about="All divisions of this board into connected regions, and how many solutions each has.",
                query={"name": "layouts", "boards": "regions"}, measures=("solutions",),
            )
        )  # fmt: skip
    if genre.walls:
        found.append(
            GameQuestion(
                title="Where are the walls?",
                about="All sets of walls of this board, and how many solutions each has.",
                query={"name": "layouts", "boards": "walls"}, measures=("solutions",),
            )
        )  # fmt: skip
    return found


def has_regions(genre: Genre) -> bool:
    """Return whether a genre speaks of regions."""
    told = [str(value) for rule in genre.rules for value in rule.fields.values()]
    words = {word for text in told for word in text.split()}
    return bool(words & {"region", "across"}) or any(kind.on == "regions" for kind in genre.clues.values())
