"""Functions that numba compiles into a kernel although the kernel's bytecode does not call them.

Ufuncs, intrinsics, C callbacks and jitclasses wrap functions of their own (`functions_of`). An overload, or
the typing or lowering of numba's low-level interface, implements a function, method, attribute or operator
of another library, and numba finds it in its registries (`extensions`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import cache
from types import FunctionType
from typing import Any, cast

from numba import extending
from numba.core import imputils
from numba.core.typing import templates

_OPERATORS = frozenset(vars(operator))
"""Names of the functions that operators stand for, which bytecode does not name."""


def functions_of(value: Any) -> tuple[str, list[FunctionType]] | None:
    """Return (settings, functions) of an object that numba compiles; None if it is not one."""
    if isinstance(value, FunctionType):
        return None
    described = getattr(value, "class_type", None)
    if isinstance(value, type) and hasattr(described, "jit_methods"):
        return _of_jitclass(described)
    if isinstance(value, type):
        return None
    wrapped = value._defn if type(value) is cast(Any, extending)._Intrinsic else None
    for holder in (value, getattr(value, "_dispatcher", None), getattr(value, "gufunc_builder", None)):
        for name in ("py_func", "_pyfunc"):
            wrapped = wrapped or getattr(holder, name, None)
    if not isinstance(wrapped, FunctionType):
        return None
    options = getattr(value, "targetoptions", None) or getattr(
        getattr(value, "_dispatcher", None), "targetoptions", {}
    )
    builder = getattr(value, "gufunc_builder", None)
    return repr((sorted(options.items()), getattr(builder, "signature", None))), [wrapped]


def _of_jitclass(described: Any) -> tuple[str, list[FunctionType]]:
    methods = {**described.jit_methods, **described.jit_static_methods}
    for name, accessors in described.jit_props.items():
        methods |= {f"{name}.{kind}": accessor for kind, accessor in accessors.items()}
    fields = [(name, str(type)) for name, type in described.struct.items()]
    return repr((described.class_name, fields, sorted(methods))), [
        methods[name].py_func for name in sorted(methods)
    ]


def extensions(names: frozenset[str]) -> Iterator[tuple[str, FunctionType]]:
    """Yield (name, implementation) of what libraries other than numba registered for `names` or operators.

    The name is that of a function, method or attribute; the order is that of registration.
    """
    typing, lowering = cast(Any, templates).builtin_registry, cast(Any, imputils).builtin_registry
    lists = (typing.functions, typing.attributes, lowering.functions, lowering.getattrs, lowering.setattrs)
    for registered, functions in _registered(tuple(map(len, lists))):
        if registered in names or registered in _OPERATORS:
            for function in functions:
                yield registered, function


@cache
def _registered(sizes: tuple[int, ...]) -> list[tuple[str, list[FunctionType]]]:
    """Return (name, functions) of each extension; `sizes` are those of the registries, which only grow."""
    typing, lowering = cast(Any, templates).builtin_registry, cast(Any, imputils).builtin_registry
    every = []
    for template in (*typing.functions, *typing.attributes):
        found = (getattr(template, "_overload_func", None), *vars(template).values())
        # `key` is what is implemented: numpy's `ones`, say, whose own code is never compiled
        own = [f for f in found if isinstance(f, FunctionType) and f is not template.key and not _of_numba(f)]
        if own:
            every.append((getattr(template, "_attr", None) or _name(template.key), own))
    for implementation, key, *_ in (*lowering.functions, *lowering.getattrs, *lowering.setattrs):
        if isinstance(implementation, FunctionType) and not _of_numba(implementation):
            every.append((_name(key), [implementation]))
    return every


def _name(key: Any) -> str:
    return key if isinstance(key, str) else getattr(key, "__name__", str(key))


def _of_numba(function: FunctionType) -> bool:
    """Tell whether numba itself defines a function and the functions that it closes over."""
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    functions = (function, *(value for value in cells if isinstance(value, FunctionType)))
    return all(str(f.__globals__.get("__name__")).partition(".")[0] == "numba" for f in functions)
