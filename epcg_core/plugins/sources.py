"""The source files that have a part in a run: what its parts import, followed from file to file.

From the modules of a run's parts the imports are followed through the plugin's package, other libraries that
it uses, and those rooms of the core that make values. Files are read at most once a process, as what is
imported does not change either; what each file imports is remembered on disk by the digest of its content.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

import attrs

from epcg_core.plugins.facade import INSIDE, PUBLIC, homes
from epcg_core.plugins.installed import version

_CORE = "epcg_core"
_DOORS = frozenset({PUBLIC, INSIDE})
"""Modules whose names are defined in others."""
_ROOMS = frozenset({"chunks", "combinatorics", "difficulty", "domain", "search"})
"""Rooms of the core whose code may change a value; the others plan, record, show or check."""
_WITHOUT_VALUES = frozenset({
    "domain.descriptors", "domain.domain", "search.planner", "search.protocol",
})  # fmt: skip
"""Modules in these rooms that declare or plan: what they make is in a run's specification."""
_RECORDING = f"{_CORE}.chunks.codec"
"""The module that every recorded value passes through."""
_COMPILED = f"{_CORE}.compiled"
"""Modules with kernels import this."""
LEFT_OUT = frozenset({"numpy", "numba", "llvmlite", "attr", "attrs", "zstandard"}) | sys.stdlib_module_names
"""Libraries of the core, which have no part in what a plugin means."""
_MOST_FILES = 300
"""A library of more files counts by its version."""
_NAMED = 3
NO_DIGEST = "none: "
"""The beginning of what stands for the digest of code that has none."""
LABEL_OF_CODE = "code of "
"""The beginning of the names of parts that have no file (see `plugins.unfiled`)."""

_NOTHING: Mapping[str, str] = MappingProxyType({})

_LAZY = re.compile(r"([A-Za-z_]\w*(?:\.\w+)+):\w+")
"""A callable that is imported when it is first called: 'package.module:attribute'."""
_PYTHON = list(sys.version_info[:2])

Import = tuple[str, tuple[str, ...]]
"""(module, names imported from it; empty for `import module`)"""


@attrs.frozen
class Sources:
    """Source files by their place in their package, each with the SHA-256 of its content.

    A library that is large or has compiled modules is there by its name, with its version instead; a part
    whose code has no file by 'code of ' and its name, with a digest of that code.
    """

    files: Mapping[str, str]
    has_kernels: bool = attrs.field(default=False, eq=False)
    """Whether one of these files has compiled code; False for sources that were read from a database."""

    @property
    def digest(self) -> str:
        text = "".join(f"{label} {digest}\n" for label, digest in sorted(self.files.items()))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def can_be_compared(self) -> bool:
        """Whether all have a digest; code that has none differs each time that it is asked for."""
        return not any(digest.startswith(NO_DIGEST) for digest in self.files.values())

    def differing(self, other: Sources) -> list[str]:
        """Return the names of the files that differ, sorted."""
        return sorted(
            name for name in self.files.keys() | other.files.keys()
            if self.files.get(name) != other.files.get(name)
        )  # fmt: skip

    def difference(self, other: Sources) -> str:
        """Name the files that differ: 'a.py, b.py and 2 more differ'; '' if none does."""
        names = self.differing(other)
        if not names:
            return ""
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"{', '.join(names[:_NAMED])}{more} differ{'s' if len(names) == 1 else ''}"


def is_code(name: str) -> bool:
    """Return whether a name among sources is that of a part whose code has no file."""
    return name.startswith(LABEL_OF_CODE)


def sources_of(modules: Iterable[str], without_file: Mapping[str, str] = _NOTHING) -> Sources:
    """Find the source files behind some modules: their own, and those that they import, transitively.

    They are followed once, and again after any of them was loaded again. `without_file` are digests of code
    that no file holds, by its name.
    """
    modules = tuple(modules)
    with _following:
        known = _followed.get(modules)
        if known is None or any(_spec_of(name) != number for name, number in known[0].items()):
            _asked.clear()
            found = _follow(modules)
            known = _followed[modules] = {name: _spec_of(name) for name in tuple(_asked)}, found
    if not without_file:
        return known[1]
    return attrs.evolve(known[1], files={**known[1].files, **without_file})


