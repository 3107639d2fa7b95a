"""The hookspec file is the contract: every hook is documented there and has a test here, named after it."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_type_hints

import attrs
import pytest

from epcg_core import API_VERSION, hookimpl
from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.domain import (
    CheckInfo,
    CommandInfo,
    Domain,
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
    Metric,
    NoParams,
    PageInfo,
    PolicyInfo,
    PublicationInfo,
    PublishedInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    StrategyInfo,
    TablesInfo,
    kinds,
)
from epcg_core.domain.domain import KINDS
from epcg_core.plugins import hookspecs
from epcg_core.plugins.registry import Registry

HOOKS = {
    name: function
    for name, function in vars(hookspecs).items()
    if inspect.isfunction(function) and name.startswith("epcg_")
}


def contribute(hook: str, *infos: Any) -> Registry:
    """The registry after a plugin that contributes `infos` through `hook`, and their domain."""

    def implementation(register: Callable[[Any], None]) -> None:
        for info in infos:
            register(info)

    def domains(register: Callable[[Any], None]) -> None:
        register(DomainInfo("numbers", "Numbers", "whole numbers"))

    module = types.ModuleType("plugin_of_a_test")
    module.EPCG_API_VERSION = API_VERSION  # type: ignore[attr-defined]
    module.epcg_register_domains = hookimpl(domains)  # type: ignore[attr-defined]
    setattr(module, hook, hookimpl(implementation))
    found = Registry()
    found.add_plugin("test", module, "epcg-test", "2.5")
    assert [report.problem for report in found.reports] == [""]
    assert all(found.version_of(info) == "epcg-test 2.5" for info in infos)
    return found


def nothing() -> None:
    """A factory that is never called."""


def test_epcg_register_domains() -> None:
    info = DomainInfo("numbers", "Numbers", "whole numbers")
    assert contribute("epcg_register_domains", info).domain("numbers") is info


def test_a_domain_brings_its_parts() -> None:
    """Each part is found as if its own hook had registered it, and has the domain's name."""
    metric = Metric("digits")
    domain = Domain(
        "numbers",
        "Numbers",
        "whole numbers",
        generators=[GeneratorInfo(name="odd", summary="", factory=nothing)],
        evaluators=(
            EvaluatorInfo(name="digits", summary="", metrics=(metric,), factory=nothing),
            EvaluatorInfo(name="sum", domain="numbers", summary="", metrics=(metric,), factory=nothing),
        ),
        inference_rules=[InferenceRuleInfo(name="last", summary="", factory=nothing)],
        renderers=[RendererInfo(format="svg", factory=nothing)],
        commands=[CommandInfo(name="add", summary="", factory=nothing)],
        publications=[PublicationInfo(name="paper", title="A paper", tables="papers:a.toml")],
        searches=[SearchInfo(name="sampling", summary="", factory=nothing)],
        policies=[PolicyInfo(name="random", summary="", factory=nothing)],
        entropy_scorers=[EntropyScorerInfo(name="minimum", summary="", factory=nothing)],
    )
    found = contribute("epcg_register_domains", domain)
    assert found.domain("numbers") is domain
    generator = found.generator("numbers", "odd")
    assert (generator.domain, generator.params) == ("numbers", NoParams)
    assert [info.name for info in own(found, EvaluatorInfo)] == ["digits", "sum"]
    assert found.inference_rule("numbers", "last").domain == "numbers"
    assert found.renderer("numbers", "svg") is not None
    assert [info.name for info in found.all(CommandInfo, "numbers")] == ["add"]
    assert [info.name for info in found.all(PublicationInfo)] == ["paper"]
    assert found.search("sampling").name == "sampling"
    assert found.policy("random").name == "random"
    assert found.entropy_scorer("minimum").name == "minimum"
    assert found.version_of(generator) == "epcg-test 2.5"
    assert found.described(generator) == "generator numbers:odd (plugin epcg-test 2.5)"


