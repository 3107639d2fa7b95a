"""The hooks of plugins. Each hook is called once, at set-up, and never inside a search.

A plugin is a module named by an entry point of group `epcg`. It declares `EPCG_API_VERSION = 1` and
implements any of these hooks with `epcg_core.hookimpl`. Each receives `register`, to be called once for
every part contributed, so one plugin can add any number, also to another plugin's domain. A domain that is
registered as a `Domain` brings its own parts, so its plugin needs no other hook.
"""

from __future__ import annotations

from collections.abc import Callable

import pluggy

from epcg_core.domain import (
    CommandInfo,
    DomainInfo,
    EditorInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    PolicyInfo,
    PublicationInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
)

hookspec = pluggy.HookspecMarker("epcg")
hookimpl = pluggy.HookimplMarker("epcg")


@hookspec
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    """Add domains: kinds of content, each alone or, as a `Domain`, with its parts."""


@hookspec
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    """Add generators: ranked spaces of content."""


@hookspec
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    """Add evaluators: measures of states."""


@hookspec
def epcg_register_searches(register: Callable[[SearchInfo], None]) -> None:
    """Add searches: ways to cover a space."""


@hookspec
def epcg_register_inference_rules(register: Callable[[InferenceRuleInfo], None]) -> None:
    """Add inference rules: a player's conclusions about actions."""


@hookspec
def epcg_register_policies(register: Callable[[PolicyInfo], None]) -> None:
    """Add policies: a player's probabilities of actions."""


@hookspec
def epcg_register_entropy_scorers(register: Callable[[EntropyScorerInfo], None]) -> None:
    """Add measures of difficulty over transition models."""


@hookspec
def epcg_register_strategies(register: Callable[[StrategyInfo], None]) -> None:
    """Add strategies that choose the puzzles of a chapter."""


@hookspec
def epcg_register_selection_rules(register: Callable[[SelectionRuleInfo], None]) -> None:
    """Add rules by which queries keep candidates."""


@hookspec
def epcg_register_renderers(register: Callable[[RendererInfo], None]) -> None:
    """Add renderers: a state as SVG or as text."""


@hookspec
def epcg_register_editors(register: Callable[[EditorInfo], None]) -> None:
    """Add editors: contents drawn, changed and played by hand. A domain has one."""


@hookspec
def epcg_register_formats(register: Callable[[FormatInfo], None]) -> None:
    """Add formats of others that `epcg convert` reads and writes."""


@hookspec
def epcg_register_publications(register: Callable[[PublicationInfo], None]) -> None:
    """Add published results that `epcg reproduce` computes again."""


@hookspec
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    """Add sub-commands under the domain's name."""
