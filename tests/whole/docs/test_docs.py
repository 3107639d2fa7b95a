"""The pages build without a warning, and what they show is what happens.

Pages are followed from top to bottom, each in an empty folder: tests/pages.py says how. Python sessions run
as doctests.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import Token  # type: ignore[import-untyped]

from epcg_core import domain
from epcg_core.domain import KindInfo
from epcg_core.plugins import hookspecs
from epcg_core.plugins.registry import registry
from epcg_core.store import Store
from tests.forks.forked import python_forked
from tests.pages import blocks_of, fault_of, follow, without_comment
from tests.workplace import epcg

DOCS = Path(__file__).parents[3] / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "_build" not in path.parts)
READMES = sorted([*DOCS.parent.glob("plugins/*/README.md"), *DOCS.parent.glob("examples/*/README.md")])
SPHINX = """
import gc, sys
gc.set_threshold(300_000)
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""
"""Sphinx as a text for `python_forked`."""
SLOW = "<!-- slow -->"
"""At the top of a page whose commands, or Python sessions, take more than half a second."""


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def files_of(text: str) -> dict[str, str]:
    """Files that a page has its reader write: code blocks whose caption is a file name."""
    option = r"(?::\w[\w-]*:[^\n]*\n)*"
    block = rf"```\{{code-block\}} \w+\n{option}:caption: (\S+)\n{option}\n?(.*?)```"
    return dict(re.findall(block, text, re.DOTALL))


def with_any(found: Callable[[str], object]) -> list[Any]:
    """The pages in whose text something is found, as cases of a test."""
    texts = {page: text_of(page) for page in PAGES}
    return [
        pytest.param(page, marks=[pytest.mark.slow] if SLOW in text else [])
        for page, text in texts.items()
        if found(text)
    ]


