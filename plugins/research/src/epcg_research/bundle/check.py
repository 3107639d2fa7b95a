"""Archives, checked for `epcg verify FILE`: their digests, certificates, values, and a study's numbers."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from epcg_core.inside import Check, make_check, plan, verdict_of
from epcg_core.plugin import (
    CheckFailedError,
    ConditionalError,
    EpcgError,
    UncheckedError,
    documents,
    load_query,
)
from epcg_research.bundle import archive, study_check
from epcg_research.bundle.archive import CERTIFICATE, CITATION, ENVIRONMENT, QUERY, SUMS
from epcg_research.bundle.runs import FIGURE, STATUSES, VALUES
from epcg_research.bundle.studies import FIGURES, NUMBERS, RUNS
from epcg_research.certificate.form import read_json
from epcg_research.certificate.rows import rows_hold
from epcg_research.methods import check_certificate

MOST_BYTES = 1 << 32
"""Of the files of an archive together."""
_CITED = re.compile(r'value: "run:([^"]*)"')
_TOLD = ("README.md", ENVIRONMENT, FIGURE, FIGURES)


def recognise(path: Path) -> bool:
    """Return whether a file is a zip file with a list of digests."""
    try:
        with zipfile.ZipFile(path) as file:
            return SUMS in file.namelist()
    except (OSError, zipfile.BadZipFile, ValueError):
        return False


def verify(path: Path, options: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
    """Check an archive; return the checks, and what none covers."""
    left: list[str] = []
    with TemporaryDirectory(prefix=documents.temporary_prefix()) as name:
        folder = Path(name)
        checks = [make_check("files", lambda: _files(path, folder))]
        if not checks[0].passed:
            return checks, left
        with _named_files(folder):
            left += [f"what {each} says" for each in _TOLD if (folder / each).exists()]
            digests: set[str] = set()
            places = [folder, *sorted(each for each in (folder / RUNS).glob("*") if each.is_dir())]
            for place in places:
                if (place / QUERY).exists() or (place / CERTIFICATE).exists():
                    of = "" if place == folder else f" of run {place.name:.20}"
                    checks += _run(place, of, options, digests, left)
            if (folder / VALUES).exists():
                sound = verdict_of(c for c in checks if c.name != "question") != "does not hold"
                checks.append(make_check("table", partial(_values, folder, left, sound)))
            if (folder / CITATION).exists():
                checks.append(make_check("citation", partial(_cited, folder, digests, left)))
            if (folder / NUMBERS).exists():
                checks += study_check.verify(folder, left)
    return checks, left


def _files(path: Path, folder: Path) -> str:
    """Unpack an archive into a folder, and check the digest of each file."""
    try:
        with zipfile.ZipFile(path) as file:
            entries = [each for each in file.infolist() if not each.is_dir()]
            names = [each.filename for each in entries]
            if len(set(names)) != len(names):
                raise CheckFailedError("Two of its files have the same name.")
            if len(names) > archive.MOST_FILES or sum(each.file_size for each in entries) > MOST_BYTES:
                raise UncheckedError("It has too many files, or too large ones, to be unpacked.")
            for name in names:
                parts = PurePosixPath(name).parts
                if not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in name:
                    raise CheckFailedError(f"It has a file {name!r:.100}, whose name leads out of it.")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with file.open(name) as source, target.open("wb") as copy:
                    while block := source.read(1 << 20):
                        copy.write(block)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise CheckFailedError(f"It is not a sound zip file: {error}.") from error
    listed: dict[str, str] = {}
    for line in documents.read_text(folder / SUMS, "list of digests", CheckFailedError).splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    odd = sorted(set(listed) ^ (set(names) - {SUMS}))
    if odd:
        raise CheckFailedError(f"{odd[0]:.100} is in the archive or in {SUMS}, not in both.")
    for name, digest in listed.items():
        with (folder / name).open("rb") as file_:
            if hashlib.file_digest(file_, "sha256").hexdigest() != digest:
                raise CheckFailedError(f"{name:.100} has another digest than {SUMS} says.")
    return f"All {len(listed):,} files have the digests that {SUMS} lists. Anyone can write such a list."


@contextmanager
def _named_files(folder: Path) -> Iterator[None]:
    """Let what params name be found in an unpacked archive."""
    names = [each.relative_to(folder) for each in folder.rglob("*")]
    with documents.places({name.as_posix(): str(folder / name) for name in names}):
        yield


def _run(place: Path, of: str, options: Mapping[str, Any], digests: set[str], left: list[str]) -> list[Check]:
    """Check the certificate and the query of one run."""
    path = place / CERTIFICATE
    if not path.exists():
        left.append(f"the run{of}, which has no certificate")
        return []
    try:
        claims = read_json(path)["claims"]
        digests.add(str(claims["digest"]))
        identity = str(claims["identity"])
    except (EpcgError, LookupError, TypeError) as error:
        return [Check(f"certificate{of}", "does not hold", f"It cannot be read: {error}")]
    own = {name: options[name] for name in ("share", "tries", "sample", "seed", "recompute")}
    found = check_certificate(path, options["db"], **own)
    verdict = verdict_of(found)
    if of:
        odd = next((each for each in found if each.verdict == verdict), None)
        said = f"All {len(found)} checks of it hold." if odd is None or verdict == "holds" else odd.detail
        checks = [Check(f"certificate{of}", verdict, said)]
    else:
        checks = list(found)
    plans = any(each.name == "query" and each.passed for each in found)
    return [*checks, make_check(f"question{of}", lambda: _question(place / QUERY, identity, plans))]


def _question(path: Path, identity: str, plans: bool) -> str:
    """Check that the query plans the run of the certificate; `plans`: the certificate's own does."""
    if not path.exists():
        raise CheckFailedError(f"There is no {QUERY}.")
    try:
        same = plan(load_query(str(path)))[1].identity == identity
    except EpcgError as error:
        if plans:
            raise CheckFailedError(f"{QUERY} cannot be planned: {error}") from error
        raise
    if not same:
        raise CheckFailedError(f"{QUERY} asks for another run than the certificate is about.")
    return f"{QUERY} plans the run of the certificate."


def _values(folder: Path, left: list[str], sound: bool) -> str:
    if not sound:
        raise UncheckedError(f"{VALUES} is compared with a certificate only if that holds.")
    if not (folder / CERTIFICATE).exists():
        raise UncheckedError(f"There is no certificate that {VALUES} could be compared with.")
    said, more = rows_hold(read_json(folder / CERTIFICATE), folder / VALUES, folder / STATUSES)
    left += more
    return said


def _cited(folder: Path, digests: set[str], left: list[str]) -> str:
    """Check that the runs to cite are those of the certificates."""
    text = documents.read_text(folder / CITATION, "citation", CheckFailedError)
    cited = set(_CITED.findall(text))
    without = [each for each in left if "has no certificate" in each]
    if cited - digests and not without:
        raise CheckFailedError(f"{CITATION} names a digest that no certificate here has.")
    if digests - cited:
        raise CheckFailedError(f"{CITATION} does not name the digest of each run.")
    if cited - digests:
        raise ConditionalError(
            f"It holds if the runs without certificates have the digests that {CITATION} names."
        )
    return f"{CITATION} names the digests of the certificates."
