"""Capabilities: a public attribute of a part is one of them, or declared as the domain's own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from epcg_core.base.errors import PluginError
from epcg_core.domain import (
    CAPABILITIES,
    capability_names,
    missing_members,
    transition_model,
    unknown_attributes,
    warn_of_unknown_attributes,
)


class Numbers:
    domain_attributes = ("digits",)
    max_rank = 10

    def __init__(self) -> None:
        self.digits = 1
        self._hidden = 2

    def unrank(self, rank: int) -> int:
        return rank

    def rank(self, state: int) -> int:
        return state


class Misspelt(Numbers):
    domain_attributes = ("base",)

    def __init__(self) -> None:
        super().__init__()
        self.base = 10
        self.zzz = 0

    def canonical_rnk(self, rank: int) -> int:
        return rank


class Model(NamedTuple):
    """A transition model may be a tuple: what tuples have is not an attribute of the domain."""

    size: int

    def is_gaol(self, state: Any) -> bool:
        return True


def test_declared_and_private_attributes_are_known() -> None:
    assert list(unknown_attributes("generator", Numbers())) == []


def test_an_unknown_attribute_comes_with_the_nearest_capability() -> None:
    """Declarations of base classes count, and attributes of instances and of classes."""
    found = list(unknown_attributes("generator", Misspelt()))
    assert found == [("canonical_rnk", "canonical_rank"), ("zzz", None)]


def test_parts_that_are_tuples() -> None:
    assert dict(unknown_attributes("transition model", Model(3)))["is_gaol"] == "is_goal"
    assert "count" not in dict(unknown_attributes("transition model", Model(3)))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("generator", {"max_rank", "unrank", "canonical_rank", "states_block", "prefixes", "omission"}),
        ("evaluator", {"metrics", "evaluate", "evaluate_states", "fresh", "bound", "value_reaching"}),
        ("transition model", {"initial", "actions", "packed", "action_text", "reversible", "choose"}),
    ],
)
def test_capabilities_are_the_protocols_attributes(kind: str, names: set[str]) -> None:
    assert names <= capability_names(kind)
    assert all(protocol.__doc__ for protocol in CAPABILITIES[kind])


def test_a_part_is_warned_of_once(recwarn: pytest.WarningsRecorder) -> None:
    for _ in range(3):
        warn_of_unknown_attributes("generator", "generator toy:numbers", Misspelt())
    ignored = "which is not a capability, so it is ignored."
    own = "`domain_attributes` declares a domain's own attributes."
    assert [str(warning.message) for warning in recwarn] == [
        f"The generator toy:numbers has the public attribute 'canonical_rnk', {ignored} "
        f"Did you mean 'canonical_rank'? {own}",
        f"The generator toy:numbers has the public attribute 'zzz', {ignored} {own}",
    ]


class HalfBuilt(Numbers):
    def states_block(self, start: int, count: int) -> Any: ...

    def parse(self, text: str) -> Any: ...


def test_incomplete_capabilities_are_reported(recwarn: pytest.WarningsRecorder) -> None:
    """`format` alone is complete; `parse` needs it."""
    warn_of_unknown_attributes("generator", "generator toy:numbers", HalfBuilt())
    assert [str(warning.message) for warning in recwarn] == [
        "The generator toy:numbers: HalfBuilt has 'parse' without format, so it is ignored (see Textual).",
        "The generator toy:numbers: HalfBuilt has 'states_block' without states_at, so it is ignored (see "
        "ArrayGenerator).",
    ]


def test_what_a_contract_needs_is_reported() -> None:
    assert missing_members(CAPABILITIES["transition model"], Model(3)) == [
        "Model has no actions, apply, initial, is_goal, key (see TransitionModel)."
    ]
    generator = SimpleNamespace(transition_model=Model(3))
    with pytest.raises(
        PluginError, match=r"^Model, the transition model of SimpleNamespace, has no initial, a"
    ):
        transition_model(generator)
