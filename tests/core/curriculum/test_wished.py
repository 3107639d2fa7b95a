"""What a part of a plan wishes for: it means what it means in `[[select]]`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from epcg_core.curriculum.build import build
from epcg_core.curriculum.plan import from_data, parse_plan
from epcg_core.curriculum.strategies import Chance, Pool
from epcg_core.curriculum.verify import verify
from epcg_core.query.conditions import Condition
from epcg_core.query.query import SelectParams, parse_query
from epcg_core.runs import ledger
from epcg_core.store import Store
from epcg_core.store.curricula import PartRow
from tests.workplace import sweep

pytest.importorskip("epcg_fling", reason="a content needs places")
QUERY = """domain = "fling"
[generator]
name = "boards"
width = {width}
height = 4
pieces = 4
[[evaluators]]
name = "solution"
[[evaluators]]
name = "winning_moves"
"""
PLAN = """
[[chapters]]
name = "one"
query = "boards.toml"
measure = "solution_length"
strategy = "{strategy}"
count = {count}
ties = "first"
order = "as_selected"
{more}
"""
WHERE = 'where = [{ metric = "winning_moves", max = 1 }, { metric = "piece_switches", max = 1 }]\n'


@pytest.fixture(scope="module", params=[4, pytest.param(5, marks=pytest.mark.slow)])
def width(request: pytest.FixtureRequest) -> int:
    """Of the boards: there are 1,820 of 4, and 4,845 of 5."""
    found: int = request.param
    return found


@pytest.fixture(scope="module")
def folder(width: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the boards are recorded."""
    found = tmp_path_factory.mktemp("wished")
    text = QUERY.format(width=width)
    (found / "boards.toml").write_text(text, encoding="utf-8")
    epcg.answer(parse_query(text), db=found / "epcg.db")
    return found


def built(folder: Path, more: str, strategy: str = "highest", count: int = 5) -> PartRow:
    text = PLAN.format(strategy=strategy, count=count, more=more)
    with Store.open(folder / "epcg.db", write=True) as store:
        found = build(parse_plan(text, folder=folder), store)
    return found.curriculum.chapters[0].parts[0]


def ranks(row: PartRow) -> list[int]:
    chosen = [each for each in row.selections if each.position is not None]
    return [each.puzzle.rank for each in sorted(chosen, key=lambda each: each.position or 0)]


def selected(folder: Path, count: int, **more: object) -> list[int]:
    rule = SelectParams("solution_length", "highest", count, **more)  # type: ignore[arg-type]
    with Store.open(folder / "epcg.db") as store, store.reader() as reader:
        return [rank for rank, _ in ledger.chosen(reader, reader.run(1), rule).found]


CONDITIONS = (Condition("winning_moves", max=1), Condition("piece_switches", max=1))


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("more", "wish"),
    [
        (WHERE, {"where": CONDITIONS}),
        ('then = ["winning_moves"]', {"then": ("winning_moves",)}),
        ("apart = 4", {"apart": 4}),
        (WHERE + 'then = ["winning_moves"]\napart = "50 %"',
         {"where": CONDITIONS, "then": ("winning_moves",), "apart": "50 %"}),
    ],
)  # fmt: skip
def test_a_part_takes_what_select_keeps(folder: Path, width: int, more: str, wish: dict[str, object]) -> None:
    own = ranks(built(folder, more, count=width))  # no five of the smaller boards meet the last wish
    assert own == selected(folder, width, **wish)
    assert own != selected(folder, width), "the wish decides nothing here"


def test_rejections_add_up_condition_by_condition(folder: Path) -> None:
    row = built(folder, WHERE)
    counts = {rule: count for rule, count, _ in row.rejections}
    assert counts["where winning_moves of 1 or less"] > 0
    assert counts["where piece_switches of 1 or less"] > 0
    assert sum(counts.values()) + 5 == row.candidates


@pytest.mark.parametrize(
    "strategy", sweep(("evenly", "quantiles", "lowest", "highest"), lambda strategy: strategy == "evenly")
)
def test_no_two_are_alike_whatever_the_strategy(folder: Path, width: int, strategy: str) -> None:
    count = {4: 5, 5: 8}[width]
    plain = built(folder, "", strategy, count)
    row = built(folder, "apart = 4", strategy, count)
    assert row.rule.removesuffix(", 4 places apart") == plain.rule
    places = []
    for each in row.selections:
        if each.position is not None:
            lines = each.puzzle.state.split("\n")
            places.append({(x, y) for y, line in enumerate(lines) for x, c in enumerate(line) if c != "."})
    assert len(places) == count
    assert all(len(a ^ b) >= 4 for i, a in enumerate(places) for b in places[:i])


