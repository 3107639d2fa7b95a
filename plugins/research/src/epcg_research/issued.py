"""The functions `epcg_core.certificate` and `epcg_core.bundle`: files about runs for those who check them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import Note, Report
from epcg_core.inside import (
    check_ending,
    checked,
    checked_methods,
    in_notebook,
    listened_to_by,
    location_of,
    no_folder,
)
from epcg_core.plugin import EpcgError, Progress, Store, documents
from epcg_research.bundle import write_bundle, write_study_bundle
from epcg_research.certificate import Security, certify

if TYPE_CHECKING:
    from epcg_core import Table
    from epcg_core.inside import ProgressListener


@checked_methods
@attrs.frozen(repr=False)
class Certificate(Report):
    """What a run claims, for others to check."""

    run: int
    data: dict[str, Any]
    """The document, as `json` returns it."""

    @property
    def claims(self) -> dict[str, Any]:
        """What the run covers, its digest and its best."""
        found: dict[str, Any] = self.data["claims"]
        return found

    def parts(self) -> Iterator[str | Table]:
        """Yield a sentence."""
        claims = self.claims
        yield (
            f"The certificate of run {self.run}: {claims['coverage']}, {claims['evaluated']:,} candidates "
            f"evaluated, digest {claims['digest']}."
        )

    def json(self) -> dict[str, Any]:
        """Return the document."""
        return self.data

    def save(self, path: str | Path) -> None:
        """Write the document into a file, which `epcg.verify` checks."""
        with documents.replaced(Path(path)) as part:
            part.write_text(json.dumps(self.data, indent=1) + "\n", encoding="utf-8")


@checked
def certificate(
    run: int,
    *,
    share: float = 0.01,
    tries: int = 40,
    sample: int = 1000,
    remake: bool = False,
    db: str | Path | None = None,
    quiet: bool | None = None,
    progress: ProgressListener | None = None,
) -> Certificate:
    """Return what a run claims, as `epcg certificate` writes it, when the run has passed its checks.

    Args:
        run: the number of the run.
        share: how many of the values a liar may have changed unnoticed.
        tries: how often a liar may have tried to find openings that hide the lie: 2^tries times.
        sample: how many recorded candidates are computed again before.
        remake: compute runs again whole whose values were dropped when they had served.
        db: the database; as for `open`.
        quiet: show no progress; default: show it in notebooks only.
        progress: is called with the title of what is computed, how much of it is done, and how much it is.

    Raises:
        CheckFailedError: if a check fails.
        UncheckedError: if the run cannot be checked here.
    """
    bar = Progress("sample", sample, quiet=not in_notebook() if quiet is None else quiet)
    with listened_to_by(progress), Store.open(location_of(db)) as store, bar as shown:
        return Certificate(run, certify(store, run, Security(share, tries), sample, shown.advance, remake))


@attrs.frozen(repr=False)
class Bundle(Report):
    """An archive of a run or a study."""

    output: Path
    of: str
    """'run' or 'study'."""
    name: str
    lacking: tuple[str, ...]
    """A sentence for each file that needs an extra which is not installed."""

    def parts(self) -> Iterator[str | Table]:
        """Yield sentences."""
        yield from map(Note, self.lacking)
        if self.of == "run":
            about = f"run {self.name}, its values, certificate and environment"
        else:
            about = f"study {self.name}, its measures, findings and runs"
        yield Note(f"{self.output}: {about}. Its README.md has the commands.")

    def json(self) -> dict[str, Any]:
        """Return the file, and what it lacks."""
        return {"output": str(self.output), self.of: self.name, "lacking": list(self.lacking)}


@checked
def bundle(
    what: int | str,
    output: str | Path | None = None,
    *,
    share: float = 0.01,
    tries: int = 40,
    sample: int = 1000,
    db: str | Path | None = None,
) -> Bundle:
    """Write one archive about a run, by its number, or a study, by its name, as `epcg bundle` does.

    Args:
        what: the run or the study.
        output: the archive; None for run-N.zip or study-NAME.zip.
        share: how many of a certificate's values a liar may have changed unnoticed.
        tries: how often a liar may have tried: 2^tries times.
        sample: how many recorded candidates of a run are computed again before.
        db: the database; as for `open`.

    Raises:
        EpcgError: if there is no such run or study, or a check fails.
    """
    number = what if isinstance(what, int) else documents.whole_number(what)
    usual = f"run-{number}.zip" if number is not None else f"study-{documents.file_name(str(what))}.zip"
    target = Path(usual) if output is None else Path(output)
    check_ending(target, ".zip")
    if not target.parent.is_dir():
        raise EpcgError(no_folder(target))
    security = Security(share, tries)
    with Store.open(location_of(db)) as store:
        if number is not None:
            lacking = write_bundle(store, number, target, security, sample)
        else:
            lacking = write_study_bundle(store, str(what), target, security, sample)
    return Bundle(target, "study" if number is None else "run", str(what), tuple(lacking))
