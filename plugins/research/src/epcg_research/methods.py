"""Methods and functions that the face adds: `run.arrow`, `run.plot` and `epcg_core.check_certificate`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.inside import Check, checked, in_notebook
from epcg_core.plugin import Progress, Store, Wanted, param, structure
from epcg_research import certificate as certificates
from epcg_research.exchange.arrow import batches, need_arrow, schema_of
from epcg_research.figures import Asked, Kind, Paper, Plot, drawing

if TYPE_CHECKING:
    from epcg_core import Run


@checked
def arrow(
    run: Run, *metrics: str, where: str | None = None, puzzles: bool = False, status: bool = False
) -> Any:
    """Return a pyarrow.RecordBatchReader over the candidates of a run, in the order of their ranks.

    A batch is a chunk or a piece of one, and one is in memory at a time. DuckDB and polars read from it
    as from a table, once.

    Args:
        run: the run.
        metrics: the metrics; none for all.
        where: an SQL condition over rank and all metrics of the run.
        puzzles: whether there is a column with the puzzles' ids.
        status: whether there is a column that says why a candidate has no value.

    Raises:
        UnknownNameError: if the run has no such metric.
        StoreError: if the condition is invalid.
        PluginError: without pyarrow.
    """
    need_arrow("Record batches need")
    import pyarrow

    names = tuple(dict.fromkeys(metrics)) or tuple(metric.name for metric in run.metrics)
    wanted = Wanted(names, puzzles, status, where)
    with Store.open(run.database.location) as store, store.reader() as reader:
        schema = schema_of(reader, run.record, wanted)
        batches(reader, run.record, wanted, schema)

    def read() -> Iterator[Any]:
        with Store.open(run.database.location) as store, store.reader() as reader:
            yield from batches(reader, run.record, wanted, schema)

    return pyarrow.RecordBatchReader.from_batches(schema, read())


@checked
def plot(
    run: Run,
    *metrics: str,
    kind: Kind = "bars",
    over: str | None = None,
    by: str | tuple[str, int] | None = None,
    shares: bool = False,
    fit: bool = False,
    where: str | None = None,
    log: bool = False,
    title: str | None = None,
    paper: Paper | None = None,
) -> Plot:
    """Draw metrics of a run, or its first one, as `epcg plot` does.

    A run that is not finished is drawn as far as it is, and the title says so.

    Args:
        run: the run.
        metrics: the metrics; none for the first one.
        kind: 'bars', 'ecdf' or 'violins'.
        over: a second metric: candidates are points over it.
        by: a second metric whose values are groups, or that and into how many groups its values are cut.
        shares: whether bars are shares, with intervals if the run is a sample.
        fit: whether points have a straight line.
        where: an SQL condition over rank and the metrics.
        log: whether the vertical axis is logarithmic.
        title: the title; default: what is drawn; '' for none.
        paper: size and font (`epcg_research.figures.Paper`); None for a picture on a page.

    Raises:
        UnknownNameError: if the run has no such metric.
        StoreError: if nothing has a value.
        EpcgError: if parts of what is asked for do not go together.
        PluginError: without matplotlib.
    """
    names = list(dict.fromkeys(metrics)) or [run.metrics[0].name]
    groups = (by, None) if isinstance(by, str) else by
    asked = Asked(kind, over, groups, shares, fit, where, log, title)
    with Store.open(run.database.location) as store, store.reader() as reader:
        found = drawing(reader, [run.number], names, asked)
    return Plot.of(found, paper or Paper())


@attrs.frozen
class _Extent:
    """How much of a run is computed again."""

    sample: int = param(minimum=0, help="recorded candidates, if there is a database")
    recompute: float = param(minimum=0.0, maximum=1.0, help="share of all ranks")


@checked
def check_certificate(
    path: str | Path,
    db: str | Path | None = None,
    *,
    share: float = 0.01,
    tries: int = 40,
    sample: int = 1000,
    seed: int | None = None,
    recompute: float = 0.0,
    quiet: bool | None = None,
) -> tuple[Check, ...]:
    """Check a certificate, as `epcg verify --certificate` does; it holds if all checks passed.

    Args:
        path: its file.
        db: the database that holds its run; without one, its opened ranks are computed again.
        share: how many of the values a liar may have changed unnoticed.
        tries: how often a liar may have tried to find openings that hide the lie: 2^tries times.
        sample: how many recorded candidates are computed again, with a database.
        seed: draws them, and what `recompute` computes; default: drawn by chance.
        recompute: the share of all ranks that is computed again whole.
        quiet: show no progress; default: show it in notebooks only.

    Raises:
        ParamsError: if a number is not in its range.
        UncheckedError: if the file cannot be read.
        CheckFailedError: if it is not JSON.
    """
    where = "check_certificate"
    security = structure(certificates.Security, {"share": float(share), "tries": index(tries)}, where)
    extent = structure(_Extent, {"sample": index(sample), "recompute": float(recompute)}, where)
    data = certificates.read_json(Path(path))
    total = (
        extent.sample if db is not None else certificates.ranks_to_compute(data, security, extent.recompute)
    )
    bar = Progress("ranks", total, quiet=not in_notebook() if quiet is None else quiet)
    with bar as progress, ExitStack() as stack:
        store = None if db is None else stack.enter_context(Store.open(str(db)))
        return certificates.check_certificate(
            data,
            store,
            security,
            sample=extent.sample,
            seed=None if seed is None else index(seed),
            recompute=extent.recompute,
            advance=progress.advance,
        )
