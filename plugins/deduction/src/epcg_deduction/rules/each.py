"""The kind `each`: in each thing of a selection, a measure of what is looked at compares so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from math import comb
from typing import Any, ClassVar

from epcg_core.plugin import EpcgError
from epcg_deduction.model.boards import Pair
from epcg_deduction.model.puzzles import Clue, Value
from epcg_deduction.model.sites import span
from epcg_deduction.rules import words
from epcg_deduction.rules.automata import (
    AgainstClues,
    AgainstMark,
    Amount,
    Chain,
    Difference,
    Different,
    Kinds,
    Measure,
    Product,
    Quotient,
    Rays,
    Runs,
    RunsInOrder,
    Stretches,
    Total,
    Visible,
    Within,
)
from epcg_deduction.rules.grammar import Grammar
from epcg_deduction.rules.patterns import Allowed, ShapesDiffer
from epcg_deduction.rules.rule import Fault, Rule
from epcg_deduction.rules.scene import Scene, Seen, Spot, Thing, beside
from epcg_deduction.solving.problem import Groups, Instance, Local, Pieces

_MOST_SHAPES = 20_000
Span = tuple[int, int | None]
OWN = frozenset({"*"})
"""A symbol depends on the name of the spot's own mark."""
_AMOUNTS: dict[str, Callable[[Scene], Amount]] = {
    "difference": lambda scene: Difference(),
    "quotient": lambda scene: Quotient(),
    "visible": lambda scene: Visible(),
    "regions": lambda scene: Kinds(),
    "product": lambda scene: Product(not any("0" in names for names in scene.names)),
}


