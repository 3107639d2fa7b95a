"""Discovery: what is found, what is refused and why, and that a broken plugin breaks nobody else."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.curriculum.plan import _strategy
from epcg_core.domain import (
    DomainInfo,
    EvaluatorInfo,
    GeneratorInfo,
    Metric,
    NoParams,
    RendererInfo,
    SearchInfo,
    resolve,
)
from epcg_core.plugins.entry_points import active_entry_points
from epcg_core.plugins.registry import PluginReport, Registry, registry
from epcg_core.query.named import load_query
from tests.workplace import Numbers, epcg, write_plugin

Install = Callable[[str, str, str, str], None]

HEAD = """
import attrs
from epcg_core import hookimpl
from epcg_core.domain import *
EPCG_API_VERSION = 1
"""
SOUND = (
    HEAD
    + """
@hookimpl
def epcg_register_domains(register):
    register(DomainInfo("sound", "Sound", "works"))
"""
)

BROKEN = {
    "import": ("import a_module_that_nobody_has", "ModuleNotFoundError: No module named"),
    "syntax": ("def (:", "SyntaxError: "),
    "exit": (HEAD + "raise RuntimeError('at import')", "RuntimeError: at import"),
    "no version": (
        HEAD.replace("EPCG_API_VERSION = 1", ""),
        "PluginError: EPCG_API_VERSION is missing: write EPCG_API_VERSION = 1 into the plugin's module",
    ),
    "new version": (HEAD.replace("= 1", "= 2"), "PluginError: it was written for plugin API 2, this is EPCG"),
    "misspelt": (
        HEAD + "@hookimpl\ndef epcg_register_domain(register): pass",
        "UnknownNameError: unknown hook 'epcg_register_domain'. Did you mean 'epcg_register_domains'?",
    ),
    "misspelt from the start": (
        HEAD + "@hookimpl\ndef register_domains(register): pass",
        "UnknownNameError: unknown hook 'register_domains'. Did you mean 'epcg_register_domains'?",
    ),
    "calls sys.exit": (HEAD + "@hookimpl\ndef epcg_register_domains(register): exit(3)", "SystemExit: 3"),
    "misspelt, unmarked": (
        HEAD + "def epcg_register_evalators(register): pass",
        "UnknownNameError: unknown hook 'epcg_register_evalators'. Did you mean 'epcg_register_evaluators'?",
    ),
    "unmarked": (
        HEAD + "def epcg_register_domains(register): register(DomainInfo('a', 'a', 'a'))",
        "PluginError: epcg_register_domains lacks the decorator @epcg_core.hookimpl",
    ),
    "wrong argument": (
        HEAD + "@hookimpl\ndef epcg_register_domains(registre): pass",
        "PluginValidationError: ",
    ),
    "raises": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register): 1 / 0",
        "ZeroDivisionError: division by zero",
    ),
    "wrong kind": (
        HEAD + "@hookimpl\ndef epcg_register_generators(register): register(DomainInfo('a', 'a', 'a'))",
        "PluginError: epcg_register_generators takes GeneratorInfo, not DomainInfo.",
    ),
    "not a descriptor": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register): register('numbers')",
        "PluginError: epcg_register_domains takes DomainInfo, not str.",
    ),
    "malformed descriptor": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register): register(DomainInfo('numbers'))",
        "TypeError: DomainInfo.__init__() missing 2 required positional arguments",
    ),
    "twice": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register):\n"
        "    register(DomainInfo('a', 'a', 'a'))\n    register(DomainInfo('a', 'b', 'b'))",
        "PluginError: it registers a twice.",
    ),
    "wrong kind in a domain": (
        HEAD + "D = Domain('a', 'a', 'a', generators=[RendererInfo(format='svg', factory='a:b')])",
        "PluginError: The domain a: generators takes GeneratorInfo, not RendererInfo.",
    ),
    "part of another domain": (
        HEAD + "D = Domain('a', 'a', 'a', renderers=[RendererInfo(domain='b', format='svg', factory='a:b')])",
        "PluginError: The domain a: renderers has a part of the domain b. Leave out its `domain` if",
    ),
    "misspelt field of a domain": (
        HEAD + "D = Domain('a', 'a', 'a', generatos=[])",
        "TypeError: Domain.__init__() got an unexpected keyword argument 'generatos'",
    ),
    "twice in a domain": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register):\n"
        "    part = RendererInfo(format='svg', factory='a:b')\n"
        "    register(Domain('a', 'a', 'a', renderers=[part, part]))",
        "PluginError: it registers a:svg twice.",
    ),
    "in a domain and by a hook": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register):\n"
        "    register(Domain('a', 'a', 'a', renderers=[RendererInfo(format='svg', factory='a:b')]))\n"
        "@hookimpl\ndef epcg_register_renderers(register):\n"
        "    register(RendererInfo(domain='a', format='svg', factory='c:d'))",
        "PluginError: it registers a:svg twice.",
    ),
    "no domain": (
        HEAD + "@hookimpl\ndef epcg_register_generators(register):\n"
        "    register(GeneratorInfo(name='all', summary='', factory='a:b'))",
        "PluginError: The generator all names no domain: write domain=..., or put it into a Domain that",
    ),
    "reserved metric in a domain": (
        HEAD + "@hookimpl\ndef epcg_register_domains(register):\n"
        "    register(Domain('a', 'a', 'a', evaluators=[EvaluatorInfo(name='e', summary='',\n"
        "        metrics=(Metric('status'),), factory='a:b')]))",
        "PluginError: The evaluator 'e' cannot call a metric 'status': choose letters, digits and ",
    ),
    "reserved metric": (
        HEAD + "@hookimpl\ndef epcg_register_evaluators(register):\n    register(EvaluatorInfo(name='e', "
        "domain='numbers', summary='', params=NoParams, metrics=(Metric('status'),), factory='a:b'))",
        "PluginError: The evaluator 'e' cannot call a metric 'status': choose letters, digits and "
        "underscores, and none of rank, status, evaluated.",
    ),
}

DOMAIN = (
    HEAD
    + """
