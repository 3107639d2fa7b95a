"""The function `epcg_core.check`: the laws of a domain, as a report like those of other commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

import epcg_core as epcg
from epcg_core.inside import checked
from epcg_core.plugin import CheckFailedError
from epcg_testing.apart import SECONDS, check_apart
from epcg_testing.report import Outcome, Report, name_width
from epcg_testing.subject import SAMPLES

if TYPE_CHECKING:
    from epcg_core import Table


@attrs.frozen(repr=False)
class Checked(epcg.Report):
    """What became of the laws of a domain."""

    report: Report

    @property
    def passed(self) -> bool:
        """Whether no law is broken."""
        return bool(self.report)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The laws in order, each with its status."""
        return self.report.outcomes

    def parts(self) -> Iterator[str | Table]:
        """Yield a line for each law, then what breaks one and how to mend it."""
        width = name_width(outcome.law for outcome in self.outcomes)
        yield from (outcome.line(width) for outcome in self.outcomes)
        yield f"\n{self.report.ending()}"

    def table(self) -> Table:
        """Return a row for each law."""
        rows = [[each.law.name, each.status, each.cases, each.law.statement] for each in self.outcomes]
        return epcg.Table.of(["law", "status", "cases", "statement"], rows)

    def json(self) -> dict[str, Any]:
        """Return each law with its violations."""
        return {"domain": self.report.domain, "laws": self.report.data()}

    def demand(self) -> None:
        """Raise CheckFailedError if a law is broken."""
        if self.report.broken:
            names = ", ".join(outcome.law.name for outcome in self.report.broken)
            raise CheckFailedError(
                f"The domain {self.report.domain} breaks {len(self.report.broken)} of its laws: {names}."
            )


@checked
def check(
    domain: str,
    *,
    laws: Sequence[str] = (),
    samples: int | None = None,
    plugin: str | None = None,
    seconds: float = SECONDS,
    told: Callable[[Outcome], object] | None = None,
) -> Checked:
    """Check that a domain keeps the laws that the core relies on, as `epcg check` does.

    Args:
        domain: its name.
        laws: the laws that are asked; none for all.
        samples: states of each space that a law looks at, if the plugin does not say.
        plugin: the plugin whose parts are looked at instead of the domain's own.
        seconds: CPU seconds for each law.
        told: is called with the outcome of each law as it ends.

    Raises:
        EpcgError: if there is no such domain, law or plugin.
    """

    def tell(outcome: Outcome) -> None:
        if told is not None:
            told(outcome)

    return Checked(
        check_apart(
            domain,
            laws=tuple(laws) or None,
            samples=samples or SAMPLES,
            plugin=plugin,
            seconds=seconds,
            told=tell,
        )
    )
