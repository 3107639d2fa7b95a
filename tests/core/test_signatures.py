"""The guard of public names: what a plugin could call yesterday, it can call today."""

from __future__ import annotations

import inspect
import random

import pytest

from tests.core.signatures import fits


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("f(a: 'int')", "f(a: 'int', b: 'int' = 1)"),
        ("f(a: 'int') -> None", "f(a: 'int', *, b: 'int' = 1) -> None"),
        ("f(a: 'int', *, c: 'int' = 1)", "f(a: 'int', b: 'str' = '', *, c: 'int' = 1, d=None)"),
        ("f(a: 'int')", "f(a: 'int | str')"),
        ("f(a: 'int')", "f(a: 'int' = 3)"),
        ("f(a: 'list[int]')", "f(a: 'Sequence[int]')"),
        ("f(a: 'dict[str, int] | None' = None)", "f(a: 'str | Mapping[str, int] | None' = None)"),
        ("f(a: \"Literal['x', 'y']\")", "f(a: \"Literal['y', 'x', 'z']\")"),
        ("f(a: 'int')", "f(a: 'Any')"),
        ("f(a: 'int')", "f(a)"),
        ("f(a) -> 'Sequence[int]'", "f(a) -> 'tuple[int]'"),
        ("f(a) -> 'int | None'", "f(a) -> 'int'"),
        ("f(*, a, b=1)", "f(*, b=1, a)"),
        ("f(*, a)", "f(a)"),
        ("f(a, /)", "f(b, /)"),
        ("f(a, /)", "f(a)"),
        ("f(a, b=<class 'x.Y'>)", "f(a, b=<class 'x.Y'>, *rest)"),
    ],
)
def test_what_takes_more_is_not_broken(before: str, now: str) -> None:
    assert fits(before, now)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("f(a, b)", "f(a)"),
        ("f(a, b)", "f(b, a)"),
        ("f(a)", "f(a, b)"),
        ("f(a)", "f(a, *, b)"),
        ("f(a)", "f(*, a)"),
        ("f(a)", "f(b)"),
        ("f(a)", "f(a, /)"),
        ("f(a=1)", "f(a)"),
        ("f(a=1)", "f(a=2)"),
        ("f(a: 'int | str')", "f(a: 'int')"),
        ("f(a)", "f(a: 'int')"),
        ("f(a: 'Sequence[int]')", "f(a: 'list[int]')"),
        ("f(a: 'list[int]')", "f(a: 'Sequence[str]')"),
        ("f(a: \"Literal['x', 'y']\")", "f(a: \"Literal['x']\")"),
        ("f(a) -> 'int'", "f(a) -> 'int | None'"),
        ("f(a) -> 'int'", "f(a)"),
        ("f(*a)", "f()"),
        ("f(**a)", "f()"),
        ("f(a, b=<class 'x.Y'>)", "f(a, b=<class 'x.Z'>)"),
    ],
)
def test_what_takes_less_is_broken(before: str, now: str) -> None:
    assert not fits(before, now)


def test_what_fits_takes_every_call_that_was_taken() -> None:
    """Random signatures, called in every way: what binds to the first binds to each that is said to fit."""
    rng = random.Random(5)
    signatures = [_drawn(rng) for _ in range(60)]
    calls = [(places, names) for places in range(4) for names in _subsets("abcd")]
    taken = {each: {call for call in calls if _binds(each, *call)} for each in signatures}
    both = [(one, other) for one in signatures for other in signatures if fits(f"f{one}", f"f{other}")]
    assert len(both) > len(signatures)  # not only themselves
    assert [(one, other) for one, other in both if not taken[one] <= taken[other]] == []


def _drawn(rng: random.Random) -> str:
    names = rng.sample("abcd", rng.randrange(1, 4))
    alone = rng.randrange(len(names) + 1)
    defaults = rng.randrange(alone + 1)
    places = [name if number < defaults else f"{name}=0" for number, name in enumerate(names[:alone])]
    by_name = [rng.choice((name, f"{name}=0")) for name in names[alone:]]
    if places and rng.random() < 0.3:
        places.insert(rng.randrange(1, len(places) + 1), "/")
    return f"({', '.join([*places, *(['*', *by_name] if by_name else [])])})"


def _subsets(letters: str) -> list[frozenset[str]]:
    found = [frozenset[str]()]
    for each in letters:
        found += [rest | {each} for rest in found]
    return found


def _binds(signature: str, places: int, names: frozenset[str]) -> bool:
    function = eval(f"lambda {signature[1:-1]}: 0")
    try:
        inspect.signature(function).bind(*range(places), **dict.fromkeys(names, 0))
    except TypeError:
        return False
    return True
