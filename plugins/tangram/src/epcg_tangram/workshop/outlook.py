"""What can be said of a game at once: whether its board can be filled, and which kinds of puzzles it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import EpcgError, GameAnswer, GameFact, PuzzleKind, counted
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.formats.boards import format_parts
from epcg_tangram.lattices import Cell
from epcg_tangram.params import GameRef
from epcg_tangram.rendering.renderers import board_svg
from epcg_tangram.rules.boards import Board, piece_text
from epcg_tangram.rules.covers import problem_of
from epcg_tangram.texts.game_files import without_puzzles
from epcg_tangram.texts.game_text import GameText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.plugin import CoverCount

MOST_NODES = 6e7
"""Partial boards that a search may visit while one waits: some seconds."""
MOST_PLACES = 50_000
"""Places of pieces of which a search is prepared while one waits."""
MOST_COVERS = 100_000
"""Solved boards that are looked at while one waits."""
MOST_STATES = 50_000
"""Partial boards that differ, of boards that are counted without a list while one waits."""
MOST_TRIED = 20_000
"""Placements that a random search tries while one waits: some seconds."""
MOST_SHOWN = 3
"""Kinds of puzzles are counted up to so many pieces that lie there."""
MOST_SUBSETS = 3_000_000


@attrs.frozen(eq=False)
class _Solved:
    """The solved boards of a game, or why they are not known."""

    distinct: NDArray[np.int32] | None
    every: NDArray[np.int32] | None
    why: str = ""
    count: CoverCount | None = None
    """How many there are, if they are too many for a list."""


def answer_of(found: GameText) -> GameAnswer:
    """Say whether a game's board can be filled, and what stands in the way."""
    definition = found.definition
    if definition is None or not found.usable:
        serious = next((fault for fault in found.faults if fault.serious), None)
        about = "" if serious is None else f"Line {serious.line}: {serious.message}"
        return GameAnswer(title="Not a game yet", solved=None, about=about)
    layout = layout_of(definition)
    facts, problems = _facts(layout)
    if problems:
        return GameAnswer(title="Cannot be filled", solved=False, about=" ".join(problems), facts=facts)
    solved = _solve(layout)
    if solved.distinct is not None and solved.every is not None:
        ways, images = len(solved.distinct), len(solved.every)
    elif solved.count is not None:
        ways, images = solved.count.distinct, solved.count.every
    else:
        return _by_lot(layout, solved.why, facts)
    if not ways:
        return GameAnswer(title="Cannot be filled", solved=False, about=_TRIED, facts=facts)
    about = "In one way." if ways == 1 else f"In {ways:,} ways."
    if images != ways:
        about += f" Turned and mirrored: {images:,}."
    if solved.distinct is not None:
        first = tuple(n for n in solved.distinct[0].tolist() if n >= 0)
    else:
        first = solved.count.example if solved.count is not None else ()
    return GameAnswer(
        title="Can be filled",
        solved=True,
        about=about,
        svg=_picture(definition, first),
        facts=facts,
    )


_TRIED = "Every way to begin was tried to its end."


def _by_lot(layout: Layout, why: str, facts: tuple[GameFact, ...]) -> GameAnswer:
    """Say whether a random search finds a solved board of a game whose solved boards are too many to list."""
    from epcg_tangram.rules.one_cover import one_cover

    if len(layout.placements) <= MOST_PLACES:
        definition = layout.definition
        found = one_cover(layout, [(kind.least, kind.most) for kind in definition.pieces], limit=MOST_TRIED)
        if found.outcome == "none":
            return GameAnswer(title="Cannot be filled", solved=False, about=_TRIED, facts=facts)
        if found.outcome == "found":
            svg = _picture(definition, found.placements)
            about = f"In how many ways is not known. {why}"
            return GameAnswer(title="Can be filled", solved=True, about=about, svg=svg, facts=facts)
    return GameAnswer(title="Not known", solved=None, about=why, facts=facts)


def _picture(definition: Definition, placements: tuple[int, ...]) -> str:
    from epcg_tangram.texts.game_writer import format_game

    return board_svg(Board(GameRef(format_game(definition)), placements))


def _facts(layout: Layout) -> tuple[tuple[GameFact, ...], list[str]]:
    """Return the numbers of a game, and sentences for what stands in the way of every solution."""
    definition = layout.definition
    cells = len(definition.cells) - (definition.empty or 0)
    needed = len(definition.cells) - definition.most_empty
    copies = sum(kind.most for kind in definition.pieces)
    area, least = definition.most_area, definition.least_area
    places = Counter(placement.piece for placement in layout.placements)
    one, word = definition.lattice.cell_word
    lost = [kind.name for number, kind in enumerate(definition.pieces) if kind.least and not places[number]]
    facts = [
        GameFact(word, f"{len(definition.cells):,}"),
        GameFact("pieces", f"{copies:,}"),
        GameFact(f"{word} of the pieces", f"{area:,}", problem=area < needed or least > cells),
        GameFact("places of the pieces", f"{len(layout.placements):,}"),
    ]
    problems = []
    if area < needed:
        problems.append(f"The pieces have {counted(needed - area, one, word)} too few.")
    if least > cells:
        problems.append(f"The pieces that must be used have {counted(least - cells, one, word)} too many.")
    if lost:
        problems.append(f"Nowhere fits: {', '.join(lost)}.")
    balance = _balance(definition)
    if balance is not None:
        facts.append(balance)
        if balance.problem and not problems:
            problems.append(
                "The two kinds of cells that alternate are not in balance: however the pieces lie, they "
                "cover "
                "another number of each than the board has."
            )
    return tuple(facts), problems


