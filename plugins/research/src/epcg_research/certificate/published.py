"""Certificates among the files that `epcg verify FILE` checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from epcg_core.inside import Check
from epcg_research.methods import check_certificate


def recognise(path: Path) -> bool:
    """Return whether a file is a JSON document that says it is a certificate."""
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
            file.seek(max(0, path.stat().st_size - 4096))
            text = head + file.read()
    except OSError:
        return False
    return text.lstrip()[:1] == b"{" and b'"epcg certificate' in text


def verify(path: Path, options: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
    """Check a certificate as `epcg verify --certificate` does; its own checks say what they leave open."""
    own = {name: options[name] for name in ("share", "tries", "sample", "seed", "recompute")}
    return check_certificate(path, options["db"], **own), []
