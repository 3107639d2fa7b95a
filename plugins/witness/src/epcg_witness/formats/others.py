"""Panels as links to The Windmill."""

from __future__ import annotations

import re

from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.formats.windmill import SUFFIX, read_windmill, write_windmill
from epcg_witness.rules.grid import PanelError

_CONTENTS = re.compile(rf"[A-Za-z0-9_=-]+{SUFFIX}")


def read_link(text: str, name: str) -> list[str]:
    """Read panels, one a line, each a `contents` string, alone or at the end of a link."""
    found = [line.strip() for line in text.splitlines() if line.strip()]
    texts = []
    for number, line in enumerate(found, 1):
        contents = re.split(r"[/?#&]", line)[-1].replace("%3D", "=").replace("%3d", "=")
        if not _CONTENTS.fullmatch(contents):
            raise PanelError(
                f"{name}, line {number}: '{line[:60]}' is not a Windmill link: it does not end in {SUFFIX}."
            )
        texts.append(format_panel(read_windmill(contents, f"{name}, line {number}")))
    if not texts:
        raise PanelError(f"{name} is empty.")
    return texts


def write_contents(own: str, title: str) -> str:
    """Write the `contents` string of a drawing."""
    return write_windmill(parse_panel(own)) + "\n"
