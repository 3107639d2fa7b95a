"""The table of commands and functions on the page about Python: every command, and functions that exist."""

from __future__ import annotations

import re

import epcg_core as epcg
from epcg_core.cli.app import app
from epcg_core.domain import DomainInfo
from epcg_core.plugins.registry import registry
from tests.core.cli.test_python import leaves
from tests.whole.docs.test_docs import text_of

OBJECTS = {"Run": epcg.Run, "Database": epcg.Database, "Curriculum": epcg.Curriculum}


def commands() -> set[str]:
    """The commands of EPCG itself: all but those of domains."""
    domains = {info.name for info in registry().all(DomainInfo)}
    return {words for words, _ in leaves(app) if words.partition(" ")[0] not in domains}


def test_the_table_has_every_command_and_functions_that_there_are() -> None:
    text = text_of("guides/python.md").partition("## Every command as a function")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `epcg ([^`]+)` \| (.*) \|$", text, re.MULTILINE)
    lacking = set(re.findall(r"`epcg ([^`]+)`", text.partition("Not functions yet")[2]))
    named = {words.partition(" --")[0] for words, _ in rows}
    assert named & lacking == set()
    assert named | lacking == commands()
    for words, functions in rows:
        found = re.findall(r"`(epcg|Run|Database|Curriculum)\.(\w+)`", functions)
        assert found, words
        for owner, name in found:
            if owner == "epcg":
                assert callable(getattr(epcg, name)), (owner, name)
            else:
                kind = owner.lower()
                assert hasattr(OBJECTS[owner], name) or registry().method(kind, name), (owner, name)


def test_every_function_of_the_module_for_people_is_in_the_table() -> None:
    text = text_of("guides/python.md")
    functions = {
        name
        for name in epcg.__all__
        if callable(found := getattr(epcg, name)) and not isinstance(found, type)
    }
    others = {"hookimpl", "register", "open"}
    assert {name for name in functions - others if f"`epcg.{name}`" not in text} == set()
