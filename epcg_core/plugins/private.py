"""Private modules of the core that a plugin imports: they may change or move in any release."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

from epcg_core.plugins.entry_points import installed_entry_points

CORE, PUBLIC, INSIDE = "epcg_core", "plugin", "inside"


@cache
def _suspects(public: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of files that may import something else than modules whose names match `public`.

    Parsing all files would take seconds. The first pattern begins with a name, so it is found twenty times as
    fast; a file with it may still have nothing of the second.
    """
    private = rf"{CORE}\s*\.\s*(?!(?:{public})\b)\w"
    return re.compile(rf"{private}|{CORE}\s+import\b"), re.compile(
        rf"(?:^|[:;])[ \t]*(?:import\b(?:[^\n]|\\\n)*\b{private}|from\s+(?:{private}|{CORE}\s+import\b))",
        re.MULTILINE,
    )


_EXACT = re.compile(r"epcg[-_.]core\s*\(?\s*==(?!.*\*)", re.IGNORECASE)
"""A requirement of one version of the core."""


def private_imports(plugin: str) -> list[str]:
    """Return what a plugin imports of `epcg_core` that is not public, each as 'module (file:line)'.

    Public are the names of `epcg_core` and of `epcg_core.plugin`, and those of `epcg_core.inside` for a
    distribution that requires one exact version of the core.

    Args:
        plugin: The name of the plugin's entry point.
    """
    points = [point for point in installed_entry_points() if point.name == plugin]
    found: dict[str, str] = {}
    for point in {point.module.partition(".")[0]: point for point in points}.values():
        public = (PUBLIC, INSIDE) if _is_of_one_version(point) else (PUBLIC,)
        for path in _files(point.module.partition(".")[0]):
            for module, line in _private(path, public):
                found.setdefault(module, f"{module} ({path.name}:{line})")
    return [found[module] for module in sorted(found)]


def _is_of_one_version(point: EntryPoint) -> bool:
    """Return whether the distribution of an entry point requires one exact version of the core."""
    requires = (point.dist.requires or []) if point.dist else []
    return any(_EXACT.match(requirement) for requirement in requires)


def _files(package: str) -> Iterator[Path]:
    """Yield the Python files of a package or a module, which is not imported."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            yield from sorted(Path(folder).rglob("*.py"))
    elif spec is not None and spec.has_location:
        yield Path(str(spec.origin))


def _private(path: Path, public: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield (module, line) of the private modules that a file imports; none if it is not Python."""
    named, suspect = _suspects("|".join(public))
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text) if named.search(text) and suspect.search(text) else ast.Module([], [])
    except (OSError, ValueError, SyntaxError):
        return

    def is_private(module: str) -> bool:
        parts = module.split(".")
        return parts[0] == CORE and len(parts) > 1 and parts[1] not in public

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module == CORE:
            names = (f"{CORE}.{alias.name}" for alias in node.names)
            yield from ((name, node.lineno) for name in names if is_private(name) and _is_module(name))
        elif isinstance(node, ast.ImportFrom) and not node.level and is_private(node.module or ""):
            yield node.module or "", node.lineno


def _is_module(name: str) -> bool:
    """Tell whether a name of the core is a module: others are what the core makes public."""
    place = Path(__file__).parents[1] / name.partition(".")[2]
    return place.is_dir() or place.with_suffix(".py").is_file()
