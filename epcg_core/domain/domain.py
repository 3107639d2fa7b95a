"""A domain as one object: its name, and all parts that a plugin contributes to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from epcg_core.base.errors import PluginError
from epcg_core.domain.descriptors import (
    CheckInfo,
    CommandInfo,
    DomainInfo,
    EditorInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    ExecutorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    KindInfo,
    MethodInfo,
    PolicyInfo,
    PublishedInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
    TablesInfo,
)
from epcg_core.domain.kinds import KINDS as KINDS_OF_PARTS


@attrs.frozen
class Domain(DomainInfo):
    """A kind of content with its parts. The parts leave out their `domain`, which is this one.

    Register it by `epcg_register_domains`. Raises PluginError if a part is of another kind than its field, or
    of another domain.
    """

    generators: Sequence[GeneratorInfo] = attrs.field(default=(), kw_only=True)
    evaluators: Sequence[EvaluatorInfo] = attrs.field(default=(), kw_only=True)
    inference_rules: Sequence[InferenceRuleInfo] = attrs.field(default=(), kw_only=True)
    renderers: Sequence[RendererInfo] = attrs.field(default=(), kw_only=True)
    editors: Sequence[EditorInfo] = attrs.field(default=(), kw_only=True)
    formats: Sequence[FormatInfo] = attrs.field(default=(), kw_only=True)
    commands: Sequence[CommandInfo] = attrs.field(default=(), kw_only=True)
    searches: Sequence[SearchInfo] = attrs.field(default=(), kw_only=True)
    policies: Sequence[PolicyInfo] = attrs.field(default=(), kw_only=True)
    entropy_scorers: Sequence[EntropyScorerInfo] = attrs.field(default=(), kw_only=True)
    strategies: Sequence[StrategyInfo] = attrs.field(default=(), kw_only=True)
    selection_rules: Sequence[SelectionRuleInfo] = attrs.field(default=(), kw_only=True)
    executors: Sequence[ExecutorInfo] = attrs.field(default=(), kw_only=True)
    checks: Sequence[CheckInfo] = attrs.field(default=(), kw_only=True)
    methods: Sequence[MethodInfo] = attrs.field(default=(), kw_only=True)
    tables: Sequence[TablesInfo] = attrs.field(default=(), kw_only=True)
    published_files: Sequence[PublishedInfo] = attrs.field(default=(), kw_only=True)
    kinds: Sequence[KindInfo] = attrs.field(default=(), kw_only=True)
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
    kind.key: kind.info for kind in KINDS_OF_PARTS if kind.info is not DomainInfo
}
"""The kind of part that each field of `Domain` holds."""