def test_a_domain_has_a_field_for_every_kind_of_part() -> None:
    contract = {name.removeprefix("epcg_register_") for name in HOOKS} - {"domains"}
    assert set(KINDS) == contract
    assert {field.name for field in attrs.fields(Domain)} - set(KINDS) == {
        field.name for field in attrs.fields(DomainInfo)
    }
    for name, kind in KINDS.items():
        (parameters, _) = get_type_hints(HOOKS[f"epcg_register_{name}"])["register"].__args__, None
        assert parameters[0] is kind


Info = TypeVar("Info")


def own(found: Registry, kind: type[Info]) -> list[Info]:
    """The parts of a kind, without those that the core gives every domain."""
    return [info for info in found.all(kind) if found.distribution_of(info) != "epcg-core"]


def test_epcg_register_generators() -> None:
    infos = [
        GeneratorInfo(name=name, domain="numbers", summary="", params=NoParams, factory=nothing)
        for name in ("odd", "even")
    ]
    found = contribute("epcg_register_generators", *infos)
    assert own(found, GeneratorInfo) == infos[::-1]


def test_epcg_register_evaluators() -> None:
    info = EvaluatorInfo(
        name="digits", domain="numbers", summary="", params=NoParams, metrics=(Metric("digits"),),
        factory=nothing,
    )  # fmt: skip
    assert own(contribute("epcg_register_evaluators", info), EvaluatorInfo) == [info]


def test_epcg_register_searches() -> None:
    info = SearchInfo(name="sampling", summary="", params=NoParams, factory=nothing)
    assert contribute("epcg_register_searches", info).search("sampling") is info


def test_epcg_register_inference_rules() -> None:
    info = InferenceRuleInfo(name="last", domain="numbers", summary="", params=NoParams, factory=nothing)
    found = contribute("epcg_register_inference_rules", info)
    assert found.all(InferenceRuleInfo, "numbers") == [info]
    assert found.all(InferenceRuleInfo, "others") == []


def test_epcg_register_policies() -> None:
    info = PolicyInfo(name="random", summary="", params=NoParams, factory=nothing)
    assert contribute("epcg_register_policies", info).all(PolicyInfo) == [info]


def test_epcg_register_entropy_scorers() -> None:
    info = EntropyScorerInfo(name="minimum", summary="", params=NoParams, factory=nothing)
    assert contribute("epcg_register_entropy_scorers", info).all(EntropyScorerInfo) == [info]


@attrs.frozen
class Third:
    """Params of a strategy."""

    name: ClassVar[str] = "third"


def test_epcg_register_strategies() -> None:
    info = StrategyInfo(name="third", summary="", params=Third)
    assert contribute("epcg_register_strategies", info).all(StrategyInfo) == [info]


def test_epcg_register_selection_rules() -> None:
    info = SelectionRuleInfo(name="spread", summary="", choose=nothing)
    found = contribute("epcg_register_selection_rules", info)
    assert found.selection_rule("spread") is info
    assert found.selection_rule("top") is None
    with pytest.raises(UnknownNameError, match=r"unknown rule 'spraed'.*Did you mean 'spread'"):
        found.selection_rule("spraed", "select[0].keep")


def test_epcg_register_renderers() -> None:
    svg = RendererInfo(domain="numbers", format="svg", factory=nothing)
    text = RendererInfo(domain="numbers", format="text", factory=nothing)
    found = contribute("epcg_register_renderers", svg, text)
    assert found.renderer("numbers", "svg") is svg
    assert found.renderer("numbers", "text") is text
    assert found.renderer("others", "svg") is None


def test_epcg_register_editors() -> None:
    info = EditorInfo(domain="numbers", summary="", factory=nothing, new=nothing, size=(1, 1))
    found = contribute("epcg_register_editors", info)
    assert found.editor("numbers") is info
    for generator in ("contents", "changes"):
        assert found.generator("numbers", generator).domain == "numbers"
    bare = DomainInfo("numbers", "Numbers", "whole numbers")
    with pytest.raises(PluginError, match="has no editor"):
        contribute("epcg_register_domains", bare).editor("numbers")


