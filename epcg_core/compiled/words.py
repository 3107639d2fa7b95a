"""Functions on 64-bit words, written in a small part of Python and compiled by LLVM alone.

For kernels that a program writes, with thousands of operations in a row: numba takes milliseconds for each
statement, LLVM a few microseconds. A source is a module of functions. Every value is an unsigned 64-bit word;
an argument annotated `words` or `bytes` is an array. There are assignments, also of what a call of an earlier
function returns, `if`, `while`, `for .. in range(..)`, `break`, `return` (of one word or of several), and the
operators of integers, of bits and of comparison; `and` and `or` look at both sides. `lowest(x)` is the number
of the lowest bit of x, which must not be 0. The last function is the kernel: others are inlined, if LLVM
likes; one that is decorated with `@apart` is not. Nothing is checked: indices must lie in the arrays, and
shifts be smaller than 64.
"""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

ARRAYS = {"words": "i64", "bytes": "i8"}
_BINARY: Mapping[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv", ast.Mod: "urem", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "lshr",
}  # fmt: skip
_COMPARED: Mapping[type[ast.AST], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge",
}  # fmt: skip
_ALL = 2**64 - 1
_OPTIMIZED = 2


def intermediate_code(source: str) -> str:
    """Return the source in LLVM's own language. Raises TypeError for what is not of the small part."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    results: dict[str, int] = {}
    parts = ["declare i64 @llvm.cttz.i64(i64, i1)"]
    for function in functions:
        parts.append(_Function(function, results, function is functions[-1]).text())
    return "\n".join(parts) + "\n"


def compile_words(source: str) -> bytes:
    """Return the machine code of a source, an object file for this processor. Raises TypeError."""
    module = llvm.parse_assembly(intermediate_code(source))
    machine = _machine()
    options = llvm.create_pipeline_tuning_options(speed_level=_OPTIMIZED)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    found: bytes = machine.emit_object(module)
    return found


def identity() -> tuple[str, ...]:
    """Return what machine code depends on beside its source."""
    version = (llvmlite.__version__, str(llvm.llvm_version_info))
    return (*version, llvm.get_process_triple(), llvm.get_host_cpu_name(), _features())


class LoadedWords:
    """The last function of an object file, ready to be called with addresses of arrays and integers."""

    def __init__(self, code: bytes, function: str, arguments: int) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        address = self._engine.get_function_address(function)
        self.call: Callable[..., int] = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * arguments)(
            address
        )


@cache
def _features() -> str:
    found: str = llvm.get_host_cpu_features().flatten()
    return found


def _machine() -> Any:
    """Return a new target machine: an engine takes the one that it is given."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=_OPTIMIZED, jit=True
    )


def _known(words: Mapping[type[ast.AST], str], op: ast.AST) -> str:
    """Return LLVM's word for an operator. Raises TypeError if there is none."""
    if type(op) not in words:
        raise TypeError(f"{type(op).__name__} is not of the small part of Python.")
    return words[type(op)]