_followed: dict[tuple[str, ...], tuple[dict[str, int], Sources]] = {}
"""The results of `sources_of`, beside the loadings of the modules that it looked at."""
_following = threading.Lock()
_asked: set[str] = set()
"""Modules whose loading was asked for since the last search began."""


def _follow(modules: Iterable[str]) -> Sources:
    files: dict[str, str] = {}
    seen: set[str] = set()
    todo = [_RECORDING, *modules]
    has_kernels = False
    with _Imports() as imports:
        while todo:
            module = todo.pop()
            if module in seen or not _counts(module):
                continue
            seen.add(module)
            top = module.partition(".")[0]
            if (large := _version_of_large(top)) is not None:
                files[top] = large
                continue
            path = file_of(module)
            if path is None:
                continue
            if path.suffix != ".py":
                files[top] = _version(top)
                continue
            content = _content(path, _spec_of(module))
            if content is None:
                continue
            digest, text = content
            files[_label(module, path)] = digest
            for found, names in imports.of(digest, text):
                for imported, own in _homes(_absolute(found, module, path), names):
                    has_kernels |= _COMPILED in (imported, *(f"{imported}.{name}" for name in own))
                    todo += _reached(imported, own, imports)
    return Sources(files, has_kernels)


def _counts(module: str) -> bool:
    top, _, rest = module.partition(".")
    if top == _CORE:
        return rest.partition(".")[0] in _ROOMS and rest not in _WITHOUT_VALUES
    return top not in LEFT_OUT


def _reached(module: str, names: tuple[str, ...], imports: _Imports) -> Iterator[str]:
    """Yield the modules that an import reaches; a package's names lead to the modules that define them."""
    if not _counts(module) and module != _CORE:
        return
    path = file_of(module)
    package = path is not None and path.name == "__init__.py"
    if not package or not names or "*" in names:
        yield module
        return
    assert path is not None
    content = _content(path, _spec_of(module))
    again = {} if content is None else imports.bound(content, module, path)
    for name in names:
        if file_of(f"{module}.{name}") is not None:
            yield f"{module}.{name}"
        elif name in again:
            for origin, own in _homes(again[name], (name,)):
                yield from _reached(origin, own, imports)
        else:
            yield module


def _homes(module: str, names: tuple[str, ...]) -> Iterator[Import]:
    """Yield an import as it is, and one from a public module as imports from its private modules."""
    path = file_of(module) if module in _DOORS else None
    content = None if path is None else _content(path, _spec_of(module))
    known = {} if content is None else _public(content[1])
    if known and (not names or "*" in names):
        names = tuple(known)
    private = []
    for name in names:
        if name in known:
            home, attribute = known[name]
            yield home, (attribute,)
        elif f"{module}.{name}" in _DOORS:
            yield from _homes(f"{module}.{name}", ())
        else:
            private.append(name)
    if private or not known:
        yield module, tuple(private)


@lru_cache(maxsize=16)
def _public(content: bytes) -> dict[str, tuple[str, str]]:
    return homes(content)


def _absolute(name: str, module: str, path: Path) -> str:
    """Resolve a relative import: dots, then a name."""
    rest = name.lstrip(".")
    dots = len(name) - len(rest)
    if not dots:
        return name
    parts = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    base = parts[: len(parts) - (dots - 1)]
    return ".".join([*base, rest] if rest else base)


@cache
def _folders(top: str, loaded: int) -> tuple[tuple[Path, ...], Path | None]:
    """Return (folders of a package, file of a module) of a top-level name."""
    known = sys.modules.get(top)
    try:
        spec = getattr(known, "__spec__", None) or importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        file = getattr(known, "__file__", None)
        return (), None if file is None or not Path(file).is_file() else Path(file)
    folders = tuple(map(Path, spec.submodule_search_locations or ()))
    return folders, None if folders or not spec.has_location else Path(str(spec.origin))


def file_of(module: str) -> Path | None:
    """Return the file of a module, which need not be imported; None if it has none."""
    return _path_of(module, _spec_of(module.partition(".")[0]))


@cache
def _path_of(module: str, loaded: int) -> Path | None:
    top, _, rest = module.partition(".")
    folders, file = _folders(top, loaded)
    if not rest and file is not None:
        return file
    for folder in folders:
        place = folder.joinpath(*rest.split(".")) if rest else folder
        candidates = [place / "__init__.py"]
        if rest:
            endings = (".py", *importlib.machinery.EXTENSION_SUFFIXES)
            candidates += [place.with_name(f"{place.name}{ending}") for ending in endings]
        for path in candidates:
            if path.is_file():
                return path
    return None


