"""The digest of what a kernel is made of: it sees whatever numba compiles or freezes, and nothing else."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from epcg_core.compiled import njit
from epcg_core.compiled.ingredients import UnknownValueError, digest_of
from tests.forks.forked import python_forked

SOURCE = '''
import enum
import math
from collections import namedtuple
import numpy as np
from epcg_core.compiled import njit
import ingredients_library as library
from ingredients_library import STEP

class Side(enum.IntEnum):
    LEFT = 1
    RIGHT = 2

Point = namedtuple("Point", "x y")
ORIGIN = Point(0, 0)
TABLE = np.arange(6)
WEIGHTS = (1.0, 2.0)
LIMIT = 7

@njit
def leaf(x):
    return x + LIMIT

@njit
def recursive(x):
    """A docstring."""
    if x <= 0:
        return leaf(x)
    return recursive(x - 1)

@njit
def kernel(x, factor=2):
    """A docstring."""
    found = recursive(x) * factor + TABLE[0] + int(WEIGHTS[0]) + Side.LEFT + ORIGIN.x
    return found + STEP + library.SHIFT + sum([y + 1 for y in range(3)]) + int(math.floor(np.float64(x)))

@njit
def unused(x):
    return x
'''
LIBRARY = "STEP = 4\nSHIFT = 5\nUNUSED = 6\n"


def load(source: str = SOURCE, library: str = LIBRARY) -> ModuleType:
    found = ModuleType("ingredients_library")
    exec(library, vars(found))
    sys.modules["ingredients_library"] = found
    module = ModuleType("ingredients_kernels")
    exec(compile(source, "ingredients_kernels.py", "exec"), vars(module))
    return module


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    sys.modules.pop("ingredients_library", None)


def digest(module: ModuleType, name: str = "kernel") -> str:
    return digest_of(vars(module)[name].py_func, {})


def test_the_same_source_has_the_same_digest() -> None:
    assert digest(load()) == digest(load())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return x + LIMIT", "return x - LIMIT"),
        ("LIMIT = 7", "LIMIT = 8"),
        ("LIMIT = 7", "LIMIT = 7.0"),
        ("LIMIT = 7", "LIMIT = True"),
        ("x <= 0", "x <= 1"),
        ("LEFT = 1", "LEFT = 3"),
        ('"x y"', '"y x"'),
        ("np.arange(6)", "np.arange(7)"),
        ("np.arange(6)", "np.arange(6, dtype=np.int32)"),
        ("np.arange(6)", "np.arange(12)[::2]"),
        ("(1.0, 2.0)", "(1.0, -2.0)"),
        ("(1.0, 2.0)", "(1, 2.0)"),
        ("factor=2", "factor=3"),
        ("y + 1", "y + 2"),
        ("math.floor", "math.ceil"),
        ("np.float64", "np.float32"),
        ("def leaf(x)", "def leaf(x, _=0)"),
    ],
)
def test_what_is_compiled_or_frozen_counts(old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    assert digest(load(SOURCE.replace(old, new))) != digest(load())


@pytest.mark.parametrize("change", ["STEP = 9", "SHIFT = 9", "import numpy as SHIFT"])
def test_constants_of_other_modules_count(change: str) -> None:
    assert digest(load(library=f"{LIBRARY}{change}\n")) != digest(load())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""A docstring."""', '"""Another docstring."""'),
        ("\n@njit\ndef recursive", "\n\n# a comment\n\n@njit\ndef recursive"),
        ("def unused(x):\n    return x", "def unused(x):\n    return x + 1"),
    ],
)
def test_what_is_not_compiled_does_not_count(old: str, new: str) -> None:
    assert digest(load(SOURCE.replace(old, new))) == digest(load())
    assert digest(load(library=LIBRARY.replace("UNUSED = 6", "UNUSED = 7"))) == digest(load())


def test_kernels_of_equal_code_are_told_apart() -> None:
    source = SOURCE + "\n@njit\ndef unused_too(x):\n    return x\n"
    module = load(source)
    assert digest(module, "unused") != digest(module, "unused_too")


def test_how_a_kernel_that_is_called_is_compiled_counts() -> None:
    text = "from epcg_core.compiled import bare_njit\n" + SOURCE
    bare = text.replace("@njit\ndef leaf", "@bare_njit\ndef leaf")
    assert digest(load(bare)) != digest(load(text))


def test_closures_count() -> None:
    def made(number: int) -> Any:
        def inner(x: int) -> int:
            return x + number

        return inner

    assert digest_of(made(1), {}) == digest_of(made(1), {})
    assert digest_of(made(1), {}) != digest_of(made(2), {})


