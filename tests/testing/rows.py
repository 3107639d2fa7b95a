"""A domain with every capability that the conformance kit knows, in plain Python: pegs in a row.

A peg jumps over its neighbour to the empty cell beyond, and the neighbour goes away; one peg is to be left.
The fixture `check_rows` (conftest.py) installs this text as a plugin; tests/testing/faults.py replaces a line
of it for each law, and the law must notice. Nothing here may import from the tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb
from typing import Any, ClassVar, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.plugin import (
    ERASE,
    Answer,
    Bits,
    BlockResult,
    Combinations,
    Cutoff,
    Difficulty,
    DomainInfo,
    Edit,
    EditedSpace,
    EditorInfo,
    EntropyParams,
    EntropyScorerInfo,
    EpcgError,
    Evaluation,
    EvaluatorInfo,
    Fault,
    FormatInfo,
    GameQuestion,
    GeneratorInfo,
    Gesture,
    InferenceRuleInfo,
    LimitReachedError,
    Mark,
    Metric,
    NoParams,
    ParamsError,
    Pick,
    Piece,
    PlainSearch,
    PolicyInfo,
    Pool,
    Reading,
    RendererInfo,
    Scene,
    SearchInfo,
    SelectionRuleInfo,
    SelectiveSearch,
    Sheet,
    StateSpace,
    StrategyInfo,
    Successors,
    entropy_evaluator,
    param,
    prefixes,
    square_cells,
)

EPCG_API_VERSION = 1


class Row(tuple[int, ...]):
    """The cells that hold a peg, ascending. Unlike a plain tuple it can be changed: it can carry notes."""


Jump = tuple[int, int]
"""(the cell of the peg that jumps, the cell where it lands)."""


@attrs.frozen
class RowParams:
    cells: int = param(6, minimum=1, maximum=20, help="cells of the row")
    pegs: int = param(3, minimum=1, maximum=20, help="pegs in it")
    style: Literal["round", "square"] = param("round", help="how pegs look")
    marks: tuple[int, ...] = param((), minimum=0, maximum=19, help="cells with a mark")

    def __attrs_post_init__(self) -> None:
        if self.pegs > self.cells:
            raise ParamsError(f"{self.pegs} pegs do not fit into {self.cells} cells.")


@attrs.frozen
class ChangesParams:
    row: str = param("oo.o..", help="the row: 'o' for a peg, '.' for an empty cell")
    most: int = param(2, minimum=1, maximum=20, help="cells that are changed, at most")

    def __attrs_post_init__(self) -> None:
        if not self.row or set(self.row) - set("o."):
            raise ParamsError(f"row: {self.row!r} is no row of 'o' and '.'.")


@attrs.frozen
class StepsParams:
    cells: int = param(6, minimum=2, maximum=20, help="cells of the row")


class Jumps:
    """How a row is played."""

    domain_attributes = ("cells",)

    def __init__(self, cells: int) -> None:
        self.cells = cells

    def initial(self, row: Row) -> Row:
        return Row(row)

    def actions(self, row: Row) -> Iterator[Jump]:
        for peg in row:
            for step in (-1, 1):
                beyond = peg + 2 * step
                if peg + step in row and 0 <= beyond < self.cells and beyond not in row:
                    yield peg, beyond

    def apply(self, row: Row, jump: Jump) -> Row:
        peg, beyond = jump
        return Row(sorted({*row, beyond} - {peg, (peg + beyond) // 2}))

    def is_goal(self, row: Row) -> bool:
        return len(row) == 1

    def key(self, row: Row) -> Row:
        return row

    def action_text(self, jump: Jump) -> str:
        return f"{jump[0]} to {jump[1]}"

    def packed(self, row: Row) -> PackedRow:
        return PackedRow(self)


class PackedRow:
    """Positions as one word each; the number of a jump is twice its peg, and one more to the right."""

    words, features = 1, 0

    def __init__(self, model: Jumps) -> None:
        self.model = model

    def pack(self, row: Row) -> NDArray[np.uint64]:
        return np.array([word(row)], np.uint64)

    def unpack(self, packed: NDArray[np.uint64]) -> Row:
        return Row(i for i in range(self.model.cells) if int(packed[0]) >> i & 1)

    def action(self, number: int) -> Jump:
        return number // 2, number // 2 + (2 if number % 2 else -2)

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return np.array([len(self.unpack(row)) == 1 for row in positions], np.bool_)

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        found, counts, actions = [], [], []
        for packed in positions:
            row = self.unpack(packed)
            jumps = [] if len(row) == 1 else list(self.model.actions(row))
            found += [self.pack(self.model.apply(row, jump)) for jump in jumps]
            counts.append(len(jumps))
            actions += [2 * peg + (beyond > peg) for peg, beyond in jumps]
        rows = np.array(found, np.uint64).reshape(-1, 1)
        return Successors(rows, np.array(counts, np.int64), np.array(actions, np.uint8))

    def differences(self, other: Any) -> NDArray[np.uint64]:
        return np.zeros(0, np.uint64)


def word(row: Row) -> int:
    return sum(1 << cell for cell in row)


class Layers:
    """Numbers of pegs, from one on."""

    def __init__(self, params: RowParams) -> None:
        self.own = params
        self.layers = range(1, params.pegs + 1)

    def params(self, layer: int) -> RowParams:
        return attrs.evolve(self.own, pegs=layer)

    def working_tables(self, layer: int, lower: Mapping[str, Bits], allocate: Callable[..., Any]) -> None:
        for name, bits in lower.items():
            table = allocate(name, (bits.count + 63) // 64).view(np.uint8)
            table[: len(bits.data)] = bits.data

    def block_size(self, layer: int) -> int:
        return 1000

    def solve_block(
        self, layer: int, tables: Mapping[str, Any], start: int, count: int, uniqueness: str
    ) -> tuple[Bits, Bits]:
        here = Rows(self.params(layer))
        lower = Rows(self.params(layer - 1)) if layer > 1 else None
        found = [self._solve(here.unrank(start + i), here, lower, tables, uniqueness) for i in range(count)]
        columns = [np.array(column, np.bool_) for column in zip(*found, strict=True)]
        solvable, unique = (Bits(np.packbits(column, bitorder="little"), count) for column in columns)
        return solvable, unique

    def _solve(
        self, row: Row, here: Rows, lower: Rows | None, tables: Any, uniqueness: str
    ) -> tuple[bool, bool]:
        if lower is None:
            return True, True
        rows = [here.transition_model.apply(row, jump) for jump in here.transition_model.actions(row)]
        if uniqueness == "successors":
            rows = list(dict.fromkeys(rows))
        ranks = [lower.rank(row) for row in rows]
        solvable = [rank for rank in ranks if tables["solvable"].view(np.uint8)[rank // 8] >> rank % 8 & 1]
        once = len(solvable) == 1
        unique = once and bool(tables["unique"].view(np.uint8)[solvable[0] // 8] >> solvable[0] % 8 & 1)
        return bool(solvable), bool(solvable) if lower.pegs == 1 else unique


class Rows:
    """All rows with so many pegs."""

    domain_attributes = ("cells", "mirror", "pegs")

    def __init__(self, params: RowParams) -> None:
        self.cells, self.pegs = params.cells, params.pegs
        self.max_rank = comb(params.cells, params.pegs)
        self.setting = params.cells
        self.prefixes = prefixes(Combinations(params.cells, params.pegs))
        self.transition_model = Jumps(params.cells)
        self.layered_space = Layers(params)
        self.reading = Reading(f"{params.cells} {params.pegs}")

    def unrank(self, rank: int) -> Row:
        return Row(self.prefixes.space.unrank(rank))

    def rank(self, row: Row) -> int:
        return int(self.prefixes.space.rank(row))

    def increment(self, row: Row) -> Row | None:
        rank = self.rank(row) + 1
        return self.unrank(rank) if rank < self.max_rank else None

    def canonical_rank(self, rank: int) -> int:
        return int(min(rank, self.rank(self.mirror(self.unrank(rank)))))

    def canonical_ranks(self, ranks: NDArray[np.int64], names: Any = None) -> NDArray[np.int64]:
        return np.array([self.canonical_rank(rank) for rank in ranks.tolist()], np.int64)

    def mirror(self, row: Row) -> Row:
        return Row(self.cells - 1 - cell for cell in reversed(row))

    def format(self, row: Row) -> str:
        return "".join("o" if cell in row else "." for cell in range(self.cells))

    def parse(self, text: str) -> Row:
        return Row(cell for cell, sign in enumerate(text) if sign == "o")

    def opened(self, row: Row) -> str:
        return self.format(row)

    def states_block(self, start: int, count: int) -> NDArray[np.uint64]:
        return np.array([word(self.unrank(start + i)) for i in range(count)], np.uint64)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        return np.array([word(self.unrank(int(rank))) for rank in ranks], np.uint64)


def find_row(text: str, path: Any) -> tuple[dict[str, int], None] | None:
    row = text.strip()
    if not row or set(row) - set("o."):
        return None
    if "o" not in row:
        raise EpcgError("The row has no pegs.")
    return {"cells": len(row), "pegs": row.count("o")}, None


def titles(params: RowParams) -> Callable[[int], tuple[str, ...]]:
    return lambda rank: (f"{params.pegs} pegs", f"row {rank + 1}")


def mirrored(generator: Rows, row: Row) -> list[Row]:
    """The orbit of a row."""
    return [row, generator.mirror(row)]


class Changes(EditedSpace[Row]):
    """A row with pegs put in and taken out."""

    domain_attributes = ("change",)

    def __init__(self, params: ChangesParams) -> None:
        self.setting = len(params.row)
        self.transition_model = Jumps(len(params.row))
        row = Row(cell for cell, sign in enumerate(params.row) if sign == "o")
        edits = [Edit(c, f"{c} {'out' if c in row else 'in'}", {"cell": c}) for c in range(len(params.row))]
        super().__init__(row, edits, self.change, at_most=params.most, at_least=0)

    def change(self, row: Row, edits: tuple[Edit, ...]) -> Row:
        return Row(sorted(set(row) ^ {edit.change["cell"] for edit in edits}))


SPAN = Metric("span", "int", "max", "cells", "from the first peg to the last")
WIDEST = Metric("widest", "real", "min", "cells", "the widest gap")
EVEN = Metric("even", "bool", description="whether all gaps are equal")
JUMPS = Metric("jumps", "int", "min", "jumps", "jumps until one peg is left", always=True)


class Span:
    """The distance of the outermost pegs; bounded by what the row still allows."""

    domain_attributes = ("cells", "generator", "pegs")

    metrics = (SPAN,)

    def __init__(self, generator: Rows) -> None:
        self.generator = generator
        self.cells, self.pegs = generator.setting, getattr(generator, "pegs", 0)

    def evaluate(self, row: Row) -> tuple[int] | None:
        return (row[-1] - row[0],) if row else None

    def empty(self) -> Row:
        return Row()

    def extend(self, row: Row, cell: int) -> Row:
        return Row((*row, cell))

    def bound(self, row: Row) -> int | None:
        return self.cells - 1 - row[0] if row else self.cells - 1

    def value(self, row: Row) -> int | None:
        return row[-1] - row[0]


class ArraySpan(Span):
    """The same for words, block by block, and by a search of its own."""

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        values = [int(w).bit_length() - (int(w) & -int(w)).bit_length() for w in states]
        return Evaluation([np.array(values, np.int64)])

    def evaluate_block(self, start: int, count: int) -> Evaluation:
        rows = [self.generator.unrank(start + i) for i in range(count)]
        return Evaluation([np.array([row[-1] - row[0] for row in rows], np.int64)])

    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        return PlainSearch(self.generator.prefixes, self).search_block(start, count, incumbent)


class Gaps:
    """The gaps between pegs: none where there are fewer than two."""

    metrics = (WIDEST, EVEN)

    def evaluate(self, row: Row) -> tuple[float, bool] | None:
        gaps = [after - before for before, after in itertools.pairwise(row)]
        return (float(max(gaps)), len(set(gaps)) == 1) if gaps else None


@attrs.frozen
class ShortestParams:
    limit: int = param(1000, minimum=1, maximum=10_000, help="positions that are looked at")


class Shortest:
    """Jumps until one peg is left; counts down from the pegs."""

    domain_attributes = ("limit", "model", "solutions")

    metrics = (JUMPS,)

    def __init__(self, params: ShortestParams, model: Jumps) -> None:
        self.limit = params.limit
        self.model = model

    def evaluate(self, row: Row) -> tuple[int] | None:
        if len(row) > self.limit:
            raise LimitReachedError("too many pegs", (0,))
        found = self.solutions(row)
        return (len(found[0]),) if found else None

    def plain(self) -> Shortest:
        return Shortest(ShortestParams(self.limit), self.model)

    def solutions(self, row: Row) -> list[list[str]]:
        """The first solution, if there is one."""
        if self.model.is_goal(row):
            return [[]]
        for jump in self.model.actions(row):
            for rest in self.solutions(self.model.apply(row, jump)):
                return [[self.model.action_text(jump), *rest]]
        return []


def shortest_solutions(params: ShortestParams, generator: Any) -> Callable[[Row], list[list[str]]]:
    return Shortest(params, generator.transition_model).solutions


@attrs.frozen
class RowEntropyParams(EntropyParams):
    rules: tuple[str, ...] = param(("stuck",), help="inference rules that the player knows, by name")


class Stuck:
    """A jump after which nothing can jump, with more than one peg left, is wrong."""

    def __init__(self, model: Jumps) -> None:
        self.model = model

    def __call__(self, row: Row, jump: Jump) -> Answer:
        after = self.model.apply(row, jump)
        ended = self.model.is_goal(after) or any(True for _ in self.model.actions(after))
        return Answer.UNKNOWN if ended else Answer.CANNOT


class Alive:
    """The same as a filter: of the jumps only those after which something can jump, if there are any."""

    def __init__(self, model: Jumps) -> None:
        self.stuck = Stuck(model)

    def keep(self, row: Row, jumps: Sequence[Jump]) -> Sequence[Jump]:
        return [jump for jump in jumps if self.stuck(row, jump) is Answer.UNKNOWN]


def text_renderer(generator: Any) -> Callable[..., str]:
    def draw(row: Row, solution: bool = False) -> str:
        return "".join("o" if cell in row else "." for cell in range(generator.setting)) + "\n"

    return draw


def svg_renderer(generator: Any) -> Callable[[Row], str]:
    def draw(row: Row) -> str:
        pegs = "".join(f'<circle cx="{cell}" cy="0" r="0.4"/>' for cell in row)
        box = f"-1 -1 {generator.setting + 1} 2"
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{pegs}</svg>'

    return draw


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("rows", "Pegs in a row", "jump until one peg is left"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(
        GeneratorInfo(
            name="all", domain="rows", summary="all rows", params=RowParams, factory=Rows,
            finds="epcg_rows:find_row", titles="epcg_rows:titles",
        )
    )  # fmt: skip
    register(
        GeneratorInfo(
            name="edited", domain="rows", summary="one changed", params=ChangesParams, factory=Changes
        )
    )

    for name in ("steps", "subsets", "walks"):
        factory = f"epcg_rows.walks:{name.title()}"
        register(GeneratorInfo(name=name, domain="rows", summary=name, params=StepsParams, factory=factory))


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    register(
        EvaluatorInfo(
            name="span", domain="rows", summary="how far apart", params=NoParams, metrics=(SPAN,),
            factory=lambda p, g, t: ArraySpan(g) if isinstance(g, Rows) else Span(g),
        )
    )  # fmt: skip
    register(
        EvaluatorInfo(
            name="gaps", domain="rows", summary="the gaps", params=NoParams, metrics=(WIDEST, EVEN),
            factory=lambda p, g, t: Gaps(),
        )
    )  # fmt: skip
    register(
        EvaluatorInfo(
            name="shortest", domain="rows", summary="jumps", params=ShortestParams, metrics=(JUMPS,),
            factory=lambda p, g, t: Shortest(p, g.transition_model), solutions=shortest_solutions,
        )
    )  # fmt: skip
    register(entropy_evaluator("rows", params=RowEntropyParams))


@hookimpl
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    for name, rule in (("stuck", Stuck), ("alive", Alive)):
        make = lambda params, generator, rule=rule: rule(generator.transition_model)  # noqa: E731
        register(InferenceRuleInfo(name=name, domain="rows", summary=name, params=NoParams, factory=make))


def eager(params: NoParams, generator: Any) -> Callable[[Row, Sequence[Any]], list[float]]:
    """A player who likes the first action twice as well as each other one."""

    def weigh(row: Row, actions: Sequence[Any]) -> list[float]:
        total = len(actions) + 1
        return [2 / total, *(1 / total for _ in actions[1:])]

    return weigh


def goals(params: NoParams) -> Callable[[StateSpace], Difficulty]:
    """One bit if the puzzle is not solved already."""
    return lambda space: Difficulty(float(not space.goals[0]), len(space), ())


@attrs.frozen
class EveryParams:
    step: int = param(2, minimum=1, help="ranks from one to the next")


class EveryOther(SelectiveSearch):
    """Scores every second rank of a stretch."""

    name = "every_other"
    stretch = 8

    def visit(self, params: EveryParams, spec: Any, ranks: range, score: Callable[[int], Any]) -> None:
        for rank in ranks[:: params.step]:
            score(rank)


@attrs.frozen
class Thirds:
    """Every third candidate."""

    name: ClassVar[str] = "thirds"
    columns: ClassVar[Sequence[str]] = ()
    first: int = param(0, minimum=0, maximum=2, help="the first position")

    def rule(self, measure: str, count: int) -> str:
        return f"{count}, each third by {measure}"

    def choose(self, pool: Pool, count: int) -> list[Pick]:
        return [Pick(p, f"number {p}") for p in range(self.first, len(pool.values), 3)][:count]

    def declined(self, pool: Pool, picks: Sequence[Pick], position: int) -> str:
        return "between two thirds"


def ends(ranks: NDArray[np.int64], values: NDArray[Any], sign: int, count: int) -> list[int]:
    """The best and the worst."""
    order = np.argsort(sign * values.astype(float), kind="stable").tolist()
    return order[:1] + order[1:][-1:]


def read_crosses(text: str, name: str) -> list[str]:
    if not text.strip() or set(text.strip()) - set("x-"):
        raise EpcgError(f"{name} is not a row of crosses.")
    return [text.strip().replace("x", "o").replace("-", ".")]


def write_crosses(own: str, title: str) -> str:
    return own.replace("o", "x").replace(".", "-")


class RowsFile:
    """Files with a row in a line; other lines are comments."""

    def read(self, text: str) -> Sheet:
        lines = enumerate(text.split("\n"), 1)
        pieces = tuple(Piece(line, lines=(n, n)) for n, line in lines if line and not set(line) - set("o."))
        return Sheet(pieces, () if pieces else (Fault(1, "There is no row: write one of 'o' and '.'."),))

    def replace(self, text: str, number: int, piece: Piece) -> str:
        return self._put(text, number, [piece])

    def insert(self, text: str, before: int, piece: Piece) -> str:
        pieces = self.read(text).pieces
        if before == len(pieces):
            lines = text.split("\n")
            lines.insert(len(lines) - (not lines[-1]), piece.text)
            return "\n".join(lines)
        return self._put(text, before, [piece, pieces[before]])

    def remove(self, text: str, number: int) -> str:
        return self._put(text, number, [])

    def new(self, piece: Piece | None = None) -> str:
        return "" if piece is None else f"{piece.text}\n"

    def _put(self, text: str, number: int, pieces: list[Piece]) -> str:
        pieces_now = self.read(text).pieces
        if not 0 <= number < len(pieces_now):
            raise EpcgError(f"There is no row {number + 1}.")
        lines, (first, last) = text.split("\n"), pieces_now[number].lines
        if any(piece.kind != "content" for piece in pieces):
            raise EpcgError("There are no messages among rows.")
        return "\n".join([*lines[: first - 1], *(piece.text for piece in pieces), *lines[last:]])


@hookimpl
def epcg_register_searches(register: Callable[[SearchInfo], None]) -> None:
    info = SearchInfo(name="every_other", summary="each second", params=EveryParams, factory=EveryOther)
    register(info)


@hookimpl
def epcg_register_strategies(register: Callable[[StrategyInfo], None]) -> None:
    register(StrategyInfo(name="thirds", summary="each third", params=Thirds))


@hookimpl
def epcg_register_selection_rules(register: Callable[[SelectionRuleInfo], None]) -> None:
    register(SelectionRuleInfo(name="ends", summary="the best and the worst", choose=ends))


@hookimpl
def epcg_register_formats(register: Callable[[FormatInfo], None]) -> None:
    register(
        FormatInfo(name="crosses", domain="rows", summary="x and -", read=read_crosses, write=write_crosses)
    )
    register(FormatInfo(name="list", domain="rows", summary="a row in a line", file=RowsFile))


@hookimpl
def epcg_register_policies(register: Callable[[PolicyInfo], None]) -> None:
    register(PolicyInfo(name="eager", summary="likes the first", factory=eager, sees_generator=True))


@hookimpl
def epcg_register_entropy_scorers(register: Callable[[EntropyScorerInfo], None]) -> None:
    register(EntropyScorerInfo(name="goals", summary="whether anything is to do", factory=goals))


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    register(RendererInfo(domain="rows", format="text", factory=text_renderer, draws_solution=True))
    register(RendererInfo(domain="rows", format="svg", factory=svg_renderer))


def read(text: str) -> Row:
    """The row of a text."""
    if not text or set(text) - set("o."):
        raise ParamsError(f"{text!r} is not a row of 'o' and '.'.")
    return Row(cell for cell, sign in enumerate(text) if sign != ".")


def write(row: Row, cells: int) -> str:
    return "".join("o" if cell in row else "." for cell in range(cells))


def new_row(columns: int, rows: int) -> str:
    if rows != 1:
        raise ParamsError("A row has one row of cells.")
    return write(Row((1, 2, 3)), columns)


def joined(texts: Sequence[str]) -> str:
    """The row of several, end to end."""
    return "".join(texts)


class RowEditor:
    """Rows of one length; a jump is a touch of the peg and of the cell where it lands."""

    palette = (Mark(name="peg", key="p", glyph="o", turned=""),)

    def __init__(self, text: str) -> None:
        self.content, self.setting = read(text), len(text)
        self.transition_model = Jumps(self.setting)
        self.sites = square_cells(self.setting, 1)

    def parse(self, text: str) -> Row:
        if len(text) != self.setting:
            raise ParamsError(f"The row has {len(text)} cells, not {self.setting}.")
        return read(text)

    def format(self, row: Row) -> str:
        return write(row, self.setting)

    def scene(self, row: Row) -> Scene:
        return Scene(self.sites, {self.sites[cell].id: ("peg",) for cell in row})

    def put(self, row: Row, site: str, mark: str) -> Row:
        at = next(number for number, own in enumerate(self.sites) if own.id == site)
        return Row(sorted({*row} - {at} if mark == ERASE else {*row, at}))

    def questions(self, row: Row) -> list[GameQuestion]:
        query = {"name": "all", "cells": self.setting, "pegs": len(row)}
        asked = GameQuestion(title="Which rows?", about="All.", query=query, measures=("span",))
        return [asked] if row else []

    def images(self, row: Row) -> list[Row]:
        return [Row(sorted(self.setting - 1 - cell for cell in row))]

    def resized(self, row: Row, columns: int, rows: int) -> str:
        new_row(columns, rows)
        return write(Row(row), columns)

    def position_scene(self, row: Row, position: Row) -> Scene:
        return self.scene(position)

    def gesture(self, row: Row, position: Row, jump: Jump) -> Gesture:
        return Gesture((self.sites[jump[0]].id, self.sites[jump[1]].id))


@hookimpl
def epcg_register_editors(register: Callable[[EditorInfo], None]) -> None:
    register(
        EditorInfo(domain="rows", summary="rows", factory=RowEditor, new=new_row, size=(6, 1), joins=joined)
    )
