"""Every command of the READMEs runs, and prints what they show."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from epcg_core.domain import EvaluatorInfo, GeneratorInfo
from epcg_core.plugins.registry import registry
from tests.faces import FACES
from tests.forks.forked import epcg_forked
from tests.pages import follow
from tests.workplace import commands, epcg, runs_as_shown

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in (ROOT / "plugins").glob("*/README.md"))
DOMAINS = [plugin for plugin in PLUGINS if plugin not in (*FACES, "epcg")]
LONG = (
    "curriculum (?!schema)",
    r"run (layers|entropy)\.toml",
    "fling analyze", "fling study",
    r"run joint_panels_large\.toml", "show 2", "witness difficulty",
    "snakebird play", "snakebird study",
    "run stage3_", "epcg tangram",
)  # fmt: skip
"""Commands of the plugins' READMEs that take long, need a terminal or a file of the reader's."""
BROKEN_MAP = "snake6x4\n......\n..<a..\n.GGGG.\n"
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs/tour.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "docs/install.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs/guides/plugin.md").read_text(encoding="utf-8")
MOST_BYTES = 8_000
"""Of the README, which a reader sees whole; what is longer is a page in docs."""


def plugin_commands(text: str) -> list[tuple[str, list[str]]]:
    """(command, lines shown beneath it) of the indented blocks, in order."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("    $ epcg "):
            found.append((line[6:], []))
            inside = True
        elif line.startswith("    ") and inside:
            found[-1][1].append(line[4:].rstrip())
        elif line.strip():
            inside = False
    return found


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= MOST_BYTES


@pytest.mark.slow
def test_the_readmes_commands_run_in_order_and_print_what_it_shows(reader: Path) -> None:
    """The fast tests plan what it advises: test_what_a_readme_advises_works_as_it_stands."""
    assert len(commands(README)) >= 5
    follow(README)


def test_the_tour_has_the_commands_that_the_readme_leaves_to_it() -> None:
    """They run with those of other pages, in tests/whole/docs/test_docs.py."""
    assert len(commands(TOUR)) >= 10


def test_the_make_targets_that_are_named_exist() -> None:
    targets = re.findall(r"^make (\S+)", README, re.MULTILINE)
    targets += re.findall(r"(?:^|`)make (\w+)", INSTALL, re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_the_demos_output_is_real(reader: Path) -> None:
    """The demo's winner has the solution that the page prints (its query is run by a slow test)."""
    block = re.search(r"```text\n(.*?)```", INSTALL, re.DOTALL)
    assert block is not None
    winner = "fling:boards?height=8&pieces=6&width=7#38012"
    result = epcg("render", winner, "--solution")
    assert result.stdout.strip() in block[1]


@pytest.mark.slow
def test_the_demos_query_prints_what_the_page_shows(reader: Path) -> None:
    block = re.search(r"```text\n(.*?)```", INSTALL, re.DOTALL)
    assert block is not None
    result = epcg("run", ROOT / "plugins/fling/queries/best_by_expert_ratio.toml")
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    for line in block[1].splitlines():
        assert line.rstrip() in (*printed, "..."), line


def test_the_whole_plugin_of_the_guide_works_as_it_stands(tmp_path: Path) -> None:
    files = dict(re.findall(r"```\{code-block\} \w+\n:caption: (\S+)\n(.*?)```", GUIDE, re.DOTALL))
    source = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    assert source is not None
    files["words.py"] = source[1]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    info = tmp_path / "epcg_words-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = "".join(f"{name} = {module}\n" for name, module in project["entry-points"]["epcg"].items())
    (info / "entry_points.txt").write_text(f"[epcg]\n{points}")
    place = {"PYTHONPATH": str(tmp_path), "EPCG_PLUGINS": "words"}
    result = epcg_forked("run", "most_runs.toml", folder=tmp_path, **place)
    assert result.returncode == 0, result.stderr
    result = epcg_forked("sql", "--format", "csv", "SELECT count(*) AS best FROM kept", folder=tmp_path)
    assert result.stdout.split() == ["best", "3"]


@pytest.mark.slow
@pytest.mark.parametrize("plugin", DOMAINS)
def test_a_plugins_readme_shows_what_its_commands_print(
    plugin: str, reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each section starts with no database; '...' stands for lines left out."""
    ran = 0
    for number, section in enumerate(re.split(r"^## ", readme_of(plugin), flags=re.MULTILINE)):
        folder = reader / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        for query in (ROOT / "plugins" / plugin).glob("*/*.toml"):
            (folder / query.name).symlink_to(query)
        (folder / "broken.map").write_text(BROKEN_MAP)
        for command, lines in plugin_commands(section):
            if any(re.search(pattern, command) for pattern in LONG):
                continue
            ran += 1
            runs_as_shown(command, lines)
    assert ran or not plugin_commands(readme_of(plugin))


@pytest.mark.parametrize("plugin", PLUGINS)
def test_every_command_of_a_plugins_readme_parses(plugin: str) -> None:
    """Its options exist, and so do the queries that it runs."""
    for command, _ in plugin_commands(readme_of(plugin)):
        arguments = shlex.split(command)[1:]
        result = epcg(*arguments, "--help", code=None)
        assert result.exit_code == 0, f"{command}\n{result.stderr}"
        shown = [argument for argument in arguments if argument.endswith(".toml") and plugin in DOMAINS]
        for query in shown:
            assert list((ROOT / "plugins" / plugin).glob(f"*/{query}")), command


def test_the_readmes_links_lead_to_a_page_of_each_domain() -> None:
    links = set(re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README))
    links |= set(re.findall(r'<img src="([^"]+)"', README))
    assert [link for link in links if not (ROOT / link).exists()] == []
    for plugin in DOMAINS:
        assert f"plugins/{plugin}/README.md" in links
        assert f"plugins/{plugin}/README.md" in (ROOT / f"docs/domains/{plugin}.md").read_text("utf-8")


def test_the_pictures_of_games_are_what_the_program_draws() -> None:
    pictures = runpy.run_path(str(ROOT / "docs/make_pictures.py"))
    for name, text in pictures["drawn"]().items():
        assert (ROOT / "docs/pictures" / name).read_text(encoding="utf-8") == text, name
    assert {f'docs/pictures/game_{domain}.svg"' in README for domain in pictures["GAMES"]} == {True}


@pytest.mark.parametrize("plugin", DOMAINS)
def test_what_a_plugins_readme_names_exists(plugin: str) -> None:
    """Its pictures, its queries, and the parts in the first columns of its tables."""
    text = readme_of(plugin)
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", text, re.DOTALL):
        assert (ROOT / "plugins" / plugin / picture).is_file(), picture
    for query in re.findall(r"`(\w+\.toml)`", text):
        assert list((ROOT / "plugins" / plugin).glob(f"*/{query}")), query
    for kind, parts in (("generator", GeneratorInfo), ("evaluator", EvaluatorInfo)):
        tables = re.findall(rf"^\| {kind} \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
        named = {
            name
            for table in tables
            for row in table.splitlines()
            for name in re.findall(r"`(\w+)`", row.split("|")[1])
        }
        infos: Sequence[GeneratorInfo | EvaluatorInfo] = registry().all(parts, plugin)
        known = {info.name for info in infos if registry().distribution_of(info) != "epcg-core"}
        assert named <= known, f"{kind}s that do not exist: {named - known}"
        left_out = {name for name in known if f"`{name}`" not in text}
        assert not left_out, f"{kind}s that {plugin}'s README leaves out: {left_out}"


def readme_of(plugin: str) -> str:
    return (ROOT / "plugins" / plugin / "README.md").read_text(encoding="utf-8")
