"""What all archives have: versions, how to cite them, digests of files."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from epcg_core.inside import named_texts, plan, planned
from epcg_core.plugin import EpcgError, RunRecord, documents, from_data, registry

QUERY, CERTIFICATE = "query.toml", "certificate.json"
ENVIRONMENT, CITATION, SUMS = "environment.json", "CITATION.cff", "SHA256SUMS"
COMMON = (
    (ENVIRONMENT, "versions of Python and packages, the processor, the SHA-256 of each source"),
    (CITATION, "how to cite it"),
    (SUMS, f"the digests of these files: `sha256sum -c {SUMS}`"),
)
MOST_FILES = 10_000
"""The files of a folder that is packed."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The time of all files, so that the same archive is made on the same machine again."""


def pack(folder: Path, target: Path) -> None:
    """Write the files of a folder, with their digests, into a zip file. Raises OSError."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    sums = [f"{hashlib.sha256((folder / each).read_bytes()).hexdigest()}  {each}" for each in names]
    (folder / SUMS).write_text("\n".join(sums) + "\n", encoding="utf-8")
    with documents.replaced(target) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in [*names, SUMS]:
            info = zipfile.ZipInfo(each, _MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, (folder / each).read_bytes())


def add_named_files(run: RunRecord, folder: Path) -> Iterator[str]:
    """Copy what a run's params name to where they find it from the archive; yield what cannot be packed.

    The database may be a liar's, so it says neither which files are packed nor what is in them: names come
    from the query, planned again, bytes are bounded, and with them the query has to plan the same run.
    """
    for name, place in run.files.items():
        why = _why_not(run, name, Path(place), folder)
        if why:
            yield f"The archive has no {name!r:.100}, which run {run.id} is recorded to read: {why}"


def _why_not(run: RunRecord, name: str, source: Path, folder: Path) -> str:
    """Pack a file or folder; say why it is not packed, '' if it is."""
    target = folder / name
    try:
        if name not in named_texts(registry(), planned(run)[1]):
            return "no param of its query names it."
    except EpcgError as error:
        return f"its query cannot be planned. {error}"
    if not source.exists():
        return f"it is not at {source} any more."
    if Path(name).is_absolute() or not target.resolve().is_relative_to(folder.resolve()):
        return "the name leads out of the archive."
    there = target.exists()
    if there and (source.is_dir() or target.is_dir()):
        return "another file has that name."
    try:
        if source.is_dir():
            _copy_folder(source, target)
        else:
            data = documents.read_bytes(source, "file")
            if there and data != target.read_bytes():
                return "another file has that name."
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        with documents.places({**run.files, name: str(target.resolve())}):
            same = plan(from_data(run.spec["query"]))[1].request == run.request
        why = "" if same else f"what lies at {source} is not what it read."
    except EpcgError as error:
        why = str(error)
    if why and not there:
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    return why


def _copy_folder(source: Path, target: Path) -> None:
    """Copy the regular files of a folder and below it. Raises EpcgError if they are too many or large."""
    number = size = 0
    for path in sorted(source.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith("."):
            continue
        data = documents.read_bytes(path, "file")
        number, size = number + 1, size + len(data)
        if number > MOST_FILES or size > documents.MOST_BYTES:
            raise EpcgError(f"{source} is too large to be packed.")
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)


def write_json(path: Path, data: Any, *, sorted_keys: bool = False) -> None:
    """Write data as a JSON file that people can read."""
    text = json.dumps(data, indent=1, sort_keys=sorted_keys, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def of_run(made: Mapping[str, Any], run: RunRecord) -> dict[str, Any]:
    """Return what a run was made with; `made` is its recorded part."""
    return {
        "run": dict(made) | {"cpu_seconds": run.cpu_seconds, "versions": list(run.versions)},
        "sources": None if run.sources is None else dict(run.sources.files),
    }


def here() -> dict[str, Any]:
    """Return what the archive is made with."""
    found = importlib.metadata.distributions()
    named = [each for each in found if each.read_text("METADATA") or each.read_text("PKG-INFO")]
    installed = {each.metadata["Name"]: each.version for each in named}
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": platform.platform(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "packages": dict(sorted(installed.items())),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def citation(runs: Mapping[int, str]) -> str:
    """Write how to cite an archive: the software, and the digest of each run, by its number."""
    version = importlib.metadata.version("epcg-core")
    lines = [
        "cff-version: 1.2.0",
        "message: Cite the software, the paper behind the part that was used, and the digests here.",
        'title: "EPCG: exhaustive procedural content generation"',
        "type: software",
        "authors:",
        "  - name: The EPCG developers",
        f"version: {version}",
        "license: MIT",
    ]
    if runs:
        lines.append("identifiers:")
    for number, digest in runs.items():
        lines += [
            "  - type: other",
            f'    value: "run:{digest}"',
            f"    description: The digest of the values of run {number}",
        ]
    return "\n".join(lines) + "\n"


def versions(runs: list[RunRecord]) -> str:
    """Return the requirements, for pip, that runs were made with."""
    found = dict.fromkeys(each for run in runs for each in run.versions)
    return " ".join(f"{each.rpartition(' ')[0]}=={each.rpartition(' ')[2]}" for each in found)
