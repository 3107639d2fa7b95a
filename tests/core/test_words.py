"""Functions on words: LLVM computes what Python computes, modulo 2^64."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from epcg_core.compiled import entries
from epcg_core.compiled.generated import GeneratedKernel, compile_file
from epcg_core.compiled.words import LoadedWords, compile_words, intermediate_code

ALL = 2**64 - 1


class Word(int):
    """An unsigned integer of 64 bits, for the plain form of a source."""

    def __new__(cls, value: int) -> Word:
        return int.__new__(cls, value & ALL)

    def __invert__(self) -> Word:
        return Word(~int(self))

    def __neg__(self) -> Word:
        return Word(-int(self))


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    for _side in ("", "r"):

        def _operator(self: Word, other: int, name: str = f"__{_side}{_name}__") -> Word:
            return Word(getattr(int(self), name)(int(other)))

        setattr(Word, f"__{_side}{_name}__", _operator)


def expression(random: Random, depth: int) -> str:
    if depth == 0:
        return random.choice(["a", "b", "c", "values[c & 3]", "(a & 7)"])
    first, second = expression(random, depth - 1), expression(random, depth - 1)
    return random.choice(
        [
            f"({first} + {second})", f"({first} - {second})", f"({first} * {second})",
            f"({first} // ({second} | 1))", f"({first} % ({second} | 1))", f"({first} & ~{second})",
            f"({first} | {second})", f"({first} ^ -{second})", f"({first} << ({second} & 63))",
            f"({first} >> ({second} & 63))", f"({first} if {second} < {first} else b)",
            f"lowest({first} | 8)",
            f"(a + ({first} >= {second}) + (not {first}))", f"(b + (a < {first} or b == {second}))",
        ]
    )  # fmt: skip


def source(random: Random) -> str:
    return f"""
def helper(a, b):
    c = a ^ b
    if c > {random.randrange(2**60)}:
        c = c + 1
        return c, b
    else:
        c -= 3
    return a, c


def kernel(values: words, marks: bytes, a, b):
    c = a ^ 5
    total = 0
    for i in range(4):
        c = {expression(random, 3)}
        if c & 1 and a != b:
            a, b = helper(a, {expression(random, 2)})
            if b % 5 == 0:
                break
        values[i] = {expression(random, 2)}
        marks[i] = c
        total += marks[i]
    while total < 50:
        total += 7
    return total + {expression(random, 3)}
"""


def lowest(value: int) -> Word:
    return Word((int(value) & -int(value)).bit_length() - 1)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 20))]
)
def test_random_sources_compute_what_python_computes(seed: int) -> None:
    random = Random(seed)
    text = source(random)
    space: dict[str, Any] = {"words": None, "bytes": None, "lowest": lowest}
    exec(text, space)
    loaded = LoadedWords(compile_words(text), "kernel", 4)
    for _ in range(20):
        numbers = [random.getrandbits(random.choice([3, 20, 64])) for _ in range(6)]
        values, marks = np.array(numbers[:4], np.uint64), np.zeros(4, np.uint8)
        plain_values, plain_marks = [Word(number) for number in numbers[:4]], Bytes([0] * 4)
        expected = space["kernel"](plain_values, plain_marks, Word(numbers[4]), Word(numbers[5]))
        found = loaded.call(values.ctypes.data, marks.ctypes.data, numbers[4], numbers[5])
        assert found == int(expected) & ALL
        assert values.tolist() == [int(value) & ALL for value in plain_values]
        assert marks.tolist() == list(plain_marks)


class Bytes(list[int]):
    """Bytes that are written modulo 256."""

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, Word(int(value) & 255))


@pytest.mark.parametrize("text", ["def f(a):\n    return [a]", "def f(a):\n    del a\n    return 1"])
def test_what_is_not_of_the_small_part_is_refused(text: str) -> None:
    with pytest.raises(TypeError, match="not of the small part"):
        compile_words(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def f(a):\n    return a ** 2", "Pow is not of the small part"),
        ("def f(a):\n    return a + b", "b is read before"),
        ("def f(a):\n    return g(a)", "calls no earlier function"),
        ("def f(a):\n    return f(a)", "calls no earlier function"),
        ("def f(a):\n    return a[0]", "a is not an array"),
        ("def f(a):\n    b = 0\n    return b in a", "In is not of the small part"),
        ("def f(a):\n    a = 1", "as many words everywhere"),
        ("def f(a):\n    if a:\n        return 1\n    return 1, 2", "as many words everywhere"),
        (
            "def f(a):\n    while a:\n        a -= 1\n    else:\n        a = 7\n    return a",
            "not of the small part",
        ),
        ("def f(a):\n    for i in reversed(a):\n        a += i\n    return a", "not of the small part"),
        ("def f(a):\n    break\n    return a", "not of the small part"),
    ],
)
def test_a_mistake_of_a_source_is_named_and_not_compiled(text: str, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        compile_words(text)


def test_a_search_goes_on_where_no_process_can_be_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refused(*arguments: object, **options: object) -> None:
        raise OSError("no process")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("subprocess.Popen", refused)
    kernel = GeneratedKernel("nowhere", "def f(a):\n    return a + 12345")
    kernel.compile_elsewhere()
    assert kernel.child is None
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_is_found_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path))
    text = "def double(a: words, n):\n    for i in range(n):\n        a[i] += a[i]\n    return n"
    kernel = GeneratedKernel("doubled", text)
    assert kernel.load() is None
    kernel.compile()
    again = GeneratedKernel("doubled", text).load()
    assert again is not None
    values = np.arange(5, dtype=np.uint64)
    assert again(values, 5) == 5
    assert values.tolist() == [0, 2, 4, 6, 8]
    assert GeneratedKernel("doubled", text.replace("+=", "*=")).load() is None


def test_another_process_compiles_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EPCG_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "source.py"
    file.write_text("def one(a):\n    return a + 1")
    compile_file("one-1.nbc", file)
    assert not file.exists()
    code = entries.read("one-1.nbc")
    assert code is not None
    assert LoadedWords(code, "one", 1).call(41) == 42


def test_a_function_that_is_kept_apart_is_called() -> None:
    source = "@apart\ndef twice(x):\n    return x + x\n\ndef last(x):\n    return twice(x) + twice(x + 1)\n"
    assert LoadedWords(compile_words(source), "last", 1).call(3) == 14
    assert "noinline" in intermediate_code(source)
    assert "noinline" not in intermediate_code(source.replace("@apart\n", ""))
