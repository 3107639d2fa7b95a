"""Tables of a game's text, read value by value: every fault is told, with its line and column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from epcg_core.plugin import EpcgError, Fault, UnknownNameError, toml_text
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.texts.drawings import read_drawing
from epcg_tangram.texts.places import Path, Places


class TableReader:
    """Reads values, and gathers faults with their places."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.faults: list[Fault] = []

    def fault(self, path: Path, message: str, serious: bool = True) -> None:
        line, column = self.places.of(path)
        self.faults.append(Fault(line, message, column=column, serious=serious))

    def fault_once(self, path: Path, message: str) -> None:
        line, column = self.places.of(path)
        fault = Fault(line, message, column=column)
        if fault not in self.faults:
            self.faults.append(fault)

    def keys(self, table: Mapping[str, Any], known: Sequence[str], path: Path) -> None:
        for key in table:
            if key not in known:
                self.fault((*path, key), sentence(UnknownNameError("key", key, known)))

    def table(self, table: Mapping[str, Any], key: str, path: Path = ()) -> Mapping[str, Any]:
        found = table.get(key, {})
        if isinstance(found, Mapping):
            return found
        self.fault_once((*path, key), f"'{key}' is a table of keys: write [{key}] above them.")
        return {}

    def text(self, table: Mapping[str, Any], key: str, path: Path, usual: str = "") -> str:
        found = table.get(key, usual)
        if isinstance(found, str):
            return found
        self.fault((*path, key), f"'{key}' is written in quotation marks, not {shown(found)}.")
        return usual

    def flag(self, table: Mapping[str, Any], key: str, path: Path) -> bool:
        found = table.get(key, True)
        if isinstance(found, bool):
            return found
        self.fault((*path, key), f"'{key}' is true or false, not {shown(found)}.")
        return True

    def whole(self, value: Any, path: Path, low: int, high: int, usual: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        name = next(str(part) for part in reversed(path) if isinstance(part, str))
        self.fault(path, f"'{name}' is a whole number from {low} to {high:,}, not {shown(value)}.")
        return usual

    def drawing(
        self, lattice: Lattice, text: str, path: Path, signs: Iterable[str] = ()
    ) -> Mapping[Cell, str]:
        drawn = read_drawing(lattice, text, signs)
        for row, column, message in drawn.faults:
            line, place = self.places.within(path, row, column)
            self.faults.append(Fault(line, message, column=place))
        return drawn.cells


def shown(value: Any) -> str:
    text: str = toml_text(value) if isinstance(value, (str, int, float, bool, list)) else "a table"
    return text if len(text) <= 60 else f"{text[:57]}..."


def sentence(error: EpcgError) -> str:
    said = str(error)
    return said[:1].upper() + said[1:]