def test_modules_that_hold_each_other_come_to_an_end() -> None:
    first, second = ModuleType("first"), ModuleType("second")
    vars(first).update(other=second, number=1)
    vars(second).update(other=first, number=2)
    variables = {"first": first}
    code = compile("def f():\n    return first.other.other.number", "f.py", "exec")
    exec(code, variables)
    function = variables["f"]
    assert isinstance(function, FunctionType)
    before = digest_of(function, {})
    vars(second)["number"] = 3
    assert digest_of(function, {}) != before


def test_a_value_that_cannot_be_digested_is_named() -> None:
    variables: dict[str, Any] = {"THING": (object(), lambda: 0, open)}
    exec("def f():\n    return THING", variables)
    digest_of(variables["f"], {})
    variables["THING"] = Unpicklable()
    with pytest.raises(UnknownValueError, match="Unpicklable"):
        digest_of(variables["f"], {})


class Unpicklable:
    def __reduce__(self) -> str:
        raise TypeError("not this one")


NUMBER = 1


@njit
def numbered(x):
    return x + NUMBER


def test_a_constant_that_changes_between_two_signatures_leaves_no_false_entry(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    assert numbered(1) == 2
    assert len([*tmp_path.rglob("*.nbc")]) == 1
    name = numbered._cache.name((), numbered.targetctx.codegen(), numbered._cache._memo)
    monkeypatch.setattr(sys.modules[__name__], "NUMBER", 2)
    assert numbered(1.0) == 3.0
    assert numbered._cache.name((), numbered.targetctx.codegen(), {}) != name
    assert math.isclose(np.float64(numbered(1)), 2.0), "what is compiled is frozen"
    names = {path.name for path in tmp_path.rglob("*.nbc")}
    monkeypatch.undo()
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    (of_floats,) = (n for n in names if n != numbered_name((int,)))
    assert of_floats != numbered_name((float,)), "compiled with 2, so not filed under 1"


def numbered_name(kinds: tuple[type, ...]) -> str:
    import numba

    types = tuple({int: numba.int64, float: numba.float64}[kind] for kind in kinds)
    found = numbered._cache.name(types, numbered.targetctx.codegen(), {})
    assert isinstance(found, str)
    return found


PAIR = """
from collections import namedtuple
Pair = namedtuple("Pair", "{fields}")
"""
FIRST = """
from epcg_core.compiled import njit

@njit
def left(pair):
    return pair.left

@njit
def nested(pairs):
    return pairs[1].left
"""


@pytest.mark.parametrize("kernel", ["left", "nested"])
def test_the_order_of_a_named_tuples_fields_counts(
    kernel: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that only receives one names its fields, and is compiled with their places."""
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    for fields, expected in (("left right", 10), ("right left", 20), ("left right", 10)):
        types, kernels = ModuleType("ingredients_library"), ModuleType("ingredients_kernels")
        exec(PAIR.format(fields=fields), vars(types))
        vars(types)["Pair"].__module__ = "ingredients_library"
        sys.modules["ingredients_library"] = types
        exec(compile(FIRST, "ingredients_kernels.py", "exec"), vars(kernels))
        sys.modules["ingredients_kernels"] = kernels
        pair = types.Pair(10, 20)
        try:
            assert vars(kernels)[kernel](pair if kernel == "left" else (1, pair)) == expected
        finally:
            del sys.modules["ingredients_kernels"]
    assert len([*tmp_path.rglob("*.nbc")]) == 2


# --- libraries of compiled functions that are not plugins

LIBRARIES = {
    "called": "import numba\n@numba.njit\ndef f(x):\n    return x + N\n",
    "in modules of one name": "import numba\nimport {module}_inner as inner\n"
    "@numba.njit\ndef f(x):\n    return inner.inner.inner(x)\n",
    "registered": "from numba.extending import register_jitable\n@register_jitable\n"
    "def f(x):\n    return x + N\n",
    "overload": "from numba.extending import overload\ndef f(x):\n    raise NotImplementedError\n"
    "@overload(f)\ndef _(x):\n    return lambda x: x + N\n",
    "overload of a library's function": "import math, numba\nfrom numba.extending import overload\n"
    "@overload(math.comb)\ndef _(x, y):\n    return lambda x, y: x + N\n"
    "@numba.njit\ndef f(x):\n    return math.comb(x, x)\n",
    "method": "import numba\nfrom numba.extending import overload_method, types\n"
    "@overload_method(types.Integer, '{module}')\ndef _(self):\n    return lambda self: self + N\n"
    "@numba.njit\ndef f(x):\n    return x.{module}()\n",
    "intrinsic": "from numba import types\nfrom numba.extending import intrinsic\n"
    "@intrinsic\ndef f(context, x):\n"
    "    def code(context, builder, signature, arguments):\n"
    "        return builder.add(arguments[0], context.get_constant(types.int64, N))\n"
    "    return types.int64(types.int64), code\n",
    "ufunc": "import numba\n@numba.vectorize\ndef f(x):\n    return x + N\n",
    "ufunc with a signature": "import numba\n"
    "@numba.vectorize(['int64(int64)'])\ndef f(x):\n    return x + N\n",
    "generalized ufunc": "import numba\n"
    "@numba.guvectorize(['void(int64[:], int64[:])'], '(n)->(n)')\ndef f(x, y):\n    y[0] = x[0] + N\n",
    "class": "import numba\nfrom numba.experimental import jitclass\n@jitclass([('a', numba.int64)])\n"
    "class Class:\n    def __init__(self, a):\n        self.a = a\n"
    "    def more(self):\n        return self.a + N\n"
    "@numba.njit\ndef f(x):\n    return Class(x).more()\n",
}
INNER = "import {module}_innermost as inner\n"
INNERMOST = "import numba\n@numba.njit\ndef inner(x):\n    return x + N\n"
DIGESTS = """
import importlib, json
from epcg_core.compiled import ingredients
names = {names}
def kernel(name):
    made = {{name: importlib.import_module(name)}}
    exec(f"def kernel(x):\\n    return {{name}}.f(x)", made)
    return made["kernel"]
print(json.dumps([ingredients.digest_of(kernel(name), {{}}) for name in names]))
"""


def python(folder: Path, code: str) -> str:
    """What a Python process prints that finds modules in `folder` and leaves no bytecode of them."""
    known = f"import sys\nsys.path.insert(0, {str(folder)!r})\nsys.dont_write_bytecode = True\n"
    done = python_forked(known + code, folder=folder, EPCG_CACHE=str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_whatever_a_library_gives_to_a_kernel_counts(tmp_path: Path) -> None:
    names = [f"library_{number}" for number in range(len(LIBRARIES))]

    def digests(number: int) -> dict[str, str]:
        for name, source in zip(names, LIBRARIES.values(), strict=True):
            for ending, text in (("", source), ("_inner", INNER), ("_innermost", INNERMOST)):
                code = text.format(module=name).replace("+ N", f"+ {number}").replace(", N)", f", {number})")
                (tmp_path / f"{name}{ending}.py").write_text(code)
        found = json.loads(python(tmp_path, DIGESTS.format(names=names)))
        return dict(zip(LIBRARIES, found, strict=True))

    first, other, again = digests(1), digests(2), digests(1)
    assert first == again
    assert [kind for kind in LIBRARIES if first[kind] == other[kind]] == []


def test_a_library_that_numba_itself_would_run_stale_is_compiled_again(tmp_path: Path) -> None:
    """Numba's cache looks only at the file that holds a kernel, so not at helpers in other modules."""
    (tmp_path / "library.py").write_text(
        "import numba\nfrom helpers import helper\n\n@numba.njit(cache=True)\n"
        "def value(x):\n    return helper(x)\n"
    )
    code = (
        "from epcg_core.compiled import njit\nimport library, sys\n"
        "def kernel(x):\n    return library.value(x)\n"
        "print(njit(kernel)(10))"
    )
    found = []
    for number in (1, 5, 5):
        (tmp_path / "helpers.py").write_text(
            f"import numba\n\n@numba.njit\ndef helper(x):\n    return x + {number}\n"
        )
        found.append(int(python(tmp_path, code)))
    assert found == [11, 15, 15]


EVERY_KERNEL = """
import importlib, pkgutil, sys
from epcg_core.compiled.ingredients import digest_of
for package in map(importlib.import_module, sys.argv[1:]):
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if "kernel" in info.name:
            for name, value in sorted(vars(importlib.import_module(info.name)).items()):
                if hasattr(value, "py_func"):
                    print(info.name, name, digest_of(value.py_func, {}))
"""


@pytest.mark.parametrize(
    ("packages", "least"),
    [
        (["epcg_fling"], 10),
        pytest.param(
            ["epcg_core", "epcg_fling", "epcg_snakebird", "epcg_tangram", "epcg_witness"],
            100,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_every_kernel_has_one_digest_in_all_processes(
    tmp_path: Path, packages: list[str], least: int
) -> None:
    """With an address or an order of hashes in it, a kernel would be compiled at every start."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    started = subprocess.run(
        [sys.executable, "-c", EVERY_KERNEL, *packages],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    said = [started.stdout, python_forked(EVERY_KERNEL, *packages, folder=tmp_path).stdout]
    assert said[0] == said[1]
    assert said[0].count("\n") > least
