"""What rules need in common is tested once, and no rule that could match is passed over."""

from __future__ import annotations

from random import Random

import pytest
from epcg_puzzlescript.rules.guards import guards_of, left_to_test


def visited(needs: list[frozenset[int]], present: set[int], least: int) -> list[int]:
    """The rules that pass their guards and have what else they need."""
    guards = guards_of(needs, least)
    left = left_to_test(needs, guards)
    found, at = [], 0
    while at < len(needs):
        past = next((g.last for g in guards if g.first == at and not g.needs <= present), at)
        if past == at:
            if left[at] <= present:
                found.append(at)
            past += 1
        at = past
    return found


@pytest.mark.parametrize("least", [2, 3])
def test_rules_are_passed_over_exactly_where_something_is_missing(least: int) -> None:
    random = Random(least)
    for _ in range(200):
        count = random.randrange(1, 30)
        needs = [frozenset(random.sample(range(8), random.randrange(5))) for _ in range(count)]
        if random.random() < 0.5:
            needs.sort(key=sorted)
        present = set(random.sample(range(8), random.randrange(9)))
        expected = [at for at, need in enumerate(needs) if need <= present]
        assert visited(needs, present, least) == expected


def test_guards_nest_and_ask_each_need_once() -> None:
    needs = [frozenset("ab"), frozenset("ab"), frozenset("abc"), frozenset("abc"), frozenset("d")]
    guards = guards_of(needs, 2)
    assert [(g.first, g.last, set(g.needs)) for g in guards] == [(0, 4, {"a", "b"}), (2, 4, {"c"})]
    assert [set(left) for left in left_to_test(needs, guards)] == [set(), set(), set(), set(), {"d"}]


def test_an_expanded_rule_is_passed_over_at_once() -> None:
    needs = [frozenset({"player", f"moves {n % 4}", f"crate {n // 4}"}) for n in range(4000)]
    guards = guards_of(needs, 3)
    assert (guards[0].first, guards[0].last) == (0, 4000)
    assert guards[0].needs == {"player"}
    assert len(guards) == 1001
