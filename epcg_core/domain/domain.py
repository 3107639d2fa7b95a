"""A domain as one object: its name, and all parts that a plugin contributes to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

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
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
    TablesInfo,
)
from epcg_core.errors import PluginError


def _parts(kind: type[Any]) -> Any:
    """Define a field that holds parts of a kind."""
    return attrs.field(default=(), kw_only=True, metadata={"kind": kind})


@attrs.frozen
class Domain(DomainInfo):
    """A kind of content with its parts. The parts leave out their `domain`, which is this one.

    Register it by `epcg_register_domains`. Raises PluginError if a part is of another kind than its field, or
    of another domain.
    """

    generators: Sequence[GeneratorInfo] = _parts(GeneratorInfo)
    evaluators: Sequence[EvaluatorInfo] = _parts(EvaluatorInfo)
    inference_rules: Sequence[InferenceRuleInfo] = _parts(InferenceRuleInfo)
    renderers: Sequence[RendererInfo] = _parts(RendererInfo)
    editors: Sequence[EditorInfo] = _parts(EditorInfo)
    formats: Sequence[FormatInfo] = _parts(FormatInfo)
    commands: Sequence[CommandInfo] = _parts(CommandInfo)
    publications: Sequence[PublicationInfo] = _parts(PublicationInfo)
    searches: Sequence[SearchInfo] = _parts(SearchInfo)
    policies: Sequence[PolicyInfo] = _parts(PolicyInfo)
    entropy_scorers: Sequence[EntropyScorerInfo] = _parts(EntropyScorerInfo)
    strategies: Sequence[StrategyInfo] = _parts(StrategyInfo)
    selection_rules: Sequence[SelectionRuleInfo] = _parts(SelectionRuleInfo)
    executors: Sequence[ExecutorInfo] = _parts(ExecutorInfo)
    checks: Sequence[CheckInfo] = _parts(CheckInfo)
    exporters: Sequence[ExporterInfo] = _parts(ExporterInfo)
    pages: Sequence[PageInfo] = _parts(PageInfo)
    methods: Sequence[MethodInfo] = _parts(MethodInfo)
    tables: Sequence[TablesInfo] = _parts(TablesInfo)

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
    field.name: field.metadata["kind"] for field in attrs.fields(Domain) if "kind" in field.metadata
}
"""The kind of part that each field of `Domain` holds."""
