"""Every reader of what users write, as a function of bytes; its corpus lies in corpus/<name>/."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import attrs
from epcg_cluster.address import check_scheduler
from epcg_fling.formats import others as fling_others
from epcg_fling.formats.boards import parse_board
from epcg_fling.formats.found import find_board
from epcg_fling.formats.levels import read_levels
from epcg_fling.rules.moves import BoardShape
from epcg_puzzlescript.commands.survey_changes import changes, read_survey
from epcg_puzzlescript.formats.found import find_level as find_game
from epcg_puzzlescript.formats.game_file import GameFile
from epcg_puzzlescript.formats.text import format_level, level_of, parse_level
from epcg_puzzlescript.formats.xsb import XsbFile
from epcg_puzzlescript.language.files import read_game
from epcg_research.certificate import contents, form
from epcg_research.exchange import traces
from epcg_research.exchange.importing import read_measures
from epcg_research.exchange.responses import Form, column_of, read as read_responses
from epcg_research.players import files as files_of_players
from epcg_research.players.decisions import from_table
from epcg_research.reproduce.reading import read_publication
from epcg_sliding.rules import parse as parse_tiles
from epcg_snakebird.formats import others as snakebird_others
from epcg_snakebird.formats.drawing import parse_any, read_headers
from epcg_snakebird.formats.found import find_level
from epcg_snakebird.formats.map_format import parse_map
from epcg_tangram.design.layout import layout_of
from epcg_tangram.formats import boards as tangram_boards
from epcg_tangram.formats.importers import read_list, read_xmpuzzle
from epcg_tangram.formats.instances import parse_instance
from epcg_tangram.params import GameParams
from epcg_tangram.texts.game_text import parse_game, read_game as read_tangram
from epcg_tangram.texts.game_writer import format_game
from epcg_testing import declaration
from epcg_testing.laws import files
from epcg_witness.formats import others as witness_others
from epcg_witness.formats.drawing import parse_drawing
from epcg_witness.formats.found import find_panel
from epcg_witness.formats.symbols import parse_symbol
from epcg_witness.formats.windmill import read_windmill
from epcg_witness.formats.windmill_lists import JsonFile, LinkFile
from epcg_witness.generators.windmill_file import WindmillFile
from epcg_witness.params import WindmillFileParams

from epcg_core.base.errors import EpcgError
from epcg_core.base.params import canonical_json
from epcg_core.cli.work.sql import _ask
from epcg_core.curriculum import plan
from epcg_core.domain import resolve
from epcg_core.domain.files import FileFormat, Piece
from epcg_core.plugins.entry_points import unknown_plugins
from epcg_core.plugins.registry import registry
from epcg_core.query import puzzle_id, query
from epcg_core.query.spec import make_generator, space_spec
from epcg_core.store import Reader, Store
from epcg_core.store.columns import check_condition
from epcg_core.store.rows import materialize
from tests.core.test_selection import METRICS, record
from tests.workplace import new_database

CORPUS = Path(__file__).parent / "corpus"
PARSERS: dict[str, Callable[[Place, bytes], None]] = {}


@attrs.define
class Place:
    """A folder with a small database, in which a parser's files are written."""

    folder: Path
    store: Store

    @classmethod
    def make(cls, folder: Path) -> Place:
        new_database(folder / "epcg.db")
        store = Store.open(folder / "epcg.db", write=True)
        record(store, [(i, i / 4, i % 2 == 0) for i in range(40)], None)
        (folder / "query.toml").write_bytes((CORPUS / "query_file" / "boards.toml").read_bytes())
        return cls(folder, store)

    def file(self, data: bytes) -> Path:
        path = self.folder / "input"
        path.write_bytes(data)
        return path


def text_of(data: bytes) -> str:
    """Decode as Python decodes arguments: what is not UTF-8 becomes unpaired surrogates."""
    return data.decode("utf-8", "surrogateescape")


