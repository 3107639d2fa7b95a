"""Files of several puzzles of The Windmill: one is changed where it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.formats.windmill import write_windmill
from epcg_witness.formats.windmill_lists import JsonFile, LinkFile, read_list
from epcg_witness.rendering.editor import PanelEditor, new_panel

from epcg_core.base.errors import EpcgError
from epcg_core.domain.files import Piece
from epcg_core.editing.files import kinds_of, moved
from tests.workplace import epcg

SMALL, WIDE, TALL = (new_panel(*size) for size in ((2, 2), (3, 1), (1, 2)))
LINKS = [write_windmill(parse_panel(text)) for text in (SMALL, WIDE, TALL)]
SITE = "https://windmill.thefifthmatt.com/"
FILES = {
    "links": (
        LinkFile(),
        f"\n{SITE}{LINKS[0]}\n  {LINKS[1]}  \n{SITE}build/{LINKS[2].replace('_0', '%3D_0')}\n",
    ),
    "line": (LinkFile(), LINKS[0]),
    "list": (
        JsonFile(),
        json.dumps(
            [{"id": f'n "{n}"', "contents": text, "upvotes": n, "x": [{}]} for n, text in enumerate(LINKS)],
            indent=2,
        ),
    ),
    "compact": (JsonFile(), json.dumps([{"contents": text} for text in LINKS], separators=(",", ":")) + "\n"),
}
FILES["links"] = (FILES["links"][0], FILES["links"][1].replace("%3D", ""))


def shown(name: str, text: str) -> list[tuple[str, str]]:
    return [(piece.title, piece.text) for piece in FILES[name][0].read(text).pieces]


@pytest.mark.parametrize("name", FILES)
def test_panels_open_in_the_editor_and_change_no_byte(name: str) -> None:
    format, text = FILES[name]
    sheet = format.read(text)
    assert sheet.faults == ()
    assert [piece.text for piece in sheet.pieces] == [SMALL, WIDE, TALL][: len(sheet.pieces)]
    for number, piece in enumerate(sheet.pieces):
        editor = PanelEditor(piece.text)
        assert format.replace(text, number, Piece(editor.format(editor.content))) == text


@pytest.mark.parametrize("name", FILES)
def test_a_panel_is_changed_where_it_stands(name: str) -> None:
    format, text = FILES[name]
    new = new_panel(4, 4)
    for number in range(len(format.read(text).pieces)):
        after = format.replace(text, number, Piece(new))
        assert after == text.replace(LINKS[number], write_windmill(parse_panel(new)))
        assert shown(name, after)[number][1] == new


@pytest.mark.parametrize("name", FILES)
def test_what_is_inserted_and_removed_leaves_no_trace(name: str) -> None:
    format, text = FILES[name]
    piece = Piece(new_panel(4, 4), title="é" if name in ("list", "compact") else "")
    count = len(format.read(text).pieces)
    for before in range(count + 1):
        longer = format.insert(text, before, piece)
        new = [(piece.title, piece.text)]
        assert shown(name, longer) == shown(name, text)[:before] + new + shown(name, text)[before:]
        assert format.remove(longer, before) == text
    for number in range(count):
        order = shown(name, text)
        order.insert(0, order.pop(number))
        assert shown(name, moved(format, text, number, 0)) == order


def test_all_faults_are_told_with_their_lines() -> None:
    links = f"{LINKS[0]}\nno link\n{LINKS[1]}\n{LINKS[1][:-9]}_0\nneither\n"
    sheet = LinkFile().read(links)
    assert [(fault.line, fault.serious) for fault in sheet.faults] == [(2, True), (4, False), (5, True)]
    assert [piece.text for piece in sheet.pieces] == [SMALL, WIDE]
    with pytest.raises(EpcgError, match="Line 2: 'no link' is not"):
        LinkFile().replace(links, 0, Piece(WIDE))
    text = json.dumps([{"contents": LINKS[0]}, 7, {"contents": "no_0"}, {"contents": LINKS[1]}], indent=0)
    sheet = JsonFile().read(text)
    assert [fault.serious for fault in sheet.faults] == [False, False]
    assert [piece.text for piece in sheet.pieces] == [SMALL, WIDE]
    assert JsonFile().replace(text, 1, Piece(TALL)) == text.replace(LINKS[1], LINKS[2])
    for wrong in ("{}", "[", "[" * 5000, "nothing", '[{"contents": NaN}]', "[]", "[1]"):
        assert JsonFile().read(wrong).faults
        with pytest.raises(EpcgError):
            read_list(wrong, "puzzles.json")


def test_new_files() -> None:
    for format in (LinkFile(), JsonFile()):
        assert format.read(format.new()).pieces == ()
        (piece,) = format.read(format.new(Piece(SMALL))).pieces
        assert piece.text == SMALL
        assert format.insert(format.new(), 0, Piece(SMALL)) == format.new(Piece(SMALL))
        assert format.remove(format.new(Piece(SMALL)), 0).strip("\n []") == ""
        with pytest.raises(EpcgError, match="no messages"):
            format.insert(format.new(), 0, Piece("Hello", "message"))


def test_files_are_recognised_and_converted(tmp_path: Path) -> None:
    for name, ending in (("links", "txt"), ("list", "json")):
        path = tmp_path / f"{name}.{ending}"
        path.write_text(FILES[name][1], encoding="utf-8")
        kind = next(kinds_of(path, FILES[name][1]))
        assert (kind.domain, kind.name) == ("witness", "windmill" if name == "links" else "windmill-list")
        own = epcg("convert", path, "--domain", "witness", "--from", kind.name, "--number", 2).stdout
        assert own == format_panel(parse_panel(WIDE)).rstrip("\n") + "\n"
