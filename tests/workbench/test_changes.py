"""The generators `contents` and `changes`, which every domain with an editor has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from epcg_fling.rendering.editor import BoardEditor

from epcg_core import hookimpl
from epcg_core.base.errors import (
    CandidateError,
    EpcgError,
    ParamsError,
    PluginError,
    RankError,
    UnknownNameError,
)
from epcg_core.combinatorics.contents import changes_of, contents_of
from epcg_core.domain import Domain, DomainInfo, EditorInfo, RendererInfo
from epcg_core.domain.content_params import ChangesParams
from epcg_core.domain.descriptors import modules_of, resolve
from epcg_core.domain.editing import Mark, Scene, Site, square_cells
from epcg_core.plugins.registry import Registry, registry
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.verification.verify import verify

BOARD = "o..o\n.o..\n...."
QUERY = f"""
domain = "fling"
[generator]
name = "changes"
content = "{BOARD.replace(chr(10), "/")}"
most = 2
[[evaluators]]
name = "solution"
"""


class Beads:
    """A string of three places with one bead, a knot or not on each: the bead can be moved, never removed."""

    palette = (Mark(name="bead", colour="#aa0000", fills=True), Mark(name="knot", glyph="k"))

    def __init__(self, text: str) -> None:
        self.content = self.parse(text)

    def parse(self, text: str) -> str:
        if len(text) != 3 or text.count("b") != 1 or set(text) - set("bk."):
            raise EpcgError(f"'{text}' is not three places with one bead.")
        return text

    def format(self, state: str) -> str:
        return state

    def scene(self, state: str) -> Scene:
        names = {"b": ("bead",), "k": ("knot",), ".": ()}
        return Scene(square_cells(3, 1), {f"c{n + 1},1": names[letter] for n, letter in enumerate(state)})

    def put(self, state: str, site: str, mark: str) -> str:
        at = int(site[1]) - 1
        letters = [letter.replace("b", ".") if mark == "bead" else letter for letter in state]
        letters[at] = {"bead": "b", "knot": "k", "": "."}[mark]
        return self.parse("".join(letters))


def test_single_changes_are_each_another_content_in_order() -> None:
    space = changes_of(Beads("b.."))
    assert [space.unrank(rank) for rank in range(space.max_rank)] == [".b.", "bk.", "..b", "b.k"]
    assert [edit.description for edit in space.edits] == [
        "column 2, row 1: bead", "column 2, row 1: knot", "column 3, row 1: bead", "column 3, row 1: knot",
    ]  # fmt: skip
    assert space.original == "b.."


def test_all_single_changes_of_a_board_are_those_of_its_cells() -> None:
    editor = BoardEditor(BOARD)
    space = changes_of(editor)
    expected = [editor.content ^ 1 << cell for cell in range(12)]
    assert [space.unrank(rank) for rank in range(space.max_rank)] == expected
    assert space.states_block(0, 12).tolist() == expected  # type: ignore[attr-defined]


def test_changes_of_two_places_apply_both_or_say_why_not() -> None:
    space = changes_of(Beads("b.."), most=2)
    found: dict[str, str] = {}
    for rank in range(4, space.max_rank):
        numbers = space.edits_of(rank)
        name = " and ".join(space.edits[n].description for n in numbers)
        try:
            found[name] = space.unrank(rank)
        except CandidateError as error:
            found[name] = str(error)
    assert found["column 2, row 1: knot and column 3, row 1: knot"] == "bkk"
    assert found["column 2, row 1: knot and column 3, row 1: bead"] == ".kb"
    assert found["column 2, row 1: bead and column 3, row 1: knot"] == ".bk"
    assert "fewer changes make the same" in found["column 2, row 1: bead and column 3, row 1: bead"]
    assert len(found) == 4


def test_locks_and_marks_narrow_the_changes() -> None:
    space = changes_of(Beads("b.."), locked=["c3,1"], marks=["knot"])
    assert [space.unrank(rank) for rank in range(space.max_rank)] == ["bk."]
    with pytest.raises(UnknownNameError, match=r"locked: unknown site 'c4,1'\. Did you mean"):
        changes_of(Beads("b.."), locked=["c4,1"])
    with pytest.raises(UnknownNameError, match=r"marks: unknown mark 'not'\. Did you mean 'knot'"):
        changes_of(Beads("b.."), marks=["not"])


def test_contents_are_those_of_the_texts() -> None:
    space = contents_of(Beads("b.."), ["b..", ".b."])
    assert (space.max_rank, space.unrank(1), space.format(space.parse("..b"))) == (2, ".b.", "..b")
    with pytest.raises(RankError):
        space.unrank(2)


def test_a_domain_with_an_editor_has_both_generators_and_runs_name_its_module() -> None:
    info = registry().generator("fling", "changes")
    assert {"epcg_fling.rendering.editor", "epcg_core.combinatorics.contents"} <= modules_of(info)
    contents = registry().generator("fling", "contents")
    with pytest.raises(ParamsError, match="there are none"):
        contents.params(())
    made = resolve(info.factory)(ChangesParams(BOARD))
    assert made.max_rank == 12


def test_a_run_over_changes_is_recorded_and_verified(tmp_path: Path) -> None:
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        run = execute(parse_query(QUERY), store, Options("serial", quiet=True)).runs[-1]
        report = verify(store, run.id, sample=78)
    assert report.passed, report


def test_a_site_has_the_points_of_its_kind() -> None:
    with pytest.raises(EpcgError, match="3 points make no edge"):
        Site("e1", [(0, 0), (1, 0), (1, 1)], "edge")


def test_a_domain_without_an_editor_says_so() -> None:
    found = Registry()
    found.add_plugin("bare", Bare, "epcg-bare", "1.0")
    with pytest.raises(PluginError, match="domain bare has no editor"):
        found.editor("bare")


class Bare:
    """A plugin of a domain without an editor."""

    EPCG_API_VERSION = 1

    @staticmethod
    @hookimpl
    def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
        register(DomainInfo("bare", "Bare", "nothing at all"))


def test_a_domain_without_pictures_is_drawn_as_its_editor_shows_it() -> None:
    """The editor of sliding tiles, whose plugin has a renderer, and a plugin that has none."""
    found = Registry()
    found.add_plugin("beads", BeadsPlugin, "epcg-beads", "1.0")
    assert [info.domain for info in found.all(RendererInfo)] == ["beads"]
    draw = resolve(found.all(RendererInfo)[0].factory)(contents_of(Beads("b.k"), ["b.k"]))
    picture = ElementTree.fromstring(draw("b.k"))
    kinds = [element.tag.rpartition("}")[2] for element in picture.iter()]
    assert kinds.count("polygon") == 3 + 1  # the sites, and the bead, which fills one
    assert kinds.count("text") == 1
    assert len(registry().all(RendererInfo, "fling")) == 2  # its own


class BeadsPlugin:
    """A plugin of a domain with an editor and without pictures."""

    EPCG_API_VERSION = 1

    @staticmethod
    @hookimpl
    def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
        editor = EditorInfo(summary="beads", factory=Beads, new=lambda columns, rows: "b..", size=(3, 1))
        register(Domain("beads", "Beads", "a string", editors=[editor]))
