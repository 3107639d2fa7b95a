"""`epcg witness difficulty`: files of puzzles, what is recorded, correlations, plots, bad input."""

from __future__ import annotations

import csv
import json
import math
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import Result
from epcg_witness.commands.difficulty import command
from epcg_witness.evaluation import solutions as solution_evaluators
from epcg_witness.evaluation.entropy import panel_entropy
from epcg_witness.formats.windmill import write_windmill
from epcg_witness.generators.windmill_file import WindmillFile
from epcg_witness.inference.rules import RULES
from epcg_witness.params import RULE_NAMES, WindmillFileParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import Eraser, Panel, Triangles
from epcg_witness.solving.search import search_panel
from epcg_witness.studies.correlations import correlations, detrended

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.difficulty import Answer, StateSpace, tsi
from epcg_core.execution import choice
from epcg_core.store import Store
from tests.witness.small_panels import CENTRE, CORNERS, DIAGONAL, HALVES, STACKED, THREE, panel
from tests.workplace import SHARED, ask_sql, epcg, invoke, looks_away

COMMUNITY = SHARED / "data/windmill/puzzles_103.json"
PANELS = {"corners": CORNERS, "centre": CENTRE, "halves": HALVES, "stacked": STACKED, "empty": panel(3, 3)}


def entry(name: str, panel: Panel, number: int = 0) -> dict[str, Any]:
    return {
        "id": name,
        "contents": write_windmill(panel),
        "created_ms": 1456313973981 + 1000 * number**2,
        "upvotes": 10 * number % 7,
    }


