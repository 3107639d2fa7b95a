"""The published numbers about Fling!, and the questions that give ours. Light: rows are only declared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import comb
from typing import Any

from epcg_core.plugin import (
    About,
    Ask,
    Exact,
    OutOfReach,
    Plot,
    Rounded,
    Row,
    Table,
    Varies,
    count_of,
    of_metric,
)

CELLS = 56
LAYERS = {
    1: (56, 56, 56),
    2: (267, 267, 267),
    3: (2_720, 2_500, 2_110),
    4: (35_518, 21_958, 15_724),
    5: (481_048, 182_016, 103_324),
    6: (6_110_224, 1_174_996, 548_966),
    7: (67_035_246, 5_786_314, 2_232_602),
    8: (597_112_986, 20_049_854, 6_312_768),
}
"""pieces -> solvable boards, uniquely solvable by successors, by moves (reference values)"""
NINE_SOLVABLE = 4_214_547_264
QUICK_LAYERS = 7
SMALL = {
    (4, 4): ((24, 24, 24), (64, 64, 40), (173, 112, 24), (412, 136, 0), (738, 136, 0)),
    (4, 5): ((39, 39, 39), (140, 136, 94), (558, 358, 136), (2_050, 680, 80), (6_284, 992, 20)),
    (5, 5): ((60, 60, 60), (286, 276, 204), (1_572, 1_004, 500), (8_241, 2_948, 768), (37_084, 6_152, 768)),
}
"""(width, height) -> the same for 2 to 6 pieces (reference values)"""
EXPERT = {
    (5, "successors"): (182_016, 1.095502, 39, 15, 7),
    (5, "moves"): (103_324, 1.110138, 39, 15, 7),
    (6, "successors"): (1_174_996, 1.569039, 195, 23, 17),
    (6, "moves"): (548_966, 1.652309, 195, 23, 17),
}
"""(pieces, convention) -> boards, mean ratio, nodes of the best board's two trees, boards tied (reference)"""
GIBIBYTES = (0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.03, 0.17, 0.88, 4.15, 17.33, 65.00, 220.01, 675.76)
"""Memory for the boards of 1 to 14 balls at one bit each, as printed"""
SHARES = {4: 10, 10: 65}
"""pieces -> about how many percent of the boards are solvable, as printed"""
GAME_LEVELS = 17
_OTHER_TABLE = "the paper has a table of 9 pieces only"
_DRAWN = "the figure is a drawing without numbers"
_PARTS = "epcg_fling.studies.computed"
_SOLVABLE = "SELECT solvable FROM layers WHERE run_id = :run"
_UNIQUE = "SELECT uniquely_solvable FROM layers WHERE run_id = :run"
_SHARE = "SELECT percent_{0} FROM layers WHERE run_id = :run"
_CONVENTIONS = {"successors": "distinct boards", "moves": "legal moves"}


def study() -> tuple[Table, ...]:
    """Return the tables of the 2013 paper."""
    return (_arrangements(), _levels(), _figure_5(), _figure_6(), _figure_7(), _figure_8())


def layers_and_experts() -> tuple[Table, ...]:
    """Return the tables of the 2018 paper."""
    from epcg_fling.studies.text_of_2018 import ranks, text

    return (ranks(), text(), _layers(), _small_boards(), _moves(), _experts())


def layer_ask(pieces: int, uniqueness: str = "successors", width: int = 7, height: int = 8) -> Ask:
    """Ask for all boards of so many pieces, solved from the bottom up."""
    changes = [f"generator.pieces={pieces}", f"search.uniqueness={uniqueness}"]
    if (width, height) != (7, 8):
        changes[:0] = [f"generator.width={width}", f"generator.height={height}"]
    return Ask("fling/layers", tuple(changes))


def _arrangements() -> Table:
    from epcg_fling.studies import computed

    rows = []
    for pieces, size in enumerate(GIBIBYTES, 1):
        row = partial(Row, how="the size of epcg_fling.generators.boards.Boards", quick=True)
        rows += [
            row(
                label=f"{pieces} pieces: boards",
                published=Exact(comb(CELLS, pieces)),
                compute=partial(computed.boards_of, pieces=pieces),
            ),
            row(
                label=f"{pieces} pieces: memory at one bit a board",
                published=Rounded(size, 2),
                unit="GiB",
                compute=partial(computed.memory_of, pieces=pieces),
            ),
        ]
    return Table(
        name="table-1",
        printed="Table 1",
        title="Boards of 7 by 8 cells by the number of pieces",
        candidates=sum(comb(CELLS, pieces) for pieces in range(1, len(GIBIBYTES) + 1)),
        rows=rows,
    )


