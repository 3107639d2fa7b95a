"""The conformance kit for plugin authors: it checks the laws of a domain that the core relies on.

    >>> from epcg_testing import check_domain
    >>> check_domain("words")          # a report; on the command line: epcg check words

    class TestWords(DomainConformance):  # in a test file: one test for each law
        domain = "words"

The applicable laws follow from the capabilities of a domain (a generator with `rank`, an evaluator with
`evaluate_states`, ...). Everything else (small spaces above all, counts and plays that must never change) is
declared in a file `conformance.toml` beside the plugin's module (see `Conformance`).
"""

from epcg_testing.check import check_domain
from epcg_testing.declaration import Conformance, declared
from epcg_testing.laws import LAWS
from epcg_testing.report import Law, Outcome, Report
from epcg_testing.suite import DomainConformance
from epcg_testing.violations import Skip, Violation

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
