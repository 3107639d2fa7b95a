"""`epcg convert`: every domain's formats there and back, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from epcg_puzzlescript.formats import xsb

from epcg_core.editing.formats import convert, formats
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.spec import make_generator, space_spec
from epcg_core.rendering.render import format_state
from tests.workplace import epcg, sweep

PUZZLES = {
    "fling": "fling:boards?height=4&pieces=4&width=5#1000",
    "snakebird": "snakebird:levels?path=13_the_stool#0",
    "witness": 'witness:placements?groups=[{"symbols":["triangles 2"],"count":2}]#5',
}

OWN = PUZZLES | {
    "deduction": "deduction:puzzles?genre=slitherlink#0",
    "puzzlescript": "puzzlescript:levels?game=badger#0",
    "sliding": "sliding:boards?#5",
    "tangram": "tangram:solved_boards#7",
}
"""A puzzle of each domain, of formats or without."""


SOKOBAN = xsb.SOKOBAN + "\n######\n#@-$.#\n######\n"


DOMINOES = """
lattice = "squares"
[board]
family = "rectangle"
width = 4
height = 2
[[pieces]]
name = "domino"
drawing = "##"
copies = 4
"""
WRITTEN = [(info.domain, info.name) for info in formats() if info.write is not None]
SWEPT = sweep(WRITTEN, lambda domain: domain == "fling")
"""Each format that is written; those of one domain are tried with the fast tests."""
SWEPT_OWN = sweep(OWN, lambda domain: domain in ("fling", "sliding"))


def puzzle_of(domain: str, name: str) -> str:
    """A puzzle that a format holds: not all hold all puzzles of their domain."""
    if name == "packing":
        space = space_spec(registry(), domain, "solved_boards", {"game": DOMINOES})
    elif name == "xsb":
        space = space_spec(registry(), domain, "contents", {"contents": [SOKOBAN]})
    else:
        return OWN[domain]
    return puzzle_id(space.name, 0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("domain", "name"), SWEPT)
def test_what_is_written_is_read_again(domain: str, name: str) -> None:
    own = convert(puzzle_of(domain, name), "text")
    Path("there").write_text(convert(puzzle_of(domain, name), name), encoding="utf-8")
    back = convert("there", "text", domain=domain, read_as=name)
    titled = [line for line in back.splitlines() if not line.startswith("name:")]
    assert titled == [line for line in own.splitlines() if not line.startswith("name:")]
    Path("own.txt").write_text(own, encoding="utf-8")
    again = convert("own.txt", name, domain=domain)
    assert convert_back(again, domain, name) == titled


def convert_back(text: str, domain: str, name: str) -> list[str]:
    Path("back").write_text(text, encoding="utf-8")
    found = convert("back", "text", domain=domain, read_as=name).splitlines()
    return [line for line in found if not line.startswith("name:")]


def test_the_own_text_is_what_the_generator_writes() -> None:
    for puzzle in PUZZLES.values():
        space, rank = parse_puzzle_id(registry(), puzzle)
        generator = make_generator(registry(), space)
        own = convert(puzzle, "text")
        assert own.rstrip("\n") == format_state(generator, generator.unrank(rank)).rstrip("\n")


@pytest.mark.parametrize("domain", SWEPT_OWN)
def test_own_text_is_read_before_it_is_own_text_again(domain: str) -> None:
    own = convert(OWN[domain], "text")
    Path("own.txt").write_text(own, encoding="utf-8")
    read = ("convert", "own.txt", "--domain", domain)
    assert epcg(*read).stdout == epcg(*read, "--to", "text", "--from", "text").stdout == own
    for ends in ("\r", "\r\n"):
        Path("own.txt").write_bytes(own.replace("\n", ends).encode())
        epcg(*read, "--output", "new.txt")
        assert Path("new.txt").read_bytes() == own.encode()
    assert "own.txt has 1 level, and no number 2" in epcg(*read, "--number", 2, code=1).stderr


@pytest.mark.parametrize("domain", SWEPT_OWN)
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            b"complete nonsense ???\n",
            "complete|no meaning|not a sign|sections such as OBJECTS|not valid TOML",
        ),
        ("complete nonsense".encode("utf-16-le"), "The file 'own.txt' has NUL bytes, as texts in"),
        ("complete nonsense".encode("utf-16"), "The file 'own.txt' is not valid UTF-8; save it as UTF-8."),
        (b"", ""),
    ],
)
def test_a_text_of_another_kind_is_not_copied(domain: str, data: bytes, sentence: str) -> None:
    Path("own.txt").write_bytes(data)
    read = ("convert", "own.txt", "--domain", domain, "--to", "text")
    for way in ((), ("--output", "new.txt"), ("--from", "text", "--output", "new.txt")):
        told = epcg(*read, *way, code=1).stderr
        assert re.search(sentence, told), told
    assert not Path("new.txt").exists()


@pytest.mark.parametrize("domain", PUZZLES)
def test_own_text_in_utf_16_without_a_mark_is_not_read(domain: str) -> None:
    Path("own.txt").write_bytes(convert(PUZZLES[domain], "text").encode("utf-16-le"))
    for way in ("convert", "score", "render"):
        assert "has NUL bytes" in epcg(way, "own.txt", "--domain", domain, code=1).stderr


def test_the_ending_says_which_format() -> None:
    epcg("convert", PUZZLES["snakebird"], "--output", "level.tmx")
    assert Path("level.tmx").read_text(encoding="utf-8").startswith("<?xml")
    epcg("convert", PUZZLES["snakebird"], "--output", "level.map")
    epcg("convert", "level.map", "--output", "level.tmj")  # only Snakebird has both
    assert json.loads(Path("level.tmj").read_text(encoding="utf-8"))["type"] == "map"
    drawn = epcg("convert", "level.map").stdout
    assert drawn == epcg("convert", "level.map", "--to", "text").stdout
    assert "E" in drawn
    assert "E" in epcg("convert", "level.tmj", "--domain", "snakebird").stdout
    listed = json.loads(epcg("convert", "--json").stdout)
    assert (listed[-1]["domain"], listed[-1]["format"]) == ("witness", "windmill-list")


def test_a_format_is_read_or_written() -> None:
    assert all(info.read is not None or info.write is not None for info in formats())


@pytest.mark.parametrize(("domain", "name"), SWEPT)
@pytest.mark.parametrize("ending", ["", ".txt", "own"])
def test_a_file_that_was_written_here_needs_no_domain(domain: str, name: str, ending: str) -> None:
    own = convert(puzzle_of(domain, name), "text", domain=domain)
    (info,) = [info for info in formats(domain) if info.name == name]
    file = f"there{(*info.endings, '')[0] if ending == 'own' else ending}"
    for to in (name, "text"):
        Path(file).write_text(convert(puzzle_of(domain, name), to), encoding="utf-8")
        if to == "text" and ending == "own" and info.endings:
            continue  # the ending says another format
        back = [line for line in convert(file, "text").splitlines() if not line.startswith("name:")]
        assert back == [line for line in own.splitlines() if not line.startswith("name:")]


def test_a_file_that_several_domains_read_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.editing.formats._reads", lambda info, text, path: True)
    Path("map.tmj").write_text("{}", encoding="utf-8")
    assert "map.tmj may be of fling or snakebird: add --domain" in epcg("convert", "map.tmj", code=1).stderr


def test_an_ending_of_no_format_is_refused() -> None:
    refused = epcg("convert", PUZZLES["fling"], "--output", "board.xlsx", code=2).stderr
    assert "'board.xlsx' has the ending of no format: choose .txt, .deduction, .map, " in refused
    assert not Path("board.xlsx").exists()
    epcg("convert", PUZZLES["fling"], "--output", "board.level", "--to", "text")


def test_a_map_of_tiled_is_read_as_tiled_shows_it() -> None:
    """A mirrored part of a snake points to the other side, and a hidden layer is left out."""
    Path("level.txt").write_text("E..1<..\n#######\n", encoding="utf-8")
    epcg("convert", "level.txt", "--domain", "snakebird", "--output", "level.tmj")
    data = json.loads(Path("level.tmj").read_text(encoding="utf-8"))
    [layer], names = data["layers"], {tile["type"]: tile["id"] + 1 for tile in data["tilesets"][0]["tiles"]}
    assert layer["data"][4] == names["BodyLeft"]
    layer["data"][4] = names["BodyRight"] | 0x80000000
    over = {**layer, "name": "notes", "visible": False, "data": [names["Ground"]] * 14}
    data["layers"] = [{"type": "group", "layers": [layer]}, over]
    Path("level.tmj").write_text(json.dumps(data), encoding="utf-8")
    back = epcg("convert", "level.tmj", "--domain", "snakebird").stdout
    assert back.splitlines()[-2:] == ["E..1<..", "#######"]
    Path("level.tmj").write_text(json.dumps(data | {"width": 100_000, "height": 100_000}), encoding="utf-8")
    told = epcg("convert", "level.tmj", "--domain", "snakebird", code=1).stderr
    assert "level.tmj: the map has 100,000 by 100,000 cells: resize it" in told


@pytest.mark.parametrize(
    ("domain", "text", "kind", "at", "rows"),
    [
        ("fling", "o..o\n.o..\n", "Ball", (2, 1), ["o..o", ".oo."]),
        ("snakebird", "E..1<..\n#######\n", "Spikes", (5, 0), ["E..1<*.", "#######"]),
    ],
)
def test_layers_of_tiled_are_read_where_they_are_shown(
    domain: str, text: str, kind: str, at: tuple[int, int], rows: list[str]
) -> None:
    Path("level.txt").write_text(text, encoding="utf-8")
    epcg("convert", "level.txt", "--domain", domain, "--output", "level.tmj")
    data = json.loads(Path("level.tmj").read_text(encoding="utf-8"))
    [number] = [tile["id"] + 1 for tile in data["tilesets"][0]["tiles"] if tile["type"] == kind]
    [layer] = data["layers"]
    numbers = [number | 0xE0000000] + [0] * (len(layer["data"]) - 1)
    over = {**layer, "data": numbers, "offsetx": -48, "offsety": 48 * at[1]}
    hidden = {**layer, "visible": False, "data": [99] * len(numbers)}
    data["layers"] += [{"type": "group", "offsetx": 48 * (at[0] + 1), "layers": [over, hidden]}]
    Path("level.tmj").write_text(json.dumps(data), encoding="utf-8")
    back = epcg("convert", "level.tmj", "--domain", domain).stdout
    assert back.replace("/", "\n").splitlines()[-2:] == rows
    data["layers"] = [{**layer, "visible": False}]
    Path("level.tmj").write_text(json.dumps(data), encoding="utf-8")
    refused = epcg("convert", "level.tmj", "--domain", domain, code=1).stderr
    assert "level.tmj: the map has no layer of tiles that is shown." in refused


def test_a_file_of_several_levels_asks_for_a_number() -> None:
    one = convert(PUZZLES["witness"], "windmill").strip()
    other = convert(PUZZLES["witness"].replace("#5", "#6"), "windmill").strip()
    Path("links.txt").write_text(f"https://example.org/build/{one}\n\n{other}\n", encoding="utf-8")
    read = ("convert", "links.txt", "--from", "windmill")
    assert "has 2 levels: add --number 1 to 2" in epcg(*read, code=1).stderr
    assert epcg(*read, "--number", "2").stdout == convert(PUZZLES["witness"].replace("#5", "#6"), "text")
    assert "and no number 3" in epcg(*read, "--number", "3", code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none.tmj",), "There is no file 'none.tmj'"),
        (("text.txt",), "No domain reads text.txt: add --domain, which says what is wrong in it."),
        (("text.txt", "--to", "tield"), "Did you mean 'tiled'?"),
        (("text.txt", "--to", "windmill"), "line 1"),
        (("text.txt", "--from", "windmill"), "is not a Windmill link: it does not end in _0"),
        (("text.txt", "--domain", "fling", "--to", "tmx"), "'h' in column 1, row 1 has no meaning"),
        (("text.txt", "--domain", "tangram", "--to", "tmx"), "unknown format 'tmx'"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], sentence: str) -> None:
    Path("text.txt").write_text("hello\n", encoding="utf-8")
    told = epcg("convert", *arguments, code=1).stderr
    assert sentence in told
    assert "Traceback" not in told


@pytest.mark.parametrize("domain", ["snakebird", "witness", "fling", "tangram", "puzzlescript", "sliding"])
def test_text_is_read_although_it_stays_text(
    domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for data in (b"complete nonsense ???\n", "o.o\n".encode("utf-16-le")):
        Path("level.txt").write_bytes(data)
        said = epcg("convert", "level.txt", "--domain", domain, "--to", "text", "--output", "o.txt", code=1)
        assert said.stderr.startswith("Error: ")
        assert not Path("o.txt").exists()


def test_line_ends_of_text_are_those_of_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("level.txt").write_bytes(b"o..o\r.o..\r")
    assert epcg("convert", "level.txt", "--domain", "fling", "--to", "text").stdout == "o..o\n.o..\n"
