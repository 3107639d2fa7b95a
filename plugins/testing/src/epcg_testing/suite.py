"""`DomainConformance`: the laws as a test class, one test for each.

Only the test imports pytest, because `epcg check` works without it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from epcg_testing.check import chosen, subject_of
from epcg_testing.declaration import Conformance
from epcg_testing.laws import LAWS
from epcg_testing.report import judge
from epcg_testing.subject import SAMPLES, Subject


class DomainConformance:
    """Subclass it in a test file; pytest finds a test for each law.

        class TestWords(DomainConformance):
            domain = "words"

    A law that does not apply is skipped, and `pytest -rs` says why; a law that is declared among the
    capabilities fails instead. Declarations are in the plugin's `conformance.toml`, or here.
    """

    domain: ClassVar[str]
    plugin: ClassVar[str | None] = None
    """The name of the plugin whose parts are looked at, if another one has the domain."""
    conformance: ClassVar[Conformance | None] = None
    samples: ClassVar[int] = SAMPLES
    _subject: ClassVar[Subject | None] = None

    @classmethod
    def pytest_generate_tests(cls, metafunc: Any) -> None:
        """Generate one test for each law; called by pytest."""
        if "law" in metafunc.fixturenames:
            metafunc.parametrize("law", [law.name for law in LAWS])

    def test_law(self, law: str) -> None:
        """Check that the law is kept."""
        import pytest

        cls = type(self)
        if "_subject" not in vars(cls):
            cls._subject = subject_of(
                cls.domain, samples=cls.samples, conformance=cls.conformance, plugin=cls.plugin
            )
        assert cls._subject is not None
        outcome = judge(chosen([law])[0], cls._subject)
        if outcome.status in ("not checked", "not applicable"):
            pytest.skip(outcome.reason)
        if outcome.status == "broken":
            pytest.fail(outcome.message(), pytrace=False)
