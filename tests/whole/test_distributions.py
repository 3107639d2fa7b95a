"""The distributions of this repository describe themselves alike, fit each other, and hold their licence."""

from __future__ import annotations

import email
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.faces import FACES

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT, *sorted(path.parent for path in (ROOT / "plugins").glob("*/pyproject.toml"))]
COMMON = ("version", "requires-python", "license", "license-files", "authors", "urls")
NO_CODE = "epcg"
BOUNDS = ">=0.1,<0.2"
TOPICS = ["Topic :: Games/Entertainment :: Puzzle Games", "Topic :: Scientific/Engineering"]
OURS = re.compile(r"(epcg[a-z-]*)(\[[a-z,]+\])?(.*)")
LINK = re.compile(r"\]\((?!https?://|#)[^)]*\)|(?:src|href)=\"(?!https?://)", re.IGNORECASE)
"""A picture or link that leads to a file of the repository, which an index of packages does not have."""


def project_of(folder: Path) -> dict[str, Any]:
    """The table [project] of a distribution."""
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


PROJECTS = {project_of(folder)["name"]: (folder, project_of(folder)) for folder in FOLDERS}
ENGINE = PROJECTS["epcg-core"][1]
every = pytest.mark.parametrize("name", sorted(PROJECTS))


def test_there_are_thirteen_distributions() -> None:
    assert len(PROJECTS) == len(FOLDERS) == 13
    assert ENGINE["version"] in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@every
def test_what_distributions_say_of_themselves_is_the_same(name: str) -> None:
    folder, project = PROJECTS[name]
    assert {key: project.get(key) for key in COMMON} == {key: ENGINE.get(key) for key in COMMON}
    assert name in ("epcg-core", NO_CODE, f"epcg-{folder.name}")
    assert project["description"].endswith(".")
    assert ENGINE["keywords"][:2] == project["keywords"][:2]
    pythons = [f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)]
    typed = [] if name == NO_CODE else ["Typing :: Typed"]
    assert project["classifiers"] == [*pythons, *TOPICS, *typed]


@every
def test_a_package_has_types_and_an_entry_point_named_like_its_folder(name: str) -> None:
    folder, project = PROJECTS[name]
    points = project.get("entry-points", {}).get("epcg", {})
    if name == NO_CODE:
        assert not points
        assert not (folder / "src").exists()
    elif name == "epcg-core":
        assert not points
        assert (folder / "epcg_core/py.typed").is_file()
    else:
        package = f"epcg_{folder.name}"
        assert points == {folder.name: f"{package}.plugin"}
        assert (folder / "src" / package / "plugin.py").is_file()
        assert (folder / "src" / package / "py.typed").is_file()


@every
def test_distributions_that_belong_together_are_installed_together(name: str) -> None:
    """An engine whose API changed is refused by pip, not combined silently with former plugins.

    Faces use more of it than is promised, so they require the version that they are released with.
    """
    _, project = PROJECTS[name]
    groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    required = [OURS.fullmatch(text) for group in groups for text in group]
    found = [(match[1], match[2] or "", match[3]) for match in required if match is not None]
    of_core = f"=={ENGINE['version']}" if name.removeprefix("epcg-") in FACES else BOUNDS
    assert name == "epcg-core" or ("epcg-core", "", of_core) in found
    for other, wanted, bounds in found:
        assert bounds == (of_core if other == "epcg-core" else BOUNDS), other
        offered = PROJECTS[other][1].get("optional-dependencies", {})
        assert set(filter(None, wanted.strip("[]").split(","))) <= set(offered), other


@every
def test_the_page_of_a_distribution_needs_no_other_file(name: str) -> None:
    folder, project = PROJECTS[name]
    text = (folder / project["readme"]).read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert f"pip install {name}" in text
    assert not LINK.findall(text)


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("![a board](docs/board.svg)", True),
        ('<img src="docs/board.svg">', True),
        ("[a page](../../docs/index.md)", True),
        ("[below](#papers)", False),
        ("[versions](https://semver.org)", False),
    ],
)
def test_links_that_lead_to_a_file(text: str, leads: bool) -> None:
    assert bool(LINK.search(text)) == leads


@pytest.mark.sweep(3)
@every
def test_a_wheel_holds_the_licence_and_its_package(name: str, tmp_path: Path) -> None:
    folder, project = PROJECTS[name]
    (wheel,) = WheelBuilder(str(folder)).build(directory=str(tmp_path), versions=["standard"])
    package = name.replace("-", "_")
    info = f"{package}-{project['version']}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = email.message_from_bytes(archive.read(f"{info}/METADATA"))
        assert archive.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Author"] == "The EPCG developers"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (folder / project["readme"]).read_text(encoding="utf-8")
    if name == NO_CODE:
        assert all(entry.startswith(info) for entry in names)
    else:
        assert {f"{package}/py.typed", f"{package}/__init__.py"} <= names
        assert {entry.partition("/")[0] for entry in names} == {package, info}
