"""Player models of Fling!: simulated people, from the files of play pages to MSI, TSI and pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import epcg_core
from epcg_core.base.errors import EpcgError
from epcg_core.base.params import canonical_json
from tests.workplace import epcg, made_once

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

SPACE = "fling:boards?height=4&pieces=4&width=4"
PUZZLES = [f"{SPACE}#{rank}" for rank in (165, 213, 395)]
QUERY = """
domain = "fling"

[generator]
name = "boards"
height = 4
width = 4
pieces = 4

[[evaluators]]
name = "entropy"
"""
PLAIN = f"{QUERY}rules = []\n"
WEIGHTED: dict[str, Any] = {
    "format": "epcg-player", "version": 1, "domain": "fling", "play": "epcg_fling.rules.model:FlingModel",
    "model": "softmax", "fitted_on": {}, "weights": {"nearer": 1.5, "solves": 2.0},
    "errors": {"nearer": None, "solves": None}, "rules": [], "rule_params": {},
}  # fmt: skip


@pytest.fixture
def played(reader: Path) -> Path:
    """A database with a run over the boards, and 30 simulated people at three of them."""
    (reader / "query.toml").write_text(PLAIN)
    (reader / "true.json").write_text(json.dumps(WEIGHTED))
    folder = reader / "simulated"

    def make() -> dict[str, bytes]:
        epcg("run", "query.toml", "--quiet")
        epcg("study", "player", "simulate", *PUZZLES, "--player", "true.json", "--people", 30, "--moves", 30,
             "--output", "simulated")  # fmt: skip
        epcg("import", "traces", *sorted(folder.glob("*.json")))
        return {path.name: path.read_bytes() for path in folder.glob("*.json")}

    traces = made_once(reader / "epcg.db", "people at three boards of Fling!", make)
    folder.mkdir(exist_ok=True)
    for name, content in traces.items():
        (folder / name).write_bytes(content)
    return reader


FIT = ("study", "player", "fit", "--hold-out", "nothing", "--output", "player.json")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["softmax", "counts"])
def test_a_model_is_fitted_again_to_the_play_that_it_names(played: Path, kind: str) -> None:
    epcg(*FIT, "--model", kind, "--penalty", 0.5)
    data = json.loads((played / "player.json").read_text())
    about = data["fitted_on"]
    lies: list[dict[str, Any]] = [{"fitted_on": about | {"people": 31}}]
    if kind == "softmax":
        lies.append({"fitted_on": about | {"how": about["how"] | {"penalty": 9.0}}})
        lies.append({"weights": {name: -weight for name, weight in data["weights"].items()}})
    else:
        lies.append({"strength": 7.5})
        lies.append({"classes": {name: [own, all_ + 1] for name, (own, all_) in data["classes"].items()}})
    assert verified(data, code=0) == set()
    for lie in lies:
        assert verified(data | lie, code=4) == {"fit"}
    assert verified(data | {"fitted_on": about | {"sha256": "0" * 64}}, code=5) == {"fit"}


def verified(data: dict[str, Any], code: int) -> set[str]:
    """The checks that a model's file does not pass beside the play that it was fitted on."""
    Path("model.json").write_text(canonical_json(data) + "\n")
    found = json.loads(epcg("verify", "model.json", "--db", "epcg.db", "--json", code=code).stdout)
    return {check["name"] for check in found["checks"] if not check["passed"]}


def records(*lines: str) -> str:
    return "\n".join(["person,puzzle,move", *lines]) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "ranks", [range(150, 400), pytest.param(range(1820), marks=pytest.mark.slow)], ids=len
)
def test_a_model_is_fitted_saved_and_recorded_by_a_run(played: Path, ranks: range) -> None:
    said = epcg("study", "player", "fit", "--output", "player.json")
    told = " ".join(said.stderr.split())
    assert "people: 30; puzzles of fling: 3." in told
    assert "conditional logit" in told
    digest = json.loads(epcg("study", "player", "fit", "--format", "json").stdout)["sha256"]
    params = f'policy_params = {{ model = "player.json", sha256 = "{digest}" }}'
    assert params in said.stderr
    some = f"[range]\nstart = {ranks.start}\nstop = {ranks.stop}\n\n[[evaluators]]"
    text = f'{PLAIN}policy = "player"\n{params}\n'
    (played / "player.toml").write_text(text.replace("[[evaluators]]", some))
    epcg("run", "player.toml", "--quiet")
    plain, own = (values(run) for run in (1, 2))
    plain = {rank: plain[rank] for rank in plain if rank in ranks}
    assert plain.keys() == own.keys()
    assert all(own[rank]["muse"] == plain[rank]["muse"] for rank in plain), "MUSE does not ask the player"
    assert any(own[rank]["msi"] != plain[rank]["msi"] for rank in plain)
    assert all(own[rank]["tsi"] <= own[rank]["msi"] + 1e-9 for rank in own if own[rank]["msi"] is not None)
    epcg("verify", 2)
    (played / "player.json").write_text(
        (played / "player.json").read_text().replace('"people":30', '"people":31')
    )
    told = " ".join(epcg("verify", 2, code=None).output.split())
    assert "it was changed, or is another model" in told
    (played / "bare.toml").write_text(
        f'{PLAIN}policy = "player"\npolicy_params = {{ model = "true.json" }}\n'
    )
    assert 'write sha256 = "' in " ".join(epcg("run", "bare.toml", code=1).stderr.split())


