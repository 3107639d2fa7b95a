"""The Windmill's format: what is written is read back, and what is damaged is refused by name."""

from __future__ import annotations

import base64
import json
import random

import attrs
import pytest
from epcg_witness.formats.windmill import read_windmill, write_windmill
from epcg_witness.formats.wire import bytes_field, number_field
from epcg_witness.rules.grid import PanelError, grid_of
from epcg_witness.rules.panel import Eraser, Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.variants import DEFAULT, GAME

from tests.witness.random_panels import random_panel, random_symmetric_panel, with_erasers
from tests.witness.test_variants import random_variant_panel
from tests.workplace import SHARED

PUZZLES = SHARED / "data/windmill/puzzles_103.json"


def contents(message: bytes) -> str:
    return base64.urlsafe_b64encode(message).rstrip(b"=").decode() + "_0"


def one_cell(*, vertex: bytes = b"", edge: bytes = b"", cell: bytes = b"", after: bytes = b"") -> str:
    """A puzzle of one cell: start below on the left, end above on the right; the rest as given."""
    start, end = number_field(1, 3), number_field(1, 4)
    entities = [vertex, edge, end, b"", cell, b"", start, b"", b""]
    return contents(number_field(1, 3) + b"".join(bytes_field(2, e) for e in entities) + after)


SHAPE = number_field(1, 2) + bytes_field(2, bytes([1, 1, 1, 0]))
DEMO = Panel(
    width=3,
    height=2,
    symbols={
        0: Square("black"),
        1: Star("cyan"),
        2: Triangles(2, "orange"),
        3: Polyomino.parse("##/#.", free=True),
        5: Polyomino.parse("#/#", negative=True),
    },
    dots=[1, grid_of(3, 2).vertex_location(5)],
    gaps=[4, 12],
    starts=[0, 3],
    ends=[11],
)


def test_the_rows_are_stored_from_the_top() -> None:
    panel = read_windmill(one_cell(edge=number_field(1, 5)))
    assert (panel.starts, panel.ends) == ((0,), (3,))
    assert panel.gaps == (panel.grid.horizontal_edge(0, 1),)
    marked = read_windmill(one_cell(vertex=number_field(1, 6)))
    assert marked.vertex_dots == (marked.grid.vertex(0, 1),)


def test_each_symbol_is_read() -> None:
    def read(*fields: bytes) -> object:
        return read_windmill(one_cell(cell=b"".join(fields))).symbol_at.get(0)

    assert read() is None
    assert read(number_field(1, 1)) is None
    assert read(number_field(1, 7), number_field(2, 9)) == Square("orange")
    assert read(number_field(1, 8), number_field(2, 4)) == Star("magenta")
    assert read(number_field(1, 11)) == Triangles(1)
    assert read(number_field(1, 10)) == Eraser()
    assert read(number_field(1, 10), number_field(2, 6)) == Eraser("red")
    assert read(number_field(1, 11), number_field(2, 2), number_field(6, 3)) == Triangles(3, "white")
    assert read(number_field(1, 11), number_field(6, 4)) == Triangles(4)
    assert read(number_field(1, 9), bytes_field(4, SHAPE)) == Polyomino.parse("##/#.")
    settings = number_field(3, 1) + number_field(4, 1)
    assert read(number_field(1, 9), number_field(2, 8), bytes_field(4, SHAPE + settings)) == Polyomino.parse(
        "##/#.", free=True, negative=True, colour="blue"
    )
    unpacked = number_field(1, 1) + number_field(2, 1) + number_field(2, 1)
    assert read(number_field(1, 9), bytes_field(4, unpacked)) == Polyomino.parse("#/#")


def test_missing_edges_and_ends_in_edges_are_read_and_written() -> None:
    panel = read_windmill(one_cell(edge=number_field(1, 1)))
    assert panel.missing == (panel.grid.horizontal_edge(0, 1),)
    for kind, places in ((3, "edge_starts"), (4, "edge_ends")):
        panel = read_windmill(one_cell(edge=number_field(1, kind)))
        assert getattr(panel, places) == (panel.grid.horizontal_edge(0, 1),)
        assert read_windmill(write_windmill(panel)) == panel
    r = random.Random(8)
    read = 0
    while read < 60:
        panel = random_variant_panel(r)
        own = attrs.evolve(panel, variant=DEFAULT, first_dots=(), second_dots=())
        if (
            panel.pillar
            or set(panel.dots) & {*panel.edge_starts, *panel.edge_ends}
            or (set(panel.vertex_dots) & {*panel.starts, *panel.ends})
        ):
            with pytest.raises(PanelError, match="format cannot express"):
                write_windmill(own)
            continue
        assert read_windmill(write_windmill(own)) == own
        read += 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pillar": True}, "has a pillar"),
        ({"dots": [1], "first_dots": [1]}, "has dots for one of two lines"),
        ({"variant": GAME}, "has the variant 'game'"),
    ],
)
def test_what_the_format_cannot_express_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(PanelError, match=message):
        write_windmill(Panel(**{"width": 3, "height": 2, **options}))


def test_run_lengths_and_orientations_are_read() -> None:
    nothing = bytes_field(2, number_field(5, 3))
    end = number_field(1, 4) + bytes_field(3, number_field(1, 1) + number_field(2, 2))
    start = number_field(1, 3)
    message = number_field(1, 3) + bytes_field(2, end) + nothing * 2 + bytes_field(2, b"")
    panel = read_windmill(contents(message + bytes_field(2, start)))
    assert (panel.width, panel.height, panel.starts, panel.ends) == (1, 1, (1,), (2,))