class _Function:
    """A function on its way to LLVM. Variables lie in memory; LLVM takes them to registers."""

    def __init__(self, node: ast.FunctionDef, results: dict[str, int], last: bool) -> None:
        self._node, self._results, self._last = node, results, last
        self._lines: list[str] = []
        self._variables: dict[str, str] = {}
        self._arrays: dict[str, str] = {}
        self._count = 0
        self._leave: list[str] = []

    def text(self) -> str:
        arguments = []
        for argument in self._node.args.args:
            kind = argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""
            if kind in ARRAYS:
                self._arrays[argument.arg] = ARRAYS[kind]
                arguments.append(f"ptr noalias %a.{argument.arg}")
            else:
                arguments.append(f"i64 %a.{argument.arg}")
                self._variable(argument.arg)
                self._line(f"store i64 %a.{argument.arg}, ptr %v.{argument.arg}")
        returned = [n.value for n in ast.walk(self._node) if isinstance(n, ast.Return)]
        sizes = {len(value.elts) if isinstance(value, ast.Tuple) else 1 for value in returned}
        if len(sizes) != 1:
            raise TypeError(f"{self._node.name} does not return as many words everywhere.")
        (size,) = sizes
        self._results[self._node.name] = size
        self._type = "i64" if size == 1 else "{ " + ", ".join(["i64"] * size) + " }"
        self._body(self._node.body)
        self._line("unreachable")
        rooms = [f"  {place} = alloca i64" for place in self._variables.values()]
        linkage = "" if self._last else "internal "
        decorators = [ast.unparse(each) for each in self._node.decorator_list]
        if decorators not in ([], ["apart"]):
            raise TypeError(f"@{decorators[-1]} is not of the small part of Python.")
        apart = " noinline" if decorators else ""
        head = f"define {linkage}{self._type} @{self._node.name}({', '.join(arguments)}){apart} {{"
        return "\n".join([head, "entry:", *rooms, *self._lines, "}"])

    def _line(self, text: str) -> None:
        self._lines.append("  " + text)

    def _new(self, text: str) -> str:
        self._count += 1
        self._line(f"%t.{self._count} = {text}")
        return f"%t.{self._count}"

    def _label(self) -> str:
        self._count += 1
        return f"b.{self._count}"

    def _start(self, label: str) -> None:
        self._lines.append(f"{label}:")

    def _jump(self, label: str) -> None:
        self._line(f"br label %{label}")

    def _variable(self, name: str) -> str:
        return self._variables.setdefault(name, f"%v.{name}")

    # statements

    def _body(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call):
                found = self._call(call)
                kind = "{ " + ", ".join(["i64"] * len(targets)) + " }"
                for number, target in enumerate(targets):
                    self._store(target, self._new(f"extractvalue {kind} {found}, {number}"))
            case ast.Assign(targets=[target], value=value):
                self._store(target, self._value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                loaded = self._value(ast.parse(ast.unparse(target), mode="eval").body)
                self._store(target, self._new(f"{_known(_BINARY, op)} i64 {loaded}, {self._value(value)}"))
            case ast.If(test=test, body=body, orelse=other):
                self._if(test, body, other)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]),
                body=body,
                orelse=[],
            ):
                self._for(name, stop, body)
            case ast.Break() if self._leave:
                self._jump(self._leave[-1])
                self._start(self._label())
            case ast.Return(value=value) if value is not None:
                self._return(value)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise TypeError(f"{ast.unparse(node)} is not of the small part of Python.")

    def _store(self, target: ast.expr, value: str) -> None:
        if isinstance(target, ast.Name):
            self._line(f"store i64 {value}, ptr {self._variable(target.id)}")
            return
        kind, place = self._place(target)
        if kind != "i64":
            value = self._new(f"trunc i64 {value} to {kind}")
        self._line(f"store {kind} {value}, ptr {place}")

    def _place(self, node: ast.expr) -> tuple[str, str]:
        """Return the type and the address of an entry of an array."""
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
            raise TypeError(f"{ast.unparse(node)} is not a variable and not an entry of an array.")
        if node.value.id not in self._arrays:
            raise TypeError(f"{node.value.id} is not an array.")
        kind = self._arrays[node.value.id]
        index = self._value(node.slice)
        return kind, self._new(f"getelementptr inbounds {kind}, ptr %a.{node.value.id}, i64 {index}")

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> None:
        then, after = self._label(), self._label()
        otherwise = self._label() if other else after
        self._line(f"br i1 {self._truth(test)}, label %{then}, label %{otherwise}")
        self._start(then)
        self._body(body)
        self._jump(after)
        if other:
            self._start(otherwise)
            self._body(other)
            self._jump(after)
        self._start(after)

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = self._label(), self._label(), self._label()
        self._jump(head)
        self._start(head)
        self._line(f"br i1 {self._truth(test)}, label %{inside}, label %{after}")
        self._start(inside)
        self._leave.append(after)
        self._body(body)
        self._leave.pop()
        self._jump(head)
        self._start(after)

    def _for(self, name: str, stop: ast.expr, body: Sequence[ast.stmt]) -> None:
        end, place = self._value(stop), self._variable(name)
        head, inside, after = self._label(), self._label(), self._label()
        self._line(f"store i64 0, ptr {place}")
        self._jump(head)
        self._start(head)
        here = self._new(f"load i64, ptr {place}")
        self._line(f"br i1 {self._new(f'icmp ult i64 {here}, {end}')}, label %{inside}, label %{after}")
        self._start(inside)
        self._leave.append(after)
        self._body(body)
        self._leave.pop()
        here = self._new(f"load i64, ptr {place}")
        self._line(f"store i64 {self._new(f'add i64 {here}, 1')}, ptr {place}")
        self._jump(head)
        self._start(after)

    def _return(self, value: ast.expr) -> None:
        found = "undef"
        if isinstance(value, ast.Tuple):
            for number, part in enumerate(value.elts):
                found = self._new(f"insertvalue {self._type} {found}, i64 {self._value(part)}, {number}")
        else:
            found = self._value(value)
        self._line(f"ret {self._type} {found}")
        self._start(self._label())

    # expressions

    def _value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value) if isinstance(value, int):
                return str(int(value) & _ALL)
            case ast.Name(id=name):
                if name not in self._variables:
                    raise TypeError(f"{name} is read before anything is assigned to it.")
                return self._new(f"load i64, ptr {self._variable(name)}")
            case ast.BinOp(left=left, op=op, right=right):
                first = self._value(left)
                return self._new(f"{_known(_BINARY, op)} i64 {first}, {self._value(right)}")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._new(f"xor i64 {self._value(operand)}, -1")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._new(f"sub i64 0, {self._value(operand)}")
            case ast.Subscript():
                kind, place = self._place(node)
                found = self._new(f"load {kind}, ptr {place}")
                return found if kind == "i64" else self._new(f"zext {kind} {found} to i64")
            case ast.IfExp(test=test, body=body, orelse=other):
                first, second = self._value(body), self._value(other)
                return self._new(f"select i1 {self._truth(test)}, i64 {first}, i64 {second}")
            case ast.Call():
                return self._call(node)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp():
                return self._new(f"zext i1 {self._truth(node)} to i64")
            case _:
                raise TypeError(f"{ast.unparse(node)} is not of the small part of Python.")

    def _truth(self, node: ast.expr) -> str:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                first = self._value(left)
                return self._new(f"icmp {_known(_COMPARED, op)} i64 {first}, {self._value(right)}")
            case ast.BoolOp(op=op, values=values):
                found = self._truth(values[0])
                for value in values[1:]:
                    word = "and" if isinstance(op, ast.And) else "or"
                    found = self._new(f"{word} i1 {found}, {self._truth(value)}")
                return found
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._new(f"xor i1 {self._truth(operand)}, true")
            case ast.Constant(value=value):
                return "true" if value else "false"
            case _:
                return self._new(f"icmp ne i64 {self._value(node)}, 0")

    def _call(self, node: ast.Call) -> str:
        """Return what a call of an earlier function returns: a word, or several together."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if node.keywords or name not in {"lowest", *self._results} or name == self._node.name:
            raise TypeError(f"{ast.unparse(node)} calls no earlier function.")
        if name == "lowest":
            return self._new(f"call i64 @llvm.cttz.i64(i64 {self._value(node.args[0])}, i1 true)")
        arguments = []
        for argument in node.args:
            if isinstance(argument, ast.Name) and argument.id in self._arrays:
                arguments.append(f"ptr %a.{argument.id}")
            else:
                arguments.append(f"i64 {self._value(argument)}")
        size = self._results[name]
        kind = "i64" if size == 1 else "{ " + ", ".join(["i64"] * size) + " }"
        return self._new(f"call {kind} @{name}({', '.join(arguments)})")
