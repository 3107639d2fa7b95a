"""What a plan's puzzles were given away as: which files are found again, and under which names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench.jobs import answer
from epcg_workbench.plan_exports import EXPORTS, exported_file

from epcg_core.plugin import QueryError
from tests.faces import INSTALLED


def written(folder: Path, name: str) -> dict[str, Any]:
    found = list(answer({"do": "written", "folder": str(folder), "name": name}))
    return {each["format"]: each for each in found}


@pytest.mark.parametrize("stem", ["crates", "crates [1]", "crates+*"])
def test_the_newest_export_of_each_format_is_found(tmp_path: Path, stem: str) -> None:
    for number, ending in enumerate([".html", "-2.html", "-page.html", "-3-page.html", "-x.html", ".json"]):
        path = tmp_path / f"{stem}{ending}"
        path.write_text("x" * (number + 1))
        os.utime(path, (number, number))
    (tmp_path / "other.csv").touch()
    found = written(tmp_path, f"{stem}.toml")
    assert {kind: Path(each["file"]).name for kind, each in found.items()} == {
        "html": f"{stem}-2.html", "page": f"{stem}-3-page.html", "json": f"{stem}.json"
    }  # fmt: skip
    assert found["page"]["bytes"] == 4
    assert found["html"]["time"] == "1970-01-01", "the time of day would be taken for today's"
    (tmp_path / f"{stem}.pdf").touch()
    assert ":" in written(tmp_path, f"{stem}.toml")["pdf"]["time"]


@pytest.mark.skipif("publishing" not in INSTALLED, reason="the formats are in epcg-publishing")
def test_the_formats_are_those_of_the_command() -> None:
    from epcg_publishing.formats import ENDINGS, FORMATS, SITE

    assert {kind: ENDINGS.get(kind, f".{kind}") for kind in (*FORMATS, SITE)} == EXPORTS


def test_a_link_opens_what_was_written_into_the_folder_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "above.html").write_text("no")
    (folder / "a b.html").write_text("yes")
    (folder / ".hidden.html").write_text("no")
    (folder / "game.txt").write_text("no")
    (folder / "epcg.db").write_text("no")
    (folder / "link.html").symlink_to(tmp_path / "above.html")
    assert exported_file(folder, "a b.html").read_text() == "yes"
    for name in ("../above.html", "..", "", ".hidden.html", "game.txt", "epcg.db", "link.html", "gone.html"):
        with pytest.raises(QueryError, match="no file"):
            exported_file(folder, name)


@pytest.mark.skipif("publishing" not in INSTALLED, reason="the formats are in epcg-publishing")
def test_an_export_ends_with_a_link_if_it_writes_one_file(tmp_path: Path) -> None:
    from tests.workbench.test_plans import Place

    place = Place(tmp_path)
    for kind, ending in EXPORTS.items():
        file = place.one("export", format=kind)["file"]
        assert file == ("" if kind == "site" else f"course{ending}")


def test_an_exported_page_cannot_read_the_workbench() -> None:
    from epcg_workbench.guard import EXPORT_HEADERS

    policy = EXPORT_HEADERS["content-security-policy"]
    assert policy.startswith("sandbox ")
    assert "allow-same-origin" not in policy