def values(run: int) -> dict[int, dict[str, float | None]]:
    found = json.loads(epcg("export", run, "--format", "json").stdout)
    return {row["rank"]: row for row in found}


def test_the_uniform_model_and_the_rule_model_measure_what_is_measured_without_them(played: Path) -> None:
    """To the last bit: with neither policy nor rules, and with the rule and no policy."""
    uniform = {**WEIGHTED, "model": "uniform"}
    ruled = {**WEIGHTED, "model": "rules", "rules": ["independent"], "slip": 0}
    for name, data in (("uniform.json", uniform), ("rules.json", ruled)):
        (played / name).write_text(json.dumps(data))
    (played / "rules.toml").write_text(f'{QUERY}rules = ["independent"]\n')
    epcg("run", "rules.toml", "--quiet")
    digest = json.loads(epcg("study", "player", "fit", "--model", "uniform", "--format", "json").stdout)
    assert digest["loss"]["found"][0]["below"] is None
    plain, with_rule = values(1), values(2)
    for puzzle in PUZZLES:
        rank = int(puzzle.partition("#")[2])
        for name, expected in (("uniform.json", plain), ("rules.json", with_rule)):
            said = epcg("study", "player", "score", puzzle, "--player", name, "--format", "json").stdout
            found = {each["measure"]: each for each in json.loads(said)["measures"]}
            for measure in ("msi", "tsi"):
                assert found[measure]["player"] == expected[rank][measure]
                assert found[measure]["uniform"] == plain[rank][measure]
    assert any(plain[rank]["tsi"] != with_rule[rank]["tsi"] for rank in plain)


def test_in_python_a_model_and_a_picture_show_themselves(played: Path) -> None:
    study = epcg_core.open("epcg.db").study()
    model = study.player_model("softmax", without=["choices"])
    assert len(model.weights) >= 2
    assert "people: 30" in model.notes[0]
    params = model.save("own.json")
    assert params == {"model": "own.json", "sha256": model.fitted.sha256}
    checked = model.validate(folds=3)
    assert [row[0] for row in checked.table.rows] == ["uniform", "softmax"]
    assert "<p>" in checked._repr_html_() + model._repr_html_()
    seen = study.where_people_go_wrong(PUZZLES[0])
    assert seen.data.people == 30
    assert "<svg" in seen._repr_html_()
    with pytest.raises(EpcgError, match="model must be"):
        study.player_model("oracle")
    with pytest.raises(EpcgError, match="no traces of play of these puzzles"):
        study.where_people_go_wrong(f"{SPACE}#0")


def test_where_people_go_wrong_is_drawn_and_told(played: Path) -> None:
    said = epcg("study", "player", "show", PUZZLES[0], "--output", "where.svg", "--format", "csv").stdout
    assert said.splitlines()[0] == "kind,position,what,share,lowest,highest,people,seconds,more"
    assert "wrong move" in said
    root = ElementTree.parse(played / "where.svg").getroot()
    words = " ".join(text for text in root.itertext() if text.strip())
    for part in ("First wrong moves", "Positions that most of those pass who solve it", "Where people stop"):
        assert part in words
    assert "of 30 people" in words
    assert "the ball in column" in words, "moves are told as the editor tells them"
    assert (
        "must end in .svg" in epcg("study", "player", "show", PUZZLES[0], "--output", "a.png", code=2).stderr
    )


