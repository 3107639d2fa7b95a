"""The faces of EPCG, which tests have beside the plugins that they name."""

from __future__ import annotations

FACES = ("cluster", "publishing", "research", "testing", "workbench")
"""Their entry points."""


def only(*plugins: str) -> str:
    """The value of EPCG_PLUGINS that admits these plugins and the faces."""
    return ",".join((*plugins, *FACES))
