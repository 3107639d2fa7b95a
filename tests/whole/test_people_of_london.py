"""Player models of 477 people at the Tower of London, whose clicks lie beside the repository."""

from __future__ import annotations

import csv
import gzip
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from epcg_core.difficulty import StateSpace, msi
from tests.workplace import OnUse, needs, shared

stats, hanoi = OnUse("scipy.stats"), OnUse("epcg_hanoi")
pytestmark = [
    needs("scipy", "the extra 'statistics' is not installed"),
    needs("statsmodels", "the extra 'statistics' is not installed"),
    needs("epcg_hanoi", "the example epcg-hanoi is not installed"),
]

FOLDER = "data/tower_of_london"
Piles = list[list[int]]


def attempts() -> Iterator[dict[str, str]]:
    with gzip.open(shared(FOLDER) / "attempts.csv.gz", "rt", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def moves_of(clicks: str, start: Piles, target: Piles, pegs: list[int]) -> tuple[list[str], int]:
    """Return the moves that clicks make, and their number as the study counted it: with balls put back."""
    piles, lifted, counted = [list(pile) for pile in start], -1, 0
    moves: list[str] = []
    for click in clicks.split():
        peg = int(click.partition(":")[0]) - 1
        if peg < 0 or (lifted < 0 and not piles[peg]):
            continue
        if lifted < 0:
            lifted = peg
        elif peg == lifted or len(piles[peg]) < pegs[peg]:
            counted += 1
            if peg != lifted:
                if piles != target:
                    moves.append(f"{lifted + 1} to {peg + 1}")
                piles[peg].append(piles[lifted].pop())
            lifted = -1
    return moves, counted


@pytest.mark.slow
def test_the_moves_of_people_are_foreseen(tmp_path: Path) -> None:
    """The losses on the page about player models, and the correlation of MSI with people's times there."""
    from epcg_research.players.decisions import from_table
    from epcg_research.players.fitting import Ask, fit
    from epcg_research.players.policy import PlayerPolicy
    from epcg_research.players.validation import validate

    data: Any = json.loads((shared(FOLDER) / "problems.json").read_text("utf-8"))
    problems, space = data["problems"], hanoi.Problems(hanoi.Params())
    ranks = [
        space.rank(tuple(tuple(map(tuple, each[name])) for name in ("start", "target"))) for each in problems
    ]
    lines, times = ["person,puzzle,move"], [list[int]() for _ in problems]
    for each in attempts():
        number = int(each["problem"])
        times[number].append(int(each["milliseconds"]))
        moves, counted = moves_of(
            each["clicks"], problems[number]["start"], problems[number]["target"], data["pegs"]
        )
        assert counted == int(each["moves"])
        lines += [f"{each['person']},{ranks[number]},{move}" for move in moves]
    (tmp_path / "moves.csv").write_text("\n".join(lines))
    log = from_table(tmp_path / "moves.csv", None, "epcg.db", "hanoi:problems")
    assert (len(log.people), len(log.puzzles), len(log.decisions)) == (477, 25, 84_051)
    found = {each.model: each.bits for each in validate(log, [Ask("softmax"), Ask("counts")]).found}
    assert {name: round(bits.value or 0, 2) for name, bits in found.items()} == {
        "uniform": 1.67, "softmax": 1.00, "counts": 0.67
    }  # fmt: skip
    model = fit(log, Ask("counts"))
    own = {int(puzzle.id.rpartition("#")[2]): puzzle for puzzle in log.puzzles}
    bits = [
        msi(StateSpace(puzzle.positions.model, puzzle.content), PlayerPolicy(model, puzzle.generator)).value
        for puzzle in (own[rank] for rank in ranks)
    ]
    assert round(stats.spearmanr(bits, list(map(median, times))).statistic, 3) == 0.933


def test_positions_of_a_domain_without_an_editor_are_drawn_in_their_panels() -> None:
    """The renderer of the Tower of London names no height; its balls stand within the panel."""
    from epcg_research.players.decisions import open_puzzle
    from epcg_research.players.panels import draw
    from epcg_research.players.sights import Bottleneck, Sights
    from epcg_research.statistics import preferred

    puzzle = open_puzzle("hanoi:problems#216")
    place = Bottleneck(0, preferred(3, 4), 0.5, 2.0, 1)
    root = ElementTree.fromstring(draw(puzzle, Sights(puzzle.id, 5, 4, (), (place,), (), True)))
    _, panel = root.iter("{http://www.w3.org/2000/svg}svg")
    assert len(list(panel.iter("{http://www.w3.org/2000/svg}circle"))) == 6
    box = [float(each) for each in panel.attrib["viewBox"].split()]
    width, height = (float(panel.attrib[name]) for name in ("width", "height"))
    assert width / height == pytest.approx(box[2] / box[3], rel=0.01)
    words = " ".join("".join(root.itertext()).split())
    assert "The start: passed by 3 of 4 people (30 to 95" in words
    assert "1 of 5 turned back here" in words
