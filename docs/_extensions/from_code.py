"""Tables that are made of the code, so that they cannot differ from it.

```{params} module:Class```     the keys of an attrs class of params, with what is allowed, and help
```{fields} module:Class```     the fields of any attrs class, with their types and docstrings
```{parts} kind```              what is registered: searches, policies, entropy_scorers
```{columns} table```           the columns of a table or view of the database
```{laws}```                    the laws of `epcg check`
```{files}```                   `path | process | what it does`, a line each, with the lines of the file
```{covered}```                 which check of `epcg verify` covers each column of the database
```{names} room ... [*End]```   names of `epcg_core.plugin` that these rooms define (only those that end so)
"""

from __future__ import annotations

import ast
import importlib
import inspect
import logging
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, get_origin

import attrs
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from epcg_core.plugin import Metric
from epcg_core.plugins.facade import homes


def table(
    heads: Sequence[str], widths: Sequence[int], rows: Iterable[Sequence[nodes.Node | str]]
) -> nodes.table:
    """A table whose texts are paragraphs."""

    def row(cells: Sequence[nodes.Node | str]) -> nodes.row:
        made = nodes.row()
        for cell in cells:
            paragraph = nodes.paragraph("", "", cell if isinstance(cell, nodes.Node) else nodes.Text(cell))
            made += nodes.entry("", paragraph)
        return made

    group = nodes.tgroup(cols=len(heads))
    group += [nodes.colspec(colwidth=width) for width in widths]
    group += nodes.thead("", row(heads))
    group += nodes.tbody("", *(row(cells) for cells in rows))
    return nodes.table("", group, classes=["colwidths-given"])


def code(text: str) -> nodes.literal:
    return nodes.literal(text, text)


def named(argument: str) -> Any:
    module, _, attribute = argument.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Params(SphinxDirective):
    """What `epcg_core.base.params.describe` says of a class."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        from epcg_core.base.params import describe

        rows = [(code(key), allowed, text) for key, allowed, text in describe(named(self.arguments[0]))]
        return [table(("key", "value", "what it is"), (18, 32, 50), rows)] if rows else []


class Fields(SphinxDirective):
    """The fields of an attrs class, with the docstrings beneath them."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        cls = named(self.arguments[0])
        texts = field_docstrings(cls)
        rows = [
            (
                code(field.alias or field.name),
                code(str(field.type).replace("typing.", "")),
                texts.get(field.name, ""),
            )
            for field in attrs.fields(cls)
        ]
        return [table(("field", "type", "what it is"), (20, 30, 50), rows)]


def field_docstrings(cls: type) -> dict[str, str]:
    """The literal text that follows a field in its class body."""
    body = ast.parse(inspect.getsource(cls).lstrip()).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[field.target.id] = " ".join(str(after.value.value).split())
    return found


class Parts(SphinxDirective):
    """Registered parts that belong to no domain."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        from epcg_core import domain
        from epcg_core.plugins.registry import registry

        kind = {"searches": "SearchInfo", "policies": "PolicyInfo", "entropy_scorers": "EntropyScorerInfo"}
        infos = registry().all(getattr(domain, kind[self.arguments[0]]))
        return [table(("name", "what it is"), (25, 75), [(code(i.name), i.summary) for i in infos])]


class Columns(SphinxDirective):
    """The columns of a table or view, from a new database."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        columns = schema().get(self.arguments[0])
        if columns is None:
            raise self.error(f"there is no table or view {self.arguments[0]}")
        paragraph = nodes.paragraph()
        for i, name in enumerate(columns):
            paragraph += [nodes.Text(", ")] * (i > 0) + [code(name)]
        return [paragraph]


class Laws(SphinxDirective):
    """Every law of the conformance kit, in the order of the checks."""

    def run(self) -> list[nodes.Node]:
        from epcg_testing import LAWS

        rows = [(code(law.name), law.statement, law.hint) for law in LAWS]
        return [table(("law", "what it says", "if it is broken"), (24, 38, 38), rows)]


class Covered(SphinxDirective):
    """Every column of the database with the check that covers it, one row for columns that are alike."""

    def run(self) -> list[nodes.Node]:
        from epcg_core.verification.covered import COVERED, Coverage

        alike: dict[tuple[str, Coverage], list[str]] = {}
        for name, coverage in COVERED.items():
            table_name, _, column = name.partition(".")
            alike.setdefault((table_name, coverage), []).append(column)
        rows = []
        for (table_name, coverage), columns in alike.items():
            check = "-" if coverage.kind == "not covered" else coverage.by
            note = coverage.by if coverage.kind == "not covered" else coverage.note
            rows.append((code(table_name), ", ".join(columns), coverage.kind, check, note))
        heads = ("table", "columns", "covered", "check", "limits, or why not")
        return [table(heads, (14, 30, 12, 14, 30), rows)]


