"""Code that is given up after a time, and interrupts meanwhile."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading

import pytest

from epcg_core.runs.patience import OutOfPatienceError, within

LITTLE = 0.01


def a_second_of_compiled_code() -> None:
    """No bytecode and no lock of Python's, so signals and other threads' exceptions wait until its end."""
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000)


def endless() -> None:
    while True:
        pass


def test_what_ends_in_time_is_returned() -> None:
    assert within(60.0, lambda: 12) == 12


def test_an_error_of_the_code_is_raised() -> None:
    with pytest.raises(ValueError, match="no"):
        within(60.0, lambda: int("no"))


def test_what_takes_too_long_is_given_up() -> None:
    with pytest.raises(OutOfPatienceError):
        within(LITTLE, endless)


def test_code_that_is_over_is_not_given_up_later() -> None:
    with pytest.raises(OutOfPatienceError):
        within(LITTLE, a_second_of_compiled_code)
    assert sum(within(LITTLE, lambda: 1) for _ in range(1_000)) == 1_000


def test_an_interrupt_wins_if_the_time_is_over_before_it_is_noticed(interruptible: None) -> None:
    """Python looks for both after a call of compiled code: first comes the interrupt, then the other one."""
    computing = threading.Event()

    def interrupt() -> None:
        computing.wait()
        os.kill(os.getpid(), signal.SIGINT)

    other = threading.Thread(target=interrupt)

    def compute() -> None:
        computing.set()
        a_second_of_compiled_code()

    def interrupted() -> None:
        other.start()
        within(LITTLE, compute)
        other.join()

    with pytest.raises(KeyboardInterrupt):
        interrupted()


PROFILED = """
import cProfile
from epcg_core.runs.patience import OutOfPatienceError, within

def count(stop):
    i = 0
    while i < stop:
        i += 1
    return i

profile = cProfile.Profile()
profile.enable()
print(within(60.0, lambda: count(10)))
try:
    within(0.01, lambda: count(10**12))
except OutOfPatienceError:
    print("given up")
print(count(1000))
"""


def test_a_profiler_sees_the_end() -> None:
    """What is raised in a thread and taken back leaves Python 3.11 in an endless loop under a profiler."""
    done = subprocess.run(
        [sys.executable, "-c", PROFILED], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split("\n") == ["10", "given up", "1000", ""]
