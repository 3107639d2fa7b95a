"""`epcg sql`: ask the database anything, without being able to change it."""

from __future__ import annotations

import click

from epcg_core.cli.options import command, db_option, format_option


@command("sql")
@click.argument("statement", required=False)
@db_option
@format_option
def sql(statement: str | None, location: str, format: str) -> None:
    """Ask the database anything in SQL. STATEMENT is read from standard input if it is '-'; without one,
    the tables and views are listed with their columns. Nothing can be changed: the database is opened for
    reading.

    The views have names for the usual questions: runs, metrics, layers, kept, scores, histograms; errors
    and statuses (why a value is missing); selections and rejections for curricula; edit_effects and
    best_edits for variants of one content.

    The view scores has every value, from rows or from chunks; functions are faster, at any size:

    \b
      epcg_score(run, metric, rank)       one value
      epcg_count(run, metric, low, high)  how many values lie in low .. high
      epcg_ranks(run, metric, low, high)  whose they are, as a JSON array
      epcg_top(run, metric, count)        the best, best first, as a JSON array
      epcg_percentile(run, metric, value) the mid-rank: per cent lower, and half of the equal
      epcg_quantile(run, metric, share)   the value that a share does not exceed; 0.5: median
      epcg_canonical(run, rank)           the first rank of a candidate's symmetry class
      epcg_puzzle(run, rank)              a puzzle's id
      epcg_rank(run, puzzle)              the rank of a puzzle's id or text; of any run: epcg_rank(puzzle)
      epcg_text(puzzle), epcg_svg(puzzle) its picture

    NULL means no limit; epcg_top(run, metric, count, 'min') takes the smallest; json_each makes a table of an
    array.

    \b
    Examples:
      epcg sql "SELECT * FROM runs"
      epcg sql "SELECT epcg_count(4, 'moves', 20, NULL)"
      epcg sql "SELECT epcg_puzzle(4, value) FROM json_each(epcg_top(4, 'moves', 10))"
      epcg sql "SELECT puzzle, scores FROM kept WHERE run_id = 4" --format csv > kept.csv
      epcg sql "SELECT epcg_text('domain:generator?size=5#17')"
    """
    from epcg_core.cli.work import sql as work

    work.sql(statement, location, format)
