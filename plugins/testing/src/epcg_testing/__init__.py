"""The conformance kit for plugin authors: it checks the laws of a domain that the core relies on.

    >>> from epcg_testing import check_domain
    >>> check_domain("words")          # a report; on the command line: epcg check words

    class TestWords(DomainConformance):  # in a test file: one test for each law
        domain = "words"

The applicable laws follow from the capabilities of a domain (a generator with `rank`, an evaluator with
`evaluate_states`, ...). Everything else (small spaces above all, counts and plays that must never change) is
declared in a file `conformance.toml` beside the plugin's module (see `Conformance`).

Names are imported when they are first used, because every command imports the plugin beside this module.
"""

from typing import TYPE_CHECKING

from epcg_core.inside import facade

if TYPE_CHECKING:
    from epcg_testing.check import check_domain as check_domain
    from epcg_testing.declaration import Conformance as Conformance, declared as declared
    from epcg_testing.laws import LAWS as LAWS
    from epcg_testing.report import Law as Law, Outcome as Outcome, Report as Report
    from epcg_testing.suite import DomainConformance as DomainConformance
    from epcg_testing.violations import Skip as Skip, Violation as Violation
else:
    __getattr__, __dir__, __all__ = facade(__name__, __file__)
