"""Generators: all panels that place symbols on a base panel, by rank.

A group places symbols on `count` of its allowed sites: the combinations of sites, times what each holds.
Groups are multiplied, the last varying fastest. States are `Panel`s; packed arrays are (n, entries) int32,
see `epcg_witness.rules.spaces`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import (
    Combinations,
    MixedRadix,
    ParamsError,
    PrefixSpace,
    Product,
    RankError,
    prefixes,
)
from epcg_witness.formats.drawing import format_panel, parse_drawing, parse_panel
from epcg_witness.formats.symbols import format_symbol, parse_symbol
from epcg_witness.generators.libraries import library
from epcg_witness.params import (
    BlanksParams,
    GroupParams,
    MustCrossParams,
    PiecesParams,
    PlacementParams,
)
from epcg_witness.rules import symmetry
from epcg_witness.rules.grid import Grid, PanelError, grid_of
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.spaces import LineSymbol, PanelSpace, SiteSymbol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen
class Group:
    """`count` of `sites`, each with one of `symbols`; None stands for nothing."""

    sites: tuple[int, ...]
    count: int
    symbols: tuple[SiteSymbol | None, ...]


class Placements:
    """All ways to place groups of symbols on a base panel.

    Satisfies `Generator` and `ArrayGenerator` of `epcg_core.domain`, with `rank`, `parse` and `format`. If
    a group may leave out a site, several ranks can give equal panels; `rank` gives one of them.
    """

    domain_attributes = ("groups",)

    transition_model = PanelModel()

    def __init__(self, base: Panel, groups: Sequence[Group]) -> None:
        alphabet = dict.fromkeys(s for group in groups for s in group.symbols if s is not None)
        self.setting = PanelSpace(base, tuple(alphabet))
        self.groups = tuple(groups)
        self._earlier = tuple(_sharing(self.groups, i) for i in range(len(self.groups)))
        factors: list[Product] = []
        for group, earlier in zip(self.groups, self._earlier, strict=True):
            free = len(group.sites) - sum(self.groups[i].count for i in earlier)
            factors.append(
                Product(
                    (Combinations(max(free, 0), group.count), MixedRadix([len(group.symbols)] * group.count))
                )
            )
        self._groups = tuple(factors)
        self._space = Product(factors)

    @property
    def max_rank(self) -> int:
        """The number of placements."""
        return self._space.max_rank

    def unrank(self, rank: int) -> Panel:
        """Return the panel of `rank`. Raises RankError if there is none."""
        return self.setting.panel(self._entries(self._space.unrank(rank)))

    def rank(self, state: Panel) -> int:
        """Return a rank of a panel. Raises RankError if the panel is not in this space."""
        return self._rank(dict(self.setting.entries(state)))

    @property
    def prefixes(self) -> PrefixSpace:
        """The sites of the first group, then what each holds, then those of the next group."""
        return prefixes(Product(tuple(part for own in self._groups for part in own.factors)))

    def _rank(self, left: dict[int, SiteSymbol]) -> int:
        """Return a rank of the panel with the symbols `left` by site, which are taken away."""
        found = []
        taken: list[list[int]] = []
        for group, earlier in zip(self.groups, self._earlier, strict=True):
            before = sorted(site for i in earlier for site in taken[i])
            free = [site for site in group.sites if site not in before]
            held = [site for site in free if left.get(site) in group.symbols and site in left]
            missing = group.count - len(held[: group.count])
            empty = [site for site in free if site not in left] if None in group.symbols else []
            chosen = sorted(held[: group.count] + empty[:missing])
            if len(chosen) != group.count:
                raise RankError(
                    f"The panel is not of this space: a group of it places {group.count} symbols, and "
                    f"{len(chosen)} were found."
                )
            combination = tuple(free.index(site) for site in chosen)
            found.append((combination, tuple(group.symbols.index(left.pop(site, None)) for site in chosen)))
            taken.append(chosen)
        if left:
            raise RankError(f"The panel is not of this space: it holds {len(left)} more symbols.")
        return self._space.rank(found)

    @property
    def canonical_rank(self) -> Callable[[int], int]:
        """The function from a rank to the lowest rank of its panel's images (see `rules.symmetry`).

        Raises AttributeError, so that it is not offered, if the space has no symmetries or if several ranks
        give one panel.
        """
        self._refuse_classes("canonical_rank")
        return self._canonical_rank_by(symmetry.NAMES)

    @property
    def symmetries(self) -> tuple[str, ...]:
        """The names of the symmetries: 'mirror', all maps of the grid that keep the start; 'colours'.

        Raises AttributeError as `canonical_rank` does.
        """
        self._refuse_classes("symmetries")
        return symmetry.NAMES

    @property
    def canonical_rank_by(self) -> Callable[[Sequence[str]], Callable[[int], int]]:
        """The function from names of symmetries to `canonical_rank` under these.

        Raises AttributeError as `canonical_rank` does.
        """
        self._refuse_classes("canonical_rank_by")
        return self._canonical_rank_by

    def _refuse_classes(self, name: str) -> None:
        if len(self._symmetries) == 1 or self._ambiguous:
            raise AttributeError(name)

    def _canonical_rank_by(self, names: Sequence[str]) -> Callable[[int], int]:
        found = symmetry.symmetries(self.setting, self._kinds, names)

        def canonical_rank(rank: int) -> int:
            entries = [*self._entries(self._space.unrank(rank))]
            return min(self._rank(dict(image.entry(*entry) for entry in entries)) for image in found)

        return canonical_rank

    @cached_property
    def _kinds(self) -> list[symmetry.Kind]:
        return [(frozenset(group.sites), group.count, frozenset(group.symbols)) for group in self.groups]

    @cached_property
    def _symmetries(self) -> tuple[symmetry.PanelSymmetry, ...]:
        return symmetry.symmetries(self.setting, self._kinds)

    @property
    def _ambiguous(self) -> bool:
        """Whether several ranks can give one panel."""
        return any(None in group.symbols and group.count < len(group.sites) for group in self.groups)

    def states_block(self, start: int, count: int) -> NDArray[np.int32]:
        """Return the panels of ranks start .. start + count - 1: (count, entries) int32."""
        return self._packed(self._space.states_block(start, count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the panels of the (n,) ranks: (n, entries) int32."""
        return self._packed(self._space.states_at(ranks))

    def parse(self, text: str) -> Panel:
        """Read the panel that `text` draws (see `epcg_witness.formats.drawing`). Raises PanelError."""
        return parse_panel(text)

    def format(self, state: Panel) -> str:
        """Draw the panel as text, which `parse` reads."""
        return format_panel(state)

    def _entries(
        self, state: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
    ) -> Iterator[tuple[int, SiteSymbol]]:
        taken: list[tuple[int, ...]] = []
        for group, earlier, (combination, digits) in zip(self.groups, self._earlier, state, strict=True):
            before = {site for i in earlier for site in taken[i]}
            free = [site for site in group.sites if site not in before]
            chosen = tuple(free[index] for index in combination)
            taken.append(chosen)
            for site, digit in zip(chosen, digits, strict=True):
                symbol = group.symbols[digit]
                if symbol is not None:
                    yield site, symbol

    def _packed(self, states: NDArray[np.int64]) -> NDArray[np.int32]:
        """Pack panels from the rows of combinations and digits, group by group."""
        import numpy as np

        size = len(self.setting.all_symbols)
        out = np.empty((len(states), sum(group.count for group in self.groups)), np.int32)
        chosen: list[NDArray[np.int64]] = []
        column = 0
        for group, earlier, numbers in zip(self.groups, self._earlier, self._numbers, strict=True):
            k = group.count
            indices = states[:, 2 * column : 2 * column + k].copy()
            if earlier:
                # A combination counts the sites that earlier groups left free: step over taken sites.
                for taken in np.sort(np.concatenate([chosen[i] for i in earlier], axis=1), axis=1).T:
                    indices += indices >= taken[:, None]
            chosen.append(indices)
            codes = numbers[states[:, 2 * column + k : 2 * column + 2 * k]]
            sites = np.array(group.sites, np.int64)[indices]
            out[:, column : column + k] = np.where(codes >= 0, sites * size + codes, -1)
            column += k
        return out

    @cached_property
    def _numbers(self) -> list[NDArray[np.int64]]:
        """The numbers of each group's symbols in the alphabet, -1 for nothing."""
        import numpy as np

        numbers: dict[SiteSymbol | None, int] = {s: i for i, s in enumerate(self.setting.all_symbols)}
        numbers[None] = -1
        return [np.array([numbers[symbol] for symbol in group.symbols], np.int64) for group in self.groups]


