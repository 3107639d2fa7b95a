"""Code that no source file holds: of a notebook's cell, of Python's standard input, of `exec`.

Its bytecode is digested instead of a file, with constants, closures, defaults, and the global values and
functions that it names, followed as far as they have no file either. What has a file is followed as a file
(see `sources`). Comments, docstrings and the numbers of lines change nothing.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import itertools
import sys
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from epcg_core.base.errors import EpcgError
from epcg_core.domain import callables_of, resolve
from epcg_core.plugins.sources import LABEL_OF_CODE, LEFT_OUT, NO_DIGEST, file_of

_MARKS = frozenset({
    "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__",
    "__static_attributes__", "__abstractmethods__", "_abc_impl", "__annotate__", "__annotate_func__",
    "__annotations_cache__",
})  # fmt: skip
"""Attributes of a class that say nothing of what it does."""
_PLAIN = (type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes)


def code_of(info: Any, made_by_file: bool) -> tuple[frozenset[str], dict[str, str]]:
    """Find the code behind the parts of a descriptor.

    Args:
        info: The descriptor.
        made_by_file: Whether a file registered it, which then determines the values in closures and objects.

    Returns:
        The modules that define the code, and the digest of each part's code without a file by its name. Code
        of which no digest can be made has another one each time.
    """
    modules, digests = set[str](), dict[str, str]()
    for value in callables_of(info):
        if isinstance(value, str):
            module, _, name = value.partition(":")
            modules.add(module)
            if not _may_be_without_file(module):
                continue
            try:
                found: Any = resolve(value)
            except EpcgError:  # planning reports it
                continue
        else:
            found, name = value, getattr(value, "__qualname__", type(value).__qualname__)
            module = _home_of(value) or _home_of(type(value))
            modules.add(module)
        reached = _Reached()
        try:
            reached.walk(found)
        except RecursionError:
            reached.unknown = True
        modules |= reached.modules
        if reached.without_file or (reached.given and not made_by_file):
            label = f"{LABEL_OF_CODE}{module}.{name}"
            digest = f"{NO_DIGEST}{uuid.uuid4()}" if reached.unknown else reached.digest.hexdigest()
            digests[label] = _joined(digests.get(label), digest)
    return frozenset(modules), digests


def _joined(one: str | None, other: str) -> str:
    """Return the digest of two parts of one name: of lambdas, say."""
    for each in (one, other):
        if each is not None and each.startswith(NO_DIGEST):
            return each
    return other if one is None else hashlib.sha256(f"{one} {other}".encode()).hexdigest()


def _home_of(found: object) -> str:
    """Return the module of a class or function; '' if it does not say, as some classes of libraries."""
    home = getattr(found, "__module__", None)
    return home if isinstance(home, str) else ""


def _may_be_without_file(module: str) -> bool:
    return module in sys.modules and file_of(module) is None and not _is_left_out(module)


def _is_left_out(module: str) -> bool:
    return module.partition(".")[0] in LEFT_OUT and module != "__main__"


class _Reached:
    """The code that a part can reach: a digest of the code without a file, and the modules of the rest."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.modules = set[str]()
        self.without_file = False
        """Whether any of the code has no file."""
        self.given = False
        """Whether values were digested that were given to code: in closures, and in objects."""
        self.unknown = False
        """Whether a value has no digest."""
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []
        """Every object that was numbered, so that no other gets its id."""

    def walk(self, value: Any) -> None:
        """Digest a value, and what it refers to."""
        kind = type(value)
        if kind in _PLAIN:
            self._feed(f"{kind.__name__} {value!r}")
            return
        if id(value) in self._numbers:
            self._feed(f"again {self._numbers[id(value)]}")
            return
        self._numbers[id(value)] = len(self._numbers)
        self._kept.append(value)
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, ModuleType):
            self._module(value, ())
        elif isinstance(value, CodeType):
            self._code(value, None)
        elif isinstance(value, MethodType):
            self._each("method", (value.__func__, value.__self__))
        elif isinstance(value, (staticmethod, classmethod)):
            self._each(kind.__name__, (value.__func__,))
        elif isinstance(value, property):
            self._each("property", (value.fget, value.fset, value.fdel))
        elif isinstance(value, functools.cached_property):
            self._each("cached_property", (value.func,))
        elif isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
            self._feed(f"attribute {value.__name__}")
        elif isinstance(value, CellType):
            try:
                self.walk(value.cell_contents)
            except ValueError:  # not yet assigned
                self._feed("empty")
        elif isinstance(value, BuiltinFunctionType):
            owner = value.__self__
            self._each(f"builtin {value.__name__}", () if isinstance(owner, ModuleType | None) else (owner,))
        elif kind in (tuple, list):
            self._each(kind.__name__, value)
        elif kind in (dict, MappingProxyType):
            self._each("dict", itertools.chain.from_iterable(value.items()))
        elif kind in (set, frozenset):
            self._feed(repr((kind.__name__, sorted(self._apart(item) for item in value))))
        elif callable(wrapped := getattr(value, "__wrapped__", None) or getattr(value, "py_func", None)):
            # a decorated function: by `functools.cache`, say, or by numba
            settings = sorted(getattr(value, "targetoptions", {}).items())
            self._each(f"{_home_of(kind)}.{kind.__qualname__} {settings!r}", (wrapped,))
        else:
            self._object(value)

    def _each(self, what: str, values: Iterable[Any]) -> None:
        values = list(values)
        self._feed(f"{what} of {len(values)}")
        for value in values:
            self.walk(value)

    def _apart(self, item: Any) -> str:
        """Return the digest of an item whose place among the others is left to chance."""
        found = _Reached()
        found.walk(item)
        self.modules |= found.modules
        self.without_file |= found.without_file
        self.given |= found.given
        self.unknown |= found.unknown
        return found.digest.hexdigest()

    def _feed(self, part: str | bytes) -> None:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        self.digest.update(b"%d:" % len(data))
        self.digest.update(data)

    def _function(self, function: FunctionType) -> None:
        self._feed(f"function {function.__qualname__}")
        home = function.__globals__.get("__name__")
        if isinstance(home, str) and _holds(home, function.__code__):
            self.modules.add(home)
            self._feed(home)
        else:
            self.without_file = True
            self._code(function.__code__, function.__doc__)
            self._globals(function)
        bound = (*(function.__closure__ or ()), function.__defaults__, function.__kwdefaults__)
        if hasattr(function, "__wrapped__"):  # by a decorator; `functools.singledispatch` has a registry
            bound = (*bound, function.__wrapped__, getattr(function, "registry", None))
        if not any(value is not None for value in bound):
            return
        if _is_left_out(str(home)) and not hasattr(function, "__wrapped__"):
            return  # what a decorator of a library wraps is the user's, the rest is the library's own
        self.given |= function.__closure__ is not None
        self._each("bound", bound)

    def _globals(self, function: FunctionType) -> None:
        codes = list(_codes(function.__code__))
        attributes = tuple(dict.fromkeys(name for code in codes for name in code.co_names))
        for code in codes:
            imported = ""
            for step in dis.get_instructions(code):
                if step.opname == "IMPORT_NAME":
                    imported = str(step.argval)
                    self._import(imported)
                elif step.opname == "IMPORT_FROM":
                    self._import(f"{imported}.{step.argval}")
                elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in function.__globals__:
                    value = function.__globals__[step.argval]
                    self._feed(str(step.argval))
                    if isinstance(value, ModuleType):
                        self._module(value, attributes)
                    else:
                        self.walk(value)

    def _import(self, module: str) -> None:
        if file_of(module) is not None:
            self.modules.add(module)
        elif _may_be_without_file(module):
            self._module(sys.modules[module], ())

    def _module(self, module: ModuleType, names: tuple[str, ...]) -> None:
        """Digest attributes of a module without a file: those among `names`, all if none are given."""
        name = module.__name__
        self._feed(f"module {name}")
        if _is_left_out(name):
            return
        has_file = file_of(name) is not None and sys.modules.get(name) is module
        if has_file:
            self.modules.add(name)
        else:
            self.without_file = True
        for attribute in names or (() if has_file else sorted(vars(module))):
            value = vars(module).get(attribute)
            if attribute.startswith("__") or id(value) in self._numbers:
                continue
            if isinstance(value, ModuleType):
                self._numbers[id(value)] = len(self._numbers)
                self._kept.append(value)
                self._module(value, names)
            elif attribute in vars(module) and (not has_file or isinstance(value, FunctionType)):
                self._feed(attribute)
                self.walk(value)

    def _code(self, code: CodeType, doc: str | None) -> None:
        from epcg_core.compiled.ingredients import code_tokens  # numba, which most parts do not need

        for token in code_tokens(code, doc):
            self._feed(token)

    def _class(self, found: type) -> None:
        self._feed(f"class {found.__qualname__}")
        home = _home_of(found)
        if _is_left_out(home) or home == "builtins":
            self._feed(home)
            return
        if file_of(home) is not None and not any(map(_is_strange, _functions(found))):
            self.modules.add(home)
            self._feed(home)
            return
        self.without_file = True
        self._each("bases", (type(found), *found.__bases__))
        for name, value in vars(found).items():
            if name not in _MARKS:
                self._feed(name)
                self.walk(value)

    def _object(self, value: Any) -> None:
        """Digest any other object by its type, and by what a copy of it would be made of."""
        self.walk(type(value))
        try:
            made = value.__reduce_ex__(4)
        except Exception:  # a class's own pickling may raise anything
            self.unknown = True
            return
        if isinstance(made, str):
            self._feed(made)
            return
        function, arguments, *rest = made
        state, listed, items = (*rest, None, None, None)[:3]
        self.given = True
        if function is not copyreg.__newobj__:  # type: ignore[attr-defined]
            self.walk(function)
        self.walk(arguments)
        self.walk(state)
        self._each("items", listed or ())
        self._each("pairs", itertools.chain.from_iterable(items or ()))


def _holds(module: str, code: CodeType) -> bool:
    """Return whether the module's file, or a library whose version counts, holds a function."""
    if _is_left_out(module):
        return True
    file = file_of(module)
    return file is not None and (file.suffix != ".py" or _same(code.co_filename, file))


@functools.cache
def _same(name: str, file: Path) -> bool:
    return name == str(file) or Path(name).resolve() == file.resolve()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _functions(found: type) -> Iterator[FunctionType]:
    """Yield the functions in the body of a class: none that `attrs`, `dataclasses` or `namedtuple` wrote."""
    writes = any(hasattr(found, mark) for mark in ("__attrs_attrs__", "__dataclass_fields__", "_fields"))
    for name, value in vars(found).items():
        inner = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
        if isinstance(inner, FunctionType) and not (writes and name.startswith("__")):
            yield inner


def _is_strange(function: FunctionType) -> bool:
    """Return whether a function in a class of a module with a file has itself no file."""
    name = function.__code__.co_filename
    return name.startswith("<") or not (Path(name).is_file() or ".zip" in name)
