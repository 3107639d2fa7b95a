"""Places of the core's tests that tests of research work in, too."""

from __future__ import annotations

from tests.core.cli.conftest import answered, files  # noqa: F401
from tests.core.search.branch_and_bound.conftest import place as sets  # noqa: F401
