"""Which domain and format a file is of, and files of one content that are edited."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from epcg_puzzlescript.formats.files import shipped_games

from epcg_core.base.errors import EpcgError
from epcg_core.domain.files import Piece
from epcg_core.editing.editing import new_text, open_document
from epcg_core.editing.files import OwnTexts, kind_named, kinds_of, moved
from epcg_core.editing.formats import convert

LEVEL = "snakebird:levels?path=13_the_stool#0"


def kinds(name: str, text: str, domain: str | None = None) -> list[tuple[str, str]]:
    return [(kind.domain, kind.name) for kind in kinds_of(Path(name), text, domain)]


@pytest.mark.parametrize("name", ["map", "tiled", "tmx"])
def test_a_file_of_another_program_stays_one(name: str) -> None:
    text = convert(LEVEL, name)
    kind = next(kinds_of(Path(f"level.{'tmj' if name == 'tiled' else name}"), text))
    assert (kind.domain, kind.name) == ("snakebird", name)
    sheet = kind.format.read(text)
    (piece,) = sheet.pieces
    assert sheet.usable
    assert kind.format.replace(text, 0, piece) == text
    document = open_document("snakebird", piece.text)
    site = next(site.id for site in document.scene.sites if site.id not in document.scene.marks)
    after = kind.format.replace(text, 0, Piece(document.put([site], "fruit")))
    assert after != text
    (changed,) = kind.format.read(after).pieces
    assert open_document("snakebird", changed.text).scene.marks[site] == ("fruit",)
    for refused in (lambda: kind.format.insert(text, 0, piece), lambda: kind.format.remove(text, 0)):
        with pytest.raises(EpcgError, match="holds one content"):
            refused()
    assert kind.format.insert(kind.format.new(), 0, piece) == kind.format.new(piece)


def test_what_writing_anew_would_lose_is_said() -> None:
    text = convert(LEVEL, "map")
    assert next(kinds_of(Path("level.map"), text)).format.read(text).faults == ()
    longer = text.rstrip("\n") + "\n\n"
    (fault,) = next(kinds_of(Path("level.map"), longer)).format.read(longer).faults
    assert (fault.line, fault.serious) == (0, False)
    assert "will be lost" in fault.message
    assert not next(kinds_of(Path("level.tmj"), "")).format.read("{}").usable


@pytest.mark.parametrize(("domain", "ending"), product(("fling", "snakebird"), ("tmj", "tmx")))
def test_a_map_of_tiled_keeps_what_is_no_tile_of_the_level(domain: str, ending: str) -> None:
    name, own = {"tmj": "tiled", "tmx": "tmx"}[ending], new_text(domain)
    kind = kind_named(domain, name)
    text = kind.format.new(Piece(own))
    assert next(kinds_of(Path(f"a.{ending}"), text, domain)) == kind
    notes = (
        text.replace('"layers": [', '"layers": [{"type": "objectgroup", "name": "notes", "objects": []}, ')
        if ending == "tmj"
        else text.replace("<layer ", '<!-- mine --><objectgroup name="notes"/>\n <layer ')
    )
    assert notes != text
    sheet = kind.format.read(notes)
    assert sheet.faults == ()
    document = open_document(domain, sheet.pieces[0].text)
    site = next(site.id for site in document.scene.sites if site.id not in document.scene.marks)
    mark = {"fling": "ball", "snakebird": "fruit"}[domain]
    after = kind.format.replace(notes, 0, Piece(document.put([site], mark)))
    assert after != notes
    assert "notes" in after
    assert ("<!-- mine -->" in after) == (ending == "tmx")
    (changed,) = kind.format.read(after).pieces
    assert mark in open_document(domain, changed.text).scene.marks[site]
    assert kind.format.replace(after, 0, sheet.pieces[0]) == notes


@pytest.mark.parametrize("domain", ["fling", "snakebird", "tangram", "witness"])
def test_own_text_is_a_file_of_one_content(domain: str) -> None:
    text = new_text(domain)
    assert (domain, "") in kinds("new.txt", text)
    assert OwnTexts(domain).read(text).pieces[0].text == text


def test_games_come_before_their_own_text_and_with_faults_too() -> None:
    text = shipped_games()[0].read_text(encoding="utf-8")
    assert kinds("a.txt", text)[:2] == [("puzzlescript", "game"), ("puzzlescript", "")]
    assert kinds("a.txt", text.replace("COLLISIONLAYERS", "LAYERS"))[0] == ("puzzlescript", "game")
    assert kinds("a.txt", text, "witness") == []
    assert kinds("a.txt", "nothing that is known") == []


def test_a_piece_is_moved_within_its_file_only() -> None:
    text = shipped_games()[0].read_text(encoding="utf-8")
    format = next(kinds_of(Path("a.txt"), text)).format
    assert moved(format, text, 1, 1) == text
    assert moved(format, moved(format, text, 1, 2), 2, 1) == text
    for number, to in ((-1, 0), (9, 0), (0, -1), (0, 9)):
        with pytest.raises(EpcgError, match=r"no (number|place)"):
            moved(format, text, number, to)
