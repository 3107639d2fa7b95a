"""The faces: distributions of EPCG itself that add commands, methods and other parts by usual hooks.

One may be missing, or switched off: what it would add is looked for here, so that a sentence can name it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FACES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "cluster": {"executor": ["dask"]},
    "publishing": {
        "command": ["curriculum export", "curriculum schema", "gif", "share", "study site"],
        "method": ["curriculum.export", "epcg.gif", "epcg.share"],
        "published": ["play-pages", "shared-page"],
    },
    "research": {
        "command": [
            "bundle",
            "certificate",
            "compare",
            "export",
            "import",
            "patterns",
            "plot",
            "reproduce",
            "study",
        ],
        "method": [
            "database.study",
            "epcg.bundle",
            "epcg.certificate",
            "epcg.check_certificate",
            "epcg.compare",
            "epcg.export",
            "epcg.import_choices",
            "epcg.import_parquet",
            "epcg.import_responses",
            "epcg.import_study",
            "epcg.import_traces",
            "epcg.patterns",
            "epcg.publications",
            "epcg.reproduce",
            "epcg.save_figure",
            "run.arrow",
            "run.plot",
        ],
        "policy": ["player"],
        "published": ["archive", "certificate", "player-model", "studies"],
    },
    "testing": {"command": ["check", "new-domain"], "method": ["epcg.check"]},
    "workbench": {"command": ["browse", "project", "workbench"], "method": ["epcg.edit"]},
}
"""Entry point -> kind of part -> the parts of the distribution 'epcg-ENTRY POINT': commands as
'curriculum export', methods as 'run.arrow', published files by their kind."""


def face_of(kind: str, name: str) -> str | None:
    """Return the entry point of the face that adds a part; None if none does."""
    return next((face for face, parts in FACES.items() if name in parts.get(kind, ())), None)
