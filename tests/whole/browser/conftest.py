"""The tests of a module share a browser, which ends with them: other tests count processes and have loops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.whole.browser.chromium import KEPT


@pytest.fixture(scope="module", autouse=True)
def kept_browser() -> Iterator[None]:
    yield
    KEPT.close()
