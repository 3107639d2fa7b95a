"""Table 1 and the text of the 2018 paper, as far as they are about Fling!. Light: rows are only declared."""

from __future__ import annotations

from functools import partial
from math import comb

from epcg_core.plugin import Ask, Exact, Rounded, Row, Table, of_metric

RANKS = {
    0: "0 1 2 3", 1: "0 1 2 4", 2: "0 1 2 5",
    4841: "15 16 17 19", 4842: "15 16 18 19", 4843: "15 17 18 19", 4844: "16 17 18 19",
}  # fmt: skip
"""rank -> the combination of 4 of 20, as printed"""
CELLS = 56
_ERRATUM = "an erratum: it counts 6 moves a board, and there are 4.293"


def ranks() -> Table:
    from epcg_fling.studies import computed

    return Table(
        name="table-1",
        printed="Table 1",
        title="Ranks of the ways to choose 4 of 20 cells",
        candidates=comb(20, 4),
        rows=[
            Row(
                label=f"rank {rank}",
                published=Exact(cells),
                compute=partial(computed.combination, rank=rank),
                how="epcg_core.combinatorics.Combinations(20, 4)",
                quick=True,
            )
            for rank, cells in RANKS.items()
        ],
    )


def text() -> Table:
    """Return the numbers of the text."""
    from epcg_fling.studies import computed

    how = "the size of epcg_fling.generators.boards.Boards"
    row = partial(Row, how=how, quick=True)
    moves = Ask(
        "fling/layers",
        ('search={name="exhaustive"}', 'evaluators=[{name="legal_moves"}]', "generator.pieces=6"),
    )
    generated = partial(Row, ask=moves, quick=True, reason=_ERRATUM)
    total = of_metric("total", "legal_moves")
    return Table(
        name="text",
        printed="the text",
        title="Boards of 5, 6 and 10 pieces, boards generated from those of 6, and the cost of unranking",
        candidates=comb(CELLS, 6),
        rows=(
            row(
                label="10 pieces: boards",
                published=Rounded(35.6, 1),
                unit="billion",
                compute=partial(computed.boards_in, pieces=10, unit=10**9),
            ),
            row(
                label="6 pieces: boards",
                published=Rounded(32.5, 1),
                unit="million",
                compute=partial(computed.boards_in, pieces=6, unit=10**6),
            ),
            row(
                label="5 pieces: different boards",
                published=Rounded(3.8, 1),
                unit="million",
                compute=partial(computed.boards_in, pieces=5, unit=10**6),
            ),
            generated(
                label="5 pieces: boards generated from all boards of 6 pieces",
                published=Rounded(195, 0),
                unit="million",
                sql=total.replace("total", "total / 1e6", 1),
                found=Rounded(139.4, 1),
            ),
            generated(
                label="5 pieces: how often each is generated, mean",
                published=Exact(51),
                sql=total.replace("total", f"total * 1.0 / {comb(CELLS, 5)}", 1),
                found=Rounded(36.5, 1),
            ),
            Row(
                label="incremental unranking, how many times cheaper",
                published=Exact("10 to 20"),
                reason="a comparison of two routines of the paper's program: increments against unranking",
            ),
        ),
    )
