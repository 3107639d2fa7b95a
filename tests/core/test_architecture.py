"""The shape of the core: imports point downward, one door to numba, no domain by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import attrs
import pytest

import epcg_core

PACKAGE = Path(epcg_core.__file__).parent
PLUGINS = sorted(
    path for path in (Path(__file__).parents[2] / "plugins").glob("*/src/epcg_*") if path.is_dir()
)

LAYERS = [
    ["epcg_core.cli"],
    ["epcg_core.notebook"],
    ["epcg_core.reproduce", "epcg_core.curriculum", "epcg_core.testing", "epcg_core.browsing"],
    ["epcg_core.shipped"],
    ["epcg_core.certificate"],
    ["epcg_core.verify"],
    ["epcg_core.dry_run"],
    ["epcg_core.run"],
    ["epcg_core.keeping"],
    ["epcg_core.proof"],
    ["epcg_core.tables"],
    ["epcg_core.unfolding"],
    ["epcg_core.work", "epcg_core.units"],
    ["epcg_core.rendering", "epcg_core.selection", "epcg_core.estimates"],
    ["epcg_core.sampling"],
    ["epcg_core.store"],
    ["epcg_core.execution"],
    ["epcg_core.search.branch_and_bound"],
    [
        "epcg_core.search.breadth_first",
        "epcg_core.search.exhaustive",
        "epcg_core.search.exact_cover_search",
        "epcg_core.search.retrograde",
    ],
    ["epcg_core.search.breadth_first_check", "epcg_core.search.breadth_first_layers"],
    ["epcg_core.search.blocks", "epcg_core.search.plan"],
    ["epcg_core.parts"],
    ["epcg_core.search"],
    ["epcg_core.query"],
    ["epcg_core.difficulty"],
    ["epcg_core.edits"],
    ["epcg_core.combinatorics"],
    ["epcg_core.compiled"],
    ["epcg_core.params", "epcg_core.bits"],
    ["epcg_core.plugins"],
    ["epcg_core"],
    ["epcg_core.hookspecs"],
    ["epcg_core.domain"],
    ["epcg_core.errors", "epcg_core.messages", "epcg_core.svg"],
]
"""From the top. A module belongs to the longest of these names that begins its own; those in one list do not
import each other."""

UPWARD = {
    ("epcg_core.store.functions", "epcg_core.rendering"): "SQL functions draw puzzles, when SQL asks for one",
    ("epcg_core", "epcg_core.notebook"): "`import epcg_core as epcg` offers what is at the top",
}
"""Imports inside functions that point upward all the same, and why they may."""

DOMAINS = ("fling", "witness", "snakebird", "tangram")


@attrs.frozen
class Import:
    """One import of a module of the core by another."""

    importer: str
    imported: str
    line: int
    lazy: bool
    """Inside a function."""


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = [path for path in sorted(PACKAGE.rglob("*.py")) if "migrations" not in path.parts]
MODULES = {module_name(path): path for path in PATHS}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def imports_of(name: str) -> Iterator[Import]:
    """What a module imports of the core; imports for type checkers do not count."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            for imported in imported_names(child):
                if imported != name:
                    yield Import(name, imported, getattr(child, "lineno", 0), lazy)
            yield from visit(child, lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))

    return visit(TREES[name], False)


def imported_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in MODULES)
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"relative import in line {node.lineno}"
        for alias in node.names:
            for found in (f"{node.module}.{alias.name}", node.module or ""):
                if found in MODULES:
                    yield found
                    break


IMPORTS = [found for name in MODULES for found in imports_of(name)]


def layer_of(name: str) -> tuple[int, str]:
    """(level from the top, the entry of LAYERS that a module belongs to)."""
    found = [
        (len(entry), level, entry)
        for level, entries in enumerate(LAYERS)
        for entry in entries
        if name == entry or (entry != "epcg_core" and name.startswith(entry + "."))
    ]
    assert found, f"{name} has no layer: add it to LAYERS"
    _, level, entry = max(found)
    return level, entry


def test_every_module_has_a_layer() -> None:
    for name in MODULES:
        layer_of(name)


