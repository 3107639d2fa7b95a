"""A domain whose evaluators do next to nothing, so that what is measured is the framework."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.compiled import njit
from epcg_core.domain import DomainInfo, Evaluation, EvaluatorInfo, GeneratorInfo, Metric, NoParams

EPCG_API_VERSION = 1


@attrs.frozen
class RangeParams:
    size: int = param(1000, minimum=0)


class Range:
    """The numbers themselves."""

    def __init__(self, params: RangeParams) -> None:
        self.max_rank = params.size

    def unrank(self, rank: int) -> int:
        return rank

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        return np.arange(start, start + count, dtype=np.int64)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return ranks


class PlainRange:
    """The same, without arrays."""

    def __init__(self, params: RangeParams) -> None:
        self.max_rank = params.size

    def unrank(self, rank: int) -> int:
        return rank


@njit
def low_bits(states: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
    for i in range(len(states)):
        out[i] = (states[i] * 2654435761 >> 7) & 15


class LowBits:
    """Compiled: four bits of a product."""

    metrics = (Metric("low_bits"),)

    def __init__(self, params: NoParams, generator: Any, tables: Any) -> None:
        pass

    def evaluate(self, state: int) -> tuple[int]:
        return ((state * 2654435761 >> 7) & 15,)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        out = np.empty(len(states), np.uint8)
        low_bits(states, out)
        return Evaluation((out,))


@njit
def mixed(states: NDArray[np.int64], out: NDArray[np.uint64]) -> None:
    """Scatter the numbers over all 64-bit words (SplitMix64's finalizer)."""
    for i in range(len(states)):
        word = np.uint64(states[i]) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        out[i] = word ^ (word >> np.uint64(31))


class Scattered:
    """Compiled: a value of its own for (almost) every number, which nothing compresses."""

    domain_attributes = ("words", "word")

    def __init__(self, params: NoParams, generator: Any, tables: Any) -> None:
        pass

    def words(self, states: NDArray[np.int64]) -> NDArray[np.uint64]:
        out = np.empty(len(states), np.uint64)
        mixed(states, out)
        return out

    def word(self, state: int) -> int:
        return int(self.words(np.array([state], np.int64))[0])


class Flag(Scattered):
    """One bit: true for half of the numbers."""

    metrics = (Metric("flag", "bool"),)

    def evaluate(self, state: int) -> tuple[bool]:
        return (bool(self.word(state) & 1),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation(((self.words(states) & np.uint64(1)).astype(np.bool_),))


class Digit(Scattered):
    """A whole number below 16: half a byte when compressed."""

    metrics = (Metric("digit"),)

    def evaluate(self, state: int) -> tuple[int]:
        return (self.word(state) & 15,)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation(((self.words(states) & np.uint64(15)).astype(np.uint8),))


class Number(Scattered):
    """A whole number below 10^9: four bytes."""

    metrics = (Metric("number"),)

    def evaluate(self, state: int) -> tuple[int]:
        return (self.word(state) % 10**9,)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation(((self.words(states) % np.uint64(10**9)).astype(np.uint32),))


class Share(Scattered):
    """A real number from 0 to 1: eight bytes."""

    metrics = (Metric("share", "real"),)

    def evaluate(self, state: int) -> tuple[float]:
        return ((self.word(state) >> 11) * 2.0**-53,)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation(((self.words(states) >> np.uint64(11)) * 2.0**-53,))


class Plain:
    """Plain Python, about 1.5 microseconds."""

    metrics = (Metric("collatz"),)

    def __init__(self, params: NoParams, generator: Any, tables: Any) -> None:
        pass

    def evaluate(self, state: int) -> tuple[int]:
        number, steps = state + 1, 0
        while number & 7 != 1 and steps < 20:
            number = 3 * number + 1 if number & 1 else number >> 1
            steps += 1
        return (steps,)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("nothing", "Nothing", "numbers, to measure the framework"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for name, factory in (("range", Range), ("plain_range", PlainRange)):
        register(
            GeneratorInfo(name=name, domain="nothing", summary="numbers", params=RangeParams, factory=factory)
        )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    factories: dict[str, Any] = {
        "low_bits": LowBits,
        "plain": Plain,
        "flag": Flag,
        "digit": Digit,
        "number": Number,
        "share": Share,
    }
    for name, factory in factories.items():
        register(
            EvaluatorInfo(
                name=name,
                domain="nothing",
                summary="next to nothing",
                params=NoParams,
                metrics=factory.metrics,
                factory=factory,
            )
        )