def test_a_wish_is_recorded_and_old_plans_stay(folder: Path) -> None:
    text = PLAN.format(strategy="evenly", count=3, more=WHERE + 'then = ["solution_length"]\napart = 2')
    plan = parse_plan(text, folder=folder)
    data = plan.resolved()
    assert data["chapters"][0]["parts"][0]["apart"] == 2
    assert from_data(data).resolved() == data
    with Store.open(folder / "epcg.db", write=True) as store:
        number = build(plan, store).number
    with Store.open(folder / "epcg.db") as store:
        *_, last = verify(store, number, sample=20, seed=1, this_curriculum_only=True)
        assert last.passed, last
    old = parse_plan(PLAN.format(strategy="evenly", count=3, more=""), folder=folder).resolved()
    assert not {"where", "then", "apart"} & old["chapters"][0]["parts"][0].keys()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("apart = 0", "chapters 1: apart: 0 is not a number of places"),
        ('apart = "far"', "chapters 1: apart: 'far' is not a share"),
        ('where = [{ metric = "solution_length", min = 1, equals = 2 }]', "give either equals"),
    ],
)
def test_a_wish_that_cannot_be_gets_a_sentence(folder: Path, more: str, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        parse_plan(PLAN.format(strategy="evenly", count=3, more=more), folder=folder)


def test_too_few_that_are_apart_are_told(folder: Path) -> None:
    with pytest.raises(EpcgError, match="choose a smaller 'apart'"):
        built(folder, "apart = 8", "highest", 60)


def test_an_unknown_measure_of_a_condition_is_named(folder: Path) -> None:
    with pytest.raises(EpcgError, match="solution_lenght"):
        built(folder, 'where = [{ metric = "solution_lenght", min = 1 }]')


def test_what_is_chosen_by_hand_stays_and_the_strategy_fills_the_rest(folder: Path) -> None:
    hand = ranks(built(folder, "", "evenly", 9))[3:5]
    space = built(folder, "").selections[0].puzzle.space
    listed = f"puzzles = {[f'{space}#{rank}' for rank in hand]}\n".replace("'", '"')
    row = built(folder, f"{listed}fill = true\n{WHERE}", "highest", 5)
    assert row.rule.endswith("2 of them by hand")
    assert ranks(row)[:2] == hand
    others = [rank for rank in ranks(built(folder, WHERE, "highest", 7)) if rank not in hand]
    assert ranks(row)[2:] == others[:3]
    apart = built(folder, f"{listed}fill = true\napart = 3", "highest", 5)
    assert set(hand) <= set(ranks(apart))
    with pytest.raises(EpcgError, match="2 puzzles are chosen by hand, and 'count' is 1"):
        built(folder, f"{listed}fill = true", "highest", 1)
    with pytest.raises(EpcgError, match="'fill' needs puzzles chosen by hand"):
        built(folder, "fill = true")


def test_chance_is_the_same_for_one_seed(folder: Path) -> None:
    def drawn(seed: int) -> list[int]:
        text = PLAN.format(strategy="x", count=6, more="").replace(
            '"x"', f'{{ name = "chance", seed = {seed} }}'
        )
        with Store.open(folder / "epcg.db", write=True) as store:
            return ranks(build(parse_plan(text, folder=folder), store).curriculum.chapters[0].parts[0])

    once = drawn(1)
    assert len(set(once)) == 6
    assert once == drawn(1) != drawn(2)


def test_what_chance_passes_over_because_it_is_alike_says_so() -> None:
    pool = Pool(np.arange(6.0), apart=lambda place, others: all(abs(place - other) > 1 for other in others))
    picks = Chance().choose(pool, 2)
    first, second = (pick.position for pick in picks)
    assert abs(first - second) > 1
    left = {
        place: Chance().declined(pool, picks, place) for place in range(6) if place not in (first, second)
    }
    near = {place for place in left if min(abs(place - first), abs(place - second)) == 1}
    assert {place for place, why in left.items() if why == "too much like a chosen one"} == near
    assert set(left.values()) <= {"too much like a chosen one", "not drawn"}
