"""The generator `windmill_file`: the puzzles of a JSON file, in the order of the file.

    [{"id": "2v4nshg", "contents": "CAkSABIC...", "created_ms": 1456313973981, "upvotes": 2}, ...]

`contents` are as The Windmill stores them; the other keys are optional, and further keys are ignored. A file
whose name ends in .gz is gzipped. The time of creation may be called `createUtc`, as in the first paper's
file (Chen, White & Sturtevant 2023).
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from typing import Any

import attrs

from epcg_core.plugin import documents
from epcg_witness.formats.windmill import read_windmill, write_windmill
from epcg_witness.params import WindmillFileParams, read_bytes
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import Panel


@attrs.frozen
class WindmillPuzzle:
    """An entry of the file."""

    name: str
    """Its id, or its place in the file, counted from 1."""
    contents: Any
    upvotes: float | None
    created_ms: float | None
    """Milliseconds since 1970."""

    def panel(self) -> Panel:
        """Read the panel. Raises PanelError, which names the puzzle, if it cannot be read."""
        return read_windmill(self.contents, f"puzzle {self.name}")


class WindmillFile:
    """The panels of a file, by their place in it. A puzzle that cannot be read is an error at its rank.

    Raises ParamsError if the file cannot be read, PanelError if it is not a list of puzzles, lacks one of the
    ids that are asked for, or is another file than its digest says.
    """

    domain_attributes = ("puzzles",)

    transition_model = PanelModel()

    def __init__(self, params: WindmillFileParams) -> None:
        content = read_bytes(params.path)
        if hashlib.sha256(content).hexdigest() != params.sha256:
            raise PanelError(
                f"The file of puzzles {params.path} has changed since: its SHA-256 digest is not "
                f"{params.sha256}."
            )
        entries = documents.parse_json(_unpacked(content, params.path), params.path, PanelError)
        if not isinstance(entries, list) or not entries:
            raise PanelError(
                f'{params.path}: expected a list of puzzles, like [{{"id": "...", "contents": "..."}}].'
            )
        puzzles = tuple(_puzzle(number, entry) for number, entry in enumerate(entries, start=1))
        self.puzzles = _of(puzzles, params.ids, params.path) if params.ids else puzzles

    @property
    def max_rank(self) -> int:
        return len(self.puzzles)

    def unrank(self, rank: int) -> Panel:
        """Return the panel of the puzzle at `rank`. Raises PanelError, which names the puzzle."""
        return self.puzzles[rank].panel()

    def parse(self, text: str) -> Panel:
        """Read the panel of a `contents` string."""
        return read_windmill(text)

    def format(self, panel: Panel) -> str:
        """Write the `contents` string of a panel."""
        return write_windmill(panel)


def _unpacked(content: bytes, path: str) -> bytes:
    if not path.endswith(".gz"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise PanelError(f"{path} ends in .gz, and is not a gzipped file: {error}.") from None


def _of(puzzles: tuple[WindmillPuzzle, ...], ids: tuple[str, ...], path: str) -> tuple[WindmillPuzzle, ...]:
    """Return the puzzles with the ids. Raises PanelError if there is none with one of them."""
    wanted = set(ids)
    found = tuple(puzzle for puzzle in puzzles if puzzle.name in wanted)
    missing = wanted - {puzzle.name for puzzle in found}
    if missing:
        raise PanelError(f"{path}: there is no puzzle with the id '{min(missing)}'.")
    return found


def _puzzle(number: int, entry: Any) -> WindmillPuzzle:
    if not isinstance(entry, dict):
        return WindmillPuzzle(str(number), None, None, None)
    name = entry.get("id")
    return WindmillPuzzle(
        name if isinstance(name, str) and name else str(number),
        entry.get("contents"),
        _number(entry.get("upvotes")),
        _number(entry.get("created_ms", entry.get("createUtc"))),
    )


def _number(value: Any) -> float | None:
    return float(value) if type(value) in (int, float) else None
