"""Discovery: what is found, what is refused and why, and that a broken plugin breaks nobody else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

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
from epcg_core.errors import PluginError, UnknownNameError
from epcg_core.plugins.registry import PluginReport, active_entry_points, registry
from epcg_core.query.named import load_query
from tests.workplace import Numbers

Install = Callable[[str, str, str, str], None]

HEAD = """
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
        "PluginError: The evaluator a:e cannot call a metric 'status': choose letters, digits and ",
    ),
    "reserved metric": (
        HEAD + "@hookimpl\ndef epcg_register_evaluators(register):\n    register(EvaluatorInfo(name='e', "
        "domain='numbers', summary='', params=NoParams, metrics=(Metric('status'),), factory='a:b'))",
        "PluginError: The evaluator numbers:e cannot call a metric 'status': choose letters, digits and "
        "underscores, and none of rank, status, evaluated.",
    ),
}


def report(name: str) -> PluginReport:
    return next(found for found in registry().reports if found.name == name)


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
    assert report("b").problem == "PluginError: sound is registered already, by epcg-a 1.0."
    assert registry().version_of(registry().domain("sound")) == "epcg-a 1.0"


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
        "'a_module_that_nobody_has'; see `epcg domains`."
    )
    with pytest.raises(PluginError) as raised:
        registry().domain("broken")
    assert str(raised.value) == reason
    with pytest.raises(PluginError) as raised:
        registry().generator("broken", "any", "generator")
    assert str(raised.value) == f"generator: {reason}"
    for ask in (lambda: registry().domain("sound"), lambda: load_query("sound/hard")):
        with pytest.raises(PluginError, match=r"^the plugin sound is installed, but EPCG_PLUGINS or --no-pl"):
            ask()


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