ENTRIES = [entry(name, panel, number) for number, (name, panel) in enumerate(PANELS.items())]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory without EPCG_DB."""
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def puzzle_file(folder: Path, content: Any = ENTRIES) -> Path:
    path = folder / "puzzles.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def difficulty(*arguments: Any) -> Result:
    """The command, whose errors reach the test as they are."""
    result = invoke(command(), *arguments)
    if isinstance(result.exception, Exception):
        raise result.exception
    return result


def as_json(*arguments: Any) -> Any:
    result = difficulty(*arguments, "--json", "--no-plots")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


# --- files of puzzles ----------------------------------------------------------------------------------


def test_the_ranks_are_the_places_in_the_file(here: Path) -> None:
    space = WindmillFile(WindmillFileParams(str(puzzle_file(here))))
    assert space.max_rank == 5
    assert [space.unrank(rank) for rank in range(5)] == list(PANELS.values())
    assert [puzzle.name for puzzle in space.puzzles] == list(PANELS)
    assert space.parse(space.format(CORNERS)) == CORNERS


def test_another_content_is_another_space(here: Path) -> None:
    before = WindmillFileParams(str(puzzle_file(here)))
    assert WindmillFileParams(before.path) == before
    puzzle_file(here, ENTRIES[:3])
    assert WindmillFileParams(before.path) != before
    with pytest.raises(PanelError, match="has changed since"):
        WindmillFile(before)


def test_a_puzzle_that_cannot_be_read_is_an_error_at_its_rank(here: Path) -> None:
    damaged = entry("damaged", CORNERS)
    damaged["contents"] = damaged["contents"][:-10] + "_0"
    space = WindmillFile(WindmillFileParams(str(puzzle_file(here, [damaged, {}, 7, entry("good", HALVES)]))))
    for rank, name in enumerate(["damaged", "2", "3"]):
        with pytest.raises(PanelError, match=f"puzzle {name}: "):
            space.unrank(rank)
    assert space.unrank(3) == HALVES


@pytest.mark.parametrize(
    ("content", "message"),
    [("no JSON", "is not valid JSON"), ("{}", "expected a list"), ("[]", "expected a list")],
)
def test_a_file_that_is_no_list_of_puzzles(here: Path, content: str, message: str) -> None:
    with pytest.raises(PanelError, match=message):
        WindmillFile(WindmillFileParams(str(puzzle_file(here, content))))


def test_a_file_that_is_not_there(here: Path) -> None:
    with pytest.raises(ParamsError, match=r"There is no file of puzzles .missing\.json"):
        WindmillFileParams("missing.json")


# --- correlations --------------------------------------------------------------------------------------


def test_detrending_takes_off_the_line_of_least_squares() -> None:
    times = [1.0, 2.0, 3.0, 4.0]
    assert detrended([5.0, 7.0, 9.0, 11.0], times) == pytest.approx([0.0] * 4, abs=1e-12)
    assert detrended([1.0, 2.0, 4.0, 3.0], times) == pytest.approx([-0.3, -0.1, 1.1, -0.7])
    assert detrended([1.0, 3.0, 8.0], [6.0, 6.0, 6.0]) == pytest.approx([-3.0, -1.0, 4.0])


def test_pearsons_r_and_p() -> None:
    pytest.importorskip("scipy")
    votes, times = [1.0, 2.0, 4.0, 3.0], [1.0, 2.0, 3.0, 4.0]
    found = {
        c.measure: c
        for c in correlations(
            {"same": [-3, -1, 11, -7], "other": [7, 1, -11, 3], "flat": [2] * 4}, votes, times
        )
    }
    assert found["same"].r == pytest.approx(1.0)
    assert found["same"].p == pytest.approx(0.0, abs=1e-6)
    assert -1.0 < found["other"].r < -0.9
    assert found["flat"].r != found["flat"].r, "a measure without spread has no correlation"
    assert found["same"].residuals == pytest.approx((-0.3, -0.1, 1.1, -0.7))


def test_two_puzzles_are_too_few() -> None:
    with pytest.raises(EpcgError, match="2 puzzles have measures and votes; a correlation needs 3"):
        correlations({"muse": [1.0, 2.0]}, [1.0, 2.0], [1.0, 2.0])


# --- the command ---------------------------------------------------------------------------------------


def test_scores_are_recorded_and_reported(here: Path) -> None:
    pytest.importorskip("scipy")
    data = as_json(puzzle_file(here), "--db", "X.db")
    assert data["rules"] == list(THREE)
    for puzzle, one in zip(data["puzzles"], PANELS.values(), strict=True):
        found = panel_entropy(one, THREE)
        assert (puzzle["muse"], puzzle["remuse"], puzzle["tsi"]) == (found.muse, found.remuse, found.tsi)
        assert (puzzle["adversarial"], puzzle["msi"]) == (found.adversarial, found.msi)
        assert puzzle["entropy_states"] == found.states
    assert [puzzle["solutions"] for puzzle in data["puzzles"]] == [24, 16, 2, 2, 184]
    assert {c["measure"]: c["puzzles"] for c in data["correlations"]} == dict.fromkeys(
        ("muse", "remuse", "adversarial", "msi", "tsi"), 5
    )
    with Store.open("X.db") as store, store.reader() as reader:
        run = reader.run(data["run"])
        assert (run.state, run.evaluated, run.rows) == ("done", 5, "all")
        assert reader.value(run.id, "muse", 0) == panel_entropy(CORNERS, THREE).muse


MORE = pytest.mark.parametrize("more", [False, pytest.param(True, marks=pytest.mark.slow)])
"""Whether the command is asked in all ways."""


@MORE
def test_what_is_recorded_is_not_computed_again(here: Path, more: bool) -> None:
    pytest.importorskip("scipy")
    file = puzzle_file(here)
    assert as_json(file)["run"] == as_json(file)["run"] == 1
    if not more:
        return
    assert as_json(file, "--rules", "all")["run"] == 2
    puzzle_file(here, ENTRIES[::-1])
    assert as_json(file)["run"] == 3


@MORE
def test_unreadable_and_unsolvable_puzzles_are_named_and_left_out(here: Path, more: bool) -> None:
    pytest.importorskip("scipy")
    broken = {"id": "broken", "contents": "CAUSABIC_0", "created_ms": 1, "upvotes": 1}
    voteless = {"id": "voteless", "contents": write_windmill(CENTRE)}
    file = puzzle_file(here, [broken, *ENTRIES, entry("impossible", DIAGONAL), voteless])
    result = difficulty(file, "--no-plots", "--json")
    assert "Left out: puzzle broken: " in result.stderr
    assert "Left out: puzzle impossible: it has no solution" in result.stderr
    assert "Left out: puzzle voteless: the file does not say its upvotes and created_ms." in result.stderr
    data = json.loads(result.stdout)
    assert [p["puzzle"] for p in data["puzzles"] if "left_out" in p] == ["broken", "impossible", "voteless"]
    assert {c["puzzles"] for c in data["correlations"]} == {5}
    assert not more or data["correlations"] == as_json(puzzle_file(here))["correlations"]


def test_a_measure_that_is_missing_is_named_and_only_it_is_dropped(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    erased = attrs.evolve(HALVES, symbols={**dict(HALVES.symbols), 3: Eraser()})
    pair = Panel(width=1, height=1, starts=[0, 1], ends=[2, 3], symmetry="horizontal")
    monkeypatch.setattr(solution_evaluators, "search_panel", partial(search_panel, limit=1))
    # The plain form has no such limit, so the comparison of the two finds a difference.
    looks_away(monkeypatch)
    monkeypatch.setattr(choice, "SMALL_RUN_SECONDS", math.inf)  # workers would not have what is patched here
    tight = Panel(width=1, height=1, symbols={0: Eraser()}, dots=[0])
    file = puzzle_file(here, [*ENTRIES, entry("erased", erased), entry("pair", pair), entry("tight", tight)])
    result = difficulty(file, "--no-plots", "--json")
    data = json.loads(result.stdout)
    assert {c["puzzles"] for c in data["correlations"]} == {5}
    assert "this panel has erasers; its solutions can be counted" in result.stderr
    assert "this panel has horizontal symmetry" in result.stderr
    assert "solutions: its search takes too long (status 'limit')" in result.stderr
    found = {p["puzzle"]: p for p in data["puzzles"]}
    assert found["pair"]["solutions"] == 1
    assert "left_out" in found["erased"]
    text = difficulty(file, "--no-plots").stdout
    assert "pair" in text


def test_only_the_correlation_of_a_missing_measure_lacks_the_puzzle(here: Path) -> None:
    pytest.importorskip("scipy")
    # At the end that lies on the way End is a must, and so is the dot behind it.
    hidden = Panel(width=2, height=1, dots=[0, 1], starts=[0], ends=[1, 5])
    result = difficulty(puzzle_file(here, [*ENTRIES, entry("hidden", hidden)]), "--no-plots", "--json")
    data = json.loads(result.stdout)
    (own,) = (p for p in data["puzzles"] if p["puzzle"] == "hidden")
    assert own["solutions"] > 0
    assert set(own["missing"]) == {"muse", "remuse", "msi", "tsi"}
    assert "Puzzle hidden has no muse, remuse, msi, tsi: a player with these rules finds" in result.stderr
    assert {c["measure"]: c["puzzles"] for c in data["correlations"]} == {
        "muse": 5, "remuse": 5, "adversarial": 6, "msi": 5, "tsi": 5,
    }  # fmt: skip


def test_a_run_over_a_file_goes_on_past_puzzles_that_cannot_be_read(here: Path) -> None:
    """Damaged, or not a string: rows with their reasons."""
    unreadable = [{"id": "broken", "contents": "CAUSABIC_0"}, {"id": "empty"}, 7]
    file = puzzle_file(here, [unreadable[0], ENTRIES[0], *unreadable[1:], ENTRIES[1]])
    query = here / "counts.toml"
    query.write_text(
        'name = "counts"\ndomain = "witness"\n[generator]\nname = "windmill_file"\n'
        f'path = "{file}"\n[[evaluators]]\nname = "solutions"\n[[evaluators]]\nname = "unique"\n'
        '[record]\nrows = "all"\n',
        encoding="utf-8",
    )
    epcg("run", query)
    reasons = ask_sql(here / "epcg.db", "SELECT rank, note FROM errors ORDER BY rank")
    for (rank, note), (number, words) in zip(
        reasons,
        [
            (0, "puzzle broken: "),
            (2, "puzzle empty: the contents are NoneType, not a string."),
            (3, "puzzle 4: the contents are NoneType, not a string."),
        ],
        strict=True,
    ):
        assert rank == number
        assert note.startswith(words)
        assert note.count(words) == 1
    values = ask_sql(
        here / "epcg.db", "SELECT rank, value FROM scores WHERE metric = 'solutions' ORDER BY rank"
    )
    assert [rank for rank, value in values if value is not None] == [1, 4]


def test_the_time_may_be_called_as_in_the_first_papers_file(here: Path) -> None:
    pytest.importorskip("scipy")
    expected = as_json(puzzle_file(here))["correlations"]
    renamed = [{"createUtc" if k == "created_ms" else k: v for k, v in one.items()} for one in ENTRIES]
    found = as_json(puzzle_file(here, renamed))
    assert found["correlations"] == expected
    assert [p["created_ms"] for p in found["puzzles"]] == [one["created_ms"] for one in ENTRIES]


def test_triangles_may_be_counted_as_published(here: Path) -> None:
    pytest.importorskip("scipy")
    three = [panel(3, 3, {(1, 0): Triangles(n), (1, 1): Triangles(3)}) for n in (1, 2, 3)]
    file = puzzle_file(here, [entry(f"t{i}", one, i) for i, one in enumerate(three)] + ENTRIES)
    rules = ["--rules", "path,reach-goal,separation,triangle"]
    exact, published = as_json(file, *rules), as_json(file, *rules, "--triangles", "published")
    assert (exact["triangles"], published["triangles"]) == ("exact", "published")
    names = (*THREE, "triangle")
    for data, counting in ((exact, "exact"), (published, "published")):
        found = {p["puzzle"]: p["tsi"] for p in data["puzzles"] if "tsi" in p}
        for i, one in enumerate(three):
            if f"t{i}" in found:
                assert found[f"t{i}"] == panel_entropy(one, names, counting=counting).tsi
    assert exact["run"] != published["run"]
    refused = difficulty(file, "--triangles", "published")
    assert refused.exit_code == 2
    assert "name that rule in --rules" in refused.stderr


@MORE
def test_table_csv_and_plots(here: Path, more: bool) -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    result = difficulty(puzzle_file(here), "--output", "study", *([] if more else ["--no-plots"]))
    assert result.exit_code == 0
    assert "the player knows path, reach-goal, separation." in result.stdout
    assert result.stdout.splitlines()[0].split() == [
        "puzzle", "upvotes", "solutions", "states", "muse", "remuse", "adversarial", "msi", "tsi"
    ]  # fmt: skip
    assert "Recorded as run 1 of epcg.db" in result.stderr
    with (here / "study" / "puzzles.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["puzzle"] for row in rows] == list(PANELS)
    assert float(rows[0]["remuse"]) == panel_entropy(CORNERS, THREE).remuse
    for name in ("muse", "remuse", "adversarial", "msi", "tsi") if more else ():
        picture = ElementTree.parse(here / "study" / f"{name}.svg").getroot()
        assert picture.tag.endswith("svg")
        assert "upvotes, detrended" in "".join(picture.itertext())


@MORE
def test_rules_by_name(here: Path, more: bool) -> None:
    pytest.importorskip("scipy")
    file = puzzle_file(here)
    if more:
        assert as_json(file, "--rules", "none")["rules"] == []
        assert as_json(file, "--rules", "all")["rules"] == list(RULE_NAMES)
    assert as_json(file, "--rules", "path, triangle")["rules"] == ["path", "triangle"]
    result = difficulty(file, "--rules", "path,guess")
    assert result.exit_code == 2
    assert "'guess' is not an inference rule; there are path, reach-goal" in result.stderr


GUEST = """
from epcg_core import hookimpl
from epcg_core.difficulty import Answer
from epcg_core.domain import InferenceRuleInfo, NoParams

