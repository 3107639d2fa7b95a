"""A domain whose evaluators go wrong when told to; installed for a test as the module `epcg_faults`.

What goes wrong is told by the environment, not by params: a run that failed and the same run after the
evaluator was mended are one run, with one identity.

EPCG_TEST_PAUSE  seconds that `mixed` takes for each candidate
EPCG_TEST_GATE   a file with a rank: in worker processes, `mixed` waits there until the file has a higher one
EPCG_TEST_BAD    'rank,rank,...': where `moody` and its relatives raise
EPCG_TEST_ODD    'rank:kind': where and how `odd_...` return something that is no score
EPCG_TEST_STUCK  the rank at which `stuck` and `deaf` never end, and `leaver` ends its process
EPCG_TEST_TOLD   the file that `deaf` makes when it comes to that rank
EPCG_TEST_HUNGRY 'rank:bytes': where `hungry` takes how much memory, and writes to all of it

generator   cells        param size; the state is the rank
evaluators  mixed        weight (int), even (bool), ratio (real); some candidates have none, some a limit
            moody        mood (int)
            moody_array  the same, for arrays of states
            moody_fused  the same, for ranges of ranks
            moody_second the same as `second`, to stand beside `moody`
            stuck        mood
            deaf         mood, in compiled code that never returns
            deaf_plain   mood, for arrays of states; its plain form never returns from compiled code
            leaver       mood, and the end of the process
            hungry       mood
            odd_int, odd_real, odd_bool  odd (int, real or bool)
            odd_array_int, ...           the same, for arrays of states
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.domain import (
    DomainInfo,
    Evaluation,
    EvaluatorInfo,
    GeneratorInfo,
    LimitReachedError,
    Metric,
    NoParams,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPCG_API_VERSION = 1

WEIGHT = Metric("weight", "int", "max")
EVEN = Metric("even", "bool")
RATIO = Metric("ratio", "real", "max", always=True)
MOOD = Metric("mood", "int", "max")
SECOND = Metric("second", "int", "max")


@attrs.frozen
class CellsParams:
    size: int = param(100, minimum=0)


class Cells:
    def __init__(self, params: CellsParams) -> None:
        self.max_rank = params.size

    def unrank(self, rank: int) -> int:
        return rank

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        import numpy as np

        return np.arange(start, start + count, dtype=np.int64)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return ranks


class Mixed:
    metrics = (WEIGHT, EVEN, RATIO)

    def __init__(self) -> None:
        self._pause = float(os.environ.get("EPCG_TEST_PAUSE", "0"))
        gate = os.environ.get("EPCG_TEST_GATE")
        self._gate = None if gate is None or multiprocessing.parent_process() is None else Path(gate)
        self._limit = 0

    def _wait(self, state: int) -> None:
        while self._gate is not None and state >= self._limit:
            self._limit = int(self._gate.read_text())
            time.sleep(0.002)

    def evaluate(self, state: int) -> Sequence[float] | None:
        self._wait(state)
        if self._pause:
            time.sleep(self._pause)
        if state % 97 == 0:
            return None
        if state % 89 == 0:
            raise LimitReachedError
        return (state * 2_654_435_761 % 100_003 - 40_000, state % 2 == 0, state / 7)


def _bad() -> set[int]:
    return {int(rank) for rank in os.environ.get("EPCG_TEST_BAD", "").split(",") if rank}


class Moody:
    metrics = (MOOD,)
    _missing = "mood"

    def __init__(self) -> None:
        self._bad = _bad()

    def evaluate(self, state: int) -> Sequence[int]:
        if state in self._bad:
            raise ZeroDivisionError(f"no {self._missing} at {state}")
        return (state % 10,)


class Stuck:
    metrics = (MOOD,)

    def __init__(self) -> None:
        self._rank = int(os.environ.get("EPCG_TEST_STUCK", "-1"))

    def evaluate(self, state: int) -> Sequence[int]:
        while state == self._rank:
            pass
        return (state % 10,)


class Deaf(Stuck):
    """In compiled code, which neither an interrupt nor an exception ends."""

    def __init__(self) -> None:
        super().__init__()
        self._evaluate(1)  # compiled

    def evaluate(self, state: int) -> Sequence[int]:
        if state == self._rank and "EPCG_TEST_TOLD" in os.environ:
            Path(os.environ["EPCG_TEST_TOLD"]).touch()
        return (self._evaluate(-1 if state == self._rank else state),)

    def _evaluate(self, state: int) -> int:
        return int(_spinning()(state))


class DeafPlain(Deaf):
    def evaluate(self, state: int) -> Sequence[int]:
        return (self._evaluate(-1),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation([states % 10])


class Leaver(Stuck):
    def evaluate(self, state: int) -> Sequence[int]:
        if state == self._rank:
            os._exit(0)
        return (state % 10,)


@cache
def _spinning() -> Callable[[int], int]:
    from epcg_core.compiled import njit

    def spin(state: int) -> int:
        turns = 1
        while state < 0 and turns:  # an odd number stays odd
            turns = turns * 3 % (1 << 40)
        return state % 10

    return njit(spin)


class Hungry:
    metrics = (MOOD,)

    def __init__(self) -> None:
        rank, _, size = os.environ.get("EPCG_TEST_HUNGRY", "-1:0").partition(":")
        self._rank, self._size = int(rank), int(size)

    def evaluate(self, state: int) -> Sequence[int]:
        if state == self._rank:
            meal = bytearray(self._size)
            for page in range(0, self._size, 4096):
                meal[page] = 1
        return (state % 10,)


class MoodyArray(Moody):
    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        for state in self._bad & set(states.tolist()):
            raise ZeroDivisionError(f"no {self._missing} at {state}")
        return Evaluation([states % 10])


class MoodyFused(MoodyArray):
    def evaluate_block(self, start: int, count: int) -> Evaluation:
        import numpy as np

        return self.evaluate_states(np.arange(start, start + count, dtype=np.int64))


class MoodySecond(MoodyArray):
    metrics = (SECOND,)
    _missing = "second mood"


ODD_ROWS: dict[str, Any] = {
    "none_of_them": (),
    "two": (1, 2),
    "bare": 1,
    "text": ("7",),
    "fraction": (0.5,),
    "nested": ((1, 2),),
    "huge": (2**63,),
    "nan": (float("nan"),),
    "infinite": (float("inf"),),
}


class Odd:
    def __init__(self, metric: Metric) -> None:
        self.metrics = (metric,)
        rank, _, self._how = os.environ.get("EPCG_TEST_ODD", "-1:").partition(":")
        self._rank = int(rank)

    def evaluate(self, state: int) -> Any:
        return ODD_ROWS[self._how] if state == self._rank else (state % 2,)


class OddArray(Odd):
    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        import numpy as np

        here = states == self._rank
        values = states % 2
        if not here.any():
            return Evaluation([values])
        made: dict[str, Callable[[], Evaluation]] = {
            "none_of_them": lambda: Evaluation([]),
            "two": lambda: Evaluation([values, values]),
            "short": lambda: Evaluation([values[1:]]),
            "long": lambda: Evaluation([np.append(values, 1)]),
            "status": lambda: Evaluation([values], np.zeros(len(values) + 1, np.uint8)),
            "text": lambda: Evaluation([values.astype(str)]),
            "fraction": lambda: Evaluation([values + 0.5]),
            "nested": lambda: Evaluation([np.stack([values, values], axis=1)]),
            "huge": lambda: Evaluation([np.where(here, np.uint64(2**63), values.astype(np.uint64))]),
            "nan": lambda: Evaluation([np.where(here, np.nan, values.astype(np.float64))]),
            "infinite": lambda: Evaluation([np.where(here, np.inf, values.astype(np.float64))]),
        }
        return made[self._how]()


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("faults", "Faults", "what goes wrong when told to"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(GeneratorInfo(name="cells", domain="faults", summary="ranks", params=CellsParams, factory=Cells))


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    mood: list[tuple[str, tuple[Metric, ...], Callable[[], Any]]] = [
        ("mixed", Mixed.metrics, Mixed),
        ("moody", (MOOD,), Moody),
        ("stuck", (MOOD,), Stuck),
        ("deaf", (MOOD,), Deaf),
        ("deaf_plain", (MOOD,), DeafPlain),
        ("leaver", (MOOD,), Leaver),
        ("hungry", (MOOD,), Hungry),
        ("moody_array", (MOOD,), MoodyArray),
        ("moody_fused", (MOOD,), MoodyFused),
        ("moody_second", (SECOND,), MoodySecond),
    ]
    for name, metrics, make in mood:
        register(
            EvaluatorInfo(
                name=name, domain="faults", summary=name, params=NoParams, metrics=metrics,
                factory=lambda params, generator, tables, make=make: make(),
            )
        )  # fmt: skip
    for name, odd in (("odd", Odd), ("odd_array", OddArray)):
        for metric in (Metric("odd", "int"), Metric("odd", "real"), Metric("odd", "bool")):
            register(
                EvaluatorInfo(
                    name=f"{name}_{metric.kind}", domain="faults", summary=name, params=NoParams,
                    metrics=(metric,),
                    factory=lambda params, generator, tables, odd=odd, metric=metric: odd(metric),
                )
            )  # fmt: skip
