"""`epcg plot`: what to plot, from a run, the layers, or any SQL statement.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epcg_core.plugin import command, db_option, say

if TYPE_CHECKING:
    from epcg_core.plugin import Reader
    from epcg_research.figures import Series


@command("plot")
@click.argument("run_ids", metavar="[RUN]...", nargs=-1, type=click.IntRange(1))
@click.option(
    "--metric", "metrics", multiple=True,
    help="A metric whose distribution is drawn; default: the run's first. Repeatable: one below the other.",
)  # fmt: skip
@click.option("--layers", is_flag=True, help="The percentage solvable, and uniquely solvable, by layer.")
@click.option("--domain", help="With --layers: only this domain's.")
@click.option("--sql", "statement", metavar="SELECT", help="Plot the second column over the first.")
@click.option("--log", is_flag=True, help="A logarithmic vertical axis.")
@click.option("--title", help="The title, instead of the one that says what is drawn.")
@click.option(
    "--output", "target", required=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="The picture: FILE.svg, FILE.png or FILE.pdf.",
)  # fmt: skip
@db_option
def plot(
    run_ids: Sequence[int],
    metrics: Sequence[str],
    layers: bool,
    domain: str | None,
    statement: str | None,
    log: bool,
    title: str | None,
    target: Path,
    location: str,
) -> None:
    """Draw a picture: the distribution of a metric in RUN (in several, side by side as shares), the
    percentage solvable by layer, or any two columns. Needs matplotlib: pip install 'epcg-research[plot]'.

    \b
    Examples:
      epcg plot 4 --metric length --output length.svg
      epcg plot 4 --metric length --metric branching --output both.svg
      epcg plot --layers --output layers.png
      epcg plot --sql "SELECT layer, candidates FROM layers" --log --output sizes.svg
    """
    if bool(run_ids) + layers + (statement is not None) != 1:
        raise click.UsageError("Name what to plot: RUN, --layers, or --sql; one of them.")
    if domain is not None and not layers:
        raise click.UsageError("--domain belongs to --layers.")
    if metrics and not run_ids:
        raise click.UsageError("--metric belongs to RUN.")
    if target.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise click.UsageError(f"'{target}' must end in .svg, .png or .pdf.")

    from epcg_core.plugin import Store, distribution
    from epcg_research import figures

    figures.require_matplotlib()
    with Store.open(location) as store, store.reader() as reader:
        if layers:
            series, layer_name = _layers(reader, domain)
            figures.draw_layers(target, series, layer_name, title or "Solvable, by layer", log)
        elif statement is not None:
            columns, rows = _columns(reader, statement)
            figures.draw_columns(target, columns, rows, title or "", log)
        else:
            names = list(dict.fromkeys(metrics)) or [reader.metrics(run_ids[0])[0].name]
            found = [[distribution(reader, run_id, name) for run_id in run_ids] for name in names]
            figures.draw_distributions(target, found, title, log)
    say(f"Drawn into {target}.")


def _columns(reader: Reader, statement: str) -> tuple[list[str], list[Any]]:
    """Return the names and rows of a statement of two columns."""
    from epcg_core.plugin import QueryError, ask_sql

    found = ask_sql(reader.connection, statement)
    names = list(found.columns)
    if len(names) != 2:
        raise QueryError(f"--sql: two columns are plotted, the statement gives {len(names)}.")
    rows = [row for row in found if None not in row]
    if not rows:
        raise QueryError("--sql: the statement gives no row with two values.")
    if not all(isinstance(y, int | float) for _, y in rows):
        raise QueryError(f"--sql: the second column, {names[1]}, must be numbers.")
    return names, rows


def _layers(reader: Reader, domain: str | None) -> tuple[list[Series], str]:
    """Return the series of the view `layers`, one a space and uniqueness, and the param that varies.

    Layers belong together when their params are equal but for those that are the layer's number.
    """
    import sqlalchemy as sa

    from epcg_core.plugin import StoreError, parsed, registry, space_in_words
    from epcg_research.figures import Series

    rows = reader.connection.execute(
        sa.text(
            "SELECT domain, generator, params, uniqueness, layer, percent_solvable, "
            "percent_uniquely_solvable FROM layers WHERE domain = coalesce(:domain, domain) ORDER BY layer"
        ),
        {"domain": domain},
    ).all()
    if not rows:
        raise StoreError("There is no solved layer in the database: run a query with the retrograde search.")
    params = [parsed(row.params, f"The params of {row.generator}", dict) for row in rows]
    varying = {
        (row.domain, row.generator): {
            key
            for key in own
            if all(
                other.get(key) == r.layer
                for r, other in zip(rows, params, strict=True)
                if (r.domain, r.generator) == (row.domain, row.generator)
            )
        }
        for row, own in zip(rows, params, strict=True)
    }
    found: dict[str, Series] = {}
    for row, own in zip(rows, params, strict=True):
        rest = {k: v for k, v in own.items() if k not in varying[row.domain, row.generator]}
        label = f"{space_in_words(registry(), row.domain, row.generator, rest)}, unique by {row.uniqueness}"
        series = found.setdefault(label, Series(label, [], [], []))
        series.layers.append(row.layer)
        series.solvable.append(row.percent_solvable)
        series.unique.append(row.percent_uniquely_solvable)
    keys = {key for names in varying.values() for key in names}
    return list(found.values()), keys.pop() if len(keys) == 1 else "layer"