def _balance(definition: Definition) -> GameFact | None:
    """Return how the two alternating classes of cells are shared, if all pieces are used; None otherwise.

    A piece covers more cells of one class than of the other by a number that does not depend on how it lies,
    but for its sign. So the board's own difference must be a sum of these with some signs.
    """
    lattice = definition.lattice
    used = definition.least_area == definition.most_area and not definition.most_empty
    if len(lattice.kinds) != 2 or not used:
        return None

    def difference(cells: Iterable[Cell]) -> int:
        return sum(1 if lattice.kind(cell) == 0 else -1 for cell in cells)

    own = difference(definition.cells)
    sums = {0}
    for kind in definition.pieces:
        step = difference(kind.shape)
        for _ in range(kind.most):
            sums = {total + sign * step for total in sums for sign in (1, -1)}
    first = (len(definition.cells) + own) // 2
    shares = f"{first} : {len(definition.cells) - first}"
    return GameFact(" : ".join(lattice.kinds), shares, problem=own not in sums)


def _solve(layout: Layout, count: bool = True) -> _Solved:
    """Return the solved boards of a game, or how many there are, if they are found in some seconds."""
    import numpy as np

    from epcg_core.plugin import count_by_states, estimate_cost, solve

    definition = layout.definition
    copies = [(kind.least, kind.most) for kind in definition.pieces]
    if len(layout.placements) > MOST_PLACES:
        return _Solved(
            None, None, "The pieces have too many places to wait for an answer: ask it as a question."
        )
    problem = problem_of(layout, copies, layout.symmetries_with(copies))
    if problem.impossible() is not None:
        none = np.zeros((0, 1), np.int32)
        return _Solved(none, none)
    nodes = estimate_cost(problem)
    distinct = None
    if nodes <= MOST_NODES:
        with suppress(EpcgError):
            distinct = solve(problem, limit=MOST_COVERS).covers
    if distinct is None:
        if count:
            with suppress(EpcgError):
                return _Solved(None, None, count=count_by_states(problem, limit=MOST_STATES))
        if nodes <= MOST_NODES:
            return _Solved(None, None, f"There are more than {MOST_COVERS:,} ways to fill the board.")
        return _Solved(
            None, None,
            f"A search would visit about {nodes:.0e} positions, too many to wait for: ask it as a question, "
            "which is "
            "searched in the background.",
        )  # fmt: skip
    images = np.array(problem.images, np.int32)
    last = images.shape[1]
    padded = np.concatenate([images, np.full((len(images), 1), last, np.int32)], axis=1)
    rows = np.sort(padded[:, np.where(distinct < 0, last, distinct)], axis=2)
    every = np.unique(rows.reshape(-1, distinct.shape[1]), axis=0)
    every[every == last] = -1
    return _Solved(distinct, every)


def kinds_of(definition: Definition, text: str) -> list[PuzzleKind]:
    """Return the kinds of puzzles of a game: how many pieces lie there, how many have one solution.

    Puzzles count in every orientation, as a player sees them; the empty board counts once.
    """
    import numpy as np

    layout = layout_of(definition)
    solved = _solve(layout, count=False)
    ref = GameRef(without_puzzles(text))
    if solved.every is None or solved.distinct is None:
        return []
    one = len(solved.distinct) == 1
    example = format_parts(ref, []) if one else ""
    found = [_kind("Nothing lies", 1, int(one), example, 0)]
    for shown in range(1, MOST_SHOWN + 1):
        width = int((solved.every >= 0).sum(axis=1).max(initial=0))
        total = len(solved.every) * len(list(combinations(range(width), shown)))
        if shown >= width or total > MOST_SUBSETS or not len(solved.every):
            break
        subsets = np.concatenate(
            [solved.every[:, chosen] for chosen in map(list, combinations(range(width), shown))]
        )
        subsets = np.sort(subsets[(subsets >= 0).all(axis=1)], axis=1)
        different, counts = np.unique(subsets, axis=0, return_counts=True)
        proper = different[counts == 1]
        parts = [] if not len(proper) else [piece_text(layout, n) for n in proper[0].tolist()]
        number = ("One piece lies", "Two pieces lie", "Three pieces lie")[shown - 1]
        found.append(
            _kind(
                number,
                _compatible(layout, shown),
                len(proper),
                format_parts(ref, parts) if parts else "",
                shown,
            )
        )
    return found


def _kind(lies: str, puzzles: int | None, proper: int, example: str, shown: int) -> PuzzleKind:
    """Return a kind of puzzle, with the generator that makes one for each solved board and choice there."""
    return PuzzleKind(
        title=f"{lies} there",
        puzzles=puzzles,
        proper=proper,
        example=example,
        query={"name": "instances", "size": shown, "keep": "all"},
        measures=("instance", "entropy"),
        unique="unique",
    )


def _compatible(layout: Layout, shown: int) -> int | None:
    """Return how many ways there are to lay so many pieces on the board; None if they are too many."""
    import numpy as np

    if shown == 1:
        return len(layout.placements)
    if shown > 2:
        return None
    covers = np.zeros((len(layout.placements), layout.cells), np.float32)
    for number, placement in enumerate(layout.placements):
        covers[number, list(placement.cells)] = 1
    pieces = np.array([placement.piece for placement in layout.placements])
    most = np.array([kind.most for kind in layout.definition.pieces])[pieces]
    apart = covers @ covers.T == 0
    allowed = (pieces[:, None] != pieces[None, :]) | (most[:, None] > 1)
    return int(np.triu(apart & allowed, 1).sum())
