"""The kinds of parts that plugins contribute, in one table, from which hooks and listings are derived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from epcg_core.base.errors import PluginError
from epcg_core.domain import descriptors
from epcg_core.domain.lazy import resolve


@attrs.frozen
class Kind:
    """One kind of part."""

    name: str
    """Its name in messages: 'inference rule'."""
    info: type[Any]
    """The class of its descriptors."""
    purpose: str
    """The docstring of its hook: a sentence that says what plugins add by it."""
    plural: str = attrs.field(kw_only=True)
    same: Sequence[str] = attrs.field(default=("name",), kw_only=True)
    """The fields of a descriptor that tell one part from another."""
    usage: str = attrs.field(default="", kw_only=True)
    """The command that takes such a part, for listings; '' if there is none."""
    computes: bool = attrs.field(default=False, kw_only=True)
    """Whether such parts make values, so that their sources are those of runs."""

    @property
    def key(self) -> str:
        """The plural as a name in code: 'inference_rules'. It is the key in listings."""
        return self.plural.replace(" ", "_")

    @property
    def hook(self) -> str:
        """The name of the hook that adds such parts."""
        return f"epcg_register_{self.key}"

    def identity(self, info: Any) -> tuple[str, ...]:
        """Return what makes two parts of this kind the same: the values of the fields `same`."""
        return tuple(str(getattr(info, field)) for field in self.same)


_OF_DOMAIN = ("domain", "name")

KINDS: tuple[Kind, ...] = (
    Kind(
        "domain",
        descriptors.DomainInfo,
        "Add domains: kinds of content, each alone or, as a `Domain`, with its parts.",
        plural="domains",
    ),
    Kind(
        "generator",
        descriptors.GeneratorInfo,
        "Add generators: ranked spaces of content.",
        plural="generators",
        same=_OF_DOMAIN,
        computes=True,
    ),
    Kind(
        "evaluator",
        descriptors.EvaluatorInfo,
        "Add evaluators: measures of states.",
        plural="evaluators",
        same=_OF_DOMAIN,
        computes=True,
    ),
    Kind(
        "search",
        descriptors.SearchInfo,
        "Add searches: ways to cover a space.",
        plural="searches",
        computes=True,
    ),
    Kind(
        "inference rule",
        descriptors.InferenceRuleInfo,
        "Add inference rules: a player's conclusions about actions.",
        plural="inference rules",
        same=_OF_DOMAIN,
        computes=True,
    ),
    Kind(
        "policy",
        descriptors.PolicyInfo,
        "Add policies: a player's probabilities of actions.",
        plural="policies",
        computes=True,
    ),
    Kind(
        "entropy scorer",
        descriptors.EntropyScorerInfo,
        "Add measures of difficulty over transition models.",
        plural="entropy scorers",
        computes=True,
    ),
    Kind(
        "strategy",
        descriptors.StrategyInfo,
        "Add strategies that choose the puzzles of a chapter.",
        plural="strategies",
    ),
    Kind(
        "selection rule",
        descriptors.SelectionRuleInfo,
        "Add rules by which queries keep candidates.",
        plural="selection rules",
    ),
    Kind(
        "renderer",
        descriptors.RendererInfo,
        "Add renderers: a state as SVG or as text.",
        plural="renderers",
        same=("domain", "format", "name"),
    ),
    Kind(
        "editor",
        descriptors.EditorInfo,
        "Add editors: contents drawn, changed and played by hand. A domain has one.",
        plural="editors",
        same=("domain",),
    ),
    Kind(
        "format",
        descriptors.FormatInfo,
        "Add formats of others that `epcg convert` reads and writes.",
        plural="formats",
        same=_OF_DOMAIN,
    ),
    Kind(
        "command",
        descriptors.CommandInfo,
        "Add commands: under a domain's name, or at the top level.",
        plural="commands",
        same=("domain", "group", "name"),
    ),
    Kind(
        "executor",
        descriptors.ExecutorInfo,
        "Add executors: workers that compute units.",
        plural="executors",
    ),
    Kind("check", descriptors.CheckInfo, "Add checks of `epcg verify`.", plural="checks"),
    Kind(
        "published file",
        descriptors.PublishedInfo,
        "Add kinds of files that `epcg verify FILE` checks.",
        plural="published files",
    ),
    Kind(
        "method",
        descriptors.MethodInfo,
        "Add methods of the objects that Python's users get.",
        plural="methods",
        same=("of", "name"),
    ),
    Kind(
        "set of tables",
        descriptors.TablesInfo,
        "Add tables and views to the database, with migrations of their own.",
        plural="tables",
    ),
    Kind(
        "kind",
        descriptors.KindInfo,
        "Add kinds of parts, which this plugin reads and others contribute.",
        plural="kinds",
        same=("plural",),
    ),
)
"""The kinds of the core, in the order in which their hooks are called; plugins add others by `KindInfo`."""


def open_kind(info: descriptors.KindInfo) -> Kind:
    """Return the kind that a plugin adds. Raises PluginError if its class is not there, or has no name."""
    cls: Any = resolve(info.info)
    if not (isinstance(cls, type) and attrs.has(cls) and "name" in attrs.fields_dict(cls)):
        raise PluginError(f"The kind '{info.name}': {info.info} is not an attrs class with a field 'name'.")
    return Kind(info.name, cls, info.summary, plural=info.plural, usage=info.usage)
