"""The shape of the core: imports point downward, one door to numba, no domain by name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import attrs
import pytest

import epcg_core
from tests.core.test_english import parsed
from tests.faces import FACES

PACKAGE = Path(epcg_core.__file__).parent
PLUGINS = sorted(
    path for path in (Path(__file__).parents[2] / "plugins").glob("*/src/epcg_*") if path.is_dir()
)
FACE_FOLDERS = [path for path in PLUGINS if path.name.removeprefix("epcg_") in FACES]
DOMAIN_FOLDERS = [path for path in PLUGINS if path not in FACE_FOLDERS]

FLOORS = [
    ["plugin", "inside", "__init__", "__main__"],
    ["cli"],
    ["api"],
    ["curriculum"],
    ["editing", "verification"],
    ["runs"],
    ["store"],
    ["rendering", "search"],
    ["difficulty", "execution", "query"],
    ["chunks", "combinatorics", "plugins"],
    ["domain"],
    ["base", "compiled"],
]
"""The rooms of the core, from the top floor down: its folders, and the modules beside them. Imports point
downward; rooms on one floor do not import each other."""

UPWARD = {
    ("plugins.builtin", room): "the core's own parts, named by strings that are imported when they are used"
    for room in ("combinatorics", "difficulty", "execution", "query", "rendering", "search")
}
"""(module, room): imports that point upward all the same, and why they may."""

DOMAINS = ("fling", "witness", "snakebird", "tangram", "epcg_puzzlescript", "deduction")
"""PuzzleScript by its package, because it is a format of files, too."""


DOTTED = re.compile(r"\w+(\.\w+)+(:\w+)?")


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a kind that any test here asks about: all nodes are looked at once."""
    kinds = (ast.Call, ast.Constant, ast.Expr, ast.Import, ast.ImportFrom)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


@attrs.frozen
class Import:
    """One import inside a package: by a statement, or by a string such as 'package.module:attribute'."""

    importer: str
    imported: str
    line: int