EPCG_API_VERSION = 1


def shy(params, generator):
    return lambda state, action: Answer.CANNOT if action.vertex == GUESSED else Answer.UNKNOWN


@hookimpl
def epcg_register_inference_rules(register):
    register(InferenceRuleInfo(name="shy", domain="witness", summary="", params=NoParams, factory=shy))
""".replace("GUESSED", "1")


def test_a_rule_of_another_plugin(
    here: Path, install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not compiled, so the plain evaluator answers: the vertex to the right of the start is shunned."""
    pytest.importorskip("scipy")
    monkeypatch.setenv("EPCG_PLUGINS", "witness,guest")
    install_plugin("guest", "epcg_shy_guest", GUEST, "epcg-shy-guest")
    data = as_json(
        puzzle_file(here, [entry(str(n), panel(2, 1 + n), n) for n in range(3)]), "--rules", "shy,path"
    )
    assert data["rules"] == ["shy", "path"]
    space = StateSpace(PanelModel(), panel(2, 1), [RULES["path"], lambda state, action: (
        Answer.CANNOT if action.vertex == 1 else Answer.UNKNOWN)])  # fmt: skip
    assert data["puzzles"][0]["tsi"] == tsi(space).value > panel_entropy(panel(2, 1)).tsi
    assert as_json(puzzle_file(here), "--rules", "all")["rules"] == [*RULE_NAMES, "shy"]
    assert "region-completion, shy." in difficulty(puzzle_file(here), "--rules", "x").stderr