def _layers() -> Table:
    return Table(
        name="layers",
        title="Boards of 7 by 8 cells that are solvable, and in only one way, by the number of pieces",
        printed="Algorithm 5 and the counts of its results",
        candidates=sum(comb(CELLS, k) for k in range(1, 12)),
        rows=(*_layer_rows(), *_large_layer_rows()),
        plot=Plot(title="Fling!: boards, by the number of pieces", axis="boards", log=True),
    )


def _layer_rows() -> Iterator[Row]:
    for pieces, (solvable, by_successors, by_moves) in LAYERS.items():
        row = partial(Row, origin="reference", quick=pieces <= QUICK_LAYERS)
        ask = layer_ask(pieces)
        yield row(
            label=f"{pieces} pieces: boards",
            published=Exact(comb(CELLS, pieces)),
            ask=ask,
            sql="SELECT candidates FROM layers WHERE run_id = :run",
        )
        yield row(label=f"{pieces} pieces: solvable", published=Exact(solvable), ask=ask, sql=_SOLVABLE)
        yield row(
            label=f"{pieces} pieces: unique by successors",
            published=Exact(by_successors),
            ask=ask,
            sql=_UNIQUE,
        )
        yield row(
            label=f"{pieces} pieces: unique by moves",
            published=Exact(by_moves),
            ask=layer_ask(pieces, "moves"),
            sql=_UNIQUE,
        )


def _large_layer_rows() -> tuple[Row, ...]:
    ten, eleven = layer_ask(10, "moves"), layer_ask(11, "moves")
    return (
        Row(
            label="9 pieces: solvable",
            published=Exact(NINE_SOLVABLE),
            origin="reference",
            ask=layer_ask(9),
            sql=_SOLVABLE,
        ),
        Row(label="10 pieces: unique by moves", published=About(15e6, 1 / 30), ask=ten, sql=_UNIQUE),
        Row(
            label="10 pieces: share unique by moves",
            published=Rounded(0.04, 2),
            unit="%",
            ask=ten,
            sql=_SHARE.format("uniquely_solvable"),
        ),
        Row(
            label="11 pieces: boards",
            published=Rounded(148.9, 1),
            unit="billion",
            ask=eleven,
            sql="SELECT candidates / 1e9 FROM layers WHERE run_id = :run",
        ),
        *(
            Row(label=f"11 pieces: {label}", published=None, found=Exact(number), ask=eleven, sql=sql)
            for label, number, sql in (
                ("solvable", 113_310_809_584, _SOLVABLE),
                ("unique by moves", 13_655_136, _UNIQUE),
            )
        ),
        Row(
            label="11 pieces: hours, with the early stop",
            published=Rounded(4.22, 2),
            unit="h",
            ask=eleven,
            sql="SELECT cpu_seconds / 3600 FROM run WHERE id = :run",
            found=Varies(),
            reason="a time (printed: 4 h 13 min), on another machine; here hours of one processor",
        ),
        Row(
            label="11 pieces: hours, without the early stop",
            published=Rounded(8.48, 2),
            unit="h",
            reason="printed: 8 h 29 min; every search here stops when a board is known not to be unique",
        ),
    )


def _small_boards() -> Table:
    rows = [
        Row(
            label=f"{width} by {height}, {pieces} pieces: {label}",
            published=Exact(counts[position]),
            origin="reference",
            ask=layer_ask(pieces, uniqueness, width, height),
            sql=sql,
            quick=True,
        )
        for (width, height), layers in SMALL.items()
        for pieces, counts in enumerate(layers, 2)
        for position, label, uniqueness, sql in (
            (0, "solvable", "successors", _SOLVABLE),
            (1, "unique by successors", "successors", _UNIQUE),
            (2, "unique by moves", "moves", _UNIQUE),
        )
    ]
    return Table(
        name="small-boards",
        title="The same on smaller boards",
        candidates=sum(comb(w * h, k) for w, h in SMALL for k in range(1, 7)),
        rows=rows,
    )


