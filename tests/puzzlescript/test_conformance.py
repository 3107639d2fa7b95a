"""The domain puzzlescript keeps the laws that the core relies on."""

from __future__ import annotations

import pytest
from epcg_testing import DomainConformance


@pytest.mark.slow
class TestPuzzleScript(DomainConformance):
    domain = "puzzlescript"