@pytest.mark.parametrize(("module", "extra"), [("scipy.stats", "study"), ("matplotlib", "plot")])
def test_a_missing_library_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    if module != "scipy.stats":
        pytest.importorskip("scipy")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EpcgError, match=rf"pip install 'epcg-witness\[{extra}\]'"):
        difficulty(puzzle_file(here))
    assert not (here / "epcg.db").exists()


@pytest.mark.skipif(not COMMUNITY.is_file(), reason="needs the community puzzles in ../shared/data/windmill")
@pytest.mark.parametrize("number", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_some_published_numbers_of_solutions(here: Path, number: int) -> None:
    pytest.importorskip("scipy")
    every = json.loads(COMMUNITY.read_text(encoding="utf-8"))
    puzzles = [one for one in every if "published" in one][:number]
    data = as_json(puzzle_file(here, puzzles))
    assert {each["puzzle"]: each["solutions"] for each in data["puzzles"]} == {
        one["id"]: one["published"]["solutions"] for one in puzzles
    }


@pytest.mark.slow
@pytest.mark.skipif(not COMMUNITY.is_file(), reason="needs the community puzzles in ../shared/data/windmill")
def test_published_correlations(here: Path) -> None:
    """Shen & Sturtevant 2024; the 104 puzzles of 2023 are others."""
    pytest.importorskip("scipy")
    data = as_json(COMMUNITY, "--db", "X.db")
    found = {c["measure"]: c for c in data["correlations"]}
    assert found["muse"]["puzzles"] == 103
    for measure, r, p in (("muse", 0.412, 1.53e-05), ("remuse", 0.583, 1.02e-10), ("tsi", 0.563, 5.78e-10)):
        assert found[measure]["r"] == pytest.approx(r, abs=5e-4)
        assert found[measure]["p"] == pytest.approx(p, rel=5e-3)
    solutions = {puzzle["puzzle"]: puzzle["solutions"] for puzzle in data["puzzles"]}
    for puzzle in json.loads(COMMUNITY.read_text(encoding="utf-8")):
        if "published" in puzzle:
            assert solutions[puzzle["id"]] == puzzle["published"]["solutions"], puzzle["id"]
