"""Whatever users write, a reader takes it or says in a sentence what is wrong."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterator

import pytest

from epcg_core.base.errors import EpcgError
from tests.whole.fuzz.mutator import inputs
from tests.whole.fuzz.parsers import CORPUS, PARSERS, Place

QUICK, MANY, THOROUGH = 50, 5_000, 30_000
LONGEST_MESSAGE = 4000


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place.make(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.store.close()


def corpus_of(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def failure(place: Place, name: str, data: bytes) -> str | None:
    """Say what is wrong with how a parser takes an input; None if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            PARSERS[name](place, data)
    except EpcgError as error:
        message = str(error)
        if not message.rstrip().endswith((".", "?", "`")):
            return f"not a sentence: {message[:300]!r}"
        if "Traceback" in message or len(message) > LONGEST_MESSAGE:
            return f"{len(message)} characters: {message[:300]!r}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    return None


def check(place: Place, name: str, count: int) -> None:
    found: dict[str, bytes] = {}
    for data in inputs(corpus_of(name), zlib.crc32(name.encode()), count):
        problem = failure(place, name, data)
        if problem is not None:
            kind = re.sub(r"[^A-Za-z :]+", "*", problem)[:60]
            if kind not in found or len(data) < len(found[kind]):
                found[kind] = data
                print(f"{name}: {problem}\n  put this into {CORPUS.name}/{name}/: {data[:2000]!r}")
    assert not found, f"{name}: {len(found)} kinds of failure; the output shows an input of each"


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_takes_an_input_or_says_what_is_wrong(place: Place, name: str) -> None:
    check(place, name, QUICK)


@pytest.mark.parametrize(
    "count", [pytest.param(MANY, marks=pytest.mark.slow), pytest.param(THOROUGH, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_takes_many_inputs_or_says_what_is_wrong(place: Place, name: str, count: int) -> None:
    check(place, name, count)


def test_every_parser_has_a_corpus_and_takes_something_of_it(place: Place) -> None:
    """So that mutations begin at what is valid, and a parser that refuses everything is noticed."""
    assert {path.name for path in CORPUS.iterdir()} == set(PARSERS)
    for name in PARSERS:
        taken = 0
        for data in corpus_of(name):
            try:
                PARSERS[name](place, data)
                taken += 1
            except EpcgError:
                pass
        assert taken, name


def test_failures_are_seen(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(error: Exception) -> str | None:
        def broken(place: Place, data: bytes) -> None:
            raise error

        monkeypatch.setitem(PARSERS, "puzzle", broken)
        return failure(place, "puzzle", b"")

    assert raises(EpcgError("A sentence.")) is None
    for error in (ValueError("x."), RecursionError(), MemoryError(), EpcgError("no end"), EpcgError("")):
        assert raises(error) is not None
