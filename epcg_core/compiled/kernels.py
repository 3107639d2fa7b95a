"""Kernels with a cache of their own, built on parts of numba that it does not publish.

The package says why. Where numba has changed one of these parts, importing this module fails, and kernels are
those of numba's own `njit`.
"""

from __future__ import annotations

import logging
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import errors, event, serialize, sigutils
from numba.core.caching import FunctionCache, _Cache
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys

from epcg_core.compiled import entries, ingredients, inner

config: Any = numba.config  # numba's own types are incomplete
signatures: Any = sigutils

F = TypeVar("F", bound=Callable[..., Any])

_logger = logging.getLogger(__package__)
_SILENT_FOR_S = 2.0
_COMPILING = "Compiling, once: the next start takes the compiled code from the cache."
_FORMAT = 1
"""To be raised when entries are written in another way."""


class _Announcement(event.Listener):
    """Log, once, that this process compiles, when it has done so for two seconds.

    Kernels that others call are compiled inside their callers, so that starts and ends come often.
    """

    def __init__(self) -> None:
        self.told = False
        self._depth = 0
        self._since = self._cpu_since = 0.0
        self._before_s = 0.0
        self.cpu_seconds = 0.0
        """CPU seconds of compiling, until the last kernel that is finished."""

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._since, self._cpu_since = time.perf_counter(), time.thread_time()
        self._depth += 1
        self._tell()

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        self._tell()
        if self._depth == 0:
            self._before_s += time.perf_counter() - self._since
            self.cpu_seconds += time.thread_time() - self._cpu_since

    def _tell(self) -> None:
        if not self.told and self._before_s + time.perf_counter() - self._since > _SILENT_FOR_S:
            self.told = True
            _logger.info(_COMPILING)


_announcement = _Announcement()
cast(Any, event).register("numba:compile", _announcement)


def compile_seconds() -> float:
    """Return the CPU seconds that this process has compiled, until the last kernel that is finished."""
    return _announcement.cpu_seconds


class _KernelCache(_Cache):
    """The compiled code of one kernel on disk."""

    _memo: ClassVar[ingredients.Memo] = {}

    def __init__(self, kernel: _Kernel) -> None:
        self._function = cast(FunctionType, kernel.py_func)
        self._options = repr(sorted(kernel.targetoptions.items()))
        self._fetched: dict[Any, bytes] = {}

    @property
    def cache_path(self) -> str:
        return str(entries.cache_folder())

    def fetch(self, signature: Any, name: str | None) -> bool:
        """Read the code for a signature, for `load_overload` to load. Returns whether it is there."""
        found = None if name is None else entries.read(name)
        if found is not None:
            self._fetched[signature] = found
        return found is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        content = self._fetched.pop(sig, None)
        if content is None:
            return None
        rtsys.initialize(target_context)  # what compiled code needs of numba; the rest serves to compile
        state = pickle.loads(content)
        if state[0][1] == inner.KIND:
            return inner.rebuilt(target_context, state)
        return cast(Any, CompileResult)._rebuild(target_context, *state)

    def save_overload(self, sig: Any, data: Any) -> None:
        # Digested again, because a constant may have changed since (in a test, say).
        for_callers = inner.is_inner(data)
        name = self.name(sig, data.codegen, for_callers, {})
        if name is not None and not data.lifted:
            state = inner.reduced(data) if for_callers else data._reduce()  # which finishes the library
            if not data.library.has_dynamic_globals:
                entries.write(name, cast(Any, serialize).dumps(state))

    def name(
        self, signature: Any, codegen: Any, for_callers: bool, memo: ingredients.Memo | None = None
    ) -> str | None:
        """Return the file name of an entry, of code that runs or for callers alone.

        Returns:
            The name, or None if the kernel reads what cannot be digested.
        """
        try:
            made_of = ingredients.digest_of(self._function, self._memo if memo is None else memo)
        except ingredients.UnknownValueError as error:
            _logger.info("%s is compiled by every process: it reads %s.", self._function.__qualname__, error)
            return None
        arguments, result = signatures.normalize_signature(signature)
        types = ", ".join(map(_type_text, arguments))
        kind = inner.KIND if for_callers else ""
        versions = (_FORMAT, _versions(), codegen.magic_tuple())
        parts = (*versions, self._options, types, str(result), kind, made_of)
        readable = f"{self._function.__module__}.{self._function.__qualname__}"
        return entries.name_of(readable, repr(parts))

    def enable(self) -> None:
        """Do nothing: this cache is always enabled."""

    def disable(self) -> None:
        """Do nothing: this cache is always enabled."""

    def flush(self) -> None:
        """Do nothing: entries are never out of date."""


