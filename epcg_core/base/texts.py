"""Bytes of files as texts, and sentences about files and folders that are not what was expected."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from epcg_core.base.errors import EpcgError


def decoded(data: bytes, name: str, error: type[EpcgError] = EpcgError) -> str:
    """Return the text of a UTF-8 file, with LF at the end of lines; `name` begins every message.

    Raises `error` if the data are of another kind of file, are not UTF-8, or hold NUL, as UTF-16 does.
    """
    fault = "is not valid UTF-8"
    with suppress(ValueError):
        text = data.decode("utf-8-sig")
        fault = "has NUL bytes, as texts in UTF-16 have" if "\0" in text else ""  # no text in UTF-8 has it
    if fault:
        kind = next((kind for begin, kind in _BEGINNINGS.items() if data.startswith(begin)), None)
        raise error(
            f"{name} is {kind}, not a text: name another file."
            if kind
            else f"{name} {fault}; save it as UTF-8."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


_BEGINNINGS = {
    b"\x89PNG\r\n": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "an archive (zip)",
    b"SQLite format 3\0": "a database",
    b"PAR1": "a table (Parquet)",
}
"""Files that are not texts, by their first bytes."""


def no_folder(path: Path) -> str:
    """Return a sentence about a file that cannot be written for lack of its folder."""
    if path.parent.exists():
        return f"{path.parent} is not a folder: choose another output."
    return f"There is no folder {path.parent}: make it, or choose another output."


def check_ending(path: Path, *endings: str) -> None:
    """Raise EpcgError if a file that is to be written has the ending of another kind; it may have none."""
    if path.suffix and path.suffix.lower() not in endings:
        raise EpcgError(f"'{path}' must end in {' or '.join(endings)}.")
