"""The other kinds of rules: at, never, connected, loop, paths, matched, distinct and fills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, ClassVar

from epcg_core.plugin import UnknownNameError
from epcg_deduction.model.boards import Pair
from epcg_deduction.model.genre import ClueKind
from epcg_deduction.model.puzzles import Clue
from epcg_deduction.model.sites import is_numeric, square_name, squares_name
from epcg_deduction.rules import words
from epcg_deduction.rules.each import OWN, pieces
from epcg_deduction.rules.patterns import Degree, Levels, NotAll, Unlike
from epcg_deduction.rules.rule import Fault, Rule, line_of, told
from epcg_deduction.rules.scene import AROUND, Scene, Spot, Thing
from epcg_deduction.solving.problem import Connected, Instance, Joined, Local, Matched, OneLoop

SIDES = ("bottom", "top", "left", "right", "bulb")


class At(Rule):
    """The place of a clue has a mark."""

    kind = "at"
    fields: ClassVar[Mapping[str, str]] = {"at": "text", "mark": "text or table"}

    def faults(self) -> Iterator[Fault]:
        kind, mark = self.text("at"), self.given.get("mark")
        yield from self.known_clue("at", kind)
        clue = self.genre.clues.get(kind)
        if clue is not None and clue.on != "cells":
            yield Fault("at", f"'at' is for clues in cells, and '{kind}' stands on {clue.on}.")
        if not self.genre.marks.cells:
            yield Fault("at", "'at' needs marks in cells: give cells = ... in [marks].")
        elif isinstance(mark, Mapping):
            for value, each in mark.items():
                if clue is not None and not _is_value(clue, value):
                    yield Fault("mark", f"'{value}' is not a value of '{kind}', which has {clue.values}.")
                yield from self.known_mark("mark", str(each), derived=False)
        elif mark is None:
            yield Fault(None, 'The rule does not say which mark is there: mark = a mark, or "clue".')
        elif mark != "clue":
            yield from self.known_mark("mark", str(mark), derived=False)
        elif clue is not None and is_numeric(clue.values) and not self._digits():
            yield Fault("mark", 'mark = "clue" needs marks that are digits: say which value is which mark.')

    def _digits(self) -> bool:
        cells = self.genre.marks.cells
        return isinstance(cells, str) or any(name.isdigit() for name in cells)

    def clue_kinds(self) -> tuple[str, ...]:
        return (self.text("at"),)

    def mark_of(self, value: Any) -> str | None:
        """Return the mark that the place of a clue with a value has; None: any, or none that there is."""
        mark = self.given["mark"]
        if isinstance(mark, Mapping):
            found = mark.get(str(value))
            return None if found is None else str(found)
        if mark != "clue":
            return str(mark)
        return None if value is None else str(value)

    def starts(self, scene: Scene) -> Iterator[tuple[int, int]]:
        known = scene.starts.setdefault(self.index, {})
        for clue in scene.clues_by_kind[self.text("at")]:
            found = known.get((clue.place, clue.value))
            if found is None:
                found = known[clue.place, clue.value] = self._start(scene, clue)
            yield found

    def _start(self, scene: Scene, clue: Clue) -> tuple[int, int]:
        """Return the site of a clue, and the mask of the mark that it has."""
        mark = self.mark_of(clue.value)
        site = scene.index["cells", clue.place]
        if mark is not None:
            return site, scene.bit(site, mark)
        return site, scene.alphabet(site) if clue.value is None else 0

    def instances(self, scene: Scene) -> Iterator[Instance]:
        return iter(())

    def sentence(self) -> str:
        return words.at_sentence(self.genre, self.given)


def _is_value(clue: ClueKind, value: str) -> bool:
    """Return whether a key of a table can be a value of a kind of clues: a number, or one of its signs."""
    if is_numeric(clue.values):
        return value.isdigit()
    return clue.values != "lists" and not clue.values.startswith("arrows") and value in clue.values


class Never(Rule):
    """A drawing occurs nowhere, in any turn or mirror."""

    kind = "never"
    fields: ClassVar[Mapping[str, str]] = {"never": "text", "signs": "table"}

    def faults(self) -> Iterator[Fault]:
        signs = self.given.get("signs", {})
        drawn = self._drawn()
        if not drawn:
            yield Fault("never", "The drawing is empty: give a sign to each cell that has a mark.")
        for sign in sorted({sign for _, _, sign in drawn}):
            if sign not in signs:
                yield Fault("signs", f"The drawing has '{sign}', and 'signs' does not say which mark it is.")
        for sign, mark in signs.items():
            if len(sign) != 1 or sign in ". ":
                yield Fault("signs", f"A sign is one letter, digit or mark other than '.', not '{sign}'.")
            yield from self.known_mark("signs", str(mark))

    def _drawn(self) -> list[tuple[int, int, str]]:
        rows = [row for row in self.text("never").split("\n") if row.strip()]
        return [
            (x, y, sign) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign not in ". \r"
        ]

    def placements(self, scene: Scene) -> Iterator[tuple[tuple[int, str], ...]]:
        """Yield the cells and marks of each placement, each once."""
        board, signs = scene.board, self.given["signs"]
        drawn, turned = self._drawn(), set()
        for a, b, swapped in ((a, b, c) for a in (1, -1) for b in (1, -1) for c in (False, True)):
            own = [(y * b, x * a, sign) if swapped else (x * a, y * b, sign) for x, y, sign in drawn]
            first = min((y, x) for x, y, _ in own)
            turned.add(tuple(sorted((y - first[0], x - first[1], sign) for x, y, sign in own)))
        seen = set()
        for square in board.cells:
            for pattern in sorted(turned):
                placed = [(board.step(square, x, y), str(signs[sign])) for y, x, sign in pattern]
                key = frozenset(placed)
                if key not in seen and all(board.is_cell(cell) for cell, _ in placed):
                    seen.add(key)
                    yield tuple(placed)

    def misfits(self, scene: Scene) -> Iterator[Fault]:
        if next(self.placements(scene), None) is None:
            yield Fault("never", "The drawing is larger than the board, so the rule asks nothing.", False)

    def instances(self, scene: Scene) -> Iterator[Instance]:
        for placed in self.placements(scene):
            read = [
                (Spot("cells", cell), frozenset({mark}), lambda seen, mark=mark: seen.has(mark), ("is", mark))
                for cell, mark in placed
            ]
            place = squares_name(scene.board, sorted(cell for cell, _ in placed))
            found = scene.local(self.index, place, read, NotAll())
            if found.sites:
                yield found

    def sentence(self) -> str:
        return words.never_sentence(self.genre, self.given, self._drawn())


class ConnectedRule(Rule):
    """The cells of a mark, or the lines, hang together."""

    kind = "connected"
    fields: ClassVar[Mapping[str, str]] = {"connected": "text", "in": "text"}

    def faults(self) -> Iterator[Fault]:
        mark, inside = self.text("connected"), self.text("in", "board")
        if mark in ("edges", "links"):
            yield from self.known_layer("connected", mark)
        elif not self.genre.marks.cells:
            yield Fault("connected", 'This rule needs marks in cells, or "edges" or "links" for lines.')
        else:
            yield from self.known_mark("connected", mark, derived=False)
        if inside not in ("board", "region"):
            yield Fault("in", told(UnknownNameError("place", inside, ("board", "region"))))
        elif inside == "region" and mark in ("edges", "links"):
            yield Fault("in", "Lines hang together on the whole board: leave 'in' away.")

    def misfits(self, scene: Scene) -> Iterator[Fault]:
        if self.text("in") == "region":
            yield from self.known_regions(scene)
            yield from self.connected_regions(scene)

    def instances(self, scene: Scene) -> Iterator[Instance]:
        board, mark = scene.board, self.text("connected")
        if mark in ("edges", "links"):
            ends = board.edges if mark == "edges" else board.borders
            sites = tuple(scene.index[mark, place] for place in range(len(ends)))
            pairs = tuple(
                (one, other)
                for one, other in combinations(range(len(ends)), 2)
                if set(ends[one]) & set(ends[other])
            )
            if sites:
                yield Connected(
                    self.index, "the board", sites, scene.bit(sites[0], line_of(scene.genre, mark)), pairs
                )
            return
        areas = [("the board", board.cells)]
        if self.text("in") == "region":
            areas = [(thing.place, thing.cells) for thing in scene.things("region")]
        mask = scene.mask("cells", mark)
        for place, cells in areas:
            at = {cell: index for index, cell in enumerate(cells)}
            pairs = tuple((at[a], at[b]) for a, b in board.borders if a in at and b in at)
            if cells and mask:
                yield Connected(
                    self.index, place, tuple(scene.index["cells", cell] for cell in cells), mask, pairs
                )

    def sentence(self) -> str:
        return words.connected_sentence(self.genre, self.given)


def _ends(scene: Scene, layer: str) -> tuple[tuple[int, ...], tuple[Pair, ...]]:
    """Return the sites of a layer of lines, and the two vertices or cells of each."""
    ends = scene.board.edges if layer == "edges" else scene.board.borders
    return tuple(scene.index[layer, place] for place in range(len(ends))), ends


def _degrees(scene: Scene, rule: int, layer: str, allowed: Mapping[int, tuple[int, ...]]) -> Iterator[Local]:
    """Yield an instance for each vertex or cell: how many lines it may have (by default 0 or 2)."""
    at: dict[int, list[int]] = {cell: [] for cell in allowed}
    for number, pair in enumerate(_ends(scene, layer)[1]):
        for end in pair:
            at.setdefault(end, []).append(number)
    line = line_of(scene.genre, layer)
    for end, places in sorted(at.items()):
        spots = [
            (Spot(layer, number), frozenset({line}), lambda seen: seen.name == line, "line")
            for number in places
        ]
        y, x = divmod(end, scene.board.width + 1)
        place = f"the vertex above left of r{y + 1}c{x + 1}"
        if layer == "links":
            place = square_name(scene.board, end)
        found = scene.local(rule, place, spots, Degree(allowed.get(end, (0, 2))))
        if found.sites or 0 not in allowed.get(end, (0, 2)):
            yield found


class Loop(Rule):
    """The lines are exactly one closed loop."""

    kind = "loop"
    fields: ClassVar[Mapping[str, str]] = {"loop": "text"}

    def faults(self) -> Iterator[Fault]:
        yield from self.known_layer("loop", self.text("loop"))

    def instances(self, scene: Scene) -> Iterator[Instance]:
        layer = self.text("loop")
        sites, ends = _ends(scene, layer)
        yield from _degrees(scene, self.index, layer, {})
        yield OneLoop(self.index, "the board", sites, ends)

    def sentence(self) -> str:
        across = "along the edges of cells" if self.text("loop") == "edges" else "through centres of cells"
        return f"The lines form one closed loop {across}, which neither branches nor crosses itself."


class Paths(Rule):
    """The lines are paths between two equal clues."""

    kind = "paths"
    fields: ClassVar[Mapping[str, str]] = {"paths": "text", "ends": "text", "cover": "text"}

    def faults(self) -> Iterator[Fault]:
        if self.text("paths") != "links":
            yield Fault("paths", 'Paths go from cell to cell: write paths = "links".')
        yield from self.known_layer("paths", "links")
        yield from self.known_clue("ends", self.text("ends"))
        kind = self.genre.clues.get(self.text("ends"))
        if kind is not None and (
            kind.on != "cells" or kind.values == "lists" or kind.values.startswith("arrows")
        ):
            yield Fault("ends", "The ends of paths are numbers or letters in cells.")
        if self.text("cover", "all") not in ("all", "some"):
            yield Fault("cover", '\'cover\' is "all" (every cell is passed) or "some".')

    def clue_kinds(self) -> tuple[str, ...]:
        return (self.text("ends"),)

    def tied(self) -> tuple[str, ...]:
        return self.clue_kinds()

    def instances(self, scene: Scene) -> Iterator[Instance]:
        clues = scene.clues_by_kind[self.text("ends")]
        values = sorted({str(clue.value) for clue in clues})
        ends = {clue.place: values.index(str(clue.value)) for clue in clues}
        usual = (2,) if self.text("cover", "all") == "all" else (0, 2)
        allowed = {cell: (1,) if cell in ends else usual for cell in scene.board.cells}
        yield from _degrees(scene, self.index, "links", allowed)
        sites, pairs = _ends(scene, "links")
        yield Joined(self.index, "the board", sites, pairs, tuple(sorted(ends.items())))

    def sentence(self) -> str:
        cover = self.text("cover", "all") == "all"
        last = "every cell is passed" if cover else "cells may stay empty"
        return f"A path joins the two ends of each pair of equal clues; paths do not meet, and {last}."


class MatchedRule(Rule):
    """Marks and clues can be paired, neighbours with neighbours."""

    kind = "matched"
    fields: ClassVar[Mapping[str, str]] = {"matched": "text", "with": "text"}

    def faults(self) -> Iterator[Fault]:
        if not self.genre.marks.cells:
            yield Fault("matched", "'matched' needs marks in cells.")
        else:
            yield from self.known_mark("matched", self.text("matched"), derived=False)
        yield from self.known_clue("with", self.text("with"))
        kind = self.genre.clues.get(self.text("with"))
        if kind is not None and kind.on not in ("cells", "walls"):
            yield Fault("with", f"'matched' is for clues in cells, and '{kind.name}' stands on {kind.on}.")

    def clue_kinds(self) -> tuple[str, ...]:
        return (self.text("with"),)

    def tied(self) -> tuple[str, ...]:
        return self.clue_kinds()

    def instances(self, scene: Scene) -> Iterator[Instance]:
        board = scene.board
        at = {cell: index for index, cell in enumerate(board.cells)}
        near = tuple(
            tuple(at[cell] for dx, dy in AROUND if (cell := board.step(clue.place, dx, dy)) in at)
            for clue in scene.clues_by_kind[self.text("with")]
        )
        sites = tuple(scene.index["cells", cell] for cell in board.cells)
        yield Matched(self.index, "the board", sites, scene.mask("cells", self.text("matched")), near)

    def sentence(self) -> str:
        mark, clue = self.text("matched"), self.text("with")
        return f"Each {clue} has a {mark} of its own beside it, and each {mark} a {clue}."


class Distinct(Rule):
    """No two rows, columns or pieces are equal."""

    kind = "distinct"
    fields: ClassVar[Mapping[str, str]] = {"distinct": "text", "values": "text", "order": "text"}

    def faults(self) -> Iterator[Fault]:
        what = self.text("distinct")
        if what not in ("row", "column", "piece"):
            yield Fault("distinct", told(UnknownNameError("list", what, ("row", "column", "piece"))))
            return
        if what != "piece":
            if "values" in self.given:
                yield Fault("values", "Rows and columns are compared by their marks: leave 'values' away.")
            if not self.genre.marks.cells:
                yield Fault("distinct", "This rule compares marks in cells: give cells = ... in [marks].")
        else:
            if not self.genre.marks.pieces:
                yield Fault("distinct", "The genre has no pieces: write pieces = true in [marks].")
            if "values" not in self.given or self.text("order") != "any":
                yield Fault(
                    "distinct", 'Pieces are compared by their clues: add values = a kind, order = "any".'
                )
            else:
                yield from self.known_clue("values", self.text("values"))
        if self.text("order", "any") != "any":
            yield Fault("order", "'order' is \"any\", or it is left away.")

    def clue_kinds(self) -> tuple[str, ...]:
        return (self.text("values"),) if "values" in self.given else ()

    def tied(self) -> tuple[str, ...]:
        return self.clue_kinds()

    def instances(self, scene: Scene) -> Iterator[Instance]:
        what = self.text("distinct")
        if what == "piece":
            clues = scene.clues_by_kind[self.text("values")]
            given = {clue.place: clue.value for clue in clues if clue.value is not None}
            known = sorted({str(value) for value in given.values()})
            values = tuple(
                known.index(str(given[cell])) if cell in given else -1 for cell in scene.board.cells
            )
            yield pieces(scene, self.index, values=values)
            return
        for one, other in combinations(scene.things(what), 2):
            if one.cells and len(one.cells) == len(other.cells):
                cells = [cell for both in zip(one.cells, other.cells, strict=True) for cell in both]
                read = [(Spot("cells", cell), OWN, lambda seen: seen.name, "name") for cell in cells]
                place = f"{one.place} and {other.place}"
                yield scene.local(self.index, place, read, Unlike(self.text("order") == "any"))

    def sentence(self) -> str:
        what = self.text("distinct")
        if what == "piece":
            return f"No two pieces have the same {self.text('values')}."
        return f"No two {what}s are equal."


class Fills(Rule):
    """In each region a mark fills from one side on, without a gap."""

    kind = "fills"
    fields: ClassVar[Mapping[str, str]] = {"fills": "text", "in": "text", "from": "text"}

    def faults(self) -> Iterator[Fault]:
        if not self.genre.marks.cells:
            yield Fault("fills", "'fills' needs marks in cells.")
        else:
            yield from self.known_mark("fills", self.text("fills"), derived=False)
        if self.text("in", "region") != "region":
            yield Fault("in", "'fills' is about regions: write in = \"region\".")
        if self.text("from") not in SIDES:
            yield Fault("from", told(UnknownNameError("side", self.text("from"), SIDES)))

    def misfits(self, scene: Scene) -> Iterator[Fault]:
        yield from self.known_regions(scene)
        yield from self.connected_regions(scene)

    def _levels(self, scene: Scene, thing: Thing) -> list[tuple[int, int]]:
        """Return (level, cell) of a region in the order in which it fills."""
        width = scene.board.width
        step = {"bottom": (0, -1), "top": (0, 1), "left": (1, 0), "right": (-1, 0)}.get(self.text("from"))
        if step is None:  # from the bulb
            return list(enumerate(thing.cells))
        dx, dy = step
        return sorted((cell % width * dx + cell // width * dy, cell) for cell in thing.cells)

    def instances(self, scene: Scene) -> Iterator[Instance]:
        mark = self.text("fills")
        for thing in scene.things("region"):
            order = self._levels(scene, thing)
            ranks = {level: rank for rank, level in enumerate(sorted({level for level, _ in order}))}
            read = [
                (Spot("cells", cell), frozenset({mark}), lambda seen: seen.has(mark), ("fills", mark))
                for _, cell in order
            ]
            yield scene.local(
                self.index, thing.place, read, Levels(tuple(ranks[level] for level, _ in order))
            )

    def sentence(self) -> str:
        side = self.text("from")
        if side == "bulb":
            return f"In each region the cells are {self.text('fills')} from its first cell on, without a gap."
        return f"In each region {self.text('fills')} fills whole levels from the {side} on, without a gap."
