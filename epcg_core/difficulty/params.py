"""The params of the entropy evaluators and scorers. Light: they are read when parts are only listed."""

from __future__ import annotations

from typing import Any

import attrs

from epcg_core.base.params import param


def _table(help: str) -> Any:
    return param(attrs.Factory(dict), help=help)


@attrs.frozen
class MuseParams:
    """The choice between the two published recursions."""

    collapse_zero: bool = param(False, help="a state all of whose children are 0 is 0 itself")


@attrs.frozen
class PolicyParams:
    """The player: a registered policy."""

    policy: str = param("uniform", help="a player's policy, by name")
    policy_params: dict[str, Any] = _table("the policy's own params")


@attrs.frozen
class PlayParams:
    """The walk through a puzzle: the player's knowledge, and the limits of the walk."""

    rules: tuple[str, ...] = param((), help="the domain's inference rules that the player knows, by name")
    rule_params: dict[str, Any] = _table("params of the rules: a table for each, under its name")
    depth_limit: int | None = param(
        None, minimum=1, help="actions; needed by most measures if a state can recur"
    )
    limit: int = param(
        1_000_000, minimum=1, help="states; a puzzle with more gets the status 'limit' (about 500 bytes each)"
    )


@attrs.frozen
class EntropyParams(PlayParams):
    """For the evaluator `entropy`. A domain states its own defaults in a subclass."""

    collapse_zero: bool = param(False, help="for muse: a state all of whose children are 0 is 0 itself")
    policy: str = param("uniform", help="for msi and tsi: a player's policy, by name")
    policy_params: dict[str, Any] = _table("the policy's own params")
    scorer_params: dict[str, Any] = _table("further params of the measures: a table for each, by name")
    measures: tuple[str, ...] = param(
        (), help="further measures, by the names of their scorers; plugins add some", named_if_default=False
    )


@attrs.frozen
class DifferentialParams(EntropyParams):
    """For the evaluators of one rule's effect."""

    rule: str = param("", help="the rule whose effect is measured, by name")
    measure: str = param("muse", help="the entropy scorer, by name")
