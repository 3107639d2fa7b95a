"""The faces of EPCG, which tests have beside the plugins that they name."""

from __future__ import annotations

from importlib.metadata import entry_points

FACES = ("cluster", "publishing", "research", "testing", "workbench")
"""Their entry points."""
INSTALLED = {point.name for point in entry_points(group="epcg")}
"""All of them in a developer's environment, one in those of `tests.alone`."""


def only(*plugins: str) -> str:
    """The value of EPCG_PLUGINS that admits these plugins and the faces."""
    return ",".join((*plugins, *(face for face in FACES if face in INSTALLED)))
