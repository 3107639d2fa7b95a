"""Digests of kernels: their bytecode, that of all functions they call, and their constants.

Numba compiles the bytecode that is in memory and freezes the global values that it reads. So exactly these
are digested, followed from function to function through any module: of the core, of a plugin, or of a library
that a plugin uses. Numba also compiles functions that are not called by name: those of ufuncs, intrinsics and
jitclasses, and overloads, which it finds by the name of what they implement (`extensions`). A comment, a
docstring or a function that no kernel calls changes nothing; a constant does, also if it was computed from a
file. No source file is read, so an edit after the import cannot mislead.
"""

from __future__ import annotations

import enum
import hashlib
import pickle
import re
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from epcg_core.compiled.extensions import extensions, functions_of

_VERSIONED = frozenset({"numpy", "numba", "llvmlite"}) | sys.stdlib_module_names
"""Packages whose versions tell their contents apart."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)


class UnknownValueError(Exception):
    """A kernel reads a value of which no digest can be made."""


Memo = dict[FunctionType, tuple[bytes, tuple[FunctionType, ...]]]
"""function -> (digest without the functions that it calls, those functions)"""


def digest_of(function: FunctionType, memo: Memo) -> str:
    """Digest what the compiled code of a function depends on, apart from versions and the types of arguments.

    Args:
        function: The function to compile.
        memo: Digests of single functions, from earlier calls; new ones are added.

    Raises:
        UnknownValueError: The function, or one that it calls, reads a value that cannot be digested.
    """
    digest = hashlib.sha256()
    places = {function: 0}
    todo = [function]
    for caller in todo:  # which grows
        if caller not in memo:
            memo[caller] = _local(caller)
        local, callees = memo[caller]
        digest.update(local)
        for callee in callees:
            if callee not in places:
                places[callee] = len(todo)
                todo.append(callee)
            digest.update(b"%d," % places[callee])
    return digest.hexdigest()


def _local(function: FunctionType) -> tuple[bytes, tuple[FunctionType, ...]]:
    callees: list[FunctionType] = []
    code = function.__code__
    digest = hashlib.sha256(f"{function.__module__}.{function.__qualname__}".encode())
    for part in code_tokens(code, function.__doc__):
        _feed(digest, part)
    names = tuple(_names(code))
    variables = function.__globals__
    frozen = [(name, variables[name]) for name in dict.fromkeys(names) if name in variables]
    frozen += zip(code.co_freevars, function.__closure__ or (), strict=True)
    frozen += [("defaults", function.__defaults__), ("keywords", function.__kwdefaults__)]
    for name, value in frozen:
        _feed(digest, name)
        for part in _value(value, names, callees):
            _feed(digest, part)
    for name, implementation in extensions(frozenset(names)):
        _feed(digest, f"{name} is implemented by")
        callees.append(implementation)
    return digest.digest(), tuple(callees)


def _feed(digest: Any, part: str | bytes) -> None:
    data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
    digest.update(b"%d:" % len(data))
    digest.update(data)


def code_tokens(code: CodeType, doc: str | None) -> Iterator[str | bytes]:
    """Yield the tokens of a code object that affect its results, without file, lines and docstring."""
    yield code.co_code
    yield getattr(code, "co_exceptiontable", b"")
    yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    for index, constant in enumerate(code.co_consts):
        if index == 0 and doc is not None and constant == doc:
            yield "docstring"
        elif isinstance(constant, CodeType):
            yield from code_tokens(constant, None)
        else:
            yield from _value(constant, (), [])


def _names(code: CodeType) -> Iterator[str]:
    """Return every name that may be a global or an attribute, inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value(value: Any, names: tuple[str, ...], callees: list[FunctionType]) -> Iterator[str | bytes]:
    """Yield tokens that identify a frozen value; append functions among the values to `callees`.

    Only those attributes of a module count that are among `names`.
    """
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}"
    if (compiled := functions_of(value)) is not None:
        settings, functions = compiled
        callees += functions
        yield settings
    elif isinstance(value, FunctionType):
        callees.append(value)
    elif kind in _PLAIN:
        yield repr(value)
    elif isinstance(value, enum.Enum):
        yield value.name
        yield from _value(value.value, (), callees)
    elif isinstance(value, (tuple, list)):
        yield repr((len(value), getattr(value, "_fields", None)))
        for item in value:
            yield from _value(item, names, callees)
    elif isinstance(value, (set, frozenset)):
        yield from sorted(repr([*_value(item, (), callees)]) for item in value)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _value(key, names, callees)
            yield from _value(item, names, callees)
    elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        flags = value.flags
        yield repr((value.dtype.descr, value.shape, flags.c_contiguous, flags.f_contiguous, flags.aligned))
        yield value.tobytes()
    elif isinstance(value, np.dtype):
        yield repr((value.descr, value.itemsize, value.alignment))
    elif isinstance(value, CellType):
        yield from _value(value.cell_contents, names, callees)
    elif isinstance(value, ModuleType):
        yield from _module(value, names, callees, set())
    elif isinstance(value, type):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
        if issubclass(value, enum.Enum):
            for member in value:
                yield from _value(member, (), callees)
    elif isinstance(value, BuiltinFunctionType) or _versioned(kind.__module__):
        yield _ADDRESS.sub("", repr(value))
    else:
        try:
            yield pickle.dumps(value, 4)
        except Exception as error:  # a class's own pickling may raise anything
            raise UnknownValueError(f"{kind.__name__} {value!r}") from error


def _module(
    module: ModuleType, names: tuple[str, ...], callees: list[FunctionType], known: set[ModuleType]
) -> Iterator[str | bytes]:
    """Yield tokens of the attributes of a module that are among `names`, through modules not yet `known`."""
    yield module.__name__
    if module in known or _versioned(module.__name__):
        return
    known.add(module)
    for name in dict.fromkeys(names):
        if name in vars(module):
            found = vars(module)[name]
            yield name
            if isinstance(found, ModuleType):
                yield from _module(found, names, callees, known)
            else:
                yield from _value(found, names, callees)


def _versioned(module: str) -> bool:
    return module.partition(".")[0] in _VERSIONED
