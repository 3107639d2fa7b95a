"""A domain as one object: its name, and all parts that a plugin contributes to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from epcg_core.base.errors import PluginError
from epcg_core.domain import descriptors
from epcg_core.domain.kinds import KINDS as KINDS_OF_PARTS


@attrs.frozen
class Domain(descriptors.DomainInfo):
    """A kind of content with its parts. The parts leave out their `domain`, which is this one.

    Register it by `epcg_register_domains`. Raises PluginError if a part is of another kind than its field, or
    of another domain.
    """

    generators: Sequence[descriptors.GeneratorInfo] = attrs.field(default=(), kw_only=True)
    evaluators: Sequence[descriptors.EvaluatorInfo] = attrs.field(default=(), kw_only=True)
    inference_rules: Sequence[descriptors.InferenceRuleInfo] = attrs.field(default=(), kw_only=True)
    renderers: Sequence[descriptors.RendererInfo] = attrs.field(default=(), kw_only=True)
    editors: Sequence[descriptors.EditorInfo] = attrs.field(default=(), kw_only=True)
    formats: Sequence[descriptors.FormatInfo] = attrs.field(default=(), kw_only=True)
    commands: Sequence[descriptors.CommandInfo] = attrs.field(default=(), kw_only=True)
    searches: Sequence[descriptors.SearchInfo] = attrs.field(default=(), kw_only=True)
    policies: Sequence[descriptors.PolicyInfo] = attrs.field(default=(), kw_only=True)
    entropy_scorers: Sequence[descriptors.EntropyScorerInfo] = attrs.field(default=(), kw_only=True)
    strategies: Sequence[descriptors.StrategyInfo] = attrs.field(default=(), kw_only=True)
    selection_rules: Sequence[descriptors.SelectionRuleInfo] = attrs.field(default=(), kw_only=True)
    executors: Sequence[descriptors.ExecutorInfo] = attrs.field(default=(), kw_only=True)
    checks: Sequence[descriptors.CheckInfo] = attrs.field(default=(), kw_only=True)
    methods: Sequence[descriptors.MethodInfo] = attrs.field(default=(), kw_only=True)
    tables: Sequence[descriptors.TablesInfo] = attrs.field(default=(), kw_only=True)
    published_files: Sequence[descriptors.PublishedInfo] = attrs.field(default=(), kw_only=True)
    kinds: Sequence[descriptors.KindInfo] = attrs.field(default=(), kw_only=True)
    others: Mapping[str, Sequence[Mapping[str, Any]]] = attrs.field(factory=dict, kw_only=True)
    """The fields of parts of kinds that other plugins add, by the plural of the kind, such as
    {'publications': [{'name': '1997', 'title': ..., 'tables': ...}]}. Without such a plugin they wait."""

    def __attrs_post_init__(self) -> None:
        for field, kind in KINDS.items():
            for part in getattr(self, field):
                if not isinstance(part, kind):
                    raise PluginError(
                        f"The domain {self.name}: {field} takes {kind.__name__}, not {type(part).__name__}."
                    )
                if getattr(part, "domain", "") not in ("", self.name):
                    raise PluginError(
                        f"The domain {self.name}: {field} has a part of the domain {part.domain}. Leave out "
                        "its `domain` if it belongs here, or register it by its own hook."
                    )

    def parts(self) -> Iterator[Any]:
        """Yield every part, with the domain's name if its kind has one."""
        for field in KINDS:
            for part in getattr(self, field):
                yield attrs.evolve(part, domain=self.name) if hasattr(part, "domain") else part


KINDS: Mapping[str, type[Any]] = {
    kind.key: kind.info for kind in KINDS_OF_PARTS if kind.info is not descriptors.DomainInfo
}
"""The kind of part that each field of `Domain` holds."""