def _sharing(groups: Sequence[Group], index: int) -> tuple[int, ...]:
    """Return the groups before `index` with the same sites.

    Raises ParamsError if sites overlap otherwise, or groups could place the same symbol on the same site.
    """
    mine = groups[index].sites
    found = []
    for i, other in enumerate(groups[:index]):
        if other.sites == mine:
            found.append(i)
            for symbol in set(other.symbols) & set(groups[index].symbols) - {None}:
                raise ParamsError(
                    f"The groups {i + 1} and {index + 1} both place '{format_symbol(symbol)}' on the same "
                    "sites, so that panels would be counted twice: make one group of them."
                )
        elif set(other.sites) & set(mine):
            raise ParamsError(
                f"The groups {i + 1} and {index + 1} have some allowed sites in common, but not all: give "
                "them the same sites, or sites that do not overlap."
            )
    return tuple(found)


def must_cross(params: MustCrossParams) -> Placements:
    """Make all placements of must-cross dots (the EPCG page's ExamineMustCross)."""
    grid = grid_of(params.width, params.height)
    sites = tuple(range(grid.cells, grid.cells + grid.locations))
    group = Group(sites, params.count, (LineSymbol.DOT,))
    return Placements(Panel(width=params.width, height=params.height), [group])


def pieces(params: PiecesParams) -> Placements:
    """Make all placements of polyominoes of a library (Sturtevant & Ota 2018, joint sub-panels)."""
    base = Panel(width=params.width, height=params.height)
    group = Group(tuple(range(base.grid.cells)), params.pieces, library(params.library))
    return Placements(base, [group])


