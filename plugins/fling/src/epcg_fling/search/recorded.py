"""The endgame tables that `epcg run` recorded in a database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from epcg_core.plugin import Bits, plain
from epcg_fling.params import BoardsParams
from epcg_fling.rules.moves import BoardShape
from epcg_fling.search.endgame import FIRST_TABLE, TABLES

if TYPE_CHECKING:
    from epcg_core.plugin import RunRecord


def recorded_tables(
    db: Path | None, shape: BoardShape, layers: Iterable[int], uniqueness: str
) -> dict[int, tuple[Bits, Bits]]:
    """Return the recorded tables of some layers, {layer: (solvable, unique)}; bits by rank.

    Layers that are not recorded as a whole are missing, and all of them if there is no database.

    Args:
        db: the database.
        shape: the boards' size.
        layers: the numbers of pieces.
        uniqueness: what makes a solution unique: 'successors' or 'moves'.

    Raises:
        StoreError: if the database cannot be read.
        CheckFailedError: if a table in it is damaged.
    """
    if db is None or not db.exists():
        return {}
    from epcg_core.plugin import PartSpec, SpaceSpec, Store

    found = {}
    with Store.open(db) as store, store.reader() as reader:
        runs = {run.space: run for run in reader.runs() if _is_whole_layer(run, uniqueness)}
        for layer in layers:
            params = plain(BoardsParams(shape.width, shape.height, layer))
            run = runs.get(SpaceSpec("fling", PartSpec("boards", params)).name)
            if run is not None:
                found[layer] = (reader.bits(run, "solvable"), reader.bits(run, "unique"))
    return found


def highest_tables(
    db: Path | None, shape: BoardShape, top: int, uniqueness: str
) -> dict[int, tuple[Bits, Bits]]:
    """Read the recorded tables of the highest layers up to `top` pieces, as many as a search can look up."""
    found: dict[int, tuple[Bits, Bits]] = {}
    for layer in range(top, FIRST_TABLE - 1, -1):
        # One layer at a time, because those further down would be read for nothing.
        found |= recorded_tables(db, shape, [layer], uniqueness)
        if len(found) == TABLES:
            break
    return found


def how_to_record(shape: BoardShape, pieces: int, uniqueness: str) -> str:
    """Return the command that records the layers up to a number of pieces."""
    settings = {"generator.pieces": str(pieces)}
    if shape != BoardShape(7, 8):
        settings |= {"generator.width": str(shape.width), "generator.height": str(shape.height)}
    if uniqueness != "successors":
        settings["search.uniqueness"] = uniqueness
    return "epcg run fling/layers" + "".join(f" --set {key}={value}" for key, value in settings.items())


def _is_whole_layer(run: RunRecord, uniqueness: str) -> bool:
    return (
        run.search == "retrograde"
        and run.coverage == "exhaustive"
        and run.spec["search"]["params"]["uniqueness"] == uniqueness
    )