Spoil = Callable[[dict[str, Any]], object]
SPOILT: list[tuple[Spoil, str]] = [
    (lambda own: own["actions"].__setitem__(0, [1, "move", "jump"]), "'jump', is not a legal move there"),
    (lambda own: own.update(actions=None), "only counted the moves"),
    (lambda own: own.update(puzzle=f"{SPACE}#999999"), "has ranks 0 to 1819, not 999999"),
    (
        lambda own: own.update(puzzle="fling:boards?height=6&pieces=4&width=4#1"),
        "no run here is over its space",
    ),
]


@pytest.mark.parametrize(("spoil", "told"), SPOILT)
def test_traces_that_cannot_be_replayed_are_left_out_and_told(played: Path, spoil: Spoil, told: str) -> None:
    data = json.loads(next((played / "simulated").glob("*.json")).read_text())
    data["player"] = "f" * 16
    data["puzzles"] = data["puzzles"][:1]
    spoil(data["puzzles"][0])
    (played / "spoilt.json").write_text(json.dumps(data))
    epcg("import", "traces", "spoilt.json")
    said = " ".join(epcg("study", "player", "fit", "--hold-out", "nothing").stderr.split())
    assert "people: 30;" in said
    assert f"Left out: player {'f' * 12} at fling:boards" in said
    assert told in said


def test_traces_of_two_domains_are_kept_apart(played: Path) -> None:
    level = "snakebird:levels?path=01_first_bite#0"
    epcg("study", "player", "simulate", level, "--people", 2, "--output", "snakes")
    epcg("import", "traces", *sorted((played / "snakes").glob("*.json")))
    assert "of fling and snakebird: choose one with --domain" in epcg("study", "player", "fit", code=1).stderr
    epcg("study", "player", "fit", "--domain", "fling", "--output", "player.json")
    said = epcg("study", "player", "score", level, "--player", "player.json", code=1).stderr
    assert "was fitted on play of fling" in said
    assert "one domain at a time" in " ".join(
        epcg("study", "player", "simulate", level, PUZZLES[0], "--output", "mixed", code=1).stderr.split()
    )


def test_a_table_of_moves_needs_no_database(reader: Path) -> None:
    (reader / "true.json").write_text(json.dumps(WEIGHTED))
    epcg("study", "player", "simulate", PUZZLES[0], "--player", "true.json", "--output", "simulated")
    lines = [
        f'{trace["player"]},{PUZZLES[0].partition("#")[2]},"{(*action, "")[2]}",{action[1]}'
        for path in sorted(Path("simulated").glob("*.json"))
        for trace in [json.loads(path.read_text())]
        for action in trace["puzzles"][0]["actions"]
    ]
    (reader / "moves.csv").write_text("\n".join(["person,puzzle,move,kind", *lines]))
    told = epcg(
        "study", "player", "fit", "--model", "counts", "--moves", "moves.csv", "--space", SPACE
    ).stderr
    assert "people: 20; puzzles of fling: 1." in " ".join(told.split())


TABLES: list[tuple[str, str]] = [
    ("person,puzzle\n", "move"),
    (records(), "moves.csv has no rows"),
    (records("a,165"), "moves.csv, line 2 has 2 cells, and there are 3 columns"),
    (records("a,,left"), "line 2: a person and a puzzle are expected"),
    (records("a,165,left", "a,165,right"), "line 2: action 1, 'left', is not a legal move there"),
    (records("a,99999999,left"), "line 2: .*ranks 0 to"),
    (records('a,chess#1,"left"'), "line 2: "),
    ("person,puzzle,move,kind\na,165,left,jump\n", "line 2: the kind is one of move, undo, restart"),
]


@pytest.mark.parametrize(("text", "told"), TABLES)
def test_a_table_with_a_fault_is_told_by_its_line(reader: Path, text: str, told: str) -> None:
    import re

    (reader / "moves.csv").write_text(text)
    said = epcg("study", "player", "fit", "--moves", "moves.csv", "--space", SPACE, code=1).stderr
    assert re.search(told, " ".join(said.split()))
    assert "Traceback" not in said


def test_nothing_recorded_is_told(reader: Path) -> None:
    assert "There is no database" in epcg("study", "player", "fit", code=1).stderr
    (reader / "query.toml").write_text(QUERY)
    epcg("run", "query.toml", "--quiet")
    assert "There are no traces of play here" in epcg("study", "player", "fit", code=1).stderr
    assert (
        "There is no player model"
        in epcg("study", "player", "score", PUZZLES[0], "--player", "gone.json", code=1).stderr
    )
    assert "--space belongs to --moves" in epcg("study", "player", "fit", "--space", SPACE, code=1).stderr
