"""Libraries of polyominoes: fixed ones, each orientation a piece of its own, rows with the top one first."""

from __future__ import annotations

from epcg_witness.rules.panel import Polyomino

_WITHOUT_S_AND_Z = (
    "#",
    "##", "#/#",
    "##/#.", "##/.#", "#./##", ".#/##",
    "###", "#/#/#",
    "##/##",
    "###/#..", "#../###", "###/..#", "..#/###", "##/#./#.", "##/.#/.#", "#./#./##", ".#/.#/##",
    "####", "#/#/#/#",
    "###/.#.", ".#./###", "#./##/#.", ".#/##/.#",
)  # fmt: skip
_S_AND_Z = (".##/##.", "##./.##", "#./##/.#", ".#/##/#.")

_ROWS = {"without_s_and_z": _WITHOUT_S_AND_Z, "up_to_four": _WITHOUT_S_AND_Z + _S_AND_Z}


def library(name: str) -> tuple[Polyomino, ...]:
    """Return the pieces of a library, in order. `without_s_and_z` is that of Sturtevant & Ota (2018)."""
    return tuple(Polyomino.parse(rows) for rows in _ROWS[name])