def test_epcg_register_publications() -> None:
    info = PublicationInfo(name="paper", title="A paper", tables="papers:a.toml")
    assert contribute("epcg_register_publications", info).all(PublicationInfo) == [info]


def test_epcg_register_commands() -> None:
    info = CommandInfo(name="add", domain="numbers", summary="", factory=nothing)
    assert contribute("epcg_register_commands", info).all(CommandInfo, "numbers") == [info]


def test_a_command_without_a_domain_is_one_at_the_top_level() -> None:
    info = CommandInfo(name="add", summary="", factory=nothing)
    assert contribute("epcg_register_commands", info).all(CommandInfo, "") == [info]


def test_epcg_register_executors() -> None:
    info = ExecutorInfo(name="fast", summary="", factory=nothing)
    assert contribute("epcg_register_executors", info).executor("fast") is info


def test_epcg_register_checks() -> None:
    info = CheckInfo(name="votes", summary="", prove=nothing)
    assert contribute("epcg_register_checks", info).all(CheckInfo) == [info]


def test_epcg_register_published_files() -> None:
    info = PublishedInfo(name="ballot", summary="", recognise=nothing, verify=nothing)
    assert contribute("epcg_register_published_files", info).all(PublishedInfo) == [info]


def test_epcg_register_exporters() -> None:
    info = ExporterInfo(name="markdown", summary="", write=nothing)
    found = contribute("epcg_register_exporters", info)
    assert found.exporter("markdown") is info
    with pytest.raises(UnknownNameError, match="Did you mean 'markdown'"):
        found.exporter("markdwn")


def test_epcg_register_pages() -> None:
    info = PageInfo(name="votes", title="Votes", summary="", factory=nothing)
    assert contribute("epcg_register_pages", info).all(PageInfo) == [info]


def test_epcg_register_methods() -> None:
    info = MethodInfo(name="votes", of="run", summary="", function=nothing)
    found = contribute("epcg_register_methods", info)
    assert found.method("run", "votes") is info
    assert found.method("database", "votes") is None


def test_epcg_register_tables() -> None:
    info = TablesInfo(name="votes", summary="", migrations="epcg_votes.migrations")
    assert contribute("epcg_register_tables", info).tables("votes") is info


def test_epcg_register_formats() -> None:
    info = FormatInfo(name="tiled", domain="numbers", summary="", read=nothing)
    found = contribute("epcg_register_formats", info)
    assert found.all(FormatInfo, "numbers") == [info]
    assert found.format("numbers", "tiled") is info
    with pytest.raises(UnknownNameError, match="tield"):
        found.format("numbers", "tield")


def test_there_is_a_hook_for_each_kind_of_part() -> None:
    assert len(HOOKS) == len(kinds.KINDS) == 21


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_documented_and_tested(name: str) -> None:
    hook = HOOKS[name]
    documentation = inspect.getdoc(hook)
    assert documentation, f"{name} has no docstring"
    assert documentation.endswith(".")
    assert list(inspect.signature(hook).parameters) == ["register"]
    assert f"test_{name}" in globals(), f"{name} has no test named after it"


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_takes_the_kind_of_thing_that_its_signature_names(name: str) -> None:
    (parameters, _) = get_type_hints(HOOKS[name])["register"].__args__, None
    module = types.ModuleType("plugin_of_a_test")
    module.EPCG_API_VERSION = API_VERSION  # type: ignore[attr-defined]
    setattr(module, name, hookimpl(lambda register: register(object())))
    found = Registry()
    found.add_plugin("test", module, "epcg-test", "1")
    assert found.reports[0].problem == f"PluginError: {name} takes {parameters[0].__name__}, not object."


def test_the_contract_is_short() -> None:
    assert len(Path(inspect.getfile(hookspecs)).read_text(encoding="utf-8").splitlines()) < 200