def _moves() -> Table:
    ask = Ask(
        "fling/layers",
        ('search={name="exhaustive"}', 'evaluators=[{name="legal_moves"}]', "generator.pieces=6"),
    )
    row = partial(Row, ask=ask, quick=True)
    return Table(
        name="moves",
        title="Legal moves of the boards of 6 pieces",
        printed="the text",
        candidates=comb(CELLS, 6),
        rows=(
            row(
                label="moves of a board, mean",
                published=Exact(6),
                sql=of_metric("mean", "legal_moves"),
                found=Rounded(4.293, 3),
                reason='an erratum: "on average 6 moves (in practice this is higher)"',
            ),
            row(
                label="moves of all boards",
                published=Exact(139_378_914),
                origin="reference",
                sql=of_metric("total", "legal_moves"),
            ),
            row(
                label="boards without a move",
                published=Exact(1_546_522),
                origin="reference",
                sql=count_of("legal_moves", 0),
            ),
        ),
    )


def expert_ask(pieces: int, uniqueness: str) -> Ask:
    """Ask for the expert ratio of all uniquely solvable boards; all ties of the best are kept."""
    return Ask(
        "fling/best_by_expert_ratio",
        (
            f"generator.pieces={pieces}",
            f'filter.search={{name="retrograde", uniqueness="{uniqueness}"}}',
            'select=[{metric="expert_ratio", keep="best"}]',
        ),
    )


def _experts() -> Table:
    rows: list[Row] = []
    for (pieces, uniqueness), (boards, mean, full, expert, ties) in EXPERT.items():
        row = partial(Row, origin="reference", quick=True)
        ask = expert_ask(pieces, uniqueness)
        label = f"{pieces} pieces, {_CONVENTIONS[uniqueness]} counted"
        rows += [
            row(
                label=f"{label}: uniquely solvable boards",
                published=Exact(boards),
                ask=ask,
                sql=of_metric("valued", "expert_ratio"),
            ),
            row(
                label=f"{label}: mean ratio",
                published=Rounded(mean, 6),
                ask=ask,
                sql=of_metric("mean", "expert_ratio"),
            ),
            row(
                label=f"{label}: best ratio",
                published=Rounded(round(full / expert, 6), 6),
                ask=ask,
                sql=of_metric("maximum", "expert_ratio"),
            ),
            *(
                row(
                    label=f"{label}: nodes of {what} of the best boards",
                    published=Exact(nodes),
                    ask=ask,
                    sql=f"SELECT DISTINCT scores ->> '{metric}' FROM kept WHERE run_id = :run "
                    "AND kept_by LIKE 'best by expert_ratio%'",
                )
                for metric, what, nodes in (
                    ("full_tree", "the tree of all moves", full),
                    ("expert_tree", "the expert's tree", expert),
                )
            ),
            row(
                label=f"{label}: best boards, up to mirrors and translation",
                published=Exact(ties),
                ask=ask,
                sql=f"SELECT {pieces}, rank FROM scores WHERE run_id = :run AND metric = 'expert_ratio' "
                "AND value = (SELECT maximum FROM metrics WHERE run_id = :run AND metric = 'expert_ratio')",
                reduce=f"{_PARTS}:up_to_symmetry",
            ),
        ]
    return Table(
        name="expert-ratio",
        title="Uniquely solvable boards that gain most from knowing that independent moves commute",
        printed='"Evaluating selected boards"',
        candidates=comb(CELLS, 5) + comb(CELLS, 6),
        rows=rows,
    )


def _levels() -> Table:
    row = partial(Row, origin="reference", how="the query fling/edits for each board of the file of levels",
                  needs_data=True, quick=True)  # fmt: skip
    return Table(
        name="levels",
        title="The boards of the game's levels 1 to 17",
        rows=(
            row(label="boards", published=Exact(104), compute=f"{_PARTS}:level_boards"),
            row(label="solvable", published=Exact(104), compute=f"{_PARTS}:level_solvable"),
            row(label="unique by successors", published=Exact(104), compute=f"{_PARTS}:level_unique"),
            row(label="unique by moves", published=Exact(35), compute=f"{_PARTS}:level_unique_by_moves"),
            row(
                label="reachable states as in the reference",
                published=Exact(104),
                compute=f"{_PARTS}:level_reachable_agree",
            ),
            *(
                Row(
                    label=f"unique by {what}, all 248 boards of the game",
                    published=Exact(boards),
                    origin="reference",
                    reason="only the boards of levels 1 to 17 are at hand",
                )
                for what, boards in (("successors", 248), ("moves", 43))
            ),
        ),
    )


