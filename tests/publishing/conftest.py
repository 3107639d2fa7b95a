"""A place of the core's tests that a test of publishing works in, too."""

from __future__ import annotations

from tests.core.search.exact_cover.conftest import place as tilings  # noqa: F401
