"""Kernels that other kernels call: code that is linked into their callers and never runs by itself.

Numba makes machine code and a wrapper for Python of every function that it compiles. A kernel that only other
kernels call needs neither, because they contain it: without, a query's kernels compile in 8.6 instead of 10.5
CPU seconds (numba 0.68, the 62 kernels of `make demo`). They are still optimized before their callers are:
without that they compiled in 7.2 to 8, but ran up to a third slower.
"""

from __future__ import annotations

from typing import Any, Self

import llvmlite.binding as llvm
from numba.core import codegen, compiler, dispatcher, environment

KIND = "inner"
"""The kind of such an entry of the cache, beside numba's 'object' and 'bitcode'."""
_ENVIRONMENT = "_ZN08NumbaEnv"
_JITCodeLibrary: Any = codegen.JITCodeLibrary
_compiler: Any = compiler
_dispatcher: Any = dispatcher
_environment: Any = environment


class InnerLibrary(_JITCodeLibrary):  # type: ignore[misc]
    """Code for callers to link; numba's engine, which makes machine code, never sees it."""

    @classmethod
    def of_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> Self:
        """Make a library of what `bitcode` returned."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library

    def bitcode(self) -> bytes:
        """Return the code as bytes."""
        self._ensure_finalized()
        found: bytes = self._final_module.as_bitcode()
        return found

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class KernelCompiler(_dispatcher._FunctionCompiler):  # type: ignore[misc]
    """Compiles a kernel; while `inner` is true, as code for callers to link."""

    inner = False

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = flags.no_compile = self.inner
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        if not self.inner:
            return super()._compile_core(args, return_type)
        context, flags = self.targetdescr.target_context, _compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        result = _compiler.compile_extra(
            self.targetdescr.typing_context, context, self.py_func, args=args, return_type=return_type,
            flags=self._customize_flags(flags), locals=self.locals,
            library=InnerLibrary(context.codegen(), self.py_func.__qualname__),
            pipeline_class=self.pipeline_class,
        )  # fmt: skip
        return _insert(context, result)


def is_inner(result: Any) -> bool:
    """Return whether the result of compiling is code for callers alone."""
    return isinstance(result.library, InnerLibrary)


def reduced(result: Any) -> tuple[Any, ...]:
    """Return what `rebuilt` takes, of values that can be pickled."""
    descriptor = result.fndesc
    descriptor.typemap = descriptor.calltypes = None
    library = (result.library.name, KIND, result.library.bitcode())
    environments = tuple(result._find_referenced_environments())
    return (library, descriptor, result.environment, result.signature, result.objectmode, result.lifted,
            str(result.type_annotation), result.reload_init, environments)  # fmt: skip


def rebuilt(context: Any, state: tuple[Any, ...]) -> Any:
    """Make the result of compiling that `reduced` was given."""
    library, descriptor, environment, signature, objectmode, lifted, annotation, reload_init, others = state
    for function in reload_init:
        function()
    name, _, bitcode = library
    return _compiler.CompileResult(
        typing_context=context.typing_context, target_context=context, entry_point=_EntryPoint(),
        typing_error=None, type_annotation=annotation, signature=signature, objectmode=objectmode,
        lifted=lifted, fndesc=descriptor, library=InnerLibrary.of_bitcode(context.codegen(), name, bitcode),
        call_helper=None, environment=environment, metadata=None, reload_init=reload_init,
        referenced_envs=list(others),
    )  # fmt: skip


def set_environments(result: Any) -> None:
    """Tell machine code where the environments of its kernels are, also of those that are linked into it."""
    names = [variable.name for variable in result.library._final_module.global_variables]
    found = {name: _environment.lookup_environment(name) for name in names if name.startswith(_ENVIRONMENT)}
    for name, each in found.items():
        if each is not None:
            result.codegen.set_env(name, each)
    result.library.environments = found  # kept as long as the machine code, which only has their addresses


class _EntryPoint:
    """Placeholder entry point of an inner kernel."""


def _insert(context: Any, result: Any) -> Any:
    """Let callers find an inner kernel."""
    result = result._replace(entry_point=_EntryPoint())
    context.insert_user_function(result.entry_point, result.fndesc, [result.library])
    return result