def parser(function: Callable[[Place, bytes], None]) -> Callable[[Place, bytes], None]:
    PARSERS[function.__name__] = function
    return function


@parser
def query_file(place: Place, data: bytes) -> None:
    read = query.load(place.file(data))
    canonical_json(read.resolved()).encode()
    space_spec(registry(), read.domain, read.generator.name, read.generator.params)


@parser
def found_puzzle(place: Place, data: bytes) -> None:
    """Texts and files that `epcg score` takes: each is of some generator's space, or of none."""
    path, text, refused = place.file(data), text_of(data), None
    for find in (find_board, find_level, find_panel, find_game):
        for file in (None, path):
            try:
                answer = find(text, file)
            except EpcgError as error:
                refused = error
            else:
                assert answer is None or isinstance(answer[0], dict)
    if refused is not None:
        raise refused


@parser
def plan_file(place: Place, data: bytes) -> None:
    path = place.folder / "plan.toml"
    path.write_bytes(data)
    canonical_json(plan.load(path).resolved()).encode()


@parser
def publication(place: Place, data: bytes) -> None:
    for table in read_publication(place.file(data)).tables:
        assert all(row.label and str(row.published) for row in table.rows)


@parser
def play_traces(place: Place, data: bytes) -> None:
    path = place.folder / "traces.json"
    path.write_bytes(data)
    for trace in traces.read(path):
        trace.sha256()


@parser
def setting(place: Place, data: bytes) -> None:
    table: dict[str, Any] = {
        "name": "a",
        "generator": {"name": "b", "size": 3},
        "evaluators": [{"name": "c"}],
    }
    query.override(table, [text_of(data)])
    canonical_json(table).encode()


@parser
def puzzle(place: Place, data: bytes) -> None:
    space, rank = puzzle_id.parse_puzzle_id(registry(), text_of(data))
    puzzle_id.puzzle_id(space.name, rank).encode()


@parser
def certificate(place: Place, data: bytes) -> None:
    read = form.from_json(form.read_json(place.file(data)))
    form.opened_ranks(read.claims, read.claims.openings)
    form.unpacked(read.blocks, 1 << 20, "blocks")


@parser
def certificate_block(place: Place, data: bytes) -> None:
    prunes = data[:1] == b"\2"
    contents.BlockReader(data, METRICS, prunes, not prunes).block(0, 64)


@parser
def conformance_file(place: Place, data: bytes) -> None:
    declaration.read(place.file(data))


@parser
def condition(place: Place, data: bytes) -> None:
    check_condition(text_of(data), {metric.name: metric for metric in METRICS})


@parser
def measures(place: Place, data: bytes) -> None:
    """Parquet files of others."""
    with place.store.reader() as reader:
        read_measures(reader, reader.run(1), place.file(data), (), ranks=True, replace=False)


@parser
def responses_table(place: Place, data: bytes) -> None:
    """Tables of studies with people."""
    path = place.folder / "play.csv"
    path.write_bytes(data)
    columns = (column_of("fun:1..5"), column_of("seconds=ms[ms]", time=True))
    form = Form("puzzle", "who", columns, "nr", "solved", space="fling:boards?height=8&pieces=2&width=7")
    with place.store.reader() as reader:
        read_responses(reader, "epcg.db", path, "play", form)


@parser
def player_model(place: Place, data: bytes) -> None:
    """Files of player models, for boards of Fling!."""
    path = place.folder / "player.json"
    path.write_bytes(data)
    files_of_players.load(path, _boards()).text()


@parser
def moves_table(place: Place, data: bytes) -> None:
    """Tables of the moves of people."""
    path = place.folder / "moves.csv"
    path.write_bytes(data)
    with place.store.reader() as reader:
        from_table(path, reader, "epcg.db", "fling:boards?height=4&pieces=4&width=4").sha256()


@cache
def _boards() -> Any:
    space = space_spec(registry(), "fling", "boards", {"height": 4, "width": 4, "pieces": 4})
    return make_generator(registry(), space)