class Package:
    """The modules of a package, by their names inside it, and their imports of each other."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        paths = {p.relative_to(folder).with_suffix(""): p for p in sorted(folder.rglob("*.py"))}
        self.paths = {".".join(key.parts): path for key, path in paths.items()}
        self.trees = {name: parsed(path) for name, path in self.paths.items()}
        self.imports = [found for name in self.trees for found in self._imports_of(name)]

    def _imports_of(self, name: str) -> Iterator[Import]:
        """Imports at any depth: inside functions and for type checkers too."""
        for node in nodes(self.trees[name]):
            for dotted in _dotted_names(node):
                imported = self._module(dotted)
                if imported is not None and imported != name:
                    yield Import(name, imported, getattr(node, "lineno", 0))

    def _module(self, dotted: str) -> str | None:
        """The module that 'package.module.attribute' is found in; None if it is in another package."""
        package, *parts = dotted.split(".")
        if package != self.name:
            return None
        for length in range(len(parts), -1, -1):
            for found in (".".join(parts[:length]), ".".join([*parts[:length], "__init__"])):
                if found in self.paths:
                    return found
        return None

    def graph(self) -> dict[str, set[str]]:
        """The modules that each module imports; re-exports by the package itself do not count."""
        graph: dict[str, set[str]] = {name: set() for name in self.paths}
        for found in self.imports:
            if found.imported != "__init__":
                graph[found.importer].add(found.imported)
        return graph


def _dotted_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"relative import in line {node.lineno}"
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and DOTTED.fullmatch(node.value):
        yield node.value.replace(":", ".")


@cache
def package(folder: Path) -> Package:
    """A package, parsed when a test first asks about it: each worker collects all tests."""
    return Package(folder)


def core() -> Package:
    return package(PACKAGE)


def calls_of(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a function or class by its plain name."""
    return [
        node
        for node in nodes(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def room_of(module: str) -> str:
    return module.partition(".")[0]


def floor_of(room: str) -> int:
    found = [floor for floor, rooms in enumerate(FLOORS) if room in rooms]
    assert found, f"epcg_core.{room} is on no floor: add it to FLOORS"
    return found[0]


def upward_imports(package: Package) -> list[Import]:
    """Imports of a room on the same floor or on a higher one."""
    return [
        found
        for found in package.imports
        if room_of(found.importer) != room_of(found.imported)
        and floor_of(room_of(found.importer)) >= floor_of(room_of(found.imported))
    ]


def test_imports_point_downward_but_for_the_exceptions_that_are_needed() -> None:
    found = {(each.importer, room_of(each.imported)): each.line for each in upward_imports(core())}
    assert found.keys() == UPWARD.keys(), found


def test_every_room_of_the_plan_is_there() -> None:
    assert sorted(room for rooms in FLOORS for room in rooms) == sorted({*map(room_of, core().paths)})


def test_one_place_specifies_runs() -> None:
    """So a new search cannot forget what its space leaves out."""
    makers = {name for name, tree in core().trees.items() if calls_of(tree, "RunSpec")}
    assert makers == {"search.planner"}


@pytest.mark.parametrize("folder", [PACKAGE, *PLUGINS], ids=lambda folder: folder.name)
def test_no_package_has_a_circle_of_imports(folder: Path) -> None:
    """A reader of a module can read what it uses first; imports inside functions and types are no excuse."""
    graph = package(folder).graph()
    assert graph
    reduced = {
        name: {o for o in found if (name, room_of(o)) not in UPWARD or folder != PACKAGE}
        for name, found in graph.items()
    }
    try:
        TopologicalSorter(reduced).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_circles_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "ring"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "one.py").write_text("def f():\n    from ring import two\n")
    (folder / "two.py").write_text("if TYPE_CHECKING:\n    from ring.one import f\n")
    (folder / "three.py").write_text("FACTORY = 'ring.one:f'\n")
    assert Package(folder).graph() == {
        "__init__": set(), "one": {"two"}, "two": {"one"}, "three": {"one"},
    }  # fmt: skip


def test_the_walk_sees_what_is_there() -> None:
    """The tests above would pass on an empty list."""
    pairs = {(found.importer, found.imported) for found in core().imports}
    assert ("runs.coordinator", "store.writer") in pairs
    assert ("__init__", "api.objects") in pairs
    assert ("plugins.builtin", "search.exhaustive") in pairs  # a string
    assert ("query.spec", "chunks.objective") in pairs
    assert len(core().imports) > 500


@cache
def third_party(tree: ast.AST) -> set[str]:
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize(
    ("library", "importers"),
    [
        ("numba", ("compiled",)),
        ("pluggy", ("plugins",)),
        ("alembic", ("store",)),
        ("sqlalchemy", ("store", "runs", "editing", "api", "cli")),
        ("zstandard", ("chunks.codec",)),
        ("multiprocessing", ("execution",)),
        ("click", ("cli",)),
    ],
)
def test_each_library_has_its_place(library: str, importers: tuple[str, ...]) -> None:
    found = {name for name, tree in core().trees.items() if library in third_party(tree)}
    assert found
    outside = {name for name in found if not any(f"{name}.".startswith(f"{place}.") for place in importers)}
    assert outside == set()


def test_the_core_names_no_domain() -> None:
    words = re.compile("|".join(DOMAINS), re.IGNORECASE)
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in core().paths.values()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if words.search(line)
    ]
    assert found == []


def test_the_core_imports_no_plugin() -> None:
    for name, tree in core().trees.items():
        assert {p for p in third_party(tree) if p.startswith("epcg_") and p != "epcg_core"} == set(), name


def test_the_core_names_no_package_of_a_plugin_for_import() -> None:
    packages = {folder.name for folder in PLUGINS}
    named: dict[str, set[str]] = {}
    for name, tree in core().trees.items():
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                package, *_ = re.split(r"[.:]", node.value, maxsplit=1)
                if package in packages:
                    named.setdefault(name, set()).add(package)
    assert named == {}


@pytest.mark.parametrize("folder", [PACKAGE, *FACE_FOLDERS], ids=lambda folder: folder.name)
def test_files_stay_readable(folder: Path) -> None:
    lines = {
        name: len(path.read_text(encoding="utf-8").splitlines())
        for name, path in package(folder).paths.items()
    }
    assert {name for name, count in lines.items() if count > 500} == set()


# --- the public modules ---

PUBLIC = {"epcg_core", "epcg_core.plugin"}
INSIDE = "epcg_core.inside"
EXAMPLES = [path for path in (Path(__file__).parents[2] / "examples").glob("*/src/epcg_*") if path.is_dir()]


TESTS_OF_EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/tests"))


