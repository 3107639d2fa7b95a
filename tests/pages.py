"""The code blocks of a page, in order, and a reader who follows them.

`blocks_of(text)`    the blocks of a page: language, file name, content, and why a block is not followed
`fault_of(block)`    what keeps a block from being followed, if its page gives no reason
`follow(text)`       does in an empty folder what the page says, from top to bottom

`<!-- not run: REASON -->` before a block says why nobody can follow it. Such a block is read all the same:
its commands must exist with their options.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import attrs
import numpy as np
from markdown_it import MarkdownIt

from epcg_core.base import documents
from epcg_core.base.errors import LibraryNotMadeError
from epcg_core.editing import editing
from epcg_core.plugins.registry import registry
from epcg_core.query.query import parse_query
from epcg_core.search.planner import plan
from tests.workplace import epcg, new_database, runs_as_shown

REASON = re.compile(r"<!-- not run: (.+?) -->", re.DOTALL)
COMMAND = re.compile(r"^\s*(?:\$ )?((?:epcg|python3?|pip|make|git|dask|pytest) [a-z./'-].*)$", re.MULTILINE)
"""A line that one would type."""
OPTION = re.compile(r"\A(?::([\w-]+):(.*)\n)+")
PARTS = [
    importlib.import_module(name)
    for name in ("epcg_core.plugin", "epcg_workbench.parts", "epcg_research.parts")
]
"""Where plugins import from."""
SCRIPTS = {"python": "python", "sh": "sh"}
"""The languages of files that are programs, and the command that starts one."""


@attrs.frozen
class Block:
    """A code block: its language, the file that it is, what stands in it, its line, and why it is not run."""

    language: str
    caption: str
    content: str
    line: int
    reason: str

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """(command, lines shown beneath it) of a console block."""
        found: list[tuple[str, list[str]]] = []
        for line in self.content.splitlines():
            if line.startswith("$ "):
                found.append((without_comment(line[2:]), []))
            elif line.strip():
                assert found, f"line {self.line}: a console block begins with '$ '"
                found[-1][1].append(line)
        return found


def without_comment(command: str) -> str:
    return re.sub(r"\s+# .*", "", command)


def blocks_of(text: str) -> Iterator[Block]:
    """The code blocks of a page: fenced ones that are no directive of Sphinx, and indented ones."""
    reason = ""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in ("fence", "code_block"):
            language, content, caption = token.info.strip(), token.content, ""
            if language.startswith("{code-block}"):
                language = language.removeprefix("{code-block}").strip()
                options = dict(re.findall(r"^:([\w-]+): *(.*)$", head(content), re.MULTILINE))
                caption, content = options.get("caption", ""), content[len(head(content)) :].lstrip("\n")
            assert token.map is not None
            if not language.startswith("{"):
                yield Block(language, caption, content, token.map[0] + 1, reason)
        found = REASON.search(token.content) if token.type == "html_block" else None
        reason = " ".join(found[1].split()) if found else ""


def head(content: str) -> str:
    """The options at the top of a directive."""
    found = OPTION.match(content)
    return found[0] if found else ""


def fault_of(block: Block, text: str) -> str:
    """Say what keeps a reader of a page from following a block; '' if nothing does."""
    if block.reason:
        return ""
    if block.language == "console":
        return ""
    if block.caption:
        script = SCRIPTS.get(block.language)
        named = rf"\b{script} {re.escape(block.caption)}|\bsbatch\b.*{re.escape(block.caption)}"
        return "" if script is None or re.search(named, text) else f"no command runs {block.caption}"
    if block.language in ("sql", "toml", "python"):
        return ""
    if block.language in ("text", ""):
        return "it has commands: they stand in a console block" if COMMAND.search(block.content) else ""
    return f"nothing runs {block.language}"


def follow(text: str) -> None:
    """Do what a page says in the working directory, block by block; each command must print what is shown."""
    for block in blocks_of(text):
        if block.caption:
            path = Path(block.caption)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.content, encoding="utf-8")
        if block.reason or block.caption:
            continue
        if block.language == "console":
            for command, lines in block.commands:
                if command.startswith("python "):
                    assert_printed(command, script(command), lines)
                else:
                    runs_as_shown(command, lines)
        elif block.language == "sql":
            if not Path("epcg.db").exists():
                new_database(Path("epcg.db"))
            for statement in filter(None, map(str.strip, block.content.split(";"))):
                epcg("sql", statement)
        elif block.language == "toml":
            reads(block)
        elif block.language == "python" and ">>> " not in block.content:
            runs_as_part(block.content)


def script(command: str) -> str:
    """What a Python program prints."""
    _, name = shlex.split(command)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(name, run_name="__main__")
    return printed.getvalue()


def assert_printed(command: str, printed: str, lines: list[str]) -> None:
    known = [line.rstrip() for line in printed.splitlines()]
    for line in lines:
        assert line.rstrip() in (*known, "...", ""), f"{command} does not print {line!r} but\n{printed}"


def reads(block: Block) -> None:
    """Have a TOML block read: a query is planned, and anything else is a content that an editor reads."""
    if "domain" not in documents.parse_toml(block.content, f"line {block.line}"):
        assert editing.recognised(block.content), f"line {block.line}: no domain reads this"
        return
    with contextlib.suppress(LibraryNotMadeError):  # its run is made first
        plan(registry(), parse_query(block.content))


def runs_as_part(content: str) -> None:
    """Run a piece of a plugin, and its hooks: the parts that it registers must take what it gives them.

    Names of the parts come from where plugins import them; what a page leaves to its reader is a stand-in.
    """
    code = compile(content, "page", "exec")
    known = {name: getattr(module, name) for module in PARTS for name in dir(module)} | {
        "np": np,
        "attrs": attrs,
    }
    names = known | {"__name__": "page"}
    for name in names_of(code) - names.keys() - vars(builtins).keys():
        names[name] = type(name, (), {})
    exec(code, names)
    registered: list[object] = []
    for name in (name for name in code.co_names if name.startswith("epcg_register_")):
        before = len(registered)
        names[name](lambda *parts, **named: registered.append((parts, named)))
        assert len(registered) > before, name


def names_of(code: CodeType) -> set[str]:
    """The names that code asks for, within functions and classes, too."""
    inner = [names_of(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)