@hookimpl
def epcg_register_domains(register):
    register(Domain("faulty", "Faulty", "has a fault", {}))
"""
)
EVALUATOR = "evaluators=[EvaluatorInfo(name='e', summary='', metrics=({},), factory='a:b')]"
GENERATOR = "generators=[GeneratorInfo(name='g', summary='', params={}, factory='a:b')]"
MALFORMED = {
    "direction": (
        EVALUATOR.format("Metric('runs', 'int', 'minimum')"),
        "The evaluator 'e': metric 'runs': direction: unknown value 'minimum'. Did you mean 'min'? Known: "
        "max, min.",
    ),
    "description in place of the direction": (
        EVALUATOR.format("Metric('runs', 'int', 'runs of letters')"),
        "metric 'runs': direction: unknown value 'runs of letters'. Known: max, min.",
    ),
    "kind": (
        EVALUATOR.format("Metric('runs', 'integer')"),
        "metric 'runs': kind: unknown value 'integer'. Did you mean 'int'? Known: bool, int, real.",
    ),
    "metric's description": (
        EVALUATOR.format("Metric('runs', 'int', 'max', '', 7)"),
        "metric 'runs': description is 7: expected a string.",
    ),
    "metric's always": (
        EVALUATOR.format("Metric('runs', always=1)"),
        "metric 'runs': always is 1: expected True or False.",
    ),
    "metric's name": (
        EVALUATOR.format("Metric('number of runs')"),
        "The evaluator 'e' cannot call a metric 'number of runs': choose letters, digits and underscores",
    ),
    "metric twice": (
        EVALUATOR.format("Metric('a'), Metric('a')"),
        "The evaluator 'e' has the metric 'a' twice.",
    ),
    "metrics without a tuple": (
        EVALUATOR.format("Metric('a')").replace("(Metric('a'),)", "Metric('a')"),
        "The evaluator 'e': metrics is Metric(name='a'",
    ),
    "no metric": (
        EVALUATOR.format("").replace("(,)", "()"),
        "The evaluator 'e' has no metric: write metrics=",
    ),
    "name of a metric": (EVALUATOR.format("'a'"), "metrics holds 'a', which is not a Metric."),
    "format": (
        "renderers=[RendererInfo(format='png', factory='a:b')]",
        "The renderer: format: unknown value 'png'. Known: svg, text.",
    ),
    "blank in a name": (
        "generators=[GeneratorInfo(name='my words', summary='', factory='a:b')]",
        "The generator 'my words': name is 'my words': a name has letters, digits, '_' and '-' only",
    ),
    "number sign in a name": (
        "generators=[GeneratorInfo(name='words#2', summary='', factory='a:b')]",
        "The generator 'words#2': name is 'words#2': a name has",
    ),
    "no name": (
        "generators=[GeneratorInfo(name='', summary='', factory='a:b')]",
        "The generator: name is '': a name has letters",
    ),
    "name of another type": (
        "generators=[GeneratorInfo(name=7, summary='', factory='a:b')]",
        "The generator: name is 7: expected a string.",
    ),
    "summary": (
        "generators=[GeneratorInfo(name='g', summary=None, factory='a:b')]",
        "The generator 'g': summary is None: expected a string.",
    ),
    "version": (
        "generators=[GeneratorInfo(name='g', summary='', factory='a:b', version=True)]",
        "The generator 'g': version is True: expected an integer.",
    ),
    "params that are a dict": (
        GENERATOR.format("{'size': 3}"),
        "The generator 'g': its params, {'size': 3}, are not an attrs class: decorate the class with",
    ),
    "params that are a class": (
        GENERATOR.format("int"),
        "The generator 'g': its params, int, are not an attrs class",
    ),
    "params that are a name": (
        GENERATOR.format("'Params'"),
        "The generator 'g': params is 'Params': write 'package.module:name'",
    ),
    "params of a type that TOML does not have": (
        GENERATOR.format("attrs.make_class('P', {'cells': attrs.field(type=set[int], default=())})"),
        "The generator 'g': TOML has no such type for its params: cells: set[int]. Use int, float, bool,",
    ),
    "factory without a module": (
        "generators=[GeneratorInfo(name='g', summary='', factory='Words')]",
        "The generator 'g': factory is 'Words': write 'package.module:name', or pass the callable itself.",
    ),
    "factory that was called": (
        "generators=[GeneratorInfo(name='g', summary='', factory=None)]",
        "The generator 'g': factory is None: expected a callable, or a string 'package.module:name'.",
    ),
    "refused part of a query": (
        "searches=[SearchInfo(name='s', summary='', factory='a:b', refuses={'filters': 'it does'})]",
        "The search 's': refuses: unknown value 'filters'. Did you mean 'filter'?",
    ),
}
"""A field of a Domain(...) that has a wrong value, and the sentence about it."""


@pytest.mark.sweep(8)
@pytest.mark.parametrize("fault", MALFORMED)
def test_a_wrong_value_is_refused_when_it_is_registered(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    field, problem = MALFORMED[fault]
    monkeypatch.setenv("EPCG_PLUGINS", "faulty,numbers")
    install_plugin("faulty", "epcg_faulty", DOMAIN.replace("{}", field), "epcg-faulty")
    assert problem in report("faulty").problem
    assert report("numbers").problem == ""
    assert [info.name for info in registry().all(DomainInfo)] == ["numbers"]


def test_a_part_of_an_unknown_domain_is_refused(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "faulty,numbers")
    source = DOMAIN.replace(", {}", "") + (
        "\n@hookimpl\ndef epcg_register_generators(register):\n"
        "    register(GeneratorInfo(name='g', domain='fualty', summary='', factory='a:b'))\n"
    )
    install_plugin("faulty", "epcg_faulty", source, "epcg-faulty")
    assert (
        "The generator 'fualty:g': unknown domain 'fualty'. Did you mean 'faulty'?"
        in report("faulty").problem
    )
    with pytest.raises(PluginError, match="the plugin faulty is installed, but could not be loaded"):
        registry().domain("faulty")


def test_a_part_of_a_domain_that_is_switched_off_waits_for_it(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SOUND + (
        "\n@hookimpl\ndef epcg_register_renderers(register):\n"
        "    register(RendererInfo(name='wide', domain='numbers', format='svg', factory='a:b'))\n"
    )
    install_plugin("sound", "epcg_sound", source, "epcg-sound")
    for plugins, note in (
        ("sound,numbers", ""),
        ("sound", "has parts for numbers, which no plugin in use has"),
    ):
        monkeypatch.setenv("EPCG_PLUGINS", plugins)
        registry.cache_clear()
        assert (report("sound").problem, report("sound").note) == ("", note)
    assert "in use; has parts for numbers, which" in " ".join(toy.epcg("domains").stdout.split())


def report(name: str) -> PluginReport:
    return next(found for found in registry().reports if found.name == name)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_plugin_is_reported_and_breaks_nobody_else(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    source, problem = BROKEN[fault]
    monkeypatch.setenv("EPCG_PLUGINS", "broken,numbers,sound")
    install_plugin("broken", "epcg_broken", source, "epcg-broken")
    install_plugin("sound", "epcg_sound", SOUND, "epcg-sound")
    found = registry()
    assert (report("broken").distribution, report("broken").version) == ("epcg-broken", "1.0")
    assert problem in report("broken").problem
    for sound in ("core", "numbers", "sound"):
        assert report(sound).problem == ""
    assert [info.name for info in found.all(DomainInfo)] == ["numbers", "sound"]


def test_of_a_plugin_that_fails_in_its_last_hook_nothing_is_taken(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "sound")
    source = SOUND + "\n@hookimpl\ndef epcg_register_commands(register): register(None)\n"
    install_plugin("sound", "epcg_sound", source, "epcg-sound")
    assert registry().all(DomainInfo) == []
    assert "CommandInfo, not NoneType" in report("sound").problem


def test_what_another_plugin_registered_is_not_registered_again(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "a,b")
    install_plugin("a", "epcg_a", SOUND, "epcg-a")
    install_plugin("b", "epcg_b", SOUND, "epcg-b")
    assert report("a").problem == ""
    assert report("b").problem == (
        "PluginError: sound is registered already, by epcg-a 1.0: choose another name."
    )
    assert registry().version_of(registry().domain("sound")) == "epcg-a 1.0"


INTRUDERS = {
    "the domain": (
        "@hookimpl\ndef epcg_register_domains(register): register(DomainInfo('sound', 'Mine', 'mine'))",
        "sound is registered already, by epcg-sound 1.0: choose another name.",
    ),
    "an evaluator": (
        "@hookimpl\ndef epcg_register_evaluators(register):\n"
        "    register(EvaluatorInfo(name='e', domain='sound', summary='', metrics=(Metric('m'),),\n"
        "        factory='a:b'))",
        "sound:e is registered already, by epcg-sound 1.0: choose another name.",
    ),
    "a renderer": (
        "@hookimpl\ndef epcg_register_renderers(register):\n"
        "    register(RendererInfo(domain='sound', format='svg', factory='a:b'))",
        "sound:svg is registered already, by epcg-sound 1.0: give it a name of its own, name='...'.",
    ),
}
OWNER = (
    HEAD
    + """