class Files(SphinxDirective):
    """Files of the repository, with their lines."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = []
        for line in self.content:
            name, process, what = line.split(" | ")
            path = Path(__file__).parents[2] / name
            if not path.is_file():
                raise self.error(f"there is no file {name}")
            lines = len(path.read_text(encoding="utf-8").splitlines())
            rows.append((code(name), process.replace("`", ""), what.replace("`", ""), f"{lines:,}"))
        return [table(("file", "process", "what it does", "lines"), (36, 20, 36, 8), rows)]


class Names(SphinxDirective):
    """Public names for plugins, each with its arguments and the first paragraph of its docstring."""

    required_arguments: ClassVar[int] = 1
    final_argument_whitespace: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        found = nodes.definition_list()
        for name in public_names(self.arguments[0]):
            term = nodes.term("", "", code(name), ids=[f"name-{name}"])
            if arguments := arguments_of(name):
                term += nodes.inline(arguments, arguments, classes=["arguments"])
            what = nodes.definition("", nodes.paragraph("", "", *with_code(first_paragraph(name))))
            found += nodes.definition_list_item("", term, what)
        return [found]


def with_code(text: str) -> list[nodes.Node]:
    """A text as nodes, what stands between backticks as code."""
    parts = text.split("`")
    return [code(part) if number % 2 else nodes.Text(part) for number, part in enumerate(parts) if part]


def public_names(selection: str) -> list[str]:
    """The names of `epcg_core.plugin` that rooms of the core define.

    Args:
        selection: rooms or modules below `epcg_core`, then perhaps '*End' or '-*End': only names that end so,
            or only others.
    """
    import epcg_core.plugin

    homes_of = homes(Path(epcg_core.plugin.__file__).read_bytes())
    words = selection.split()
    ends = [word.lstrip("-").removeprefix("*") for word in words if "*" in word]
    others = any(word.startswith("-") for word in words)
    rooms = [f"epcg_core.{word}" for word in words if "*" not in word]

    def chosen(name: str, home: str) -> bool:
        ends_so = not ends or name.endswith(tuple(ends)) != others
        return ends_so and any(f"{home}.{name}.".startswith(f"{room}.") for room in rooms)

    return sorted((name for name, (home, _) in homes_of.items() if chosen(name, home)), key=str.lower)


def arguments_of(name: str) -> str:
    """The arguments of a public function or class, as they are written; '' for other values."""
    import epcg_core.plugin

    value = getattr(epcg_core.plugin, name)
    value = getattr(value, "py_func", value)
    if inspect.ismodule(value) or not callable(value) or getattr(value, "_is_protocol", False):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    shown = [p.name if p.default is p.empty else f"{p.name}=..." for p in parameters]
    return f"({', '.join(shown)})"


def first_paragraph(name: str) -> str:
    """The first paragraph of what a public name's docstring says; for a constant the text beneath it."""
    import epcg_core.plugin

    value = getattr(epcg_core.plugin, name)
    defined = getattr(value, "py_func", value)
    if inspect.ismodule(defined) or inspect.isclass(defined) or inspect.isfunction(defined):
        text = inspect.getdoc(defined) or ""
    elif isinstance(value, Metric):
        text = f"The metric '{value.name}': {value.description}."
    elif get_origin(value) is None and callable(value) and inspect.getdoc(value):
        text = inspect.getdoc(value) or ""
    else:
        home, attribute = homes(Path(epcg_core.plugin.__file__).read_bytes())[name]
        text = text_beneath(home, attribute)
    return " ".join(text.partition("\n\n")[0].split())


def text_beneath(module: str, name: str) -> str:
    """The literal text that follows the definition of a constant, in the module that defines it."""
    found = importlib.import_module(module)
    body = ast.parse(inspect.getsource(found)).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return text_beneath(node.module, alias.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        named = [each for target in targets for each in getattr(target, "elts", [target])]
        if any(isinstance(target, ast.Name) and target.id == name for target in named):
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                return str(after.value.value)
            return ""
    return ""


@cache
def schema() -> dict[str, list[str]]:
    """Tables and views of a new database, with their columns."""
    from epcg_core.store import Store

    logging.getLogger("alembic").setLevel(logging.WARNING)
    query = "SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        with Store.open(path, write=True):
            pass
        with closing(sqlite3.connect(path)) as connection:
            found: dict[str, list[str]] = {}
            for table_name, column in connection.execute(query):
                found.setdefault(table_name, []).append(column)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directives known."""
    directives = {
        "params": Params, "fields": Fields, "parts": Parts, "columns": Columns, "laws": Laws,
        "files": Files, "covered": Covered, "names": Names,
    }  # fmt: skip
    for name, directive in directives.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
