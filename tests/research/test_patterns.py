"""Patterns that never fail: all of them, and none else; and what a player who knows them does."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from epcg_research.patterns import report
from epcg_research.patterns.report import patterns
from epcg_research.patterns.search import ranked, sound_patterns
from epcg_research.patterns.windows import Collector
from epcg_witness.inference.patterns import AroundTheMove

from epcg_core import EpcgError
from epcg_core.inside import Pattern, format_pattern, images_of, make_rules, parse_pattern
from epcg_core.plugin import Answer, StateSpace, find, make_generator, registry
from epcg_core.store import Store
from tests.workplace import epcg

WITNESS = """
domain = "witness"
[generator]
name = "placements"
width = 2
height = 2
groups = [{ symbols = ["square black", "triangles 1", "triangles 3"], count = 2 }]
[[evaluators]]
name = "solutions"
"""
LOOPS = """
domain = "deduction"
[generator]
name = "fair"
genre = "slitherlink"
size = [2, 3]
[[evaluators]]
name = "clues"
"""
LAMPS = """
domain = "deduction"
[generator]
name = "fair"
genre = "akari"
size = [2, 3]
boards = "walls"
[[evaluators]]
name = "clues"
"""
PIECES = '''
domain = "tangram"
[generator]
name = "instances"
size = 1
completions = "any"
keep = "all"
excluded = "unknown"
game = """
title = "Small"
lattice = "squares"
board = { family = "rectangle", width = 4, height = 3 }
pieces = [
  { name = "I", drawing = "###" },
  { name = "L", drawing = "#.\\\\n##" },
  { name = "S", drawing = "##.\\\\n.##" },
  { name = "domino", drawing = "##" },
]
"""
[[evaluators]]
name = "instance"
'''


PLAIN = """
domain = "fling"
[generator]
name = "boards"
width = 3
height = 3
pieces = 3
[[evaluators]]
name = "expert_ratio"
"""


class View:
    """Three places, of which the outer two are mirror images."""

    places = tuple(
        (name, "cell", x, 0, ("a", "b", "c")) for name, x in (("left", -1), ("mid", 0), ("right", 1))
    )
    images = ((0, 1, 2), (2, 1, 0))
    conclusions = ("yes", "no")
    target = (0.0, 0.0)
    transition_model = None

    def rows(self, state: Any, action: Any) -> Any:
        return [state]

    def answer(self, conclusion: int, state: Any, action: Any) -> Answer:
        return (Answer.MUST, Answer.CANNOT)[conclusion]


def plainly(rows: Any, wrong: Any, right: Any, most: int) -> set[Pattern]:
    """Try all patterns on all windows and their images."""
    every = [(row, w, r) for row, w, r in zip(rows, wrong, right, strict=True)]
    every += [(row[::-1], w, r) for row, w, r in every]
    sound = set()
    for size in range(1, most + 1):
        for places in combinations(range(3), size):
            for values in product(range(3), repeat=size):
                here = [
                    (w, r)
                    for row, w, r in every
                    if all(row[a] == v for a, v in zip(places, values, strict=True))
                ]
                for c in (0, 1):
                    if not any(w >> c & 1 for w, _ in here) and any(r >> c & 1 for _, r in here):
                        sound.add(Pattern(c, tuple(zip(places, values, strict=True))))
    empty = {c for c in (0, 1) if not any(w >> c & 1 for _, w, _ in every)}
    return {
        own
        for own in sound
        if own.conclusion not in empty
        and not any(
            other.conclusion == own.conclusion and set(other.conditions) < set(own.conditions)
            for other in sound
        )
    }


@pytest.mark.parametrize("seed", range(40))
def test_all_least_patterns_are_found_as_by_trying(seed: int) -> None:
    random = Random(seed)
    count = random.choice((3, 8, 20))
    rows = np.array([[random.randrange(3) for _ in range(3)] for _ in range(count)], np.int8)
    right = np.array([random.choice((0, 1, 2)) for _ in range(count)], np.uint8)
    wrong = np.array([random.choice((0, 3 & ~own)) for own in right.tolist()], np.uint8)
    collector = Collector(View())
    half = count // 2
    collector.add(rows[:half], wrong[:half], right[:half])
    collector.add(rows[half:], wrong[half:], right[half:])
    windows = collector.all(0)
    found = sound_patterns(windows, 3)
    assert set(found) == plainly(rows.tolist(), wrong.tolist(), right.tolist(), 3)
    before: set[int] = set()
    for own in ranked(View(), windows, found, 100):
        holds = {
            n
            for n, row in enumerate(windows.rows.tolist())
            if any(all(row[a] == v for a, v in image.conditions) for image in images_of(View(), own.pattern))
        }
        says = windows.right[:, own.pattern.conclusion]
        assert own.says == sum(says[n] for n in holds)
        new = {(n, own.pattern.conclusion) for n in holds} - before
        assert own.adds == sum(says[n] for n, _ in new) > 0
        before |= {(n, own.pattern.conclusion) for n in holds}


def test_a_pattern_is_read_as_it_is_written() -> None:
    view = View()
    for conclusion, values in product((0, 1), product((None, 0, 1, 2), repeat=3)):
        conditions = tuple((at, value) for at, value in enumerate(values) if value is not None)
        if conditions:
            own = Pattern(conclusion, conditions)
            assert parse_pattern(view, format_pattern(view, own)) == own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("yes left = a", "write a conclusion, a colon and conditions"),
        ("yes:", "write a conclusion, a colon and conditions"),
        ("maybe: left = a", "unknown conclusion 'maybe'. Did you mean 'yes'"),
        ("yes: lft = a", "unknown place 'lft'. Did you mean 'left'"),
        ("yes: left = x", "unknown value 'x'"),
        ("yes: left", "'left' is not a condition: write place = value"),
        ("yes: left = a, left = b", "'left' has two conditions"),
    ],
)
def test_a_wrong_line_is_told(text: str, message: str) -> None:
    with pytest.raises(EpcgError, match=message):
        parse_pattern(View(), text, "patterns 1")


def made(tmp_path: Path, query: str) -> str:
    (tmp_path / "query.toml").write_text(query, encoding="utf-8")
    place = str(tmp_path / "runs.db")
    epcg("run", tmp_path / "query.toml", "--db", place)
    return place


@pytest.mark.parametrize(
    ("query", "conditions", "least"), [(WITNESS, 3, 10), (LOOPS, 3, 10), (LAMPS, 2, 2), (PIECES, 4, 1)]
)
def test_who_knows_all_patterns_of_a_space_loses_no_solution(
    tmp_path: Path, query: str, conditions: int, least: int
) -> None:
    place = made(tmp_path, query)
    found = patterns(1, conditions=conditions, most=60, db=place)
    assert found.whole
    assert len(found.patterns) >= least
    with Store.open(place) as store, store.reader() as reader:
        record = reader.run(1)
        generator = make_generator(registry(), find.named("1#0", reader, place)[0])
    lines = [own.text for own in found.patterns]
    (rule,) = make_rules(generator, record.domain, ["patterns"], {"patterns": {"patterns": lines}})
    fewer = 0
    random = Random(1)
    for rank in random.sample(range(generator.max_rank), min(25, generator.max_rank)):
        spaces = [StateSpace(rule.view.transition_model, generator.unrank(rank), own, limit=50_000)
                  for own in ([], [rule])]  # fmt: skip
        goals = []
        for space in spaces:
            assert space.post_order() is not None
            goals.append(
                {space.model.key(state) for state, won in zip(space.states, space.goals, strict=True) if won}
            )
        assert goals[0] == goals[1], generator.unrank(rank)
        fewer += len(spaces[1]) < len(spaces[0])
    assert fewer


def test_the_published_rules_of_panels_are_among_the_patterns(tmp_path: Path) -> None:
    """The rule `triangle`: three triangles with an edge drawn demand the next, one forbids it."""
    place = made(tmp_path, WITNESS)
    found = {own.text for own in patterns(1, conditions=2, most=1000, db=place).patterns}
    assert "must: cell left = 3 triangles, edge at the head left = drawn" in found
    assert "cannot: cell left = 1 triangle, edge at the head left = drawn" in found


def test_a_corner_with_a_three_or_a_one(tmp_path: Path) -> None:
    """What every player of Slitherlink knows, from the loops of a board of 2 by 3 alone."""
    place = made(tmp_path, LOOPS)
    found = {own.text for own in patterns(1, conditions=3, places=["clue"], most=1000, db=place).patterns}
    assert "line: clue above left = outside, clue above = 3, clue below = outside" in found
    assert "none: clue above left = outside, clue above = 1, clue below = outside" in found


def test_patterns_are_tried_on_another_run_and_measured(tmp_path: Path) -> None:
    place = made(tmp_path, LOOPS)
    made(tmp_path, LOOPS.replace("[2, 3]", "[3, 3]"))
    found = patterns(1, conditions=3, places=["clue"], most=40, check=2, measure=8, rules=["without-notes"],
                     db=place)  # fmt: skip
    fails = {own.text: own.failures for own in found.patterns}
    assert fails["line: clue above left = outside, clue above = 3, clue below = outside"] == 0
    assert any(fails.values())
    again = {own.text for own in patterns(2, conditions=3, places=["clue"], most=1000, db=place).patterns}
    for text, failures in fails.items():
        assert (
            failures or text in again or any(set(conditions_of(o)) < set(conditions_of(text)) for o in again)
        )
    assert found.measured == 8
    assert all(own.bits is not None and own.bits >= 0 for own in found.patterns)
    assert any(own.bits for own in found.patterns)


def conditions_of(text: str) -> list[str]:
    said, _, rest = text.partition(":")
    return [said, *(own.strip() for own in rest.split(","))]


def test_the_command_lists_patterns_and_writes_a_page(tmp_path: Path) -> None:
    place = made(tmp_path, WITNESS)
    page = tmp_path / "found.html"
    done = epcg("patterns", 1, "--conditions", 2, "--most", 5, "--page", page, "--db", place)
    assert "rules for all of its puzzles" in done.stdout
    assert page.read_text(encoding="utf-8").count('<svg role="img"') == 5
    some = epcg("patterns", 1, "--puzzles", 7, "--conditions", 1, "--db", place)
    assert "47 of 54 puzzles were not looked at" in some.stderr
    assert "all of its puzzles" not in some.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--places", "nowhere"], "unknown place 'nowhere'"),
        (["--conditions", "8"], "sets of up to 8 of 16 places would be tried"),
        (["--where", "solutions > 99"], "the condition holds for no candidate"),
        (["--limit", "1"], "No position could be looked at"),
        (["--check", "9"], "There is no run 9"),
        (["--page", "found.txt"], "does not end in .html"),
        (["--measure", "1", "--rule", "nothing"], "unknown inference rule 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: list[str], message: str) -> None:
    place = made(tmp_path, WITNESS)
    done = epcg("patterns", 1, "--db", place, *arguments, code=1)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_condition_makes_no_claim_about_other_puzzles(tmp_path: Path) -> None:
    place = made(tmp_path, WITNESS)
    said = epcg("patterns", 1, "--where", "solutions > 1", "--conditions", 1, "--db", place).stdout
    assert "puzzles with solutions > 1 was looked at" in said
    assert "all of its puzzles" not in said
    made(tmp_path, WITNESS.replace("count = 2", "count = 1") + '[record]\nvalues = "counts"\n')
    refused = epcg("patterns", 2, "--where", "solutions > 1", "--db", place, code=1).stderr
    assert "does not record the values of all candidates" in refused


def test_an_exception_of_a_view_names_its_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(tmp_path, WITNESS)

    def rows(*_: object) -> None:
        raise ZeroDivisionError("no such place")

    monkeypatch.setattr(AroundTheMove, "rows", rows)
    said = epcg("patterns", 1, "--db", place, code=None).stderr
    assert "inference rule" in said
    assert "epcg-witness" in said


def test_a_domain_without_windows_is_told(tmp_path: Path) -> None:
    place = made(tmp_path, PLAIN)
    with pytest.raises(EpcgError, match="does not say what stands around a move"):
        report.patterns(1, db=place)
