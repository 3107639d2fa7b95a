"""A domain as one object: its name, and all parts that a plugin contributes to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from epcg_core.base.errors import PluginError
from epcg_core.domain import kinds
from epcg_core.domain.descriptors import (
    CheckInfo,
    CommandInfo,
    DomainInfo,
    EditorInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    ExecutorInfo,
    ExporterInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    MethodInfo,
    PageInfo,
    PolicyInfo,
    PublicationInfo,
    PublishedInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
    TablesInfo,
)


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
    publications: Sequence[PublicationInfo] = attrs.field(default=(), kw_only=True)
    searches: Sequence[SearchInfo] = attrs.field(default=(), kw_only=True)
    policies: Sequence[PolicyInfo] = attrs.field(default=(), kw_only=True)
    entropy_scorers: Sequence[EntropyScorerInfo] = attrs.field(default=(), kw_only=True)
    strategies: Sequence[StrategyInfo] = attrs.field(default=(), kw_only=True)
    selection_rules: Sequence[SelectionRuleInfo] = attrs.field(default=(), kw_only=True)
    executors: Sequence[ExecutorInfo] = attrs.field(default=(), kw_only=True)
    checks: Sequence[CheckInfo] = attrs.field(default=(), kw_only=True)
    exporters: Sequence[ExporterInfo] = attrs.field(default=(), kw_only=True)
    pages: Sequence[PageInfo] = attrs.field(default=(), kw_only=True)
    methods: Sequence[MethodInfo] = attrs.field(default=(), kw_only=True)
    tables: Sequence[TablesInfo] = attrs.field(default=(), kw_only=True)
    published_files: Sequence[PublishedInfo] = attrs.field(default=(), kw_only=True)

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


KINDS: Mapping[str, type[Any]] = {kind.key: kind.info for kind in kinds.KINDS if kind.info is not DomainInfo}
"""The kind of part that each field of `Domain` holds."""
