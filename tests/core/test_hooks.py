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
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    KindInfo,
    MethodInfo,
    Metric,
    NoParams,
    PolicyInfo,
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
from epcg_core.plugins.claims import LoadedPlugin
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
    assert found.search("sampling").name == "sampling"
    assert found.policy("random").name == "random"
    assert found.entropy_scorer("minimum").name == "minimum"
    assert found.version_of(generator) == "epcg-test 2.5"
    assert found.described(generator) == "generator numbers:odd (plugin epcg-test 2.5)"


def test_a_domain_has_a_field_for_every_kind_of_part() -> None:
    contract = {name.removeprefix("epcg_register_") for name in HOOKS} - {"domains"}
    assert set(KINDS) == contract
    assert {field.name for field in attrs.fields(Domain)} - set(KINDS) == {
        "others", *(field.name for field in attrs.fields(DomainInfo))
    }  # fmt: skip
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


@attrs.frozen(kw_only=True)
class Song:
    """A part of a kind that a plugin adds."""

    name: str
    verses: int = 1


SONGS = KindInfo(name="song", plural="songs", summary="Add songs.", info=f"{__name__}:Song")


def plugin(**hooks: Callable[[Any], None]) -> types.ModuleType:
    """The module of a plugin with these hooks, by the last part of their names."""
    module = types.ModuleType("plugin_of_a_test")
    module.EPCG_API_VERSION = API_VERSION  # type: ignore[attr-defined]
    for name, function in hooks.items():
        setattr(module, f"epcg_register_{name}", function)
    return module


def added(*modules: types.ModuleType) -> Registry:
    """The registry after these plugins, the first of which may need what a later one adds."""
    found = Registry()
    found.add_plugins([LoadedPlugin(f"p{n}", each, f"epcg-p{n}", "1") for n, each in enumerate(modules)])
    return found


def problems(found: Registry) -> list[str]:
    return [report.problem for report in found.reports]


def test_epcg_register_kinds() -> None:
    assert contribute("epcg_register_kinds", SONGS).all(KindInfo) == [SONGS]


def test_a_plugin_adds_a_kind_of_which_others_register_parts() -> None:
    @hookimpl
    def kinds_of(register: Callable[[KindInfo], None]) -> None:
        register(SONGS)

    @hookimpl(optionalhook=True)
    def songs(register: Callable[..., None]) -> None:
        register(name="mine", verses=3)
        register(Song(name="yours"))

    domain = Domain("numbers", "Numbers", "whole numbers", others={"songs": [{"name": "theirs"}]})
    reader, singer = plugin(kinds=kinds_of), plugin(songs=songs)
    with_parts = plugin(domains=hookimpl(lambda register: register(domain)))
    found = added(singer, with_parts, reader)
    assert problems(found) == ["", "", ""]
    assert found.all(Song) == [Song(name="mine", verses=3), Song(name="theirs"), Song(name="yours")]
    assert found.described(found.all(Song)[0]) == "song mine (plugin epcg-p0 1)"
    assert [kind.key for kind in found.kinds.of_plugins()] == ["songs"]
    without = added(singer, with_parts)
    assert problems(without) == ["", ""]
    assert without.all(Song) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"nam": "x"}, "unexpected keyword argument 'nam'"),
        ({}, "missing 1 required keyword-only argument: 'name'"),
        ({"name": "x", "verses": "two"}, "The song 'x': verses is 'two': expected an integer"),
        ({"name": "x y"}, "a name has letters, digits"),
    ],
)
def test_a_wrong_part_of_an_added_kind_is_a_sentence(fields: dict[str, Any], said: str) -> None:
    @hookimpl(optionalhook=True)
    def songs(register: Callable[..., None]) -> None:
        register(**fields)

    reader = plugin(kinds=hookimpl(lambda register: register(SONGS)))
    found = added(reader, plugin(songs=songs))
    assert problems(found)[0] == ""
    assert said in problems(found)[1]


def test_a_kind_is_added_once_and_a_hook_that_is_not_optional_says_so() -> None:
    reader = plugin(kinds=hookimpl(lambda register: register(SONGS)))
    again = plugin(kinds=hookimpl(lambda register: register(attrs.evolve(SONGS, name="tune"))))
    assert problems(added(reader, again))[0] == ""
    assert "songs is registered already, by epcg-p0 1" in problems(added(reader, again))[1]
    taken = plugin(kinds=hookimpl(lambda register: register(attrs.evolve(SONGS, plural="renderers"))))
    assert "The core has renderers: choose another plural" in problems(added(taken))[0]
    strict = plugin(songs=hookimpl(lambda register: None))
    assert "@hookimpl(optionalhook=True)" in problems(added(strict))[0]


@pytest.mark.parametrize(
    ("info", "said"),
    [("no_such_module:Song", "cannot be loaded"), (f"{__name__}:nothing", "not an attrs class")],
)
def test_a_kind_without_its_class_harms_no_other_plugin(info: str, said: str) -> None:
    """Not even one that registers parts of it, which wait as if the plugin were not there."""
    reader = plugin(kinds=hookimpl(lambda register: register(attrs.evolve(SONGS, info=info))))
    singer = plugin(songs=hookimpl(optionalhook=True)(lambda register: register(name="mine")))
    domain = Domain("numbers", "Numbers", "whole numbers", others={"songs": [{"name": "theirs"}]})
    found = added(singer, reader, plugin(domains=hookimpl(lambda register: register(domain))))
    assert problems(found)[::2] == ["", ""]
    assert said in problems(found)[1]
    assert found.kinds.of_plugins() == []


def test_there_is_a_hook_for_each_kind_of_part() -> None:
    assert len(HOOKS) == len(kinds.KINDS) == 19


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
