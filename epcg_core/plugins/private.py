"""Private modules of the core that a plugin imports: they may change or move in any release."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

from epcg_core.plugins.entry_points import installed_entry_points

CORE, PUBLIC, INSIDE = "epcg_core", "plugin", "inside"
_PRIVATE = rf"{CORE}\s*\.\s*(?!{PUBLIC}\b)\w"
_SUSPECT = re.compile(
    rf"(?:^|[:;])[ \t]*(?:import\b(?:[^\n]|\\\n)*\b{_PRIVATE}|from\s+(?:{_PRIVATE}|{CORE}\s+import\b))",
    re.MULTILINE,
)
"""A file without it imports nothing but what is public; parsing all files would take seconds."""
_NAMED = re.compile(rf"{CORE}\s*\.\s*(?!{PUBLIC}\b)\w|{CORE}\s+import\b")
"""A file without it has nothing suspect; as it begins with a name, it is found twenty times as fast."""


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
        inside = f"{CORE}.{INSIDE}" if _is_of_one_version(point) else ""
        for path in _files(point.module.partition(".")[0]):
            for module, line in _private(path):
                if module != inside:
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


def _private(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (module, line) of the private modules that a file imports; none if it is not Python."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text) if _NAMED.search(text) and _SUSPECT.search(text) else ast.Module([], [])
    except (OSError, ValueError, SyntaxError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if _is_private(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module == CORE:
            names = (f"{CORE}.{alias.name}" for alias in node.names)
            yield from ((name, node.lineno) for name in names if _is_private(name) and _is_module(name))
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_private(node.module or ""):
            yield node.module or "", node.lineno


def _is_private(module: str) -> bool:
    parts = module.split(".")
    return parts[0] == CORE and len(parts) > 1 and parts[1] != PUBLIC


def _is_module(name: str) -> bool:
    """Tell whether a name of the core is a module: others are what the core makes public."""
    place = Path(__file__).parents[1] / name.partition(".")[2]
    return place.is_dir() or place.with_suffix(".py").is_file()
