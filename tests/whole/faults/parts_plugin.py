"""A domain whose parts fail where they are made, or as they are asked; installed as `epcg_faulty`.

generators  sound, initraises, norank, nounrank, fraction, negative, unrankraises, exits (in `unrank`),
            bumpy (in `states_at`), stumbles (in `increment`)
evaluators  size, noevaluate, factoryraises, exits (in `evaluate`), exits_made (in the factory), odd (a text
            at rank 7), array (of arrays), ends (the process), two and two_array (the bool metric `fair` is 2
            at rank 57)
renderer    text: EPCG_TEST_DRAWS is 'raises', 'exits', 'int' or 'bytes'; else it draws
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.domain import (
    DomainInfo,
    Evaluation,
    EvaluatorInfo,
    GeneratorInfo,
    Metric,
    NoParams,
    RendererInfo,
)

EPCG_API_VERSION = 1
BAD = 57


class Sound:
    max_rank: Any = 100

    def unrank(self, rank: int) -> int:
        return rank


class InitRaises(Sound):
    def __init__(self) -> None:
        raise RuntimeError("it broke")


class NoRank:
    def unrank(self, rank: int) -> int:
        return rank


class Fraction(Sound):
    max_rank = 10.5


class Negative(Sound):
    max_rank = -5


class UnrankRaises(Sound):
    def unrank(self, rank: int) -> int:
        if rank == BAD:
            raise ValueError(f"no state for {rank}")
        return rank


class Exits(Sound):
    def unrank(self, rank: int) -> int:
        return sys.exit(0) if rank == BAD else rank


class Bumpy(UnrankRaises):
    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        return self.states_at(np.arange(start, start + count, dtype=np.int64))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([self.unrank(rank) for rank in ranks.tolist()], np.int64)


class Stumbles(Sound):
    def increment(self, state: int) -> int:
        if state == BAD - 1:
            raise ValueError(f"no state after {state}")
        return state + 1


class NoUnrank:
    max_rank = 100


class NoEvaluate:
    metrics = (Metric("size", "int", "max"),)


class Size:
    metrics = (Metric("size", "int", "max"),)

    def evaluate(self, state: int) -> Sequence[Any]:
        return (state,)


class FactoryRaises(Size):
    def __init__(self) -> None:
        raise RuntimeError("evaluator broke")


class ExitsScored(Size):
    def evaluate(self, state: int) -> Sequence[Any]:
        return sys.exit(int(os.environ.get("EPCG_TEST_EXIT", "0"))) if state == BAD else (state,)


class ExitsMade(Size):
    def __init__(self) -> None:
        sys.exit(0)


class Ends(Size):
    def evaluate(self, state: int) -> Sequence[Any]:
        if state == BAD and "EPCG_TEST_ENDS" in os.environ:
            os._exit(0)
        return (state,)


class Odd(Size):
    def evaluate(self, state: int) -> Sequence[Any]:
        return ("seven",) if state == 7 else (state,)


class Array(Size):
    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation([states])


class Two:
    metrics = (Metric("fair", "bool"),)

    def evaluate(self, state: int) -> Sequence[Any]:
        return (2,) if state == BAD else (state % 2 == 0,)


class TwoArray(Two):
    def evaluate_block(self, start: int, count: int) -> Evaluation:
        ranks = np.arange(start, start + count)
        return Evaluation([np.where(ranks == BAD, 2, ranks % 2 == 0)])


GENERATORS: dict[str, Callable[[], Any]] = {
    "sound": Sound, "initraises": InitRaises, "norank": NoRank, "nounrank": NoUnrank, "fraction": Fraction,
    "negative": Negative, "unrankraises": UnrankRaises, "exits": Exits, "bumpy": Bumpy, "stumbles": Stumbles,
}  # fmt: skip
EVALUATORS: dict[str, type[Any]] = {
    "size": Size, "noevaluate": NoEvaluate, "factoryraises": FactoryRaises, "exits": ExitsScored,
    "exits_made": ExitsMade, "odd": Odd, "array": Array, "ends": Ends, "two": Two, "two_array": TwoArray,
}  # fmt: skip


def draw(state: int) -> Any:
    how = os.environ.get("EPCG_TEST_DRAWS", "")
    if how == "raises":
        raise RuntimeError("renderer broke")
    if how == "exits":
        sys.exit(0)
    return {"int": 12, "bytes": b"drawn"}.get(how, f"* {state} *")


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("faulty", "Faulty", "parts that fail"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for name, make in GENERATORS.items():
        register(
            GeneratorInfo(
                name=name, domain="faulty", summary=name, params=NoParams,
                factory=lambda params, make=make: make(),
            )
        )  # fmt: skip


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    for name, make in EVALUATORS.items():
        register(
            EvaluatorInfo(
                name=name, domain="faulty", summary=name, params=NoParams, metrics=make.metrics,
                factory=lambda params, generator, tables, make=make: make(),
            )
        )  # fmt: skip


@hookimpl
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    register(RendererInfo(format="text", domain="faulty", factory=lambda generator: draw))