@pytest.mark.parametrize("page", [*PAGES, "../README.md"])
def test_every_block_of_a_page_is_followed_or_says_why_not(page: str) -> None:
    text = text_of(page)
    faults = {f"line {block.line}": fault_of(block, text) for block in blocks_of(text)}
    assert {line: fault for line, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_the_shell_of_a_readme_says_why_it_is_not_run(readme: Path) -> None:
    """What stands in its other blocks runs in tests/whole/test_readme.py."""
    blocks = blocks_of(readme.read_text(encoding="utf-8"))
    assert [block.content for block in blocks if block.language == "sh" and not block.reason] == []


@pytest.mark.parametrize(
    "page", with_any(lambda text: any(not block.reason and block.language for block in blocks_of(text)))
)
def test_a_page_can_be_followed_from_top_to_bottom_in_an_empty_folder(page: str, reader: Path) -> None:
    """Files are written where the page has them, and each command prints what is shown."""
    follow(text_of(page))


@pytest.mark.parametrize("page", [*PAGES, "../README.md"])
def test_every_command_that_is_not_run_here_exists_with_its_options(page: str) -> None:
    """Those that a page marks, and those of slow pages, which run with the slow tests only."""
    text = text_of(page)
    for block in blocks_of(text):
        if not block.reason and SLOW not in text:
            continue
        lines = re.findall(r"^(?:\$ )?(epcg .*)$", block.content, re.M)
        for command in {without_comment(line) for line in lines if not line.endswith("\\")}:
            result = epcg(*shlex.split(command)[1:], "--help", code=None)
            assert result.exit_code == 0, f"{command}\n{result.stderr}"


@pytest.mark.parametrize("page", with_any(lambda text: ">>> " in text))
def test_a_pages_python_sessions_are_true(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sessions = "\n".join(re.findall(r"```python\n(.*?)```", text_of(page), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(sessions, {}, page, page, 0)
    assert test.examples
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert results.failed == 0


@pytest.mark.parametrize(
    ("builder", "theme"), [("dummy", "basic"), pytest.param("html", "furo", marks=pytest.mark.slow)]
)
def test_the_pages_build_without_a_warning(tmp_path: Path, builder: str, theme: str) -> None:
    """Without writing them, all pages are read and all references resolved, in two thirds of the time."""
    options = [
        "-W",
        "--keep-going",
        "-q",
        "-b",
        builder,
        "-D",
        f"html_theme={theme}",
        "-d",
        tmp_path / "trees",
    ]
    result = python_forked(SPHINX, *options, DOCS, tmp_path / builder, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "trees" / "index.doctree").is_file()
    assert builder != "html" or (tmp_path / "html" / "index.html").is_file()


@pytest.mark.parametrize("page", PAGES)
def test_code_is_in_the_language_that_its_block_names(page: str) -> None:
    """Sphinx warns of other code when it writes a page."""
    for language, code in re.findall(r"^```(?:\{code-block\} )?(\w+)\n(.*?)^```", text_of(page), re.M | re.S):
        body = re.sub(r"\A(:[\w-]+:.*\n)+", "", code)
        wrong = [text for kind, text in get_lexer_by_name(language).get_tokens(body) if kind is Token.Error]
        assert wrong == [], (language, body)


@pytest.mark.parametrize("page", [*PAGES, "../CONTRIBUTING.md"])
def test_the_files_of_the_repository_that_a_page_names_are_there(page: str) -> None:
    named = set(
        re.findall(r"(?<![\w./-])(?:epcg_core|migrations|plugins|tests)/[\w./-]+\.\w+", text_of(page))
    )
    assert {name for name in named if not (DOCS.parent / name).exists()} == set()


def test_every_hook_has_its_heading_and_no_heading_lacks_its_hook() -> None:
    hooks = [name for name in vars(hookspecs) if name.startswith("epcg_register_")]
    headings = re.findall(r"^## (\w+)$", text_of("reference/hooks.md"), re.MULTILINE)
    of_faces = {f"epcg_register_{info.plural}" for info in registry().all(KindInfo)}
    assert [name for name in headings if name not in of_faces] == hooks
    assert set(headings) - set(hooks) == of_faces
    for name in hooks:
        assert f".. autofunction:: epcg_core.plugins.hookspecs.{name}" in text_of("reference/hooks.md")


def test_every_contract_is_on_the_page_of_contracts() -> None:
    """Every module of `epcg_core.domain`; the descriptors, and what they name, are on the page of hooks."""
    modules = {path.stem for path in Path(domain.__file__).parent.glob("*.py")} - {"__init__"}
    shown = set(re.findall(r"automodule:: epcg_core\.domain\.(\w+)", text_of("reference/contracts.md")))
    assert shown == modules - {"descriptors", "lazy", "content_params"}
    descriptors = {name for name in vars(domain) if name.endswith("Info")}
    assert descriptors == set(
        re.findall(r"\{fields\} epcg_core\.domain:(\w+)", text_of("reference/hooks.md"))
    )


def test_every_member_of_a_contract_says_what_it_is() -> None:
    """autodoc leaves out members without a docstring."""
    silent = []
    for name in {path.stem for path in Path(domain.__file__).parent.glob("*.py")} - {"__init__"}:
        module = importlib.import_module(f"epcg_core.domain.{name}")
        for cls in vars(module).values():
            if not inspect.isclass(cls) or cls.__module__ != module.__name__:
                continue
            for member, value in vars(cls).items():
                function = value.fget if isinstance(value, property) else value
                if inspect.isfunction(function) and not member.startswith("_") and not function.__doc__:
                    silent.append(f"{cls.__name__}.{member}")
    assert silent == []


def test_every_table_and_view_is_on_the_page_of_the_schema(tmp_path: Path) -> None:
    with Store.open(tmp_path / "empty.db", write=True):
        pass
    with closing(sqlite3.connect(tmp_path / "empty.db")) as connection:
        found = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
        ).fetchall()
    names = {name for (name,) in found} - {"alembic_version"}
    assert names == set(re.findall(r"\{columns\} (\w+)", text_of("reference/schema.md")))
