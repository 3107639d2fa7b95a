"""Draw pictures for `epcg plot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from epcg_core.plugin import (
    QueryError,
    Reader,
    Store,
    StoreError,
    ask_sql,
    distribution,
    parsed,
    registry,
    say,
    space_in_words,
)
from epcg_research import figures
from epcg_research.figures import Series


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
    """Draw the distributions of metrics, the layers, or the columns of a statement."""
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