def _figure_5() -> Table:
    from epcg_fling.studies import computed

    how = "the query fling/edits for each board, metric reachable_states"
    return Table(
        name="figure-5",
        printed="Figure 5, drawn as a curve with error bars from the smallest to the largest board",
        title=f"Reachable states of the boards of the game's levels 1 to {GAME_LEVELS} of 35",
        rows=[
            _level_row(level, what, function, "states", how)
            for level in _numbers()
            for what, function in (
                ("mean", "reachable_of_level"),
                ("smallest", "fewest_of_level"),
                ("largest", "most_of_level"),
            )
        ],
        plot=Plot(title="Fling!: reachable states, by level", draw=computed.draw_reachable),
    )


def _figure_6() -> Table:
    return Table(
        name="figure-6",
        printed="Figure 6, drawn",
        title=f"Pieces of the boards of the game's levels 1 to {GAME_LEVELS} of 35, mean",
        rows=[
            _level_row(level, "mean", "pieces_of_level", "pieces", "the file of levels")
            for level in _numbers()
        ],
        plot=Plot(title="Fling!: pieces, by level", axis="pieces, mean"),
    )


def _numbers() -> range:
    return range(1, GAME_LEVELS + 1)


def _level_row(level: int, what: str, function: str, unit: str, how: str) -> Row:
    from epcg_fling.studies import computed

    return Row(
        label=f"level {level}: {what}",
        published=None,
        unit=unit,
        compute=partial(getattr(computed, function), level=str(level)),
        reason=_DRAWN,
        how=how,
        needs_data=True,
        quick=True,
    )


def _figure_7() -> Table:
    from epcg_fling.studies import computed

    def row(table: int, found: float | None = None, **more: Any) -> Row:
        return Row(
            label=f"14 pieces, a table of {table}: how many times fewer boards are searched",
            compute=partial(computed.saving_at_14, table=table),
            how=f"epcg fling study: 10 random boards of 14 pieces (seed 1), table of {table} pieces",
            found=None if found is None else Rounded(found, 2),
            quick=True,
            **more,
        )

    return Table(
        name="figure-7",
        printed="Figure 7",
        title="What the endgame table of 9 pieces saves when a board and its edits are judged: boards "
        "searched without it and with it (the paper: time, 100 random boards each of 14, 15 and 16 pieces)",
        candidates=None,
        rows=(
            row(9, published=About(5, 0.25)),
            row(8, 2.67, published=None, reason=_OTHER_TABLE),
            row(10, 17.10, published=None, reason=_OTHER_TABLE),
            Row(
                label="the same factor on the game's own levels",
                published=None,
                out_of_reach=OutOfReach("drawing", "the times of the figure are only drawn"),
            ),
        ),
    )


def _figure_8() -> Table:
    rows: list[Row] = []
    for pieces in (*LAYERS, 9, 10):
        row = partial(
            Row,
            label=f"{pieces} pieces",
            unit="%",
            ask=layer_ask(pieces),
            sql=_SHARE.format("solvable"),
            quick=pieces <= QUICK_LAYERS,
        )
        if pieces in SHARES:
            rows.append(row(published=About(SHARES[pieces], 0.05)))
        else:
            solvable = LAYERS[pieces][0] if pieces in LAYERS else NINE_SOLVABLE
            share = round(100 * solvable / comb(CELLS, pieces), 2)
            rows.append(row(published=None, found=Rounded(share, 2), reason=_DRAWN))
    rows += [
        Row(
            label=f"{pieces} pieces",
            published=None,
            out_of_reach=OutOfReach("size", f"all boards of {pieces} pieces", comb(CELLS, pieces)),
        )
        for pieces in (14, 15, 16)
    ]
    return Table(
        name="figure-8",
        printed="Figure 8",
        title="Solvable boards, by the number of pieces",
        candidates=sum(comb(CELLS, k) for k in range(1, 11)),
        rows=rows,
        plot=Plot(title="Fling!: solvable boards, by the number of pieces", axis="% of the boards"),
    )