@hookimpl
def epcg_register_domains(register):
    register(Domain("sound", "Sound", "works",
        evaluators=[EvaluatorInfo(name="e", summary="", metrics=(Metric("m"),), factory="a:b")],
        renderers=[RendererInfo(format="svg", factory="a:b")]))
"""
)


@pytest.mark.parametrize("fault", INTRUDERS)
@pytest.mark.parametrize("name", ["aardvark", "zebra"])
def test_the_owner_of_a_domain_wins_a_clash_of_names(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch, fault: str, name: str
) -> None:
    """Whichever of the two comes first in the alphabet."""
    source, problem = INTRUDERS[fault]
    monkeypatch.setenv("EPCG_PLUGINS", f"sound,{name}")
    install_plugin(name, f"epcg_{name}", HEAD + source, f"epcg-{name}")
    install_plugin("sound", "epcg_sound", OWNER, "epcg-sound")
    assert (report("sound").problem, report(name).problem) == ("", f"PluginError: {problem}")
    assert registry().domain("sound").title == "Sound"
    found = {registry().version_of(info) for info in registry().all(EvaluatorInfo)}
    assert {each for each in found if not each.startswith("epcg-core ")} == {"epcg-sound 1.0"}


@pytest.mark.parametrize(
    ("owner", "distribution", "other"), [("z_other", "Epcg_Sound", "sound"), ("sound", "third", "a_other")]
)
def test_the_distribution_tells_the_owner_of_a_domain(
    toy: Numbers,
    install_plugin: Install,
    monkeypatch: pytest.MonkeyPatch,
    owner: str,
    distribution: str,
    other: str,
) -> None:
    """A domain belongs to the distribution 'epcg-DOMAIN', else to the entry point of its name."""
    monkeypatch.setenv("EPCG_PLUGINS", f"{owner},{other}")
    install_plugin(owner, f"epcg_{owner}", SOUND, distribution)
    install_plugin(other, f"epcg_{other}", SOUND, "mine")
    assert (report(owner).problem, "registered already" in report(other).problem) == ("", True)


def test_a_plugin_that_loses_a_clash_takes_nothing_from_others(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    """b gives way to the owner of the domain, so c, which would give way to b, is in use."""
    monkeypatch.setenv("EPCG_PLUGINS", "b,c,sound")
    policy = (
        "@hookimpl\ndef epcg_register_policies(register):\n"
        "    register(PolicyInfo(name='p', summary='', factory='a:b'))\n"
    )
    install_plugin("b", "epcg_b", HEAD + INTRUDERS["an evaluator"][0] + "\n" + policy, "epcg-b")
    install_plugin("c", "epcg_c", HEAD + policy, "epcg-c")
    install_plugin("sound", "epcg_sound", OWNER, "epcg-sound")
    assert [report(name).problem == "" for name in ("b", "c", "sound")] == [False, True, True]
    assert registry().version_of(registry().policy("p")) == "epcg-c 1.0"


def test_a_domain_has_several_renderers_by_name(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "sound,extra")
    source = INTRUDERS["a renderer"][0].replace("format=", "name='wide', format=")
    install_plugin("extra", "epcg_extra", HEAD + source, "epcg-extra")
    install_plugin("sound", "epcg_sound", OWNER, "epcg-sound")
    found = registry()
    assert report("extra").problem == ""
    assert found.version_of(found.renderer("sound", "svg")) == "epcg-sound 1.0"
    assert found.version_of(found.renderer("sound", "svg", "wide")) == "epcg-extra 1.0"
    with pytest.raises(UnknownNameError, match=r"sound: unknown svg renderer 'wied'\. Did you mean 'wide'\?"):
        found.renderer("sound", "svg", "wied")


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ("", []),
        ("numbers", ["numbers"]),
        ("sound", ["sound"]),
        (" sound , numbers,", ["numbers", "sound"]),
        ("nobody", []),
    ],
)
def test_the_allow_list(
    toy: Numbers,
    install_plugin: Install,
    monkeypatch: pytest.MonkeyPatch,
    allowed: str,
    expected: list[str],
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", allowed)
    install_plugin("sound", "epcg_sound", SOUND, "epcg-sound")
    assert [entry.name for entry in active_entry_points()] == expected
    assert [info.name for info in registry().all(DomainInfo)] == expected
    assert [found.name for found in registry().reports] == ["core", *expected]
    assert ("epcg_sound" in sys.modules) == ("sound" in expected)


def test_without_an_allow_list_every_plugin_is_active(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_plugin("sound", "epcg_sound", SOUND, "epcg-sound")
    monkeypatch.delenv("EPCG_PLUGINS")
    assert {"numbers", "sound"} <= {entry.name for entry in active_entry_points()}


def test_a_distribution_hides_those_of_its_name_in_later_folders(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EPCG_PLUGINS")
    install_plugin("sound", "epcg_sound", SOUND, "epcg-sound")
    assert "sound" in {entry.name for entry in active_entry_points()}
    newer = tmp_path / "newer"
    newer.mkdir()
    write_plugin(newer, "louder", "epcg_louder", SOUND, "epcg.Sound", "2.0")
    monkeypatch.setattr(sys, "path", [str(newer), *sys.path])
    found = {entry.name: entry.dist.version for entry in active_entry_points() if entry.dist}
    assert found["louder"] == "2.0"
    assert "sound" not in found
    assert found.keys() == {entry.name for entry in importlib.metadata.entry_points(group="epcg")}


def test_looking_up_names(toy: Numbers) -> None:
    found = registry()
    assert found.domain("numbers").title == "Numbers"
    assert found.generator("numbers", "range").name == "range"
    assert found.evaluator("numbers", "digits").metrics[0].name == "digits"
    assert found.search("exhaustive").name == "exhaustive"
    renderer = found.renderer("numbers", "svg")
    assert renderer is not None
    assert found.renderer("numbers", "png") is None
    assert {"exhaustive", "retrograde"} <= {info.name for info in found.all(SearchInfo)}
    names = [info.name for info in found.all(EvaluatorInfo, "numbers")]
    assert names == sorted(names)
    assert found.all(GeneratorInfo, "nobody") == []
    assert {info.format for info in found.all(RendererInfo, "numbers")} == {"svg", "text"}


def test_names_that_nobody_registered(toy: Numbers) -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown domain 'number'\. Did you mean 'numbers'\? Known"):
        registry().domain("number")
    with pytest.raises(UnknownNameError, match=r"^query: unknown generator 'rang'\. Did you mean 'range'\?"):
        registry().generator("numbers", "rang", "query")
    with pytest.raises(UnknownNameError, match=r"^unknown domain 'x'"):
        registry().evaluator("x", "digits")
    with pytest.raises(UnknownNameError, match=r"^search: unknown search 'exhaustiv'\."):
        registry().search("exhaustiv", "search")


def test_a_domain_whose_plugin_is_not_in_use_says_why(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,broken")
    install_plugin("broken", "epcg_broken", "import a_module_that_nobody_has", "epcg-broken")
    install_plugin("sound", "epcg_sound", SOUND, "epcg-sound")
    reason = (
        "the plugin broken is installed, but could not be loaded: ModuleNotFoundError: No module named "
        "'a_module_that_nobody_has' (epcg_broken.py:1); see `epcg domains`."
    )
    with pytest.raises(PluginError) as raised:
        registry().domain("broken")
    assert str(raised.value) == reason
    with pytest.raises(PluginError) as raised:
        registry().generator("broken", "any", "generator")
    assert str(raised.value) == f"domain: {reason}"
    for ask in (lambda: registry().domain("sound"), lambda: load_query("sound/hard")):
        with pytest.raises(PluginError, match=r"^the plugin sound is installed, but EPCG_PLUGINS or --no-pl"):
            ask()


def test_the_exception_of_a_plugin_that_cannot_be_loaded_is_kept(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--debug` shows its traceback, of `epcg domains` and of whatever needs the plugin."""
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,broken")
    source = HEAD + "\n\n1 / 0"
    line = len(source.splitlines())
    install_plugin("broken", "epcg_broken", source, "epcg-broken")
    assert report("broken").problem == f"ZeroDivisionError: division by zero (epcg_broken.py:{line})"
    with pytest.raises(PluginError) as raised:
        registry().domain("broken")
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    quiet, told = (toy.epcg(*debug, "domains") for debug in ((), ("--debug",)))
    assert "Traceback" not in quiet.stderr
    assert f'epcg_broken.py", line {line}' in told.stderr
    assert quiet.stdout == told.stdout


