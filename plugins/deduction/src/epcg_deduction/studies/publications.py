"""Counts of fair puzzles on small boards: those of OEIS, and of a program that tries everything. Light.

Each is a question that the plugin ships, with another genre or board. The reference values were counted by
another program, which tries all marks and all sets of clues; a number of the OEIS has its name in the label.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from epcg_core.plugin import CANDIDATES, Ask, Exact, Row, Table, of_metric

_BY_NUMBER = "SELECT low, count FROM histograms WHERE run_id = :run AND metric = '{}'"
_TEXT = "epcg_deduction.studies.computed:by_number"

FAIR: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("Sudoku, 4 by 4 (OEIS A109252)", "sudoku", {},
     "0 0 0 0 25728 284160 1041408 2141184 2961024 2958336 2204928 1239552 522624 161280 34560 4608 288"),
    ("Latin square, 3 by 3", "latin", {"size": [3, 3]}, "0 0 108 900 1512 1512 1008 432 108 12"),
    ("Binairo, 4 by 4", "binairo", {"size": [4, 4]},
     "0 0 0 0 1152 23040 131904 372096 623808 688896 537408 307584 130464 40320 8640 1152 72"),
    ("Slitherlink, 2 by 2", "slitherlink", {"size": [2, 2]}, "0 8 40 36 9"),
    ("Slitherlink, 2 by 3", "slitherlink", {"size": [2, 3]}, "0 6 59 374 458 224 40"),
    ("Slitherlink, 3 by 3", "slitherlink", {"size": [3, 3]},
     "0 9 76 768 5286 12772 13448 7004 1863 207"),
    ("Masyu, 3 by 3", "masyu", {"size": [3, 3]}, "0 0 20 52 70 56 28 8 1"),
    ("Masyu, 3 by 4", "masyu", {"size": [3, 4]}, "0 0 22 124 274 332 260 136 47 10 1"),
    ("Masyu, 4 by 4", "masyu", {"size": [4, 4]}, "0 0 48 308 903 1624 1954 1568 843 304 74 12 1"),
    ("Kuromasu, 3 by 3", "kuromasu", {"size": [3, 3]}, "0 0 160 1034 1509 1095 484 128 18 1"),
    ("Minesweeper, 3 by 3", "minesweeper", {"size": [3, 3]}, "0 2 44 704 2284 1828 672 144 18 1"),
    ("Mosaic, 3 by 3", "mosaic", {"size": [3, 3]}, "0 2 44 836 5244 14108 19364 13292 4286 512"),
    ("Fillomino, 2 by 3", "fillomino", {"size": [2, 3]}, "0 6 113 350 393 198 33"),
    ("Fillomino, 3 by 3", "fillomino", {"size": [3, 3]},
     "0 9 120 2408 12598 24688 25120 13988 4005 445"),
    ("Tapa, 2 by 3", "tapa", {"size": [2, 3]}, "0 4 79 94 46 12 1"),
    ("Tapa, 3 by 3", "tapa", {"size": [3, 3]}, "0 14 74 880 1301 982 442 120 18 1"),
    ("Futoshiki of signs, 3 by 3", "futoshiki", {"size": [3, 3], "kinds": ["less"]},
     "0 0 32 672 3168 7216 9952 9184 5900 2640 792 144 12"),
    ("Skyscrapers of clues outside, 3 by 3", "skyscrapers", {"size": [3, 3], "kinds": ["see"]},
     "0 0 156 1456 4724 8688 10728 9408 5928 2640 792 144 12"),
    ("Heyawake, all rooms of 2 by 3", "heyawake", {"size": [2, 3], "boards": "rectangles"},
     "0 61 251 372 208 42 2"),
    ("Heyawake, all rooms of 3 by 3", "heyawake", {"size": [3, 3], "boards": "rectangles"},
     "20 1082 4468 8012 7618 3830 1036 144 8"),
    ("Tents, all trees of 2 by 3", "tents", {"size": [2, 3], "boards": "tree"}, "13 107 258 266 135 27"),
    ("Tents, all trees of 3 by 3", "tents", {"size": [3, 3], "boards": "tree"},
     "30 452 1630 2632 2158 900 150"),
    ("Aquarium, all tanks of 2 by 3", "aquarium", {"size": [2, 3], "boards": "regions"},
     "0 75 1835 6379 6450 1290"),
    ("Ripple effect, all regions of 2 by 2", "ripple", {"size": [2, 2], "boards": "regions"},
     "0 32 64 144 36"),
)  # fmt: skip
"""(label, genre, params of `fair`, fair puzzles by the number of clues from 0 on)"""
TOTALS = (
    ("Slitherlink, 4 by 4", "slitherlink", {"size": [4, 4]}, 160_498_304),
    ("Akari, 3 by 3, all walls, with or without numbers", "akari",
     {"size": [3, 3], "boards": "walls"}, 32_170),
    ("Star battle, 4 by 4, four regions", "starbattle",
     {"size": [4, 4], "boards": "regions", "regions": [4]}, 11_760),
    ("LITS, 3 by 4, regions of four cells or more", "lits",
     {"size": [3, 4], "boards": "regions", "cells": [4, 12]}, 8),
    ("LITS, 4 by 4, regions of four cells or more", "lits",
     {"size": [4, 4], "boards": "regions", "cells": [4, 16]}, 136),
    ("Norinori, 3 by 4, all regions", "norinori", {"size": [3, 4], "boards": "regions"}, 54),
    ("Tents, 2 by 3, all trees, all counts", "tents", {"size": [2, 3], "boards": "tree", "every": True}, 27),
    ("Tents, 3 by 3, all trees, all counts", "tents", {"size": [3, 3], "boards": "tree", "every": True}, 150),
    ("Nonogram, 2 by 2 (OEIS A242876)", "nonogram", {"size": [2, 2], "every": True}, 14),
    ("Nonogram, 3 by 3 (OEIS A242876)", "nonogram", {"size": [3, 3], "every": True}, 384),
    ("Nonogram, 3 by 4 (OEIS A384764)", "nonogram", {"size": [3, 4], "every": True}, 3_152),
    ("Nonogram, 4 by 4 (OEIS A242876)", "nonogram", {"size": [4, 4], "every": True}, 52_362),
    ("Nonogram, 5 by 5 (OEIS A242876)", "nonogram", {"size": [5, 5], "every": True}, 25_309_575),
    ("Kakuro, 2 by 2, digits 1 to 9, all sums", "kakuro", {"size": [2, 2], "every": True}, 580),
    ("KenKen of sums, 3 by 3, all cages", "kenken",
     {"size": [3, 3], "kinds": ["plus"], "boards": "regions", "every": True}, 11_668),
    ("Yajilin, 2 by 3", "yajilin", {"size": [2, 3], "boards": "n", "every": True}, 49),
    ("Yajilin, 3 by 3", "yajilin", {"size": [3, 3], "boards": "n", "every": True}, 11_300),
    ("Aquarium, 2 by 3, all tanks, all counts", "aquarium",
     {"size": [2, 3], "boards": "regions", "every": True}, 1_290),
)  # fmt: skip
"""(label, genre, params of `fair`, fair puzzles in all)"""
MINIMAL: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("Sudoku, 4 by 4", "sudoku", {}, "0 0 0 0 25728 58368 1536"),
    ("Slitherlink, 2 by 2", "slitherlink", {"size": [2, 2]}, "0 8 20"),
    ("Latin square, 3 by 3", "latin", {"size": [3, 3]}, "0 0 108 216"),
    ("Masyu, 3 by 3", "masyu", {"size": [3, 3]}, "0 0 20"),
    ("Skyscrapers, 3 by 3", "skyscrapers", {"size": [3, 3], "kinds": ["see"]}, "0 0 156 304"),
    ("Kuromasu, 3 by 3", "kuromasu", {"size": [3, 3]}, "0 0 160 432 8"),
    ("Fillomino, 2 by 3", "fillomino", {"size": [2, 3]}, "0 6 98 46 8 6"),
    ("Futoshiki of signs, 3 by 3", "futoshiki", {"size": [3, 3], "kinds": ["less"]}, "0 0 32 352 72"),
)  # fmt: skip
"""(label, genre, params of `fair`, minimal fair puzzles by the number of clues from 0 on)"""
STEPS = (
    ("Slitherlink, 2 by 2", "slitherlink", [2, 2], (("1", 44), ("12", 80), ("13", 93), ("123", 93))),
    ("Slitherlink, 2 by 3", "slitherlink", [2, 3],
     (("1", 370), ("12", 928), ("123", 1_151), ("123+", 1_159))),
    ("Mosaic, 2 by 3", "mosaic", [2, 3], (("1", 294), ("13", 294), ("12", 348))),
    ("Kuromasu, 3 by 3", "kuromasu", [3, 3], (("1", 4_253), ("12", 4_345), ("13", 4_429))),
)  # fmt: skip
"""(label, genre, size, (kinds of steps, fair puzzles that they solve)...)"""
PLACED = (
    ("Nurikabe, 3 by 3, 1 number", "nurikabe", {"clues": [1], "total": [1, 9]}, 14),
    ("Nurikabe, 3 by 3, 2 numbers", "nurikabe", {"clues": [2], "total": [2, 9]}, 100),
    ("Nurikabe, 3 by 3, 3 numbers", "nurikabe", {"clues": [3], "total": [3, 9]}, 24),
    ("Nurikabe, 3 by 3, 4 numbers", "nurikabe", {"clues": [4], "total": [4, 9]}, 1),
    ("Shikaku, 3 by 3, 1 number", "shikaku", {"clues": [1], "total": [9]}, 9),
    ("Shikaku, 3 by 3, 2 numbers", "shikaku", {"clues": [2], "total": [9]}, 40),
    ("Shikaku, 3 by 3, 3 numbers", "shikaku", {"clues": [3], "total": [9]}, 322),
    ("Shikaku, 3 by 3, 4 numbers", "shikaku", {"clues": [4], "total": [9]}, 640),
    ("Shikaku, 3 by 3, 5 numbers", "shikaku", {"clues": [5], "total": [9]}, 830),
    ("Shikaku, 3 by 3, 6 numbers", "shikaku", {"clues": [6], "total": [9]}, 560),
    ("Shikaku, 3 by 3, 7 numbers", "shikaku", {"clues": [7], "total": [9]}, 178),
    ("Shikaku, 3 by 3, 8 numbers", "shikaku", {"clues": [8], "total": [9]}, 24),
    ("Shikaku, 3 by 3, 9 numbers", "shikaku", {"clues": [9], "total": [9]}, 1),
    ("Dominosa, 2 by 3, numbers 0 and 1", "dominosa",
     {"size": [2, 3], "clues": [6], "values": ["0", "1"]}, 4),
    ("Hitori, 3 by 3, numbers 1 to 3", "hitori", {"clues": [9], "values": ["1", "2", "3"]}, 1_584),
    ("Numberlink, all cells used, 2 by 3, 1 pair", "numberlink",
     {"size": [2, 3], "clues": [2], "pairs": True}, 8),
    ("Numberlink, all cells used, 2 by 3, 2 pairs", "numberlink",
     {"size": [2, 3], "clues": [4], "pairs": True}, 13),
    ("Numberlink, all cells used, 2 by 3, 3 pairs", "numberlink",
     {"size": [2, 3], "clues": [6], "pairs": True}, 3),
    ("Numberlink, all cells used, 3 by 4, 1 pair", "numberlink",
     {"size": [3, 4], "clues": [2], "pairs": True}, 12),
    ("Numberlink, all cells used, 3 by 4, 2 pairs", "numberlink",
     {"size": [3, 4], "clues": [4], "pairs": True}, 176),
    ("Numberlink, all cells used, 3 by 4, 3 pairs", "numberlink",
     {"size": [3, 4], "clues": [6], "pairs": True}, 736),
    ("Numberlink, all cells used, 3 by 4, 4 pairs", "numberlink",
     {"size": [3, 4], "clues": [8], "pairs": True}, 738),
    ("Numberlink, all cells used, 3 by 4, 5 pairs", "numberlink",
     {"size": [3, 4], "clues": [10], "pairs": True}, 212),
    ("Numberlink, all cells used, 3 by 4, 6 pairs", "numberlink",
     {"size": [3, 4], "clues": [12], "pairs": True}, 11),
    ("Numberlink, all cells used, 3 by 3, 4 pairs", "numberlink", {"clues": [8], "pairs": True}, 20),
    ("Numberlink, cells may stay empty, 2 by 3, 2 pairs", "numberlink_free",
     {"size": [2, 3], "clues": [4], "pairs": True}, 19),
    ("Numberlink, cells may stay empty, 2 by 3, 3 pairs", "numberlink_free",
     {"size": [2, 3], "clues": [6], "pairs": True}, 3),
    ("Numberlink, cells may stay empty, 3 by 3, 4 pairs", "numberlink_free",
     {"clues": [8], "pairs": True}, 38),
    ("Numberlink, all cells used, 3 by 3, 2 pairs", "numberlink", {"clues": [4], "pairs": True}, 52),
    ("Numberlink, all cells used, 3 by 3, 3 pairs", "numberlink", {"clues": [6], "pairs": True}, 78),
    ("Numberlink, cells may stay empty, 3 by 3, 2 pairs", "numberlink_free",
     {"clues": [4], "pairs": True}, 32),
    ("Numberlink, cells may stay empty, 3 by 3, 3 pairs", "numberlink_free",
     {"clues": [6], "pairs": True}, 218),
)  # fmt: skip
"""(label, genre, params of `clues`, on 3 by 3 if they name no size, fair puzzles)"""
QUICK = 40_000
"""Fair puzzles whose count `epcg reproduce --quick` computes."""


def tables() -> tuple[Table, ...]:
    """Return the tables of known counts."""
    return (
        Table(
            name="fair", title="Fair puzzles by the number of their clues, from 0 on",
            rows=[row for each in FAIR for row in _by_chosen(*each)],
        ),
        Table(
            name="fair-in-all", title="Fair puzzles over all boards, or with all clues",
            rows=[_total(label, genre, params, count) for label, genre, params, count in TOTALS],
        ),
        Table(
            name="minimal", title="Fair puzzles that need each of their clues, by number of clues from 0 on",
            rows=[
                _by_number(label, "fair", genre, params | {"minimal": True}, said)
                for label, genre, params, said in MINIMAL
            ],
        ),
        Table(
            name="steps", title="Fair puzzles that kinds of steps solve",
            rows=[
                _solved(label, genre, size, kinds, count)
                for label, genre, size, counts in STEPS for kinds, count in counts
            ],
        ),
        Table(
            name="placed", title="Fair puzzles whose clues do not follow from the solution, but are placed",
            rows=[_placed(label, genre, params, count) for label, genre, params, count in PLACED],
        ),
    )  # fmt: skip


def _ask(query: str, genre: str, params: dict[str, Any], more: Sequence[str] = ()) -> Ask:
    given = {"genre": genre, **params}
    if query == "fair" and "size" not in params:
        given["size"] = []
    settings = [f"generator.{key}={json.dumps(value)}" for key, value in given.items()]
    return Ask(f"deduction/{query}", (*settings, *more))


def _by_number(label: str, query: str, genre: str, params: dict[str, Any], said: str) -> Row:
    quick = sum(map(int, said.split())) <= QUICK
    return Row(
        label=label, published=Exact(said), origin="reference", ask=_ask(query, genre, params),
        sql=_BY_NUMBER.format("clues"), reduce=_TEXT, quick=quick,
    )  # fmt: skip


def _by_chosen(label: str, genre: str, params: dict[str, Any], said: str) -> list[Row]:
    """Return the row of a count by the number of clues that are chosen.

    Where other clues make the board, trees say, they are among a puzzle's clues, so each number of chosen
    ones is a question and a row of its own.
    """
    if params.get("boards", "given") in ("given", "regions", "rectangles", "walls"):
        return [_by_number(label, "fair", genre, params, said)]
    return [
        _total(f"{label}, {number} chosen", genre, {**params, "clues": [number]}, int(count))
        for number, count in enumerate(said.split())
    ]


def _total(label: str, genre: str, params: dict[str, Any], count: int) -> Row:
    slow = ("slitherlink", "starbattle", "lits", "norinori", "kenken", "nonogram")
    return Row(
        label=label, published=Exact(count), origin="reference", ask=_ask("fair", genre, params),
        sql=CANDIDATES, quick=count <= QUICK and genre not in slow and "3 by 3" not in label,
    )  # fmt: skip


def _solved(label: str, genre: str, size: list[int], kinds: str, count: int) -> Row:
    more = [f'evaluators=[{{ name = "steps", kinds = "{kinds}" }}]']
    return Row(
        label=f"{label}, kinds {kinds}", published=Exact(count), origin="reference",
        ask=_ask("steps", genre, {"size": size}, more), sql=of_metric("total", "solved_by_steps"),
        quick=size == [2, 2],
    )  # fmt: skip


def _placed(label: str, genre: str, params: dict[str, Any], count: int) -> Row:
    given = {"size": [3, 3], "total": [], **params}
    return Row(
        label=label, published=Exact(count), origin="reference", ask=_ask("placed", genre, given),
        sql=of_metric("total", "fair"), quick=count in (14, 9),
    )  # fmt: skip
