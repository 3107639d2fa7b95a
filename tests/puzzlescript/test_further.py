"""Where else a level could begin, and where else its goals could lie: the questions, and their answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from epcg_puzzlescript import params
from epcg_puzzlescript.formats.files import shipped_game
from epcg_puzzlescript.formats.text import parse_level
from epcg_puzzlescript.generators.starts import Starts
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_workbench.jobs import answer

import epcg_core as epcg
from epcg_core.base.errors import ParamsError
from epcg_core.query.query import parse_query
from epcg_core.search.shortest_path.solver import shortest_path

PUSH = "[ > Keeper | Lantern ] -> [ > Keeper | > Lantern ]"
RULES = (
    PUSH,
    f"{PUSH}\n[ < Keeper | Lantern ] -> [ < Keeper | < Lantern ]",  # pulls, too
    "[ > Keeper | Lantern ] -> [ > Lantern | Keeper ]",  # changes places
)
BEGIN, GOALS = "Where else could it begin?", "Where else could its goals lie?"


def game_of(board: list[str], rule: str = PUSH) -> str:
    path = shipped_game("lanterns")
    assert path is not None
    text = path.read_text().replace(PUSH, rule)
    return text[: text.index("\nLEVELS\n") + 8] + "=======\n\n" + "\n".join(board) + "\n"


def asked(name: str, **request: Any) -> list[dict[str, Any]]:
    return list(answer({"do": name, **request}))


def questions(text: str) -> dict[str, str]:
    found = asked("further", domain="puzzlescript", text=text)
    assert all(each["about"].endswith(".") for each in found)
    return {each["title"]: each["question"] for each in found}


def boards(rng: random.Random) -> list[str]:
    """Return a random level of 4 by 3 cells within walls: a keeper, one or two lanterns, as many posts.

    Water lies to the right: a cell without a ground gets the one that the level begins with.
    """
    cells = [[rng.choice("....#" if x < 3 else "...~") for x in range(4)] for _ in range(3)]
    free = [(x, y) for y in range(3) for x in range(4) if cells[y][x] == "."]
    glyphs = rng.choice(["P*O", "P*O*O"])
    some = rng.sample(free, min(len(free), len(glyphs)))
    for (x, y), glyph in zip(some, glyphs, strict=False):
        cells[y][x] = glyph
    return ["######", *("#" + "".join(row) + "#" for row in cells), "######"]


def all_starts(board: list[str], moved: str) -> Iterator[list[str]]:
    """Put what is `moved` wherever a cell has floor, goals or no goals: every way, by trying them."""
    plain = (
        {"P": ".", "*": ".", "O": "O", ".": "."} if moved == "P*" else {"O": ".", **dict.fromkeys("P*.", "")}
    )
    sites = [(x, y) for y, row in enumerate(board) for x, cell in enumerate(row) if cell in plain]
    crates = sum(row.count("*" if moved == "P*" else "O") for row in board)
    for chosen in combinations(sites, crates):
        for hero in [site for site in sites if site not in chosen] if moved == "P*" else [None]:
            rows = [list(row) for row in board]
            for x, y in sites:
                if moved == "P*":
                    rows[y][x] = plain[rows[y][x]]
                    rows[y][x] = ("@" if rows[y][x] == "O" else "*") if (x, y) in chosen else rows[y][x]
                    rows[y][x] = ("+" if rows[y][x] == "O" else "P") if (x, y) == hero else rows[y][x]
                else:
                    here = rows[y][x].replace("O", ".")
                    rows[y][x] = {"P": "+", "*": "@", ".": "O"}[here] if (x, y) in chosen else here
            yield ["".join(row) for row in rows]


SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 9))]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("title", "moved"), [(BEGIN, "P*"), (GOALS, "O")])
def test_answers_are_those_of_trying_every_way(seed: int, title: str, moved: str, tmp_path: Path) -> None:
    rng = random.Random(f"{seed} {title}")
    board = boards(rng)
    text = game_of(board, RULES[seed % 3]).replace(
        "@ = Lantern and Post", "@ = Lantern and Post\n+ = Keeper and Post"
    )
    model = PuzzleScriptModel()
    levels = [
        parse_level(text.replace("\n".join(board), "\n".join(rows))) for rows in all_starts(board, moved)
    ]
    own = parse_level(text)
    lengths = sorted(
        (
            length
            for level in levels
            if (length := shortest_path(model, level, plain=True).length) is not None
        ),
        reverse=True,
    )
    db = tmp_path / "epcg.db"
    question = questions(text)[title]
    run = epcg.answer(parse_query(question), db=db)
    (found,) = asked("answered", text=question, db=str(db))
    values = sorted((value for value in run.values("start_moves")[1].tolist()), reverse=True)
    assert (int(found["of"]), values) == (len(levels), lengths)
    if lengths:
        assert [each["values"]["start_moves"] for each in found["found"]] == lengths[:12]
        lost = len(levels) - len(lengths)
        assert not lost or f"{lost:,} cannot be solved" in found["text"]
    assert own in levels  # what is, is one of the ways


def test_a_level_is_placed_only_where_its_game_has_floor() -> None:
    board = ["#######", "#P*.O~#", "#..~..#", "#######"]
    found = parse_query(questions(game_of(board))[BEGIN])
    floor = Starts(params.StartsParams(content=found.generator.params["content"], on_floor=True))
    anywhere = Starts(params.StartsParams(content=game_of(board)))
    assert floor.max_rank == 8 * 7
    assert anywhere.max_rank == 10 * 9
    assert floor.rank(parse_level(game_of(board))) < floor.max_rank


def test_there_is_no_question_where_nothing_can_lie_elsewhere() -> None:
    assert questions(game_of(["#####", "#P*O#", "#####"])).keys() == {BEGIN, GOALS}
    assert questions(game_of(["###", "#P#", "###"])) == {}


def test_starts_are_of_a_game_or_of_a_level() -> None:
    board = game_of(["#####", "#P*O#", "#####"])
    for wrong in ({}, {"game": "lanterns", "content": board}, {"content": board, "level": 2}):
        with pytest.raises(ParamsError, match=r"^(game|content): "):
            params.StartsParams(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ParamsError, match="name one"):
        Starts(params.StartsParams(content=game_of(["###", "#.#", "###"])))


def test_what_has_too_many_ways_for_ranks_stays_where_it_is() -> None:
    """Twenty lanterns on 40 by 48 cells have more ways than ranks: the keeper alone is put elsewhere."""
    inner = ["#" + "." * 48 + "#"] * 40
    inner[4] = "#P" + "*O" * 20 + "." * 7 + "#"
    found = questions(game_of(["#" * 50, *inner, "#" * 50]))
    assert found.keys() == {BEGIN}
    asked_of = parse_query(found[BEGIN])
    assert asked_of.generator.params["objects"] == ["keeper"]
    assert asked_of.evaluators[0].name == "start_moves"
    (cost,) = asked("cost", text=found[BEGIN], db="none.db")
    assert cost["remaining"] == str(40 * 48 - 20)