@parser
def condition_for_rows(place: Place, data: bytes) -> None:
    with contextlib.suppress(_Undone), place.store.transaction() as connection:
        materialize(connection, Reader(connection), 1, text_of(data))
        raise _Undone


class _Undone(Exception):
    pass


@parser
def sql(place: Place, data: bytes) -> None:
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        Store.open(place.folder / "epcg.db") as store,
        store.connection() as connection,
    ):
        _ask(connection, text_of(data), "json")


@parser
def database(place: Place, data: bytes) -> None:
    with contextlib.chdir(place.folder):
        Store.open(text_of(data)).close()


@parser
def plugin_names(place: Place, data: bytes) -> None:
    names = text_of(data).replace("\0", "")  # the environment holds no NUL
    with patch.dict(os.environ, {"EPCG_PLUGINS": names}):
        for sentence in unknown_plugins():
            assert sentence.endswith(".")
            assert len(sentence) < 4000


@parser
def scheduler(place: Place, data: bytes) -> None:
    check_scheduler(text_of(data))


@parser
def fling_board(place: Place, data: bytes) -> None:
    parse_board(BoardShape(7, 8), text_of(data))


@parser
def fling_levels(place: Place, data: bytes) -> None:
    read_levels(place.file(data), BoardShape(7, 8))


@parser
def snakebird_level(place: Place, data: bytes) -> None:
    parse_any(data, "level.txt")
    read_headers(data)


@parser
def snakebird_map(place: Place, data: bytes) -> None:
    parse_map(data, "level.map")


@parser
def tangram_board(place: Place, data: bytes) -> None:
    tangram_boards.parse_board(text_of(data))


@parser
def tangram_game(place: Place, data: bytes) -> None:
    """A game's text: every fault has a place in it, and what is right is written and read again."""
    text = text_of(data)
    lines = text.split("\n")
    for fault in read_tangram(text).faults:
        assert 0 <= fault.line <= len(lines), fault
        assert fault.column <= len(lines[fault.line - 1]) + 2, fault
        assert fault.message.endswith("."), fault
    definition = parse_game(text)
    assert parse_game(format_game(definition)) == definition
    assert len(definition.cells) > 200 or layout_of(definition).placements is not None


@parser
def burrtools_file(place: Place, data: bytes) -> None:
    for text in read_xmpuzzle(text_of(data), "input"):
        parse_game(text)


@parser
def pieces_file(place: Place, data: bytes) -> None:
    for text in read_list(text_of(data), "input"):
        parse_game(text)


@parser
def tangram_instance(place: Place, data: bytes) -> None:
    parse_instance(GameParams(), text_of(data))


@parser
def witness_drawing(place: Place, data: bytes) -> None:
    parse_drawing(text_of(data))


@parser
def witness_symbol(place: Place, data: bytes) -> None:
    parse_symbol(text_of(data))


@parser
def windmill(place: Place, data: bytes) -> None:
    read_windmill(text_of(data))


@parser
def windmill_message(place: Place, data: bytes) -> None:
    """The bytes inside a `contents` string, so that mutations reach them."""
    read_windmill(base64.urlsafe_b64encode(data).rstrip(b"=").decode() + "_0")


@parser
def windmill_file(place: Place, data: bytes) -> None:
    path = place.file(data)
    file = WindmillFile(WindmillFileParams(str(path), hashlib.sha256(data).hexdigest()))
    for entry in file.puzzles[:5]:
        canonical_json(entry.name).encode()


def bare(pieces: Sequence[Piece]) -> list[str]:
    """The texts of pieces; what that of a level says of the habits of others is not its own."""
    return [re.sub(r"\(In the levels of this game .*\)\n\n", "", piece.text) for piece in pieces]


