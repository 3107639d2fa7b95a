"""Docstrings, comments, messages and pages avoid turns of phrase that readers stumbled over."""

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BANNED = {
    "is no": re.compile(r"(?<!there )\bis no\b(?! longer| more| \w+er than)", re.IGNORECASE),
    "whoever": re.compile(r"\b(somebody|whoever|nobody|theirs)\b", re.IGNORECASE),
    "Raises X where": re.compile(r"\braises? `?\w+`? where\b", re.IGNORECASE),
}
GAP = r"""(?:\W|\\[nt]|\b[fr]{1,2}(?=["']))+"""
SUSPECT = re.compile(
    rf"(?<!there )\bis{GAP}no\b|somebody|whoever|nobody|theirs|\braises{GAP}\w+{GAP}where\b", re.IGNORECASE
)
"""Found in every source whose prose has a banned phrase, also across lines and string literals."""
MOST_WHERE = 10
"""Of 10,000 words in the core's docstrings; `if` and `when` begin conditions, `where` names a place."""
FOLDERS = ("epcg_core", "plugins", "docs")


def files() -> Iterator[tuple[str, Path]]:
    """Yield (name, path) of all sources and pages that people read."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".md"} and not {"_build", ".venv", "tests"} & set(path.parts):
                yield path.relative_to(ROOT).as_posix(), path
    for path in sorted(ROOT.glob("*.md")):
        yield path.name, path


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and the statements in it, at any depth, without the expressions in these."""
    yield node
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, name, ()):
            yield from statements(inner)


def prose(path: Path) -> str:
    """Join the comments and strings of a source, or return a page, without line breaks in sentences."""
    if path.suffix != ".py":
        return " ".join(path.read_text().split())
    strings = [node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant)]
    with path.open("rb") as file:
        comments = [
            t.string.lstrip("#") for t in tokenize.tokenize(file.readline) if t.type == tokenize.COMMENT
        ]
    sentences = "\n".join(part for part in strings if isinstance(part, str)), " ".join(comments)
    return " ".join(" ".join(sentences).split())


def phrases(text: str) -> set[str]:
    return {name for name, pattern in BANNED.items() if pattern.search(text)}


def test_banned_phrases() -> None:
    found = {name: phrases(prose(path)) for name, path in files() if SUSPECT.search(path.read_text())}
    assert {name: used for name, used in found.items() if used} == {}


def test_conditions_begin_with_if() -> None:
    words = where = 0
    for path in sorted((ROOT / "epcg_core").rglob("*.py")):
        for node in statements(parsed(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = re.findall(r"[\w'`]+", ast.get_docstring(node) or "")
                words += len(docstring)
                where += sum(word.lower() == "where" for word in docstring)
    assert where * 10_000 / words < MOST_WHERE


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("'x' is no number.", {"is no"}),
        ("There is no run 3, which is no longer needed.", set()),
        ("Raises StoreError where it is missing.", {"Raises X where"}),
        ("It is no faster than its inverse.", set()),
        ("Whoever reads it", {"whoever"}),
    ],
)
def test_the_patterns(text: str, found: set[str]) -> None:
    assert phrases(text) == found
    assert SUSPECT.search(text) or not found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("# This is\n# no place.\n", {"is no"}),
        ('said = "It is " "no number."\n', {"is no"}),
        ('said = f"{1} is " f"no number."\n', {"is no"}),
        ('said = "It is\\nno number."\n', {"is no"}),
        ('"""Raises\n    `StoreError`\n    where it is missing."""\n', {"Raises X where"}),
    ],
)
def test_phrases_of_several_lines(tmp_path: Path, source: str, found: set[str]) -> None:
    path = tmp_path / "source.py"
    path.write_text(source)
    assert phrases(prose(path)) == found
    assert SUSPECT.search(source)
