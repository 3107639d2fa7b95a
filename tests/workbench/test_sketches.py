"""The generator `sketch`: all contents that fill open sites, and the same values as other generators."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import CandidateError, EpcgError, ParamsError, RankError
from epcg_core.base.params import structure
from epcg_core.combinatorics.contents import changes_of
from epcg_core.combinatorics.prefixes import prefixes
from epcg_core.combinatorics.sketches import FilledSketch, Sketch, _limits, make_sketch, sketch_of
from epcg_core.domain.content_params import OpenSites, SketchParams
from epcg_core.domain.editing import ERASE
from epcg_core.editing.editing import examples, new_text, open_document
from epcg_core.plugins.registry import registry
from epcg_core.query.query import parse_query
from epcg_core.query.spec import make_generator, space_spec
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.workbench.test_changes import Beads

BALL = "ball"


def sketch(domain: str, content: str, *groups: dict[str, Any], **counts: Any) -> Any:
    """Make the generator as a query does."""
    params = {"content": content, "open": list(groups), "counts": counts}
    return make_generator(registry(), space_spec(registry(), domain, "sketch", params))


def cells(columns: int, rows: int) -> list[str]:
    return [f"c{x + 1},{y + 1}" for y in range(rows) for x in range(columns)]


def sampled(size: int, most: int = 300) -> list[int]:
    return np.random.default_rng(1).permutation(size)[:most].tolist()  # type: ignore[no-any-return]


def test_all_boards_of_a_layer_are_a_sketch() -> None:
    """Every rank of 5 by 4 boards with four balls, plainly and as arrays."""
    space = sketch("fling", "\n".join(["....."] * 4), {"sites": cells(5, 4), "marks": [BALL, ERASE]}, ball=4)
    boards = make_generator(
        registry(), space_spec(registry(), "fling", "boards", {"width": 5, "height": 4, "pieces": 4})
    )
    states = [space.unrank(rank) for rank in range(space.max_rank)]
    assert sorted(states) == sorted(map(boards.unrank, range(boards.max_rank)))
    assert space.states_block(0, space.max_rank).tolist() == states
    ranks = np.array(sampled(space.max_rank))
    assert space.states_at(ranks).tolist() == [states[rank] for rank in ranks]
    assert [space.rank(state) for state in states] == list(range(len(states)))
    classes = list(map(boards.canonical_rank, range(boards.max_rank)))
    for rank in range(0, len(states), 97):
        own = classes[boards.rank(states[rank])]
        images = [boards.unrank(other) for other, found in enumerate(classes) if found == own]
        assert space.canonical_rank(rank) == min(map(space.rank, images))


def test_three_pieces_on_a_panel_are_a_sketch() -> None:
    """The 1,161,216 panels of 2018: a sample of them, and the number of solutions of each."""
    size = {"width": 3, "height": 3}
    pieces = make_generator(
        registry(),
        space_spec(registry(), "witness", "pieces", {**size, "pieces": 3, "library": "without_s_and_z"}),
    )
    editor = open_document("witness", new_text("witness", 3, 3)).editor
    names = [name for name, symbol in editor._symbols.items() if symbol in pieces.setting.alphabet]
    assert len(names) == 24
    found = sketch(
        "witness", new_text("witness", 3, 3), {"sites": cells(3, 3), "marks": [ERASE, *names]}, **{ERASE: 6}
    )
    assert found.max_rank == pieces.max_rank == 1_161_216
    count = registry().evaluator("witness", "solutions")
    ranks = np.array(sampled(found.max_rank))
    panels = [found.unrank(rank) for rank in ranks]
    others = np.array([pieces.rank(panel) for panel in panels])

    def values(generator: Any, at: Any) -> list[int]:
        from epcg_core.domain import resolve

        evaluator = resolve(count.factory)(structure(count.params, {}, "solutions"), generator, {})
        return evaluator.evaluate_states(generator.states_at(at)).values[0].tolist()  # type: ignore[no-any-return]

    assert isinstance(found, FilledSketch)
    assert values(found, ranks) == values(pieces, others)
    assert [found.rank(panel) for panel in panels] == ranks.tolist()
    assert len(set(others.tolist())) == len(others)
    mirrored = found.canonical_rank(int(ranks[0]))
    assert found.canonical_rank(mirrored) == mirrored


@pytest.mark.parametrize("domain", ["fling", "snakebird", "witness", "tangram"])
def test_single_changes_are_the_sketches_of_single_sites(domain: str) -> None:
    """All marks on one site after the other give what the generator `changes` gives, and the original."""
    text = {**examples(domain), "new": new_text(domain)}
    editor = open_document(domain, next(iter(text.values()))).editor
    expected = changes_of(editor)
    shown = editor.scene(editor.content).marks
    kept = {mark.name: mark.layer for mark in editor.palette}
    wanted = {
        expected.unrank(rank)
        for rank, edit in enumerate(expected.edits)
        if all(kept[mark] == kept.get(edit.change["mark"]) for mark in shown.get(edit.change["site"], ()))
    }  # others leave what lies there in another layer, and an open site is emptied
    found = set()
    for site in editor.scene(editor.content).sites:
        marks = [ERASE, *(mark.name for mark in editor.palette if site.kind in mark.kinds)]
        own = sketch_of(editor, [(site, marks)])
        for rank in range(own.max_rank):
            try:
                found.add(own.unrank(rank))
            except CandidateError:
                continue
    assert wanted - found == set()


@st.composite
def sketches(draw: Any) -> tuple[Beads, Sketch[str], list[tuple[Any, list[str]]], dict[str, tuple[int, int]]]:
    """Sketches of strings with exactly one bead."""
    editor = Beads(draw(st.sampled_from(["b..", ".bk", "kkb"])))
    sites = draw(st.lists(st.sampled_from(editor.scene(editor.content).sites), unique=True, min_size=1))
    sites = [site for site in editor.scene(editor.content).sites if site in sites]
    marks = st.lists(st.sampled_from([ERASE, "bead", "knot"]), unique=True, min_size=1)
    places = [(site, draw(marks)) for site in sites]
    counts = draw(
        st.dictionaries(st.sampled_from(["knot", ERASE]), st.sampled_from([(0, 1), (1, 1), (0, 3)]))
    )
    present = {mark for _, names in places for mark in names}
    counts = {mark: count for mark, count in counts.items() if mark in present}
    numbered = {at: names for at, (_, names) in enumerate(places)}
    return editor, sketch_of(editor, places, _limits(numbered, counts, "counts")), places, counts


@given(sketches())
def test_completions_are_all_contents_that_show_their_marks(drawn: Any) -> None:
    """Compared with all strings of three places, seen as a player sees them."""
    editor, space, places, counts = drawn
    expected = []
    shown = {"": (), "bead": ("bead",), "knot": ("knot",)}
    letters = {"": ".", "bead": "b", "knot": "k"}
    for marks in itertools.product(*(names for _, names in places)):
        text = list(editor.content)
        for (site, _), mark in zip(places, marks, strict=True):
            text[int(site.id[1]) - 1] = letters[mark]
        kept = all(low <= marks.count(mark) <= high for mark, (low, high) in counts.items())
        if kept:
            expected.append("".join(text))
    found = []
    for rank in range(space.max_rank):
        try:
            state = space.unrank(rank)
        except CandidateError:
            found.append(None)
            continue
        found.append(state)
        assert space.rank(state) == rank
        on = editor.scene(state).marks
        assert {site: on.get(site, ()) for site in space.marks_of(rank)} == {
            site: shown[mark] for site, mark in space.marks_of(rank).items()
        }
    legal = [text if text.count("b") == 1 else None for text in expected]
    # the bead may come from a site that is not open: then it has moved, and its string is another one
    moved = [text.count("b") == 2 for text in expected]
    for state, text, more in zip(found, legal, moved, strict=True):
        assert state == text or (more and state is not None and state.count("b") == 1)


def test_what_cannot_be_completed_is_recorded_with_its_reason(tmp_path: Path) -> None:
    level = examples("snakebird")["Mind the Gap"]
    document = open_document("snakebird", level)
    (exit_site,) = [site for site, marks in document.scene.marks.items() if "exit" in marks]
    query = f'''
domain = "snakebird"
[generator]
name = "sketch"
content = """{level}"""
open = [{{ sites = ["{exit_site}", "c3,1", "c4,1"], marks = ["", "exit", "ground"] }}]
[[evaluators]]
name = "shortest_solution"
'''
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        run = execute(parse_query(query), store, Options("serial", quiet=True)).runs[-1]
        assert run.max_rank == 27
        assert verify(store, run.id, sample=27).passed
        with store.reader() as reader:
            asked = "SELECT note FROM candidate WHERE run_id = ? AND status = 'error'"
            errors = [text for (text,) in reader.connection.exec_driver_sql(asked, (run.id,))]
    assert len(errors) == 27 - 3 * 4
    assert any("does not stay" in text for text in errors)


def test_order_and_prefixes_are_those_of_the_digits() -> None:
    found = sketch("fling", BOARD, {"sites": ["c2,1", "c1,1"], "marks": [BALL, ERASE]})
    assert [found.marks_of(rank) for rank in range(4)] == [
        {"c1,1": "", "c2,1": ""},
        {"c1,1": "", "c2,1": BALL},
        {"c1,1": BALL, "c2,1": ""},
        {"c1,1": BALL, "c2,1": BALL},
    ]
    assert prefixes(found.tuples).completions((1,)) == 2
    assert not hasattr(found, "prefixes")
    with pytest.raises(RankError, match="does not complete the sketch"):
        found.rank(found.editor.parse("o..o\n...o\n...."))


BOARD = "o..o\n.o..\n...."


@pytest.mark.parametrize(
    ("groups", "counts", "sentence"),
    [
        ([{"sites": ["c1,1"], "marks": []}], {}, r"open 1: open sites need marks"),
        ([{"sites": [], "marks": [BALL]}], {}, r"open 1: there are no sites"),
        ([], {}, "there are no open sites"),
        ([{"sites": ["c9,1"], "marks": [BALL]}], {}, r"open 1\.sites: unknown site 'c9,1'"),
        (
            [{"sites": ["c1,1"], "marks": ["bal"]}],
            {},
            r"open 1\.marks: unknown mark 'bal'. Did you mean 'ball'",
        ),
        ([{"sites": ["c1,1", "c1,1"], "marks": [BALL]}], {}, "'c1,1' is open already"),
        ([{"sites": ["c1,1"], "marks": [BALL]}], {"bal": 1}, "counts: unknown mark 'bal'"),
        (
            [{"sites": ["c1,1"], "marks": [BALL]}],
            {BALL: [2, 1]},
            r"counts\.ball: a number or \[least, most\]",
        ),
        ([{"sites": ["c1,1"], "marks": [BALL]}], {BALL: [1]}, r"counts\.ball: a number or \[least, most\]"),
        ([{"sites": ["c1,1"], "marks": [BALL], "counts": {BALL: -1}}], {}, r"open 1\.counts\.ball"),
    ],
)
def test_wrong_sketches_get_a_sentence(groups: list[Any], counts: Any, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        sketch("fling", BOARD, *groups, **counts)


def test_counts_that_cannot_be_met_make_an_empty_space_which_says_so() -> None:
    assert sketch("fling", BOARD, {"sites": ["c1,1"], "marks": [BALL]}, ball=0).max_rank == 0


def test_a_space_of_more_than_int64_is_exact() -> None:
    found = sketch("fling", "\n".join(["........"] * 8), {"sites": cells(8, 8), "marks": [BALL, ERASE]})
    assert found.max_rank == 2**64
    assert found.unrank(2**64 - 1) == 2**64 - 1
    assert found.unrank(found.rank(5 << 60)) == 5 << 60
    one = SketchParams(BOARD, (OpenSites(("c1,1",), (BALL,)),))
    assert make_sketch(registry().editor("fling"), one).max_rank == 1
    with pytest.raises(ParamsError, match="there are no open sites"):
        SketchParams(BOARD, ())