def _type_text(type: Any) -> str:
    """Return a string that identifies a numba type, with the fields of named tuples."""
    parts, known = [str(type)], cast(Any, numba.types)
    if isinstance(type, known.BaseNamedTuple):
        kind = type.instance_class
        parts.append(f"{kind.__module__}.{kind.__qualname__}{type.fields}")
    if isinstance(type, known.BaseTuple):
        parts += map(_type_text, type.types)
    return " ".join(parts)


def _versions() -> tuple[object, ...]:
    settings = (config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT,
                config.LOOP_VECTORIZE, config.SLP_VECTORIZE)  # fmt: skip
    python = (sys.implementation.cache_tag, sys.version_info[:3], sys.maxsize)
    return (*python, numba.__version__, llvmlite.__version__, np.__version__, str(settings))


@contextmanager
def _without_numbas_cache() -> Iterator[None]:
    """Compile what a library of kernels keeps in numba's own cache, where it may be stale."""
    kept: Any = FunctionCache
    load = kept.load_overload
    kept.load_overload = lambda self, sig, target_context: None
    try:
        yield
    finally:
        kept.load_overload = load


class _Kernel(CPUDispatcher):
    """A compiled function whose code is found in the cache, or compiled while no other process does it."""

    _compiling: ClassVar[int] = 0
    """How many kernels are being compiled, each called by the one before."""

    def enable_caching(self) -> None:
        self._cache = _KernelCache(self)
        self._compiler = inner.KernelCompiler(
            self.py_func, self.targetdescr, self.targetoptions, self.locals, Compiler
        )

    def compile(self, sig: Any) -> Any:
        """Compile a signature, for callers alone if another kernel is being compiled, which calls it."""
        arguments, _ = signatures.normalize_signature(sig)
        with global_compiler_lock:
            for_callers = _Kernel._compiling > 0
            known = self.overloads.get(tuple(arguments))
            if known is not None and (for_callers or not inner.is_inner(known)):
                return cast(Any, known).entry_point
            self.overloads.pop(tuple(arguments), None)
            codegen = cast(Any, self.targetctx).codegen()
            name = self._cache.name(sig, codegen, for_callers)
            if self._cache.fetch(sig, name) or (
                for_callers and self._cache.fetch(sig, self._cache.name(sig, codegen, False))
            ):
                return super().compile(sig)
            entries.may_compile()
            with nullcontext() if name is None else entries.compile_lock(name):
                self._cache.fetch(sig, name)  # another process may have compiled it in the meantime
                return self._compile(sig, for_callers)

    def _compile(self, sig: Any, for_callers: bool) -> Any:
        before, self._compiler.inner = self._compiler.inner, for_callers
        _Kernel._compiling += 1
        try:
            with _without_numbas_cache():
                entry_point = super().compile(sig)
        finally:
            _Kernel._compiling -= 1
            self._compiler.inner = before
        if not for_callers:
            inner.set_environments(self.overloads[tuple(signatures.normalize_signature(sig)[0])])
        return entry_point

    def add_overload(self, cres: Any) -> None:
        if inner.is_inner(cres):
            self.overloads[tuple(cres.signature.args)] = cres  # nothing that Python can call
        else:
            super().add_overload(cres)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call in another kernel: `f(0)` is `f(an integer)`, not a specialisation for 0."""
        unliteral = cast(Any, numba.types).unliteral
        plain = tuple(map(unliteral, args)), {name: unliteral(type) for name, type in kws.items()}
        try:
            return super().get_call_template(*plain)
        except errors.ForceLiteralArg:  # it is one that can only be compiled for a literal
            return super().get_call_template(args, kws)


def compiled(function: F, **options: Any) -> F:
    """Compile a function of which no other process has left the code, when it is first called."""
    # Nothing calls kernels by the convention of C: without that wrapper they compile 5 % faster.
    options |= {"nogil": True, "nopython": True, "boundscheck": None, "no_cfunc_wrapper": True}
    kernel = _Kernel(py_func=function, locals={}, targetoptions=options)
    kernel.enable_caching()
    return cast(F, kernel)
