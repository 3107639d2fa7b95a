"""Entropy scorers, policies and rules by name: from the registry to callables.

An entropy scorer is a function: StateSpace -> Difficulty. A third party registers one with the hook
`epcg_register_entropy_scorers`; its factory gets the scorer's own params.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from epcg_core.base.errors import UnknownNameError
from epcg_core.base.params import fields_of, structure
from epcg_core.difficulty import measures
from epcg_core.difficulty.policies import Policy
from epcg_core.difficulty.rules import AnyRule
from epcg_core.difficulty.search import Difficulty, StateSpace
from epcg_core.domain import EntropyScorerInfo, NoParams, PolicyInfo, resolve
from epcg_core.plugins.registry import Registry, registry

if TYPE_CHECKING:
    from epcg_core.difficulty.params import MuseParams, PolicyParams

EntropyScorer: TypeAlias = Callable[[StateSpace], Difficulty]
"""(the states that a player can reach) -> how difficult the puzzle is."""


def muse(params: MuseParams) -> EntropyScorer:
    return partial(measures.muse, collapse_zero=params.collapse_zero)


def remuse(params: NoParams) -> EntropyScorer:
    return measures.remuse


def adversarial(params: NoParams) -> EntropyScorer:
    return measures.adversarial


def msi(params: PolicyParams, generator: Any) -> EntropyScorer:
    policy = make_policy(params.policy, params.policy_params, generator=generator)
    return partial(measures.msi, policy=policy)


def tsi(params: PolicyParams, generator: Any) -> EntropyScorer:
    policy = make_policy(params.policy, params.policy_params, generator=generator)
    return partial(measures.tsi, policy=policy)


def make_rules(
    generator: Any,
    domain: str,
    names: Sequence[str],
    params: Mapping[str, Any] | None = None,
    registry: Registry | None = None,
) -> list[AnyRule]:
    """Make a domain's inference rules for the states of `generator`, in the order of `names`.

    `params` holds a table of params for each rule that needs one. Raises UnknownNameError for a rule that is
    not registered or params of a rule that is not among `names`, ParamsError for bad params.
    """
    known, params = _registry(registry), params or {}
    for name in params:
        if name not in names:
            raise UnknownNameError("rule", name, names, "rule_params")
    rules: list[AnyRule] = []
    for name in names:
        info = known.inference_rule(domain, name, "rules")
        own: Any = structure(info.params, params.get(name, {}), f"rule_params.{name}")
        with known.attribute_errors_to(info):
            rules.append(resolve(info.factory)(own, generator))
    return rules


def make_policy(
    name: str,
    params: Mapping[str, Any] | None = None,
    registry: Registry | None = None,
    generator: Any = None,
) -> Policy:
    """Make a registered policy for the puzzles of a generator. Raises UnknownNameError or ParamsError."""
    known = _registry(registry)
    info = known.policy(name, "policy")
    policy: Policy = _made(known, info, structure(info.params, params or {}, "policy_params"), generator)
    return policy


def _made(registry: Registry, info: PolicyInfo | EntropyScorerInfo, params: Any, generator: Any) -> Any:
    """Make a part; an exception of its factory names it."""
    with registry.attribute_errors_to(info):
        return resolve(info.factory)(params, *([generator] if info.sees_generator else []))


def make_scorer(
    name: str,
    params: Mapping[str, Any] | None = None,
    shared: Mapping[str, Any] | None = None,
    registry: Registry | None = None,
    generator: Any = None,
) -> EntropyScorer:
    """Make a registered entropy scorer for the puzzles of a generator.

    It takes the params that it knows from `shared`; `params` override these. Raises UnknownNameError or
    ParamsError.
    """
    known = _registry(registry)
    info, own = _scorer_params(name, params, shared, known)
    scorer: EntropyScorer = _made(known, info, own, generator)
    return scorer


def scorer_parts(
    name: str, params: Mapping[str, Any] | None, shared: Mapping[str, Any] | None, registry: Registry
) -> Iterator[object]:
    """Yield the descriptors of an entropy scorer and its policy; arguments and errors as of `make_scorer`."""
    info, own = _scorer_params(name, params, shared, registry)
    yield info
    if info.uses is not None:
        yield from resolve(info.uses)(own, registry)


def policy_of(params: PolicyParams, registry: Registry) -> tuple[PolicyInfo, ...]:
    """Return the descriptors that the scorers `msi` and `tsi` use."""
    return (registry.policy(params.policy, "policy"),)


def _scorer_params(
    name: str, params: Mapping[str, Any] | None, shared: Mapping[str, Any] | None, registry: Registry
) -> tuple[EntropyScorerInfo, Any]:
    info = registry.entropy_scorer(name, "measure")
    taken = {key: value for key, value in (shared or {}).items() if key in fields_of(info.params)}
    own: Any = structure(info.params, taken | dict(params or {}), f"scorer_params.{name}")
    return info, own


def _registry(given: Registry | None) -> Registry:
    return registry() if given is None else given
