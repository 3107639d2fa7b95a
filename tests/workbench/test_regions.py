"""Regions of contents that are laid, fillings that are tried at once, notes of play, and guesses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_workbench import fillings as filling
from epcg_workbench.fillings import histogram
from epcg_workbench.jobs import answer
from epcg_workbench.project.guesses import Guesses
from epcg_workbench.regions import laid

from epcg_core.base.errors import EpcgError
from epcg_core.editing.editing import examples, new_text, open_document
from epcg_core.inside import Play
from epcg_core.plugin import Fault

FROST = Path(__file__).parents[2] / "plugins" / "puzzlescript" / "games" / "frost.txt"


def asked(do: str, **more: Any) -> list[Mapping[str, Any]]:
    return list(answer({"do": do, **more}))


def last(do: str, **more: Any) -> Mapping[str, Any]:
    return asked(do, **more)[-1]


def marks(domain: str, text: str) -> dict[str, list[str]]:
    return {site: sorted(names) for site, names in open_document(domain, text).scene.marks.items() if names}


def shifted(found: Mapping[str, Any], by: int) -> Iterator[tuple[str, Any]]:
    for site, names in found.items():
        column, row = site[1:].split(",")
        yield f"c{int(column) + by},{row}", names


def test_a_region_is_moved_with_what_there_is_only_one_of() -> None:
    """A board moved one column to the right is that board, whatever the order of the places."""
    text = "oo...\n.o...\n....."
    before = marks("fling", text)
    wanted = {site: [] for site in before} | dict(shifted(before, 1))
    for places in (wanted, dict(reversed(wanted.items()))):
        assert marks("fling", laid(open_document("fling", text), places)) == dict(shifted(before, 1))
    document = open_document("sliding", new_text("sliding"))  # whose cells cannot be emptied
    own = document.scene.marks
    swapped = {"c1,1": list(own["c2,1"]), "c2,1": list(own["c1,1"])}
    found = marks("sliding", laid(document, swapped))
    assert {site: found[site] for site in swapped} == swapped


@pytest.mark.parametrize(
    "domain", ["fling", "snakebird", "pcgbench", "segments", "deduction", "puzzlescript"]
)
def test_a_mark_is_put_at_its_images_too_as_far_as_it_may_stand_there(domain: str) -> None:
    """For each mark of each domain: where the stroke is, is what there is without images."""
    text = next(iter(examples(domain).values()))
    document = open_document(domain, text)
    cells = [site.id for site in document.scene.sites if site.kind == "cell" and site.id.startswith("c")]
    columns, rows = map(int, cells[-1][1:].split(","))
    doubled = 0
    for mark in document.editor.palette:
        if not mark.name or "cell" not in mark.kinds:
            continue
        plain = last("put", domain=domain, text=text, sites=["c1,2"], mark=mark.name)
        if "error" in plain:
            continue
        images = [[f"c{columns},2"], [f"c1,{rows - 1}"]]
        found = last("put", domain=domain, text=text, sites=["c1,2"], mark=mark.name, images=images)
        assert "error" not in found, (mark.name, found)
        own, both = plain["scene"]["marks"], found["scene"]["marks"]
        assert both.get("c1,2") == own.get("c1,2"), mark.name
        assert set(both) <= {*own, f"c{columns},2", f"c1,{rows - 1}"}
        doubled += sum(mark.name in both.get(site, ()) for (site,) in images)
    assert doubled >= 2


def test_what_there_is_one_of_is_not_doubled_by_an_image_and_a_wrong_image_is_told() -> None:
    text = next(iter(examples("puzzlescript").values()))
    hero = next(mark.name for mark in open_document("puzzlescript", text).editor.palette if mark.once)
    more = {"domain": "puzzlescript", "text": text, "sites": ["c2,2"], "mark": hero}
    plain, found = last("put", **more), last("put", **more, images=[["c7,2"]])
    assert found["text"] == plain["text"]
    assert "c99,2" in last("put", **more, images=[["c99,2"]])["error"]
    for wrong in ("c7,2", [["c7,2"], "c1,1"], [[7]]):
        assert "'images', lists of sites" in last("put", **more, images=wrong)["error"]


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ({"z9": []}, "site"),
        ({"c1,1": ["pine tree"]}, "mark"),
        ({"c1,1": "ball"}, "a table of sites"),
        (["c1,1"], "a table of sites"),
    ],
)
def test_what_cannot_be_laid_is_refused_in_a_sentence(places: Any, sentence: str) -> None:
    found = last("lay", domain="fling", text="o..\n...", places=places)
    assert sentence in found["error"]
    assert found["expected"]


def test_all_is_laid_or_nothing() -> None:
    """Two snakes' heads in one place are no level."""
    text = next(iter(examples("snakebird").values()))
    document = open_document("snakebird", text)
    free = next(site.id for site in document.scene.sites if not document.scene.marks.get(site.id))
    with pytest.raises(EpcgError):
        laid(document, {free: ["ground", "spikes"]})


