"""Tables of a game's text: those of any TOML text, and drawings on a lattice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from epcg_core.plugin import Fault, toml_tables
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.texts.drawings import read_drawing

Path = toml_tables.Path
Places = toml_tables.Places
sentence = toml_tables.sentence
shown = toml_tables.shown


class TableReader(toml_tables.TableReader):
    """Reads values and drawings, and gathers faults with their places."""

    def drawing(
        self, lattice: Lattice, text: str, path: Path, signs: Iterable[str] = ()
    ) -> Mapping[Cell, str]:
        drawn = read_drawing(lattice, text, signs)
        for row, column, message in drawn.faults:
            line, place = self.places.within(path, row, column)
            self.faults.append(Fault(line, message, column=place))
        return drawn.cells