@pytest.mark.parametrize(
    "folder", [*PLUGINS, *EXAMPLES, *TESTS_OF_EXAMPLES], ids=lambda folder: folder.parent.name + folder.name
)
def test_plugins_import_from_the_public_modules_only(folder: Path) -> None:
    private = {
        f"{name}:{node.lineno}: {node.module}"
        for name, tree in package(folder).trees.items()
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] == "epcg_core"
        and node.module not in doors_of(folder)
    }
    assert private == set()
    imported = {
        alias.name
        for tree in package(folder).trees.values()
        for node in nodes(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.startswith("epcg_core")
    }
    assert imported <= doors_of(folder)


def doors_of(folder: Path) -> set[str]:
    """The modules of the core that a distribution may import: faces are released with the core."""
    return PUBLIC | {INSIDE} if folder in FACE_FOLDERS else PUBLIC


@pytest.mark.parametrize("folder", FACE_FOLDERS, ids=lambda folder: folder.name)
def test_faces_require_the_version_of_the_core_that_they_are_released_with(folder: Path) -> None:
    root = Path(__file__).parents[2]
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    face = tomllib.loads((folder.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"epcg-core=={version}" in face["dependencies"]
    assert face["version"] == version


# --- plugins -----------------------------------------------------------------------------------------------

TOP = {"__init__", "plugin", "params", "metrics"}
"""The modules beside a plugin's folders."""
SAME_PLACE = ("rules.model", "inference.rules", "rendering.renderers")
"""The modules that lie at the same place in each plugin."""
STUDIES = "studies/publications"
"""The folder of a plugin with the tables of what was published."""


@pytest.mark.parametrize("folder", DOMAIN_FOLDERS, ids=lambda folder: folder.name)
def test_plugins_have_one_shape(folder: Path) -> None:
    """A reader who knows one plugin finds everything in the others."""
    plugin = package(folder)
    folders = {room_of(name) for name in plugin.paths if "." in name}
    assert {room_of(name) for name in plugin.paths} - folders == TOP
    assert {
        "rules",
        "generators",
        "evaluation",
        "inference",
        "formats",
        "rendering",
        "commands",
    } <= folders
    assert set(SAME_PLACE) <= plugin.paths.keys()
    publishes = '"publications": [' in plugin.paths["plugin"].read_text(encoding="utf-8")
    assert publishes == ("studies" in folders) == any((folder / STUDIES).glob("*.toml"))
    undocumented = [name for name in folders if not ast.get_docstring(plugin.trees[f"{name}.__init__"])]
    assert undocumented == []


@pytest.mark.parametrize("folder", [*DOMAIN_FOLDERS, *EXAMPLES], ids=lambda folder: folder.name)
def test_no_domain_imports_a_face(folder: Path) -> None:
    """By no statement and no string: what a face adds is asked for by the name that it registers."""
    faces = {face.name for face in FACE_FOLDERS}
    found = {
        f"{name}: {dotted}"
        for name, tree in package(folder).trees.items()
        for node in nodes(tree)
        for dotted in ([node.value] if isinstance(node, ast.Constant) else _dotted_names(node))
        if isinstance(dotted, str) and re.split(r"[.:]", dotted)[0] in faces
    }
    assert found == set()


@pytest.mark.parametrize("folder", DOMAIN_FOLDERS, ids=lambda folder: folder.name)
def test_no_plugin_has_a_circle_of_rooms(folder: Path) -> None:
    graph: dict[str, set[str]] = {}
    for found in package(folder).imports:
        one, other = room_of(found.importer), room_of(found.imported)
        if one != other and "__init__" not in (one, other):
            graph.setdefault(one, set()).add(other)
    assert len(graph) > 5
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def words_of(path: Path, every: bool) -> Iterator[str]:
    """The texts of a source: strings that are no docstrings; scripts and pages without their comments.

    Without `every`, a source in which no line has the word is not read, though its strings could make it.
    """
    text = path.read_text(encoding="utf-8")
    if not every and "proven" not in text.lower():
        return
    if path.suffix != ".py":
        yield re.sub(r"/\*.*?\*/|<!--.*?-->|^\s*//.*$", "", text, flags=re.DOTALL | re.MULTILINE)
        return
    tree = ast.parse(text)
    told = {
        id(node.value)
        for node in nodes(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_one_place_says_what_is_proven(every: bool) -> None:
    """`Reading.proven` knows what was not read and is not searched; no other place builds the word."""
    found = {
        path.relative_to(folder).as_posix()
        for folder in (PACKAGE, *PLUGINS)
        for path in folder.rglob("*")
        if path.suffix in (".py", ".js", ".html")
        for words in words_of(path, every)
        if re.search(r"\bproven\b", words, re.IGNORECASE)
    }
    assert found == {"domain/content.py"}
