"""What makes the built pages: dead links and left markup are found, and signatures are those of the code."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Protocol

import attrs
import pytest


def extension(name: str) -> ModuleType:
    """An extension of Sphinx in docs/_extensions."""
    path = Path(__file__).parents[3] / "docs" / "_extensions" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"epcg_docs_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("link", "alive"),
    [
        ("other.html", True),
        ("other.html#place", True),
        ("#here", True),
        ("folder/?x=1", True),
        ("picture.svg?v=2", True),
        ("https://example.org/nowhere", True),
        ("mailto:a@example.org", True),
        ("gone.html", False),
        ("other.html#gone", False),
        ("#gone", False),
        ("folder", True),
        ("gone.svg", False),
    ],
)
def test_dead_links_are_found(tmp_path: Path, link: str, alive: bool) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("<p>")
    (tmp_path / "picture.svg").write_text("<svg/>")
    (tmp_path / "other.html").write_text('<p id="place">')
    (tmp_path / "page.html").write_text(f'<p id="here"><a class="x" href="{link}">there</a>')
    assert list(extension("links").dead_links(tmp_path)) == ([] if alive else [f"page.html: {link}"])


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("<p>.. option:: &ndash;output</p>", [".. option::"]),
        ("<p>```{note}</p>", ["```"]),
        ("<p>see :ref:`there`</p>", [":ref:`"]),
        ("<p>as one writes:</p><pre>.. note:: ```</pre> and <code>:ref:`x`</code>", []),
        ("<p>Plain words ... and 12:30:`</p>", []),
    ],
)
def test_markup_that_readers_see_is_found(tmp_path: Path, body: str, left: list[str]) -> None:
    (tmp_path / "page.html").write_text(body)
    assert list(extension("links").left_markup(tmp_path)) == [f"page.html: {own}" for own in left]


def test_captions_have_a_level_and_code_that_may_scroll_is_reached_by_keys() -> None:
    page = {"furo_navigation_tree": '<p class="caption" role="heading"><span>', "body": "<pre>x</pre>"}
    changed = extension("accessible").changed(page)
    assert changed == {
        "furo_navigation_tree": '<p class="caption" role="heading" aria-level="2"><span>',
        "body": '<pre tabindex="0">x</pre>',
    }
    assert extension("accessible").changed({"body": ""}) == {}
    table = extension("accessible").changed({"body": '<div class="table-wrapper docutils"><table>'})["body"]
    assert table == '<div tabindex="0" class="table-wrapper docutils"><table>'
    terms = "<dl>\n<dt>a</dt><dd>b</dd>\n</dl>"
    params = extension("accessible").changed({"body": f"<dl>\n<dd>x</dd>\n<dd>y</dd>\n</dl>{terms}"})["body"]
    assert params == f'<ul class="sig-params">\n<li>x</li>\n<li>y</li>\n</ul>{terms}'


@attrs.frozen
class Fielded:
    name: str
    sizes: list[int] = attrs.field(factory=list)
    _mark: str = ""
    counted: int = attrs.field(default=0, init=False)
    of: type[int] | None = attrs.field(default=None, kw_only=True)


class Contract(Protocol):
    """A protocol."""


def test_the_constructors_of_attrs_classes_show_their_fields() -> None:
    written = "(name: str, sizes: list[int] = list(), mark: str = '', *, of: type[int] | None = None)"
    assert extension("signatures").signature_of(Fielded) == written


def test_protocols_show_no_constructor() -> None:
    skip = extension("signatures").skip
    assert skip(None, "class", "__init__", Contract.__init__, False, None)
    assert not skip(None, "class", "__init__", Fielded.__init__, False, None)


def test_a_room_lies_above_those_that_it_imports_and_no_arrow_is_implied_by_others() -> None:
    layout = extension("layout")
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert layout.floors(graph) == {"a": 3, "b": 2, "c": 1}
    assert layout.reduced(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}


@pytest.mark.slow
def test_the_picture_of_the_rooms_has_each_above_those_that_it_imports() -> None:
    layout = extension("layout")
    graph, lines = layout.measured()
    floors = layout.floors(graph)
    assert {"epcg_fling", "epcg_workbench", "plugin", "runs", "base"} <= graph.keys() == lines.keys()
    assert all(floors[room] > floors[other] for room, others in graph.items() for other in others)
    picture = layout.drawn(graph, lines)
    assert picture.count("<rect") == len(graph)
    assert "<title>epcg-fling: " in picture


def test_a_reference_goes_through_a_table_that_is_not_drawn() -> None:
    tables = extension("tables")
    graph = {"run": {"space"}, "space": set(), "query": set(), "query_run": {"run", "query"}}
    graph |= {"chapter": {"plan"}, "plan": set(), "selection": {"chapter"}}
    assert tables.lines_between(["run", "space", "query", "plan", "selection"], graph) == [
        ("run", "space", ""),
        ("selection", "plan", "chapter"),
        ("run", "query", "query_run"),
    ]


def test_the_picture_of_the_tables_has_those_of_a_new_database() -> None:
    tables = extension("tables")
    rows = [[tables.cell(text) for text in ["unit: a range ", " . ", " run: one <search>"]]]
    picture = tables.drawn(rows, tables.references())
    assert picture.count("<rect") == 2
    assert "one &lt;search&gt;" in picture
    assert picture.count("marker-end") == 1
    assert tables.edge((0, 0), (0, 100)) == (0, tables.HEIGHT / 2)


def test_every_name_for_plugins_is_on_its_page_once_with_a_sentence() -> None:
    from_code = extension("from_code")
    page = (Path(__file__).parents[3] / "docs/reference/names.md").read_text(encoding="utf-8")
    shown = [name for line in re.findall(r"```\{names\} (.+)", page) for name in from_code.public_names(line)]
    assert sorted(shown) == importlib.import_module("epcg_core.plugin").__all__
    assert [name for name in shown if not from_code.first_paragraph(name)] == []