def test_imports_point_downward() -> None:
    wrong = []
    for found in IMPORTS:
        (level, entry), (below, other) = layer_of(found.importer), layer_of(found.imported)
        allowed = below > level or entry == other
        if not allowed and not (found.lazy and (found.importer, found.imported) in UPWARD):
            wrong.append(f"{found.importer}:{found.line} imports {found.imported}")
    assert wrong == []


def test_every_exception_is_still_needed() -> None:
    used = {(found.importer, found.imported) for found in IMPORTS if found.lazy}
    assert set(UPWARD) <= used


def test_no_circle_at_import_time() -> None:
    """Also within one layer; a package counts as importing what its __init__ imports."""
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for found in IMPORTS:
        if not found.lazy and found.imported != "epcg_core" and found.importer != "epcg_core":
            graph[found.importer].add(found.imported)
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " > ".join([*path[path.index(name) :], name])
        if name not in done:
            for imported in sorted(graph[name]):
                visit(imported, (*path, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


def graph_of(package: Path) -> dict[str, set[str]]:
    """Which modules of a package each imports: also inside functions, and for type checkers only.

    What the package itself re-exports counts as its own.
    """
    names = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in package.rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        found: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                longer = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= longer & names.keys() or {node.module}
        graph[name] = (found & names.keys()) - {name, package.name}
    return graph


@pytest.mark.parametrize("package", [PACKAGE, *PLUGINS], ids=lambda package: package.name)
def test_no_package_has_a_circle_of_imports(package: Path) -> None:
    """Whoever reads a module can read what it uses first; lazy imports and types are no excuse."""
    graph = graph_of(package)
    assert len(graph) > 5

    reduced = {name: {o for o in found if (name, o) not in UPWARD} for name, found in graph.items()}
    try:
        TopologicalSorter(reduced).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_a_circle_is_found(tmp_path: Path) -> None:
    package = tmp_path / "ring"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("def f():\n    from ring import two\n")
    (package / "two.py").write_text("if TYPE_CHECKING:\n    from ring.one import f\n")
    assert graph_of(package) == {"ring": set(), "ring.one": {"ring.two"}, "ring.two": {"ring.one"}}


def test_the_walk_sees_what_is_there() -> None:
    """The tests above would pass on an empty list."""
    pairs = {(found.importer, found.imported, found.lazy) for found in IMPORTS}
    assert ("epcg_core.run", "epcg_core.store.writer", False) in pairs
    assert ("epcg_core", "epcg_core.notebook", True) in pairs
    assert not any(i == "epcg_core.search.plan" and m == "epcg_core.search.blocks" for i, m, _ in pairs)
    assert layer_of("epcg_core.store.chunks") == layer_of("epcg_core.store")
    assert layer_of("epcg_core.search.retrograde") < layer_of("epcg_core.search.blocks")


def third_party(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize(
    ("library", "importers"),
    [
        ("numba", ("epcg_core.compiled",)),
        ("pluggy", ("epcg_core.hookspecs", "epcg_core.plugins")),
        ("alembic", ("epcg_core.store",)),
        (
            "sqlalchemy",
            ("epcg_core.store", "epcg_core.selection", "epcg_core.keeping", "epcg_core.run", "epcg_core.cli"),
        ),
        ("zstandard", ("epcg_core.store.chunks",)),
        ("multiprocessing", ("epcg_core.execution", "epcg_core.messages")),
        ("click", ("epcg_core.cli",)),
        ("datasette", ("epcg_core.browsing",)),
    ],
)
def test_each_library_has_its_place(library: str, importers: tuple[str, ...]) -> None:
    found = {name for name, tree in TREES.items() if library in third_party(tree)}
    assert found
    outside = {name for name in found if not any(f"{name}.".startswith(f"{place}.") for place in importers)}
    assert outside == set()


def test_the_core_names_no_domain() -> None:
    words = re.compile("|".join(DOMAINS), re.IGNORECASE)
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in MODULES.values()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if words.search(line)
    ]
    assert found == []


def test_the_core_imports_no_plugin() -> None:
    for name, tree in TREES.items():
        assert {p for p in third_party(tree) if p.startswith("epcg_") and p != "epcg_core"} == set(), name


def test_files_stay_readable() -> None:
    long = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: lines for name, lines in long.items() if lines > 500} == {}