def test_first_fillings_are_all_of_a_small_sketch() -> None:
    """What is tried at once is what the generator makes, and the counts and the bars add up."""
    board = "o..o.\n.o...\n....."
    request = {
        "domain": "fling",
        "text": board,
        "open": [{"sites": ["c3,1", "c3,2", "c3,3", "c5,3"], "marks": ["", "ball"]}],
        "wish": {"metric": "solution_length", "keep": "highest", "count": 3},
    }
    found = last("fillings", **request)
    assert (found["tried"], found["of"], found["end"]) == (16, "16", True)
    lengths = []
    for number in range(16):
        places = {s: ["ball"] if number >> n & 1 else [] for n, s in enumerate(request["open"][0]["sites"])}  # type: ignore[index]
        text = laid(open_document("fling", board), places)
        solved = Play(open_document("fling", text)).solve().length
        lengths += [] if solved is None else [solved]
    assert found["wish"]["met"] == len(lengths)
    assert sum(every for _, _, every, _ in found["histogram"]) == len(lengths)
    assert {low: every for low, _, every, _ in found["histogram"] if every} == {
        length: lengths.count(length) for length in lengths
    }
    assert [each["scores"]["solution_length"] for each in found["found"]][:3] == sorted(lengths)[:-4:-1]


@pytest.mark.parametrize(("size", "most"), [(4, 30), pytest.param(7, 1000, marks=pytest.mark.slow)])
def test_a_sample_of_fillings_says_so(size: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filling.MOST_TRIED == 1000
    monkeypatch.setattr(filling, "MOST_TRIED", most)
    sites = [f"c{x},{y}" for x in range(1, size + 1) for y in range(1, size + 1)]
    request = {"open": [{"sites": sites, "marks": ["", "ball"]}], "wish": {"metric": "unique", "count": 3}}
    found = last("fillings", domain="fling", text="\n".join(["." * size] * size), **request)
    assert found["of"] == str(2 ** len(sites))
    assert 0 < found["tried"] <= most


def test_bars_count_every_value_once() -> None:
    values = np.array([9.0, 9, 10, 12, 12, 12])
    found = histogram(values, np.array([1, 0, 1, 0, 0, 1], np.bool_))
    assert found == [[9, 9, 2, 1], [10, 10, 1, 1], [11, 11, 0, 0], [12, 12, 3, 1]]
    spread = histogram(np.linspace(0, 1, 100), np.ones(100, np.bool_))
    assert sum(every for _, _, every, _ in spread) == 100
    assert histogram(np.empty(0), np.empty(0, np.bool_)) == []


def test_a_solution_is_kept_as_a_note_of_its_content(tmp_path: Path) -> None:
    text = "o..o\n...."
    solved = last("solve", domain="fling", text=text)["solution"]
    place = {"domain": "fling", "text": text, "folder": str(tmp_path)}
    (kept,) = last("project_notes", **place, keep={"taken": solved, "words": "short"})["notes"]
    assert (kept["taken"], kept["solved"], kept["words"]) == (solved, True, "short")
    assert last("project_notes", **place)["notes"] == [kept]
    assert last("project_notes", **{**place, "text": "o.o.\n...."})["notes"] == []
    assert json.loads((tmp_path / ".epcg" / "notes.json").read_text())["notes"] == [kept]
    again = last("project_notes", **place, keep={"taken": solved})["notes"]
    assert len(again) == 1
    assert last("project_notes", **place, drop=again[0]["id"])["notes"] == []
    assert "list of at most" in last("project_notes", **place, keep={"taken": "x"})["error"]
    (tmp_path / ".epcg" / "notes.json").write_text("{")
    assert "cannot be read" in last("project_notes", **place)["error"]


@pytest.mark.parametrize(
    ("right", "wrong", "guess"),
    [
        ("[ up Fox ]", "[ up Foxx ]", "Fox"),
        ("-> again", "-> agian", "again"),
        ("[ right", "[ rigth", "right"),
    ],
)
def test_a_word_that_is_not_known_has_a_guess(right: str, wrong: str, guess: str) -> None:
    """Putting the guess there makes the text right again."""
    text = FROST.read_text()
    assert right in text
    broken = text.replace(right, wrong, 1)
    found = last("project_check", domain="puzzlescript", format="game", text=broken, file="frost.txt")
    fault = next(each for each in found["faults"] if each["guess"])
    lines, own = broken.split("\n"), fault["guess"]
    line = lines[fault["line"] - 1]
    lines[fault["line"] - 1] = line[: own["column"] - 1] + guess + line[own["column"] - 1 + own["length"] :]
    assert own["text"] == guess
    assert "\n".join(lines) == text


def test_no_guess_without_a_word_like_it() -> None:
    assert Guesses("[ up Zzyzx ]").of(Fault(1, "Found 'zzyzx', but expected an object.", column=6)) is None
    assert Guesses("x").of(Fault(0, "Nothing.", column=3)) is None
    assert Guesses("Fox\nFoxes").of(Fault(7, "Found 'foxx'.", column=1)) is None


def test_what_lies_below_a_game_is_shown_but_not_in_its_palette() -> None:
    """Snow is drawn below all of frost.txt, and no change puts it anywhere."""
    level = last("project_piece", domain="puzzlescript", format="game", text=FROST.read_text(), number=1)
    below, *palette = level["palette"]
    assert (below["name"], below["title"]) == ("", "snow")
    assert below["picture"]
    assert "snow" not in {mark["name"] for mark in palette}
    assert last("open", domain="fling", text="o..\n...")["palette"][0]["name"] == "ball"