def test_every_part_knows_whose_it_is(toy: Numbers) -> None:
    found = registry()
    assert found.version_of(found.generator("numbers", "range")) == "epcg-toy 1.0"
    assert found.version_of(found.search("exhaustive")).startswith("epcg-core ")


def test_lazy_factories_say_what_is_missing() -> None:
    assert resolve("math:sqrt")(4) == 2
    assert resolve(len) is len
    for lazy, reason in [
        ("no_such_module:f", "cannot be loaded: No module named 'no_such_module'"),
        ("math:no_such_thing", "cannot be loaded: module 'math' has no attribute"),
        ("math:pi", "is not callable"),
    ]:
        with pytest.raises(PluginError, match=f"^'{lazy}' {reason}"):
            resolve(lazy)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "epcg_core.base.params:Nothing",
            "GeneratorInfo faulty:g: its params: 'epcg_core.base.params:Nothing' cannot be",
        ),
        ("epcg_core.base.params:structure", "GeneratorInfo faulty:g: its params, "),
        ("epcg_core.search.params:RetrogradeParams", ""),
    ],
)
def test_params_by_name_are_imported_when_they_are_needed(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    """A listing that needs none is whole; one that shows them says what is wrong, and where."""
    monkeypatch.setenv("EPCG_PLUGINS", "faulty,numbers")
    field = GENERATOR.format(repr(text))
    install_plugin("faulty", "epcg_faulty", DOMAIN.replace("{}", field), "epcg-faulty")
    assert report("faulty").problem == ""
    listed = json.loads(epcg("domains", "faulty", "--json").stdout)["generators"]
    [found] = [part for part in listed if part["name"] == "g"]
    assert problem in found.get("problem", "")
    assert bool(found["params"]) == (problem == "")
    result = epcg("domains", code=None)
    assert "faulty" in result.stdout


PARTS_WITHOUT_PARAMS = (
    HEAD
    + """
BROKEN = dict(summary="s", params="epcg_guest_params:Params", factory="a:b")
@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(name="broken", domain="numbers", **BROKEN))
@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(name="broken", domain="numbers", metrics=(Metric("never"),), **BROKEN))
@hookimpl
def epcg_register_inference_rules(register):
    register(InferenceRuleInfo(name="broken", domain="numbers", **BROKEN))
@hookimpl
def epcg_register_searches(register):
    register(SearchInfo(name="broken", **BROKEN))
@hookimpl
def epcg_register_policies(register):
    register(PolicyInfo(name="broken", **BROKEN))
@hookimpl
def epcg_register_entropy_scorers(register):
    register(EntropyScorerInfo(name="broken", **BROKEN))
@hookimpl
def epcg_register_strategies(register):
    register(StrategyInfo(name="broken", summary="s", params="epcg_guest_params:Params"))
"""
)


@pytest.mark.sweep
@pytest.mark.parametrize("module", ["raise RuntimeError('no params today')", "Params = 1", None])
def test_parts_whose_params_cannot_be_imported_stop_no_others(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str | None
) -> None:
    """A guest's parts of every kind: what is asked of other parts is answered, and the guest's are named."""
    monkeypatch.setenv("EPCG_PLUGINS", "guest,numbers")
    install_plugin("guest", "epcg_guest", PARTS_WITHOUT_PARAMS, "epcg-guest")
    if module is not None:
        (tmp_path / "site" / "epcg_guest_params.py").write_text(module)
    assert report("guest").problem == ""
    assert epcg("run", toy.file("divisor"), "--quiet").stdout
    assert epcg("verify", 1).exit_code == 0
    assert "divisor" in epcg("score", "numbers:range?size=10#4").stdout
    assert _strategy({"name": "evenly"}, "strategy") is not None
    listed = json.loads(epcg("domains", "--json").stdout)
    kinds = ("searches", "policies", "entropy_scorers", "strategies")
    parts = [part for key in kinds for part in listed[key]]
    parts += [part for key in ("generators", "evaluators") for part in listed["domains"][0][key]]
    told = [part.get("problem", "") for part in parts if part["name"] == "broken"]
    assert len(told) == 6
    assert all("epcg_guest_params" in each or "not an attrs class" in each for each in told)
    query = toy.file("divisor", name="asked")
    query.write_text(query.read_text().replace('name = "divisor"', 'name = "broken"'))
    said = epcg("run", query, code=1).stderr
    assert "EvaluatorInfo numbers:broken: its params" in said
    assert "mistake in EPCG" not in said


def test_descriptors_are_frozen_and_metrics_have_defaults() -> None:
    metric = Metric("size")
    assert (metric.kind, metric.direction, metric.unit, metric.always) == ("int", "max", "", False)
    info = EvaluatorInfo(name="e", domain="d", summary="", params=NoParams, metrics=(metric,), factory="m:f")
    assert info.needs is None
    with pytest.raises(AttributeError):
        info.name = "other"  # type: ignore[misc]


def test_listing_the_domains_imports_nothing_heavy() -> None:
    code = (
        "import sys; from epcg_core.plugins.registry import registry; found = registry();"
        "heavy = {'numba', 'numpy', 'sqlalchemy', 'alembic', 'click', 'matplotlib'} & set(sys.modules);"
        "assert not heavy, heavy; print(len(found.reports))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 1


@pytest.mark.parametrize(
    ("kind", "ask"),
    [
        ("search", lambda known: known.search("missing")),
        ("policy", lambda known: known.policy("missing")),
        ("entropy scorer", lambda known: known.entropy_scorer("missing")),
        ("rule", lambda known: known.selection_rule("missing")),
        ("evaluator", lambda known: known.evaluator("numbers", "missing")),
        ("inference rule", lambda known: known.inference_rule("numbers", "missing")),
        ("svg renderer", lambda known: known.renderer("numbers", "svg", "missing")),
        ("strategy", lambda known: _strategy({"name": "missing"}, "strategy")),
    ],
)
def test_a_missing_part_may_be_that_of_a_plugin_that_could_not_be_loaded(
    toy: Numbers,
    install_plugin: Install,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    ask: Callable[[Registry], object],
) -> None:
    install_plugin("broken", "epcg_broken", "import a_module_that_nobody_has", "epcg-broken")
    told = "The plugin broken is installed, but could not be loaded; see `epcg domains`."
    for plugins, is_told in (("numbers", False), ("numbers,broken", True)):
        monkeypatch.setenv("EPCG_PLUGINS", plugins)
        registry.cache_clear()
        with pytest.raises(UnknownNameError, match=f"unknown {kind} 'missing'") as raised:
            ask(registry())
        assert str(raised.value).endswith(told) == is_told