def test_what_is_written_is_read_back() -> None:
    assert read_windmill(write_windmill(DEMO)) == DEMO
    r = random.Random(6)
    read = 0
    for _ in range(200):
        panel = r.choice((random_panel, random_symmetric_panel))(r, largest=5)
        panel = with_erasers(r, panel) if r.random() < 0.5 else panel
        if set(panel.vertex_dots) & {*panel.starts, *panel.ends}:
            with pytest.raises(PanelError, match="The Windmill's format cannot"):
                write_windmill(panel)
        else:
            assert read_windmill(write_windmill(panel)) == panel
            read += 1
    assert read > 100


def test_community_puzzles_are_read_and_written() -> None:
    if not PUZZLES.is_file():
        pytest.skip("the puzzles of The Windmill are not at hand")
    for puzzle in json.loads(PUZZLES.read_text()):
        panel = read_windmill(puzzle["contents"], puzzle["id"])
        assert (panel.width, panel.height) == (4, 4)
        assert read_windmill(write_windmill(panel)) == panel
        for length in range(len(puzzle["contents"])):
            with pytest.raises(PanelError, match=f"^{puzzle['id']}: "):
                read_windmill(puzzle["contents"][:length], puzzle["id"])


def test_every_prefix_is_refused_by_name() -> None:
    text = write_windmill(DEMO)
    for length in range(len(text)):
        with pytest.raises(PanelError, match=r"^demo: .+\.$"):
            read_windmill(text[:length], "demo")
        if text[:length] + "_0" != text:
            with pytest.raises(PanelError, match=r"^demo: .+\.$"):
                read_windmill(text[:length] + "_0", "demo")


def read_or_refuse(text: str) -> Panel | str:
    """The panel, or why it is none."""
    try:
        return read_windmill(text, "noise")
    except PanelError as error:
        return str(error)


def test_random_bytes_are_refused_or_make_a_whole_panel() -> None:
    r = random.Random(7)
    original = base64.urlsafe_b64decode(write_windmill(DEMO)[:-2] + "==")
    refused = 0
    for i in range(4000):
        data = bytearray(r.randbytes(r.randint(0, 80)) if i % 2 else original)
        if i % 2 == 0:
            for _ in range(r.randint(1, 4)):
                data[r.randrange(len(data))] = r.randrange(256)
        found = read_or_refuse(contents(bytes(data)))
        if isinstance(found, str):
            assert found.startswith("noise: ")
            refused += 1
        else:
            assert read_windmill(write_windmill(found)) == found
    assert refused > 3500


@pytest.mark.parametrize("text", ["", "_0", "====_0", "a_0", "abcde_0", "\u00e4bc_0", "ab cd_0", "ab==="])
def test_texts_that_are_no_base64_are_refused(text: str) -> None:
    with pytest.raises(PanelError, match=r"^x: .+\.$"):
        read_windmill(text, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (one_cell(after=number_field(3, 2)), "horizontal symmetry and no pair of starts"),
        (one_cell(after=number_field(3, 9)), r"unknown symmetry \(number 9\)"),
        (one_cell(edge=number_field(1, 10)), "type 'eraser', which cannot be there"),
        (one_cell(cell=number_field(1, 7)), "has no colour"),
        (one_cell(cell=number_field(1, 7) + number_field(2, 10)), "unknown colour 10"),
        (one_cell(cell=number_field(1, 12)), "unknown type 12"),
        (one_cell(cell=number_field(1, 5)), "type 'gap', which cannot be there"),
        (one_cell(edge=number_field(1, 8) + number_field(2, 1)), "the edge from column"),
        (one_cell(vertex=number_field(1, 1)), "type 'none', and an edge leads to it that is not"),
        (one_cell(vertex=number_field(1, 5)), "the vertex"),
        (one_cell(cell=number_field(1, 9)), "has no shape"),
        (one_cell(cell=number_field(1, 9) + bytes_field(4, number_field(1, 3) + bytes_field(2, b"\1\1"))),
         "do not fill the shape"),
        (one_cell(cell=number_field(1, 9) + bytes_field(4, number_field(1, 1) + bytes_field(2, b"\0"))),
         "at least one cell"),
        (one_cell(cell=number_field(1, 9) + bytes_field(4, number_field(1, 1) + bytes_field(2, b"\2"))),
         "neither 0 nor 1"),
        (one_cell(cell=number_field(1, 11) + number_field(6, 5)), "1 to 4 triangles"),
        (one_cell(cell=number_field(1, 7) + number_field(2, 1) + number_field(6, 2)), "number of triangles"),
        (one_cell(cell=number_field(7, 1)), "unexpected field 7"),
        (one_cell(vertex=number_field(5, 10**9)), "larger than 7 by 7"),
        (one_cell(after=bytes_field(2, b"")), "do not fill a grid"),
        (one_cell(after=number_field(1, 3)), "unexpected field 1"),
        (contents(bytes_field(2, b"")), "does not say how wide"),
        (contents(number_field(1, 4)), "stored width 4"),
        (contents(number_field(1, 3) + bytes_field(2, number_field(5, 9))), "has no start"),
    ],
)  # fmt: skip
def test_what_a_panel_cannot_have_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(PanelError, match=message) as caught:
        read_windmill(text, "puzzle abc")
    assert str(caught.value).startswith("puzzle abc: ")
