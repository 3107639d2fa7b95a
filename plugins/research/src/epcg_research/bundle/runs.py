"""An archive of a run for those who check it: what was asked, what came out, and how to make it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from epcg_core.inside import StoreError, query_toml, run_details
from epcg_core.plugin import PluginError, Reader, RunRecord, Store, Wanted, documents
from epcg_research.bundle import archive
from epcg_research.bundle.archive import CERTIFICATE, CITATION, COMMON, ENVIRONMENT, QUERY, SUMS
from epcg_research.certificate import Security, certify
from epcg_research.certificate.rows import write_statuses
from epcg_research.exchange.arrow import write_parquet
from epcg_research.figures import Asked, drawing

VALUES, STATUSES, FIGURE = "values.parquet", "statuses.parquet", "distributions.pdf"


def write_bundle(store: Store, run_id: int, target: Path, security: Security, sample: int) -> list[str]:
    """Write the archive of a finished run.

    Args:
        store: the database.
        run_id: the run.
        target: the zip file.
        security: how many values the certificate opens.
        sample: how many recorded candidates are computed again before.

    Returns:
        Sentences about what the archive lacks.

    Raises:
        CheckFailedError: if the run does not pass its checks.
        StoreError: if it is not finished, or keeps no values.
    """
    with store.reader() as reader:
        run = reader.run(run_id)
    if not run.done:
        raise StoreError(f"Run {run_id} is not finished: go on with epcg resume {run_id}.")
    if run.counted or run.dropped:
        raise StoreError(f"Run {run_id} keeps no values, so there are none for an archive.")
    certificate = certify(store, run_id, security, sample)
    lacking: list[str] = []
    with TemporaryDirectory(prefix=documents.temporary_prefix()) as name:
        folder = Path(name)
        archive.write_json(folder / CERTIFICATE, certificate)
        with store.reader() as reader:
            lacking += _write_values(reader, run, folder)
            made = run_details(reader, run)["environment"]
        query = query_toml(f"run {run.id}", run.spec["query"])
        (folder / QUERY).write_text(query, encoding="utf-8")
        environment = {**archive.of_run(made, run), "archive": archive.here()}
        archive.write_json(folder / ENVIRONMENT, environment, sorted_keys=True)
        lacking += archive.add_named_files(run, folder)
        (folder / CITATION).write_text(archive.citation({run.id: str(run.digest)}), encoding="utf-8")
        (folder / "README.md").write_text("\n".join(_readme(run, folder)) + "\n", encoding="utf-8")
        archive.pack(folder, target)
    return lacking


def _write_values(reader: Reader, run: RunRecord, folder: Path) -> Iterator[str]:
    """Write the values and their distributions; yield what is missing, and why."""
    names = tuple(metric.name for metric in reader.every_metric(run.id))
    try:
        write_parquet(reader, run, Wanted(names, True, True, None), folder / VALUES)
        write_statuses(reader, run, folder / STATUSES)
    except PluginError as error:
        yield f"The archive has no {VALUES}: {error}"
    try:
        drawing(reader, [run.id], names, Asked()).save(folder / FIGURE)
    except (PluginError, StoreError) as error:
        yield f"The archive has no {FIGURE}: {error}"


def _readme(run: RunRecord, folder: Path) -> Iterator[str]:
    there = {path.name for path in folder.iterdir()}
    yield f"# Run {run.id}: {run.search} over {run.domain}"
    yield ""
    yield f"{run.evaluated:,} of {run.candidates:,} candidates were evaluated: {run.coverage}."
    yield f"The digest of all values is `{run.digest}`."
    yield ""
    yield "| file | what it is |"
    yield "|---|---|"
    for name, what in (
        (QUERY, "the question"),
        (VALUES, "every value, with ids that rebuild the candidates, and why one is missing"),
        (STATUSES, "why a value is missing, metric by metric, where they differ in that"),
        (FIGURE, "the distributions of all metrics, for printing"),
        (CERTIFICATE, "what the run claims, with values that anyone can compute again"),
        *COMMON,
    ):
        if name in there or name == SUMS:
            yield f"| `{name}` | {what} |"
    for name in run.files:
        if (folder / name).exists():
            yield f"| `{name}` | what the question reads |"
    yield ""
    yield (
        f"Install the versions that {ENVIRONMENT} names (`pip install {archive.versions([run])} "
        "epcg-research`). Then:"
    )
    yield ""
    yield f"    epcg verify --certificate {CERTIFICATE}     # drawn values are computed again by plain code"
    yield f"    epcg run {QUERY} --db again.db              # everything is computed again"
    yield f"    epcg verify --certificate {CERTIFICATE} --db again.db"
    yield ""
    yield f"`epcg verify` with the archive itself also compares {VALUES} with the certificate."
    yield ""
    took = f"{run.cpu_seconds:,.1f}" if run.cpu_seconds >= 0.1 else "less than 0.1"
    yield f"It took {took} CPU seconds. The run that is made again has the digest above."