class Each(Rule):
    """In each thing of a selection, a measure of what is looked at compares so."""

    kind = "each"
    fields: ClassVar[Mapping[str, str]] = {
        "each": "text",
        "look": "text",
        "of": "text",
        "count": "text",
        **dict.fromkeys(("sum", "product", "difference", "quotient", "marks", "size"), "flag"),
        **dict.fromkeys(("visible", "regions", "distance"), "flag"),
        **dict.fromkeys(("values", "clues", "runs", "shape"), "text"),
        "is": "number or text",
    }

    def __init__(self, genre: Any, index: int) -> None:
        super().__init__(genre, index)
        self.grammar = Grammar(genre, self.given)
        self.thing, self.look, self.of = self.text("each"), self.text("look", "self"), self.text("of")
        self.measure = self.grammar.measure
        self.wanted: Any = self.given.get("is")

    # ---- the text

    def faults(self) -> Iterator[Fault]:
        yield from self.grammar.faults(self)

    def misfits(self, scene: Scene) -> Iterator[Fault]:
        if "region" in self.thing.split() or self.measure == "regions" or self.thing == "pair across":
            yield from self.known_regions(scene)
        if self.measure == "shape" and self.thing != "piece":
            yield from self._many_shapes(scene)
        for word in (self.wanted,) if isinstance(self.wanted, str) else ():
            if self.grammar.is_amount(word):
                try:
                    span(word, scene.numbers)
                except EpcgError as error:
                    yield Fault("is", str(error))
        if self.wanted == "half":
            odd = [thing.place for thing in scene.things(self.thing) if len(self._spots(scene, thing)[0]) % 2]
            if odd:
                also = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
                said = f"Half of {odd[0]}{also} is not a whole number, so no solution is possible"
                yield Fault("is", f"{said}: choose a board with even lines.")
        if not self.thing.startswith(("clue", "group", "piece", "plain")) and scene.board.cells:
            known = self.thing.startswith("stretch ") or next(iter(scene.things(self.thing)), None)
            if not known and (scene.board.regions or self.thing not in ("region", "pair across")):
                yield Fault(None, f"There is no {self.thing} on this board, so the rule asks nothing.", False)

    def clue_kinds(self) -> tuple[str, ...]:
        if self.thing == "plain cell":
            return tuple(self.genre.clues)
        named = [self.thing[5:]] if self.thing.startswith("clue ") else []
        named += [self.text(key) for key in ("values", "clues") if key in self.given]
        if isinstance(self.wanted, str) and self.wanted.startswith("clue ") and self.grammar.clue_inside:
            named.append(self.grammar.clue_inside)
        return tuple(dict.fromkeys(named))

    def tied(self) -> tuple[str, ...]:
        own = self.thing[5:] if self.thing.startswith("clue ") else ""
        others = ("values", "clues") if own else ()
        inside = {self.text(key) for key in others if key in self.given} | {self.grammar.clue_inside}
        return tuple(kind for kind in self.clue_kinds() if kind != own or kind in inside)

    def alone(self) -> str:
        own = self.thing[5:] if self.thing.startswith("clue ") else ""
        return own if self.clue_kinds() == (own,) and own not in self.tied() else ""

    def of_clue(self, scene: Scene, clue: Clue) -> Iterator[Instance]:
        return self._kept(self._instance(scene, scene.thing_of(clue)))

    def sentence(self) -> str:
        return words.each_sentence(self.genre, self.given)

    # ---- instances

    def instances(self, scene: Scene) -> Iterator[Instance]:
        word, _, mark = self.thing.partition(" ")
        if word == "group":
            yield from self._groups(scene, mark)
        elif self.thing == "piece":
            yield self._pieces(scene)
        elif word == "stretch" and mark != "board":
            for thing in scene.things("stretch board"):
                yield from self._kept(self._stretches(scene, thing, mark))
        else:
            for thing in scene.things(self.thing):
                yield from self._kept(self._instance(scene, thing))

    def _kept(self, found: Local | None) -> Iterator[Local]:
        """Yield an instance unless it always holds."""
        if found is not None and (found.sites or not found.automaton.accepts(found.automaton.first())):
            yield found

    def _spots(self, scene: Scene, thing: Thing) -> tuple[list[Spot], frozenset[int], bool]:
        return scene.look(thing, self.look)

    def _instance(self, scene: Scene, thing: Thing) -> Local | None:
        """Return the instance of a thing; None: it asks nothing."""
        spots, starts, own = self._spots(scene, thing)
        if self.wanted in ("clue", "clue in any order") and (thing.clue is None or thing.clue.value is None):
            return None
        if self.measure == "shape":
            return self._shapes(scene, thing)
        if self.measure == "distance":
            return self._distance(scene, thing)
        read = [self._element(scene, spot) for spot in spots]
        sees = self.look.removeprefix("seen ") if self.look.startswith("seen ") else ""
        if self.wanted in ("mark", "more than mark"):
            measure: Measure = AgainstMark(self._amount(scene), self.wanted == "more than mark")
            cell = Spot("cells", thing.cells[0])
            read.insert(0, (cell, OWN, lambda seen: int(seen.name), "digit"))
            return scene.local(self.index, thing.place, read, measure)
        if self.grammar.is_list:
            cells = [spot.place for spot in spots]
            measure = self._list(scene, thing, cells, read)
        else:
            measure = Within(self._amount(scene), *self._span(scene, thing, len(spots)))
        if sees not in ("", "board"):
            read = [self._veiled(each, sees) for each in read]
            measure = Rays(starts, own, measure)
        return scene.local(self.index, thing.place, read, measure)

    def _element(self, scene: Scene, spot: Spot) -> Any:
        """Return (spot, marks, symbol, key) for the measure, `of` and a link that must be a line."""
        marks, symbol, key = self._symbol(scene, spot)
        of = self.of
        if of:
            marks = marks | {of}
        if spot.via >= 0:
            return spot, marks, lambda seen: symbol(seen) if seen.joined and _of(seen, of) else None, key
        return spot, marks, lambda seen: symbol(seen) if _of(seen, of) else None, key

    def _symbol(
        self, scene: Scene, spot: Spot
    ) -> tuple[frozenset[str], Callable[[Seen], Hashable], Hashable]:
        """Return which marks of a spot the measure reads, what it makes of them, and a key for that."""
        none: frozenset[str] = frozenset()
        key: Hashable = (self.index, self.measure)
        if self.measure == "count":
            counted = tuple(self.text("count").split())
            return frozenset(counted), lambda seen: sum(map(seen.has, counted)), key
        if self.measure == "runs":
            mark = self.text("runs")
            return frozenset({mark}), lambda seen: seen.has(mark), key
        if self.measure == "marks":
            return OWN, lambda seen: int(seen.name) if seen.name.isdigit() else seen.name, key
        if self.measure in ("size", "regions", "values", "clues"):
            fixed: Hashable = 1
            if self.measure == "regions":
                fixed = scene.board.region_of.get(spot.place)
            elif self.measure != "size":
                here = self._clues_at(scene, self.text(self.measure), spot.place)
                fixed = len(here) if self.measure == "clues" else here[0].value if here else None
            return none, lambda seen: fixed, (*key, fixed) if isinstance(key, tuple) else key
        return OWN, lambda seen: int(seen.name), key

    def _clues_at(self, scene: Scene, kind: str, square: int) -> list[Clue]:
        if scene.genre.clues[kind].on not in ("cells", "walls"):
            return []
        return [clue for clue in scene.clues_by_kind[kind] if clue.place == square]

    def _veiled(self, element: Any, mark: str) -> Any:
        """Return an element whose symbol is None without a mark, else (symbol,)."""
        spot, marks, symbol, key = element
        return (
            spot,
            marks | {mark},
            lambda seen: (symbol(seen),) if seen.has(mark) else None,
            ("veiled", mark, key),
        )

    def _amount(self, scene: Scene) -> Amount:
        make = _AMOUNTS.get(self.measure)
        return Total() if make is None else make(scene)

    def _span(self, scene: Scene, thing: Thing, size: int) -> Span:
        """Return the least and the largest number that the measure may be."""
        if self.wanted == "half":
            return (size // 2, size // 2) if size % 2 == 0 else (1, 0)
        if self.wanted == "clue":
            return _exactly(thing.clue.value if thing.clue is not None else None)
        if self.grammar.clue_inside:
            clues = scene.clues_by_kind[self.grammar.clue_inside]
            inside = {clue.value for clue in clues if clue.place in thing.cells} - {None}
            return (1, 0) if len(inside) > 1 else _exactly(next(iter(inside), None))
        return span(self.wanted, scene.numbers)

    def _list(self, scene: Scene, thing: Thing, cells: list[int], read: list[Any]) -> Measure:
        if self.measure == "runs":
            gaps, value = scene.gaps(cells), thing.clue.value if thing.clue is not None else None
            compared = self.wanted in ("clue", "clue in any order")
            parts = value if compared and isinstance(value, tuple) else ()
            lengths = tuple(part for part in parts if isinstance(part, int))
            circle = self.look == "ring" and len(cells) > 2 and beside(scene.board, cells[0], cells[-1])
            condition = {"clue": "order", "clue in any order": "any"}.get(self.wanted, self.wanted)
            if condition == "order" and not circle:
                return RunsInOrder(lengths, gaps)
            return Runs(condition, lengths, gaps, len(cells) if circle else 0)
        if self.wanted != "different":
            return Chain(self.wanted == "increasing")
        return Different(self._later(scene, read))

    def _later(self, scene: Scene, read: list[Any]) -> tuple[frozenset[Any], ...]:
        """Return for each element the symbols that an element after it can have."""
        probe = scene.local(self.index, "", read, Chain(False)).automaton
        later: frozenset[Any] = frozenset()
        found = []
        for element in reversed(probe.elements):  # type: ignore[attr-defined]
            found.append(later)
            later = later | {
                part[0] if isinstance(part, tuple) and self.look.startswith("seen ") else part
                for part in element.table
                if part is not None
            }
        return tuple(reversed(found))

    def _stretches(self, scene: Scene, thing: Thing, mark: str) -> Local:
        """Return the instance of a line in which each stretch of a mark is measured."""
        spots = [Spot("cells", cell) for cell in thing.cells]
        read = [self._element(scene, spot) for spot in spots]
        if self.grammar.clue_inside:
            read = [self._with_clue(scene, each) for each in read]
            inner: Measure = AgainstClues(self._amount(scene))
        elif self.grammar.is_list:
            inner = Chain(self.wanted == "increasing")
            if self.wanted == "different":
                inner = Different(self._later(scene, read))
        elif self.wanted in ("mark", "more than mark"):
            low = int(mark)
            inner = Within(self._amount(scene), *((low, low) if self.wanted == "mark" else (low + 1, None)))
        else:
            inner = Within(self._amount(scene), *self._span(scene, thing, 0))
        veiled = [self._veiled(each, mark) for each in read]
        return scene.local(self.index, thing.place, veiled, Stretches(inner))

    def _with_clue(self, scene: Scene, element: Any) -> Any:
        """Return an element whose symbol tells the clue that stands there, too."""
        spot, marks, symbol, key = element
        here = self._clues_at(scene, self.grammar.clue_inside, spot.place)
        number = here[0].value if here else None
        return spot, marks, lambda seen: (symbol(seen), number), ("clue", number, key)

    # ---- two cells

    def _distance(self, scene: Scene, thing: Thing) -> Local | None:
        """Return the instance of two cells that are too near for some of their marks; None: for none."""
        (y, x), (v, u) = (divmod(cell, scene.board.width) for cell in thing.cells)
        far = abs(y - v) + abs(x - u)
        spots = [Spot("cells", cell) for cell in thing.cells]
        names = [scene.names[scene.index["cells", cell]] for cell in thing.cells]
        bounds = None if self.wanted in ("mark", "more than mark") else self._span(scene, thing, 2)
        allowed = frozenset(
            (one, other) for one in names[0] for other in names[1] if self._apart(bounds, one, other, far)
        )
        if len(allowed) == len(names[0]) * len(names[1]):
            return None
        read = [(spot, OWN, lambda seen: seen.name, "name") for spot in spots]
        return scene.local(self.index, thing.place, read, Allowed(allowed))

    def _apart(self, bounds: Span | None, one: str, other: str, far: int) -> bool:
        if (one != other) if self.of == "equal" else (self.of and {one, other} != {self.of}):
            return True
        if self.wanted in ("mark", "more than mark"):
            return all(
                far > int(mark) if self.wanted != "mark" else far == int(mark) for mark in (one, other)
            )
        assert bounds is not None
        low, high = bounds
        return low <= far and (high is None or far <= high)

    def _shapes(self, scene: Scene, thing: Thing) -> Local:
        board, mark = scene.board, self.text("shape").removeprefix("region ")
        regions = []
        for cell in thing.cells:
            inside = board.regions[board.region_of[cell]]
            regions.append([cell, *(each for each in inside if each != cell)])
        order = [thing.cells[0], thing.cells[1], *regions[0][1:], *regions[1][1:]]
        where: list[tuple[Pair, ...]] = [
            tuple((cell % board.width, cell // board.width) for cell in cells) for cells in regions
        ]
        read = [
            (Spot("cells", cell), frozenset({mark}), lambda seen: seen.has(mark), ("shape", mark))
            for cell in order
        ]
        measure = ShapesDiffer(where[0], where[1], *self._counts(scene, mark))
        return scene.local(self.index, thing.place, read, measure)

    def _counts(self, scene: Scene, mark: str) -> tuple[int, int]:
        """Return how few and how many cells of a mark a region can have by the other rules of the genre."""
        least, most = 1, len(scene.board.cells)
        for rule in self.genre.rules:
            given = rule.fields
            counts = given.get("each") == "region" and given.get("count") == mark and "look" not in given
            if counts and "of" not in given and Grammar(self.genre, given).is_amount(given.get("is")):
                try:
                    low, high = span(given["is"], scene.numbers)  # type: ignore[arg-type]
                except EpcgError:  # told as a fault of that rule
                    continue
                least, most = max(least, low), most if high is None else min(most, high)
        return least, most

    def _many_shapes(self, scene: Scene) -> Iterator[Fault]:
        """Yield a fault if a region has too many choices of cells to compare their shapes."""
        least, most = self._counts(scene, self.text("shape").removeprefix("region "))
        size = max(map(len, scene.board.regions), default=0)
        if sum(comb(size, count) for count in range(least, min(most, size) + 1)) > _MOST_SHAPES:
            said = f"A region of {size} cells has too many shapes to compare them: make it smaller, or add"
            yield Fault("shape", f'{said} a rule that each = "region" has a fixed count.')

    # ---- groups and pieces

    def _bounds(self, scene: Scene, mark: str) -> dict[str, Any]:
        """Return what a group or a piece must be, as the global instances have it."""
        if self.measure == "clues":
            return {
                "exactly": span(self.wanted, scene.numbers)[0],
                "clues": self._placed(scene, self.text("clues")),
            }
        if self.grammar.clue_inside:
            return {"by_clue": True, "clues": self._placed(scene, self.grammar.clue_inside)}
        if self.wanted == "mark":
            return {"by_mark": True} if mark == "equal" else {"least": int(mark), "most": int(mark)}
        if self.wanted == "more than mark":
            return {"least": int(mark) + 1}
        low, high = span(self.wanted, scene.numbers)
        return {"least": low or None, "most": high}

    def _placed(self, scene: Scene, kind: str) -> tuple[tuple[int, int | None], ...]:
        """Return (index of the cell among the cells, number) of each clue of a kind."""
        at = {cell: index for index, cell in enumerate(scene.board.cells)}
        clues = scene.clues_by_kind[kind]
        return tuple((at[clue.place], _number(clue.value)) for clue in clues if clue.place in at)

    def _groups(self, scene: Scene, mark: str) -> Iterator[Instance]:
        cells = scene.board.cells
        at = {cell: index for index, cell in enumerate(cells)}
        sites = tuple(scene.index["cells", cell] for cell in cells)
        pairs = tuple((at[one], at[other]) for one, other in scene.board.borders)
        mask = 0 if mark == "equal" else scene.mask("cells", mark)
        if cells and (mask or mark == "equal"):
            yield Groups(self.index, "the board", sites, pairs, mask, **self._bounds(scene, mark))

    def _pieces(self, scene: Scene) -> Pieces:
        bounds = {"rectangle": True} if self.measure == "shape" else self._bounds(scene, "")
        return pieces(scene, self.index, **bounds)


def pieces(scene: Scene, rule: int, **conditions: Any) -> Pieces:
    """Return the instance of a rule about pieces."""
    board = scene.board
    at = {cell: index for index, cell in enumerate(board.cells)}
    sites = tuple(scene.index["borders", border] for border in range(len(board.borders)))
    pairs = tuple((at[one], at[other]) for one, other in board.borders)
    return Pieces(rule, "the board", sites, board.cells, pairs, width=board.width, **conditions)


def _of(seen: Seen, mark: str) -> bool:
    return not mark or seen.has(mark)


def _number(value: Value) -> int | None:
    """Return the number of a clue's value: that of an arrow, too."""
    if isinstance(value, tuple):
        last = value[-1] if value else 0
        return last if isinstance(last, int) else None
    if isinstance(value, str):
        return int(value) if value.isdigit() else None
    return value


def _exactly(value: Value) -> Span:
    """Return the span of one number; that of any for a clue without one."""
    number = _number(value)
    return (0, None) if number is None else (number, number)