def _label(module: str, path: Path) -> str:
    """Return the place of a file in its package: 'package/folder/file.py'."""
    folder = "/".join(module.split(".") if path.name == "__init__.py" else module.split(".")[:-1])
    return f"{folder}/{path.name}" if folder else path.name


@cache
def _version_of_large(top: str) -> str | None:
    """Return the version of a library of many files; None for others."""
    folders, _ = _folders(top, _spec_of(top))
    if top == _CORE or sum(_number_of_files(folder) for folder in folders) <= _MOST_FILES:
        return None
    return _version(top) or None


def _version(top: str) -> str:
    """Return the version of the distribution that a top-level name belongs to; '' if it is unknown."""
    with suppress(metadata.PackageNotFoundError):
        return version(top)
    return " ".join(version(name) for name in metadata.packages_distributions().get(top, ()))


def _number_of_files(folder: Path) -> int:
    number = 0
    for _, _, names in os.walk(folder):
        number += sum(name.endswith(".py") for name in names)
        if number > _MOST_FILES:
            break
    return number


_specs: dict[int, object] = {}


def _spec_of(module: str) -> int:
    """Return a number that changes when a module is loaded again."""
    _asked.add(module)
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return id(_specs.setdefault(id(spec), spec))  # kept, so that no other object gets its number


@cache
def _content(path: Path, loaded: int) -> tuple[str, bytes] | None:
    """Return (SHA-256, content) of a file as it was when it was first read; None if it cannot be read.

    `loaded` tells one loading of its module from the next: the file is read again.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return hashlib.sha256(data).hexdigest(), data


_bound: dict[tuple[str, str], dict[str, str]] = {}
"""The results of `_Imports.bound`, by the digest of a package's file and its name."""


class _Imports:
    """The imports of source files, by the digest of their content; remembered beside the compiled kernels."""

    def __init__(self) -> None:
        self._known: dict[str, list[Import]] = {}
        self._new = False

    def __enter__(self) -> _Imports:
        with suppress(OSError, ValueError):
            path = self._file()
            state = path.stat()
            self._known = _remembered(path, state.st_mtime_ns, state.st_size)
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._new:
            return
        path = self._file()
        partial = path.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):  # it is analysed again next time
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps({"python": _PYTHON, "imports": self._known}), encoding="utf-8")
            partial.replace(path)

    def of(self, digest: str, content: bytes) -> list[Import]:
        """Return the imports of a file; none if it is not Python that this interpreter reads."""
        if digest not in self._known:
            self._new = True
            try:
                self._known[digest] = list(dict.fromkeys(_imports(ast.parse(content).body)))
            except (SyntaxError, ValueError):
                self._known[digest] = []
        return self._known[digest]

    def bound(self, content: tuple[str, bytes], module: str, path: Path) -> dict[str, str]:
        """Map the names that a package imports to the modules that it imports them from."""
        key = content[0], module
        if key not in _bound:
            found = (
                (name, _absolute(origin, module, path))
                for origin, names in self.of(*content)
                for name in names
            )
            _bound[key] = {name: origin for name, origin in found if origin != module}
        return _bound[key]

    @staticmethod
    def _file() -> Path:
        import platformdirs  # not by `compiled.entries`: parts without kernels need no numba

        return Path(os.environ.get("EPCG_CACHE") or platformdirs.user_cache_dir("epcg")) / "imports.json"


@lru_cache(maxsize=1)
def _remembered(path: Path, changed: int, size: int) -> dict[str, list[Import]]:
    """Read the imports that were remembered, as long as the file is the same; none of another program's."""
    found = json.loads(path.read_bytes())
    if not isinstance(found, dict) or found.get("python") != _PYTHON:
        return {}
    imports = found.get("imports")
    return imports if isinstance(imports, dict) else {}


def _imports(body: Iterable[ast.AST]) -> Iterator[Import]:
    """Yield what statements import when they are executed, functions included: not `if TYPE_CHECKING`."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), tuple(alias.name for alias in node.names)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and (lazy := _LAZY.fullmatch(node.value)):
                yield lazy[1], ()
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(node.orelse)
        else:
            yield from _imports(ast.iter_child_nodes(node))
