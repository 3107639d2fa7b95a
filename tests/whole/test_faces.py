"""The faces are plugins like others: what is missing without one is named, with the way to get it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import epcg_core
from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.cli.app import app
from epcg_core.cli.groups import OpenGroup
from epcg_core.domain import CommandInfo, ExecutorInfo, MethodInfo, PolicyInfo, PublishedInfo
from epcg_core.plugins import entry_points, registry as registries
from epcg_core.plugins.faces import FACES
from epcg_core.plugins.registry import registry
from tests import faces
from tests.conftest import Install
from tests.workplace import Numbers, epcg

PARTS = [
    (face, kind, name) for face, kinds in FACES.items() for kind, names in kinds.items() for name in names
]
KINDS: tuple[type[Any], ...] = (CommandInfo, ExecutorInfo, MethodInfo, PolicyInfo, PublishedInfo)
ABSENT: dict[str, Callable[[str], str]] = {
    "switched off": lambda face: (
        f"It cannot be used: the plugin {face} is installed, but EPCG_PLUGINS or --no-plugins switches it "
        "off: leave that out, or name the plugin there."
    ),
    "not installed": lambda face: f"It is in epcg-{face}, which is not installed: pip install epcg-{face}.",
}


@pytest.fixture(params=ABSENT)
def sentence(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], str]]:
    """No face is in use; sentence(face) says why."""
    monkeypatch.setenv("EPCG_PLUGINS", "numbers")
    if request.param == "not installed":
        others = [e for e in entry_points.installed_entry_points() if e.name not in FACES]
        monkeypatch.setattr(registries, "installed_entry_points", lambda: others)
    registry.cache_clear()
    yield ABSENT[request.param]
    registry.cache_clear()


def told(kind: str, name: str) -> str:
    """What a user is told who asks for a part."""
    if kind in ("executor", "policy"):
        with pytest.raises(UnknownNameError) as unknown:
            getattr(registry(), kind)(name)
        return str(unknown.value)
    if kind == "method":
        of, _, method = name.partition(".")
        kind = getattr(epcg_core, of.capitalize(), None)
        thing = epcg_core if kind is None else kind.__new__(kind)
        with pytest.raises(AttributeError) as absent:
            getattr(thing, method)
        return str(absent.value)
    if kind == "published":
        Path("strange.txt").touch()
        return epcg("verify", "strange.txt", code=1).stderr
    assert kind == "command"
    return epcg(*name.split(), code=1).stderr


@pytest.mark.sweep(20)
@pytest.mark.parametrize(("face", "kind", "name"), PARTS)
def test_the_distribution_of_a_missing_part_is_named(
    toy: Numbers, sentence: Callable[[str], str], face: str, kind: str, name: str
) -> None:
    assert sentence(face) in " ".join(told(kind, name).split())


def test_a_check_of_a_certificate_needs_research(
    toy: Numbers, sentence: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    path.touch()
    told = " ".join(epcg("verify", "--certificate", path, code=1).stderr.split())
    assert "`epcg verify --certificate` needs the function 'check_certificate' of a plugin. " in told
    assert sentence("research") in told


def test_the_table_of_faces_has_what_they_register(reader: object) -> None:
    registry.cache_clear()
    found: dict[str, dict[str, set[str]]] = {}
    for info in (part for kind in KINDS for part in registry().all(kind)):
        face = registry().distribution_of(info).removeprefix("epcg-")
        if face in FACES and not getattr(info, "domain", ""):
            kind = type(info).__name__.removesuffix("Info").lower()
            before = [info.of] if kind == "method" else [getattr(info, "group", "")]
            name = ("." if kind == "method" else " ").join([*filter(None, before), info.name])
            found.setdefault(face, {}).setdefault(kind, set()).add(name)
    listed = {face: {kind: set(names) for kind, names in parts.items()} for face, parts in FACES.items()}
    assert found == {face: parts for face, parts in listed.items() if parts}
    assert tuple(FACES) == faces.FACES


@pytest.mark.parametrize("name", ["curriculum", "db", "import", "study"])
def test_an_open_group_lists_the_commands_of_plugins_with_its_own(reader: object, name: str) -> None:
    """Also for what makes pages of groups, which asks for all commands only if `commands` is empty."""
    registry.cache_clear()
    context = click.Context(app)
    group = app.get_command(context, name)
    assert isinstance(group, OpenGroup)
    assert not group.commands
    added = {info.name for info in registry().all(CommandInfo) if info.group == name}
    listed = group.list_commands(context)
    assert added < set(listed) if name == "curriculum" else added <= set(listed)
    assert all(group.get_command(context, each) is not None for each in listed)


def test_a_misspelt_command_of_a_plugin_in_a_group_is_told(toy: Numbers) -> None:
    assert "Did you mean 'export'?" in epcg("curriculum", "exprot", code=2).stderr


RIVAL = """
from epcg_core.plugin import CommandInfo, MethodInfo, hookimpl

EPCG_API_VERSION = 1

@hookimpl
def epcg_register_methods(register):
    register(MethodInfo(name="plot", of="run", summary="another plot", function="epcg_a_rival:nothing"))
"""
BROKEN = """
from epcg_core.plugin import CommandInfo, MethodInfo, hookimpl

EPCG_API_VERSION = 1

@hookimpl
def epcg_register_methods(register):
    register(MethodInfo(name="lost", of="epcg", summary="lost", function="epcg_a_rival:nothing"))

@hookimpl
def epcg_register_commands(register):
    register(CommandInfo(name="raises", group="db", summary="raise", factory="epcg_a_rival:raises"))

def raises():
    raise ValueError("no command today")
"""


def test_another_plugin_pushes_no_face_out(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entry point comes first by name."""
    install_plugin("a-rival", "epcg_a_rival", RIVAL, "epcg-a-rival")
    monkeypatch.setenv("EPCG_PLUGINS", faces.only("numbers", "a-rival"))
    registry.cache_clear()
    problems = {report.name: report.problem for report in registry().reports if report.problem}
    assert problems.keys() == {"a-rival"}
    assert "run:plot is registered already, by epcg-research" in problems["a-rival"]


def test_what_a_plugin_adds_and_cannot_be_loaded_is_told_when_it_is_used(
    toy: Numbers, install_plugin: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_plugin("a-rival", "epcg_a_rival", BROKEN, "epcg-a-rival")
    monkeypatch.setenv("EPCG_PLUGINS", faces.only("numbers", "a-rival"))
    registry.cache_clear()
    assert hasattr(epcg_core, "lost")
    assert "lost" in dir(epcg_core)
    with pytest.raises(PluginError, match="'epcg_a_rival:nothing' cannot be loaded"):
        epcg_core.lost()
    told = epcg("db", "raises", code=1).stderr
    assert "command db:raises (plugin epcg-a-rival 1.0)" in told
    assert "no command today" in told


def test_a_command_in_the_group_of_a_missing_face_is_there(
    toy: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,publishing")
    registry.cache_clear()
    try:
        assert "Make the pages of a study" in " ".join(epcg("study", "site", "--help").stdout.split())
        assert "the plugin research is installed" in epcg("study", "correlate", code=1).stderr
    finally:
        registry.cache_clear()
