"""Counts of packing puzzles that are printed in books and papers, and the questions that give ours. Light.

Each is the question `tangram/solutions` of a game written here, so it is counted as any game is.
"""

from __future__ import annotations

import json
from functools import partial

from epcg_core.plugin import Ask, Exact, Row, Table, of_metric

_RECTANGLES = (("3 by 20", (20, 3), 2), ("4 by 15", (15, 4), 368), ("5 by 12", (12, 5), 1_010))
"""name -> sizes, solutions of the twelve pentominoes modulo turns and reflections (Golomb's table)"""
_HOLED = "########\n" * 3 + "###..###\n" * 2 + "########\n" * 3


def tables() -> tuple[Table, ...]:
    """Return the tables of known counts."""
    return (_pentominoes(), _others())


def _ask(board: str, pieces: str, lattice: str = "squares") -> Ask:
    """Ask in how many ways a game can be solved."""
    text = f'lattice = "{lattice}"\n[board]\n{board}\n[[pieces]]\n{pieces}\n'
    return Ask("tangram/solutions", (f"generator.game={json.dumps(text)}",))


def _rectangle(width: int, height: int) -> str:
    return f'family = "rectangle"\nwidth = {width}\nheight = {height}'


_distinct = partial(Row, sql=of_metric("minimum", "solutions"))
_all = partial(Row, sql=of_metric("minimum", "all_solutions"))


def _pentominoes() -> Table:
    twelve = "shapes = { cells = 5 }"
    return Table(
        name="pentominoes",
        printed="S. W. Golomb, Polyominoes, 2nd edition, Princeton 1994",
        title="The twelve pentominoes on rectangles of 60 squares, and the eighteen one-sided ones",
        rows=(
            *(
                _distinct(
                    label=f"{name} squares",
                    published=Exact(count),
                    ask=_ask(_rectangle(*sizes), twelve),
                    quick=name == "3 by 20",
                )
                for name, sizes, count in _RECTANGLES
            ),
            _distinct(
                label="6 by 10 squares (Haselgrove & Haselgrove 1960)",
                published=Exact(2_339),
                ask=_ask(_rectangle(10, 6), twelve),
            ),
            _distinct(
                label="8 by 8 squares without the four in the middle (Scott 1958)",
                published=Exact(65),
                ask=_ask(f'drawing = """\n{_HOLED}"""', twelve),
            ),
            _distinct(
                label="one-sided, 3 by 30 squares (Knuth, Dancing Links, 2000)",
                published=Exact(46),
                ask=_ask(_rectangle(30, 3), 'shapes = { cells = 5, equal = "one-sided" }'),
            ),
        ),
    )


def _others() -> Table:
    return Table(
        name="others",
        printed="Kasteleyn 1961, Temperley & Fisher 1961, Wang & Hsiung 1942",
        title="Dominoes, and the tangram",
        rows=(
            _all(
                label="dominoes on the chessboard, each way counted (Kasteleyn; Temperley & Fisher)",
                published=Exact(12_988_816),
                ask=_ask(_rectangle(8, 8), 'name = "domino"\ndrawing = "##"\ncopies = 32'),
            ),
            _distinct(
                label="the tangram's square, up to turns and reflections",
                published=Exact(1),
                ask=Ask("tangram/solutions", ('generator.game="tangram"',)),
                quick=True,
            ),
        ),
    )
