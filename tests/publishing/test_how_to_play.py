"""The page "How to play": the words of the plan, of the domains about what occurs, and about headings."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from epcg_publishing.layout import columns_for, is_icon

from epcg_core.base.errors import PluginError
from epcg_core.curriculum import booklet as booklets
from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle, told
from epcg_core.domain import Instruction, Metric, RendererInfo, resolve
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator

SNAKES = "snakebird:levels?path=05_the_step#0"
PORTALS = "snakebird:levels?path=07_elsewhere#0"
FRONT = "tangram:instances#200"
BLUE = "tangram:instances?colours=[1]&relation=edges_must_touch#200"
BACK = "tangram:instances?bumps=192#30"
DOTS = 'witness:placements?groups=[{"symbols":["dot"],"count":2,"where":"edges"}]#5'
STARS = 'witness:placements?groups=[{"symbols":["star black"],"count":2}]#5'


def instructions(*puzzles: str) -> list[Instruction]:
    states = []
    for puzzle in puzzles:
        space, rank = parse_puzzle_id(registry(), puzzle)
        states.append(make_generator(registry(), space).unrank(rank))
    info = registry().domain(puzzles[0].partition(":")[0])
    assert info.how_to_play is not None
    return list(resolve(info.how_to_play)(states))


@pytest.mark.parametrize(
    ("puzzles", "there", "missing"),
    [
        (("fling:boards?pieces=3#5",), ["one ball is left"], []),
        ((DOTS,), ["passes through every dot"], ["star", "Squares"]),
        ((DOTS, STARS), ["passes through every dot", "region of a star"], ["Squares", "triangles"]),
        ((SNAKES,), ["Objects are pushed", "head enters"], ["portal"]),
        ((PORTALS,), ["Who enters a portal"], []),
        ((FRONT,), ["turned over", "must be used", "by colour"], ["bump", "share an edge"]),
        ((BLUE,), ["every two of them"], ["bump", "at a point only"]),
        ((BACK,), ["The side that lies down on the board"], ["A line below"]),
    ],
)
def test_a_domain_explains_what_occurs(
    puzzles: tuple[str, ...], there: list[str], missing: list[str]
) -> None:
    found = instructions(*puzzles)
    text = " ".join(each.text for each in found)
    assert all(words in text for words in there)
    assert not any(words in text for words in missing)
    for each in found:
        if each.picture:
            ElementTree.fromstring(each.picture)


def test_all_pieces_of_the_tangram_are_named() -> None:
    from epcg_tangram.params import GameRef

    [picture] = [each.picture for each in instructions(FRONT) if each.picture]
    assert all(f">{name}</text>" in picture for name in GameRef().definition.names)


def booklet(measure: str, harder: str = "higher", rules: str = "") -> Booklet:
    puzzle = BookletPuzzle(1, 1, "", "numbers:range?size=9#7", "7", measure, 7, {}, "", "", [], 1, harder)
    return Booklet("n", "N", "", "0", [BookletChapter(1, "c", "C", "", "", [puzzle])], rules)


def test_the_plans_words_come_first_and_a_heading_is_explained(toy: Any) -> None:
    found = [each.text for each in booklet("digits", rules="Count.\n\nThen\nadd.").how_to_play()]
    metric = registry().metric("numbers", "digits")
    assert metric is not None
    assert found == [
        "Count.",
        "Then add.",
        f"“{metric.told(7)}” above a puzzle: {metric.description}. The more, the harder.",
    ]
    assert booklet("column").how_to_play() == []
    assert booklet("digits", "lower").how_to_play()[-1].text.endswith("The more, the easier.")


def test_bits_are_explained_without_the_names_of_measures() -> None:
    muse = BookletPuzzle(1, 1, "", FRONT, "", "muse", 3.5, {}, "", "", [])
    found = Booklet("n", "N", "", "0", [BookletChapter(1, "c", "C", "", "", [muse, muse])]).how_to_play()
    explained = [each.text for each in found if "above a puzzle" in each.text]
    assert explained == [
        "“3.5 bits of choice” above a puzzle: one bit is a choice between two, and each further one doubles "
        "the ways to choose. The more, the harder."
    ]
    assert not any("entropy" in each.text or "MUSE" in each.text for each in found)


def test_a_domain_that_gives_something_else_is_named(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import attrs

    info = attrs.evolve(registry().domain("numbers"), how_to_play=lambda states: ["Play!"])
    monkeypatch.setattr(registry(), "domain", lambda *name: info)
    with pytest.raises(PluginError, match="how_to_play returns Instructions, not 'Play!'"):
        booklet("digits").how_to_play()


def test_values_in_words() -> None:
    metric = Metric("expert_tree", unit="nodes", sentence="{} position[s] to look at")
    assert [metric.told(1), metric.told(53), metric.told(3, 1253)] == [
        "1 position to look at", "53 positions to look at", "3 to 1,253 positions to look at",
    ]  # fmt: skip
    assert metric.told(3, 3) == "3 positions to look at"
    assert Metric("muse_left", "real", unit="bits").told(7.64386) == "muse left 7.64 bits"
    assert Metric("unique", "bool").told(True) == "unique yes"
    step = Metric("step", sentence="hardest step: {}", words=("one rule", "two rules"))
    assert [step.told(0), step.told(0, 1), step.told(2)] == [
        "hardest step: one rule", "hardest step: one rule to two rules", "hardest step: 2",
    ]  # fmt: skip
    assert [step.named(each) for each in (1, -1, 0.0, True)] == ["two rules", "-1", "0", "yes"]
    with pytest.raises(PluginError, match=r"must have one \{\}"):
        Metric("muse", sentence="bits of choice")
    assert told("nothing", "own_column", "easy") == "own column easy"


def picture(width: int, height: int) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"/>'


def test_the_shape_of_pictures_decides_how_many_stand_side_by_side() -> None:
    assert [columns_for([picture(w, 100)], 2) for w in (50, 100, 130, 160, 400)] == [2, 2, 2, 1, 1]
    assert [columns_for([picture(w, 100)], 3) for w in (50, 100, 160, 200, 400)] == [3, 3, 2, 2, 1]
    assert columns_for([None], 2) == 2
    assert is_icon(picture(48, 96))
    assert not is_icon(picture(400, 100))
    assert not is_icon("")


def test_an_explanation_that_is_something_else_is_named(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    info = RendererInfo(domain="numbers", format="svg", factory=len, explains=lambda states: "Arrows")
    monkeypatch.setattr(booklets, "renderer_of", lambda puzzle, form: info)
    with pytest.raises(PluginError, match="explains returns Instructions, not 'Arrows'"):
        booklet("digits").solutions_explained()
