"""Counts of packing puzzles that are printed in books and papers, and the questions that give ours. Light.

Each is the question `tangram/solutions` of a game written here, so it is counted as any game is.
"""

from __future__ import annotations

import json
from functools import partial

from epcg_core.plugin import Ask, Exact, Row, Table, of_metric

_RECTANGLES = (("3 by 20", (20, 3), 2), ("4 by 15", (15, 4), 368), ("5 by 12", (12, 5), 1_010))
"""name -> sizes, solutions of the twelve pentominoes modulo turns and reflections (Golomb's table)"""
_CALENDAR = """drawing = \"\"\"
mmmmmm.
mmmmmm.
ddddddd
ddddddd
ddddddd
ddddddd
ddd....
\"\"\"
optional = "md\""""
_CALENDAR_PIECES = (
    ("block", "###/###"), ("P", "##./###"), ("U", "#.#/###"), ("V", "#../#../###"),
    ("L", "####/#..."), ("Y", "####/.#.."), ("N", "##../.###"), ("Z", "##./.#./.##"),
)  # fmt: skip
"""The calendar of a year: two squares stay empty, one of twelve and one of thirty-one."""
_HOLED = "########\n" * 3 + "###..###\n" * 2 + "########\n" * 3


def tables() -> tuple[Table, ...]:
    """Return the tables of known counts."""
    return (_pentominoes(), _others(), _calendar())


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
        printed="Kasteleyn 1961, Temperley & Fisher 1961, Wang & Hsiung 1942, and pages of puzzlers",
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
            _all(
                label="corners of three squares on 5 by 9, each way counted (OEIS A084479)",
                published=Exact(384),
                ask=_ask(_rectangle(9, 5), 'name = "corner"\ndrawing = "##\\n#."\ncopies = 15'),
            ),
            *(
                _distinct(
                    label=f"two of each of the five tetrominoes on {name} squares (R. Tomás, online)",
                    published=Exact(count),
                    ask=_ask(_rectangle(*sizes), "shapes = { cells = 4 }\ncopies = 2"),
                )
                for name, sizes, count in (("5 by 8", (8, 5), 783), ("4 by 10", (10, 4), 449))
            ),
            _distinct(
                label="twelve pentominoes and a square of four on the chessboard",
                published=Exact(16_146),
                ask=_ask(
                    _rectangle(8, 8),
                    'shapes = { cells = 5 }\n[[pieces]]\nname = "square"\ndrawing = "##\\n##"',
                ),
            ),
            _distinct(
                label="twelve hexiamonds on the rhombus of side 6",
                published=Exact(156),
                ask=_ask(
                    'family = "parallelogram"\nwidth = 6\nheight = 6', "shapes = { cells = 6 }", "triangles"
                ),
            ),
        ),
    )


def _calendar() -> Table:
    """Return what a shop prints of a calendar puzzle: the fewest and the most solutions of a day."""
    pieces = "\n[[pieces]]\n".join(
        f'name = "{name}"\ndrawing = "{drawing}"'.replace("/", "\\n") for name, drawing in _CALENDAR_PIECES
    )
    text = f'lattice = "squares"\n[board]\n{_CALENDAR}\n[[pieces]]\n{pieces}\n[rules]\nempty = 2\n'
    ask = Ask(
        "tangram/boards",
        (f"generator.game={json.dumps(text)}", 'generator.leave=["m", "d"]'),
    )
    return Table(
        name="calendar",
        printed="DragonFjord, A-Puzzle-A-Day",
        title="A calendar of 43 squares: all its days in one run",
        rows=(
            Row(label="solutions of the day that has fewest", published=Exact(7), ask=ask,
                sql=of_metric("minimum", "solutions")),
            Row(label="solutions of the day that has most", published=Exact(216), ask=ask,
                sql=of_metric("maximum", "solutions")),
        ),
    )  # fmt: skip
