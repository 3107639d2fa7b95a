"""The conformance kit for plugin authors: does a domain keep the laws that the core relies on?

    >>> from epcg_core.testing import check_domain
    >>> check_domain("words")          # a report; on the command line: epcg check words

    class TestWords(DomainConformance):  # in a test file: one test for each law
        domain = "words"

Which laws apply is found out from what the domain offers (a generator with `rank`, an evaluator with
`evaluate_states`, ...). What cannot be found out, small spaces above all, counts and plays that must never
change, is declared in a file `conformance.toml` beside the plugin's module (see `Conformance`).
"""

from epcg_core.testing.check import check_domain
from epcg_core.testing.declaration import Conformance, declared
from epcg_core.testing.laws import LAWS
from epcg_core.testing.report import Law, Outcome, Report
from epcg_core.testing.suite import DomainConformance
from epcg_core.testing.violations import Skip, Violation

__all__ = [
    "LAWS",
    "Conformance",
    "DomainConformance",
    "Law",
    "Outcome",
    "Report",
    "Skip",
    "Violation",
    "check_domain",
    "declared",
]  # fmt: skip
