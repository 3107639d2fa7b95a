"""Random genres made of random rules, and random puzzles of them on small boards with walls and holes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from epcg_deduction.model.boards import Board
from epcg_deduction.model.genre import ClueKind, Genre, Marks, RuleText
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import places_of, squares_at, values_at
from epcg_deduction.rules import rules_of
from epcg_deduction.rules.grammar import LOOKS, MEASURES, SELECTIONS
from epcg_deduction.rules.kinds import SIDES
from epcg_deduction.rules.problems import scene_of

CLUES = (
    *(("cells", values) for values in ("0..4", "1..n", "lists", "arrows 0..2", "AB")),
    *((on, "0..5") for on in ("walls", "lines", "sides", "regions", "stretches")),
    ("borders", "<>^v"),
    ("lines", "lists"),
)
_OTHERS = ("at", "never", "connected", "loop", "paths", "matched", "distinct", "fills")


def random_puzzles(rng: random.Random, count: int) -> Iterator[Puzzle]:
    """Puzzles of random genres all of whose rules fit the board; four of each genre."""
    left = count
    while left:
        genre, fitting = _genre(rng), 0
        for _ in range(12):
            puzzle = _puzzle(genre, rng)
            scene = scene_of(puzzle)
            if any(fault.serious for rule in rules_of(genre) for fault in rule.misfits(scene)):
                continue
            yield puzzle
            left, fitting = left - 1, fitting + 1
            if fitting == 4 or not left:
                break


def _genre(rng: random.Random) -> Genre:
    while True:
        marks = rng.choice(
            (
                Marks(cells=("shaded", "blank")),
                Marks(cells=("a", "b", "c")),
                Marks(cells="1..n"),
                Marks(cells="1..size of region"),
                Marks(edges=("line", "none")),
                Marks(links=("line", "none")),
                Marks(cells=("shaded", "blank"), links=("line", "none")),
                Marks(pieces=True),
            )
        )
        chosen = rng.sample(CLUES, rng.randrange(1, 4))
        clues = {f"k{index}": ClueKind(f"k{index}", *own) for index, own in enumerate(chosen)}
        genre = Genre("random", "Random", marks, clues, tuple(_rules(marks, clues, rng)), "#")
        if genre.rules:
            return genre


def _rules(marks: Marks, clues: dict[str, ClueKind], rng: random.Random) -> Iterator[RuleText]:
    for _ in range(rng.randrange(1, 4)):
        what, measure = rng.choice(("each",) * 12 + _OTHERS), rng.choice(MEASURES)
        word = rng.choice(("", "", "cell", "clue", "group", "piece", "stretch", "line"))
        for _ in range(60):
            rule = _rule(marks, clues, rng, what, measure)
            if what == "each" and not str(rule.fields["each"]).startswith(word):
                continue
            alone = Genre("random", "Random", marks, clues, (rule,), "#")
            if not any(fault.serious for fault in rules_of(alone)[0].faults()):
                yield rule
                break


def _rule(marks: Marks, clues: dict[str, ClueKind], rng: random.Random, what: str, measure: str) -> RuleText:
    """A rule of random words, which may not go together."""
    names = [*marks.cells] if not isinstance(marks.cells, str) else ["1", "2", "3"]
    names += ["on", "straight", "turn", "end"] if marks.links else []
    lines = ["line", "none"]
    mark = lambda: rng.choice(names or lines)  # noqa: E731
    kind = lambda: rng.choice(list(clues))  # noqa: E731
    fields: dict[str, object] = {what: mark()}
    if what == "each":
        own = ("clue " + kind(), "stretch " + mark(), "group " + mark(), "group equal")
        selection = rng.choice((*SELECTIONS, *own, *own))
        fields = {"each": selection}
        if rng.random() < 0.6:
            fields["look"] = rng.choice((*LOOKS, "seen " + mark()))
        if rng.random() < 0.3:
            fields["of"] = rng.choice((mark(), "equal"))
        fields[measure] = True
        if measure == "count":
            fields[measure] = " ".join(rng.sample([*names, *lines], rng.randrange(1, 3)))
        elif measure in ("values", "clues"):
            fields[measure] = kind()
        elif measure in ("runs", "shape"):
            fields[measure] = mark() if measure == "runs" else "rectangle"
        number = rng.choice((0, 1, 2, "1..2", "..2", "2..", "half", "n"))
        orders = rng.choice(("different", "same", "increasing"))
        own_mark = rng.choice(("mark", "more than mark"))
        wanted = rng.choice((number, number, orders, "clue", "clue in any order", "clue " + kind(), own_mark))
        if measure != "shape":
            fields["is"] = wanted
    elif what == "at":
        fields = {"at": kind(), "mark": rng.choice((mark(), "clue", {"A": mark(), "B": mark()}))}
    elif what == "never":
        drawing = rng.choice(("##", "#o", "##\n##", "#.o", "##\n#.", "#"))
        fields = {"never": drawing, "signs": {sign: mark() for sign in sorted(set(drawing) - set(".\n"))}}
    elif what == "connected":
        fields = {"connected": rng.choice((mark(), "edges", "links")), "in": rng.choice(("board", "region"))}
    elif what == "loop":
        fields = {"loop": rng.choice(("edges", "links"))}
    elif what == "paths":
        fields = {"paths": "links", "ends": kind(), "cover": rng.choice(("all", "some"))}
    elif what == "matched":
        fields = {"matched": mark(), "with": kind()}
    elif what == "distinct":
        fields = {"distinct": rng.choice(("row", "column", "piece"))}
        if rng.random() < 0.6:
            fields |= {"order": "any"} | ({"values": kind()} if fields["distinct"] == "piece" else {})
    elif what == "fills":
        fields = {"fills": mark(), "in": "region", "from": rng.choice(SIDES)}
    return RuleText(what, fields)


def _puzzle(genre: Genre, rng: random.Random) -> Puzzle:
    height, width = rng.choice(((1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (1, 4), (2, 4)))
    kinds = bytes(rng.choices((0, 1, 2), (8, 1, 1), k=height * width))
    board = Board(width, height, kinds if 0 in kinds else bytes(height * width))
    letters: dict[int, list[int]] = {}
    for cell in board.cells:  # regions grow to the right and below, so that they are connected
        near = [other for other in (board.step(cell, -1, 0), board.step(cell, 0, -1)) if board.is_cell(other)]
        owner = next((name for name, own in letters.items() if near and rng.choice(near) in own), None)
        letters.setdefault(cell if owner is None or rng.random() < 0.3 else owner, []).append(cell)
    regions = tuple(map(tuple, letters.values()))
    board = Board(width, height, board.kinds, regions, tuple("abcdefghijkl"[: len(regions)]))
    puzzle = Puzzle(genre, board, (), {"n": rng.randrange(2, 4)})
    clues, taken = [], set()
    for kind in genre.clues.values():
        for place in places_of(board, kind.on):
            if rng.random() < 0.4 and (kind.on, place) not in taken and squares_at(board, kind.on, place):
                taken.add((kind.on, place))
                values = values_at(puzzle, kind, place)
                lists = [(), (1,), (2,), (1, 1), (2, 1), (3,), (8,)]
                number = values is not None and kind.values not in ("AB", "<>^v")
                value = (
                    None if number and rng.random() < 0.1 else rng.choice(lists if values is None else values)
                )
                clues.append(Clue(kind.name, place, value))
    return Puzzle(genre, board, tuple(clues), puzzle.numbers)