def edited(format: FileFormat, data: bytes) -> None:
    """Read a file of several contents as text with Unix line ends, and change each of the first ones."""
    text = text_of(data).replace("\r\n", "\n").replace("\r", "\n")
    sheet = files.read(format, text)
    for number, piece in enumerate(sheet.pieces[:3] if sheet.usable else ()):
        assert format.replace(text, number, piece) == text
        with contextlib.suppress(EpcgError):
            longer = format.insert(text, number, piece)
            assert bare(format.read(longer).pieces[:number]) == bare(sheet.pieces[:number])
            files.read(format, format.remove(longer, number))
    for fault in sheet.faults:
        if fault.serious:
            raise EpcgError(fault.message)


@parser
def puzzlescript_file(place: Place, data: bytes) -> None:
    edited(GameFile(), data)


@parser
def sokoban_file(place: Place, data: bytes) -> None:
    edited(XsbFile(), data)


@parser
def windmill_links(place: Place, data: bytes) -> None:
    edited(LinkFile(), data)


@parser
def windmill_list(place: Place, data: bytes) -> None:
    edited(JsonFile(), data)


@parser
def tiled_map(place: Place, data: bytes) -> None:
    snakebird_others.read_tiled(text_of(data), "input")


@parser
def tiled_layer(place: Place, data: bytes) -> None:
    """Packed numbers of tiles, so that mutations reach them."""
    layer = {"type": "tilelayer", "encoding": "base64", "data": base64.b64encode(data).decode()}
    for compression in ("", "zlib"):
        tiles = [{"id": 0, "type": "Ball"}]
        made = {
            "width": 3, "height": 2, "layers": [{**layer, "compression": compression}],
            "tilesets": [{"firstgid": 1, "tiles": tiles}],
        }  # fmt: skip
        with contextlib.suppress(EpcgError):
            fling_others.read_tiled(json.dumps(made), "input")


@parser
def puzzlescript_survey(place: Place, data: bytes) -> None:
    survey = read_survey(place.file(data))
    assert not list(changes(survey, survey))
    list(changes(survey, {"limits": None, "files": 0, "games": []}))


@parser
def puzzlescript(place: Place, data: bytes) -> None:
    snakebird_others.read_puzzlescript(text_of(data), "input")


@parser
def windmill_link(place: Place, data: bytes) -> None:
    witness_others.read_link(text_of(data), "input")


@parser
def sliding_tiles(place: Place, data: bytes) -> None:
    parse_tiles(text_of(data), 2, 3)


def _edited(domain: str, data: bytes) -> None:
    """Open an editor, draw what it reads, write it and read it again."""
    editor = resolve(registry().editor(domain).factory)(text_of(data))
    scene = editor.scene(editor.content)
    assert scene.marks.keys() <= {site.id for site in scene.sites}
    assert editor.parse(editor.format(editor.content)) == editor.content


@parser
def fling_editor(place: Place, data: bytes) -> None:
    _edited("fling", data)


@parser
def puzzlescript_game(place: Place, data: bytes) -> None:
    """A game is read, with the faults of its lines; its levels are boards or are refused."""
    game = read_game(place.file(data))
    for problem in game.problems:
        assert problem.line >= 1 <= problem.column
        assert problem.sentence.endswith("."), problem.sentence
    for number in range(len(game.maps)):
        with contextlib.suppress(EpcgError):
            level = level_of(game, number)
            assert len(level.cells) == level.width * level.height
            assert parse_level(format_level(level)).cells == level.cells


@parser
def puzzlescript_editor(place: Place, data: bytes) -> None:
    _edited("puzzlescript", data)


@parser
def snakebird_editor(place: Place, data: bytes) -> None:
    _edited("snakebird", data)


@parser
def witness_editor(place: Place, data: bytes) -> None:
    _edited("witness", data)


@parser
def tangram_editor(place: Place, data: bytes) -> None:
    _edited("tangram", data)


@parser
def sliding_editor(place: Place, data: bytes) -> None:
    _edited("sliding", data)
