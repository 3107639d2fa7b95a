"""SECURITY.md names the limits that the code has, and what it says of the servers is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from epcg_puzzlescript.language import grouping, levels, problems
from epcg_research.certificate import form, security
from epcg_research.exchange import traces
from epcg_snakebird.rules import level
from epcg_workbench import app as workbench, serve
from epcg_workbench.data.serve import SETTINGS

from epcg_core.base import documents
from epcg_core.chunks import codec
from epcg_core.cli.app import app
from epcg_core.editing import editing
from epcg_core.rendering import grids

ROOT = Path(__file__).parents[3]
TEXT = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
MB = 1_000_000
LIMITS = {
    "any file but a database and Parquet": (documents.MOST_BYTES // MB,),
    "TOML": (documents.MOST_TOML, documents.MOST_DEPTH, documents.TOML_BITS),
    "JSON": (documents.MOST_DEPTH, documents.JSON_BITS),
    "a content as text, in an editor": (editing.MOST_CHARACTERS,),
    "a level of Snakebird": (level.MOST_BYTES // MB, level.MOST_CELLS),
    "a game of PuzzleScript": (problems.MOST_BYTES, levels.MOST_LEVELS, grouping.MOST_ELEMENTARY),
    "a map of Tiled": (grids.MOST_CELLS,),
    "a chunk of a database": (codec.BIT_CHUNK_SIZE,),
    "a certificate": (form.MOST_BYTES // MB, security.MOST_OPENINGS),
    "a file of traces": (traces.MOST_BYTES // MB, traces.MOST_PUZZLES),
}
ROWS = dict(
    re.findall(r"^\| ([^|]+) \| ([^|]*\d[^|]*) \|$", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)
)


def test_each_limit_of_the_table_is_known() -> None:
    assert ROWS.keys() == LIMITS.keys()


@pytest.mark.parametrize("what", LIMITS)
def test_a_limit_is_that_of_the_code(what: str) -> None:
    text = ROWS[what].replace("UTF-8", "")
    assert [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)] == [*LIMITS[what]]


def test_the_servers_are_as_described() -> None:
    assert serve.HOST == "127.0.0.1"
    assert f"`epcg workbench` listens on {serve.HOST} only" in TEXT
    context = app.make_context("epcg", ["domains"])
    command = app.get_command(context, "workbench")
    assert command is not None
    options = {option for each in command.params for option in each.opts}
    assert "--host" not in options
    assert {"--no-open"} <= {option for each in command.params for option in each.secondary_opts}
    assert f"at most {workbench.MOST_BYTES:,} bytes" in TEXT
    assert f"{workbench.MEASURE_SECONDS:.0f} seconds for a content" in TEXT
    assert SETTINGS["sql_time_limit_ms"] == 3000
    assert "A statement has 3 seconds" in TEXT
    browse = app.get_command(context, "browse")
    assert browse is not None
    (host,) = [each for each in browse.params if "--host" in each.opts]
    assert host.default == serve.HOST
    assert SETTINGS["allow_download"] == "off"


@pytest.mark.parametrize("page", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
