"""The domain `rows`, as it is or with a mistake, as an installed plugin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from epcg_testing import Report, check_domain

from epcg_core.plugins.registry import registry
from tests.faces import only

HERE = Path(__file__).parent
FILES = {
    "rows.py": "__init__.py",
    "walks.py": "walks.py",
    "rows.toml": "conformance.toml",
    "rows_query.toml": "queries/widest.toml",
    "rows_plan.toml": "plans/wide.toml",
}
"""The files of the plugin's package, by their names here."""
Check = Callable[..., Report]


@pytest.fixture
def check_rows(
    install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Check:
    """check_rows(file, old, new, **options): `check_domain` of rows with one passage of a file replaced."""
    monkeypatch.setenv("EPCG_PLUGINS", only("rows"))

    def check(file: str = "", old: str = "", new: str = "", **options: Any) -> Report:
        install_plugin("rows", "epcg_rows", "", "epcg-rows")
        (tmp_path / "site" / "epcg_rows.py").unlink()
        for name, target in FILES.items():
            text = (HERE / name).read_text(encoding="utf-8")
            if name == file:
                assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
                text = text.replace(old, new)
            path = tmp_path / "site" / "epcg_rows" / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for module in ("epcg_rows", "epcg_rows.walks"):
            sys.modules.pop(module, None)
        registry.cache_clear()
        return check_domain("rows", **options)

    return check
