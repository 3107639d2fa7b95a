"""A small domain for tests: the numbers 0 .. size - 1, in plain Python with one array evaluator.

The fixture `toy` (tests/conftest.py) installs this file as the module `epcg_toy` of a distribution of its
own, so that the command line, worker processes and the registry find it as they find any plugin. Nothing
here may import from the tests.

generator   range      param size; the state is the rank; 'canonical' are numbers with sorted digits
evaluators  digits     int   the sum of the decimal digits, state by state
            digits_array     the same metric with the array capability: both must give one digest
            even       bool
            root       real  the square root
            divisor    int   the smallest divisor above 1; 0 and 1 have none (status 'none')
            fails      int   raises ValueError at param `rank` (default 13)
            slow       int   sleeps param `seconds` for every number, then gives the number
command     epcg numbers add A B
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import hookimpl
from epcg_core.plugin import (
    CommandInfo,
    DomainInfo,
    Evaluation,
    EvaluatorInfo,
    GeneratorInfo,
    Metric,
    NoParams,
    RankError,
    RendererInfo,
    param,
)

if TYPE_CHECKING:
    import click
    import numpy as np
    from numpy.typing import NDArray

EPCG_API_VERSION = 1

DIGITS = Metric("digits", "int", "max", description="sum of the decimal digits")
EVEN = Metric("even", "bool", description="divisible by two")
ROOT = Metric("root", "real", "max", description="square root")
DIVISOR = Metric("divisor", "int", "min", description="smallest divisor above 1")
SURVIVED = Metric("survived", "int", description="the number itself")
SLEPT = Metric("slept", "int", description="the number itself, after a while")


@attrs.frozen
class RangeParams:
    """How many numbers there are."""

    size: int = param(100, minimum=1, help="how many numbers, from 0 on")


@attrs.frozen
class FailsParams:
    """Where the evaluator raises."""

    rank: int = param(13, minimum=0, help="the number at which it raises")


@attrs.frozen
class SlowParams:
    """How long each number takes."""

    seconds: float = param(0.001, minimum=0.0, help="for every number")


class Range:
    """0 .. size - 1."""

    def __init__(self, params: RangeParams) -> None:
        self.max_rank = params.size

    def unrank(self, rank: int) -> int:
        if not 0 <= rank < self.max_rank:
            raise RankError(f"{rank} is not one of the numbers 0 to {self.max_rank - 1}.")
        return rank

    def rank(self, state: int) -> int:
        return self.unrank(state)

    def canonical_rank(self, rank: int) -> int:
        return int("".join(sorted(str(rank))))

    def format(self, state: int) -> str:
        return f"number {state}"

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        import numpy as np

        return np.arange(start, start + count, dtype=np.int64)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return ranks


class Digits:
    metrics = (DIGITS,)

    def evaluate(self, state: int) -> Sequence[int]:
        return (sum(map(int, str(state))),)


class ArrayDigits(Digits):
    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        import numpy as np

        rest, total = states.copy(), np.zeros(len(states), np.int64)
        while rest.any():
            total += rest % 10
            rest //= 10
        return Evaluation([total])


class Even:
    metrics = (EVEN,)

    def evaluate(self, state: int) -> Sequence[bool]:
        return (state % 2 == 0,)


class Root:
    metrics = (ROOT,)

    def evaluate(self, state: int) -> Sequence[float]:
        return (math.sqrt(state),)


class Divisor:
    metrics = (DIVISOR,)

    def evaluate(self, state: int) -> Sequence[int] | None:
        if state < 2:
            return None
        return (next(d for d in range(2, state + 1) if state % d == 0),)


class Fails:
    metrics = (SURVIVED,)

    def __init__(self, params: FailsParams) -> None:
        self.rank = params.rank

    def evaluate(self, state: int) -> Sequence[int]:
        if state == self.rank:
            raise ValueError(f"{state} brings bad luck")
        return (state,)


class Slow:
    metrics = (SLEPT,)

    def __init__(self, params: SlowParams) -> None:
        self.seconds = params.seconds

    def evaluate(self, state: int) -> Sequence[int]:
        time.sleep(self.seconds)
        return (state,)


def text_renderer(generator: Range) -> Callable[[int], str]:
    return lambda state: f"* {state} *\n"


def svg_renderer(generator: Range) -> Callable[[int], str]:
    return lambda state: f'<svg xmlns="http://www.w3.org/2000/svg"><text>{state}</text></svg>\n'


def add_command() -> click.Command:
    import click

    @click.command("add")
    @click.argument("a", type=int)
    @click.argument("b", type=int)
    def add(a: int, b: int) -> None:
        """Add A and B."""
        click.echo(str(a + b))

    return add


def _plain(make: Callable[[], Any]) -> Callable[..., Any]:
    return lambda params, generator, tables: make()


def _with_params(make: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda params, generator, tables: make(params)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("numbers", "Numbers", "the numbers from 0 on"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(
        GeneratorInfo(
            name="range", domain="numbers", summary="0 .. size - 1", params=RangeParams, factory=Range
        )
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    parts: list[tuple[str, Metric, type, Callable[..., Any]]] = [
        ("digits", DIGITS, NoParams, _plain(Digits)),
        ("digits_array", DIGITS, NoParams, _plain(ArrayDigits)),
        ("even", EVEN, NoParams, _plain(Even)),
        ("root", ROOT, NoParams, _plain(Root)),
        ("divisor", DIVISOR, NoParams, _plain(Divisor)),
        ("fails", SURVIVED, FailsParams, _with_params(Fails)),
        ("slow", SLEPT, SlowParams, _with_params(Slow)),
    ]
    for name, metric, params, factory in parts:
        register(
            EvaluatorInfo(
                name=name,
                domain="numbers",
                summary=metric.description,
                params=params,
                metrics=(metric,),
                factory=factory,
            )
        )


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    register(RendererInfo(domain="numbers", format="text", factory=text_renderer))
    register(RendererInfo(domain="numbers", format="svg", factory=svg_renderer))
    register(
        RendererInfo(domain="numbers", format="text", name="binary", factory=lambda generator: "{:b}".format)
    )


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(name="add", domain="numbers", summary="add two numbers", factory="epcg_toy:add_command")
    )
