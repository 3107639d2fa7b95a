"""An archive of a run for those who check it: what was asked, what came out, and how to make it again."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from epcg_core.plugin import (
    PluginError,
    Reader,
    RunRecord,
    Store,
    StoreError,
    Wanted,
    documents,
    query_toml,
    run_details,
)
from epcg_research.certificate import Security, certify
from epcg_research.exchange.arrow import write_parquet
from epcg_research.figures import Asked, drawing

QUERY, CERTIFICATE, VALUES = "query.toml", "certificate.json", "values.parquet"
FIGURE, ENVIRONMENT, CITATION = "distributions.pdf", "environment.json", "CITATION.cff"
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The time of all files, so that the same run gives the same archive on the same machine."""


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
        (folder / CERTIFICATE).write_text(json.dumps(certificate, indent=1) + "\n", encoding="utf-8")
        with store.reader() as reader:
            lacking += _write_values(reader, run, folder)
            made = run_details(reader, run)["environment"]
        query = run.spec["query"]
        (folder / QUERY).write_text(query_toml(f"run {run.id}", query), encoding="utf-8")
        (folder / ENVIRONMENT).write_text(
            json.dumps(environment(made, run), indent=1, sort_keys=True) + "\n", encoding="utf-8"
        )
        (folder / CITATION).write_text(_citation(run), encoding="utf-8")
        (folder / "README.md").write_text("\n".join(_readme(run, folder)) + "\n", encoding="utf-8")
        files = sorted(path.name for path in folder.iterdir())
        sums = [f"{hashlib.sha256((folder / each).read_bytes()).hexdigest()}  {each}" for each in files]
        (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
        with documents.replaced(target) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in [*files, "SHA256SUMS"]:
                info = zipfile.ZipInfo(each, _MOMENT)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, (folder / each).read_bytes())
    return lacking


def _write_values(reader: Reader, run: RunRecord, folder: Path) -> Iterator[str]:
    """Write the values and their distributions; yield what is missing, and why."""
    names = tuple(metric.name for metric in reader.every_metric(run.id))
    try:
        write_parquet(reader, run, Wanted(names, True, True, None), folder / VALUES)
    except PluginError as error:
        yield f"The archive has no {VALUES}: {error}"
    try:
        drawing(reader, [run.id], names, Asked()).save(folder / FIGURE)
    except (PluginError, StoreError) as error:
        yield f"The archive has no {FIGURE}: {error}"


def environment(made: Mapping[str, Any], run: RunRecord) -> dict[str, Any]:
    """Return what a run was made with (`made` is its recorded part), and what the archive was."""
    installed = {each.metadata["Name"]: each.version for each in importlib.metadata.distributions()}
    return {
        "run": dict(made) | {"cpu_seconds": run.cpu_seconds, "versions": list(run.versions)},
        "sources": None if run.sources is None else dict(run.sources.files),
        "archive": {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "platform": platform.platform(),
            "processor": _processor(),
            "processors": os.cpu_count(),
            "packages": dict(sorted(installed.items())),
        },
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _citation(run: RunRecord) -> str:
    version = importlib.metadata.version("epcg-core")
    return f"""cff-version: 1.2.0
message: Cite the software, the paper behind the part that was used, and this archive by its digest.
title: "EPCG: exhaustive procedural content generation"
type: software
authors:
  - name: The EPCG developers
version: {version}
identifiers:
  - type: other
    value: "run:{run.digest}"
    description: The digest of the run's values
"""


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
        (FIGURE, "the distributions of all metrics, for printing"),
        (CERTIFICATE, "what the run claims, with values that anyone can compute again"),
        (
            ENVIRONMENT,
            "versions of Python and packages, the processor, the SHA-256 of each source",
        ),
        (CITATION, "how to cite it"),
        ("SHA256SUMS", "the digests of these files: `sha256sum -c SHA256SUMS`"),
    ):
        if name in there or name == "SHA256SUMS":
            yield f"| `{name}` | {what} |"
    yield ""
    yield (
        "Install the versions that environment.json names (`pip install "
        + " ".join(f"{each.rpartition(' ')[0]}=={each.rpartition(' ')[2]}" for each in run.versions)
        + " epcg-research`). Then:"
    )
    yield ""
    yield f"    epcg verify --certificate {CERTIFICATE}     # drawn values are computed again by plain code"
    yield f"    epcg run {QUERY} --db again.db              # everything is computed again"
    yield f"    epcg verify --certificate {CERTIFICATE} --db again.db"
    yield ""
    took = f"{run.cpu_seconds:,.1f}" if run.cpu_seconds >= 0.1 else "less than 0.1"
    yield f"It took {took} CPU seconds. The run that is made again has the digest above."