def placements(params: PlacementParams) -> Placements:
    """Make all ways to place groups of symbols. Raises ParamsError if a group is impossible."""
    if params.panel is None:
        base = Panel(width=params.width, height=params.height)
    else:
        base = parse_panel(params.panel)
    if not params.groups:
        raise ParamsError("groups: name at least one group of symbols to place.")
    return Placements(base, [_group(base, g, f"groups {i + 1}") for i, g in enumerate(params.groups)])


def blanks(params: BlanksParams) -> Placements:
    """Make all ways to fill the cells of a panel that are marked '?'."""
    drawing = parse_drawing(params.panel)
    if not drawing.blanks:
        raise ParamsError("panel: no cell is marked '?', so there is nothing to fill.")
    symbols = _symbols(params.symbols, "symbols", cells=True)
    return Placements(drawing.panel, [Group(drawing.blanks, len(drawing.blanks), symbols)])


def _group(base: Panel, params: GroupParams, where: str) -> Group:
    in_cells = params.where == "cells"
    symbols = _symbols(params.symbols, f"{where}.symbols", cells=in_cells)
    if {LineSymbol.GAP, LineSymbol.MISSING} & set(symbols) and params.where != "edges":
        raise ParamsError(f"{where}: gaps are placed on edges: set where = 'edges'.")
    sites = _allowed(base.grid, params, where)
    occupied = {site for site, _ in PanelSpace(base, ()).base_entries}
    free = tuple(site for site in sites if site not in occupied)
    if params.count > len(free):
        raise ParamsError(
            f"{where}: {params.count} symbols do not fit on {len(free)} allowed {params.where}."
        )
    return Group(free, params.count, symbols)


def _symbols(texts: Sequence[str], where: str, cells: bool) -> tuple[SiteSymbol | None, ...]:
    if not texts:
        raise ParamsError(f"{where}: name at least one symbol.")
    found: list[SiteSymbol | None] = []
    for i, text in enumerate(texts):
        try:
            symbol = parse_symbol(text)
        except PanelError as error:
            raise ParamsError(f"{where} {i + 1}: {error}") from None
        if symbol is not None and isinstance(symbol, LineSymbol) == cells:
            place = "cells" if cells else "edges and vertices"
            raise ParamsError(f"{where} {i + 1}: '{text}' cannot be placed in {place}.")
        if symbol in found:
            raise ParamsError(f"{where} {i + 1}: '{text}' is named twice.")
        found.append(symbol)
    return tuple(found)


def _allowed(grid: Grid, params: GroupParams, where: str) -> list[int]:
    """Return the sites that a group may use, ascending."""
    first = {"cells": 0, "edges": grid.cells, "lines": grid.cells, "vertices": grid.cells + grid.edges}
    last = {
        "cells": grid.cells,
        "edges": grid.cells + grid.edges,
        "lines": grid.cells + grid.locations,
        "vertices": grid.cells + grid.locations,
    }
    sites = list(range(first[params.where], last[params.where]))
    if params.mask is not None:
        sites = [site for site in sites if site in _masked(grid, params, where)]
    if params.locations is not None:
        offset = 0 if params.where == "cells" else grid.cells
        for number in params.locations:
            if number + offset not in sites:
                raise ParamsError(f"{where}.locations: {number} is not one of the allowed {params.where}.")
        sites = sorted({number + offset for number in params.locations})
    return sites


def _masked(grid: Grid, params: GroupParams, where: str) -> set[int]:
    if params.where != "cells":
        raise ParamsError(f"{where}.mask: a mask marks cells, so it needs where = 'cells'.")
    assert params.mask is not None
    rows = params.mask.split("/")
    if len(rows) != grid.height or any(len(row) != grid.width or set(row) - set("#.") for row in rows):
        raise ParamsError(
            f"{where}.mask: '{params.mask}' is not a mask of {grid.width} by {grid.height} cells: write "
            f"{grid.height} rows of {grid.width} '#' or '.', the top one first, separated by '/'."
        )
    top = grid.height - 1
    return {grid.cell(x, top - y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "#"}


def orbit(generator: Placements, state: Panel) -> list[Panel]:
    """Return the panels that the symmetries of a space make of one of its panels."""
    found = symmetry.symmetries(generator.setting, generator._kinds)
    return [symmetry.image_of(image, generator.setting, state) for image in found]
