"""The public modules: what is recorded is there, and names that moved say where they are now."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from epcg_core.plugins.facade import homes
from epcg_core.plugins.sources import sources_of
from tests.core import surface
from tests.forks.forked import python_forked


def test_public_names_and_signatures_are_as_recorded() -> None:
    assert surface.broken() == [], "keep them, as deprecated aliases if need be, or raise API_VERSION"
    assert surface.surface() == surface.recorded(), "record new names: python -m tests.core.surface"


def test_a_changed_signature_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    import epcg_core.plugin

    monkeypatch.setattr(epcg_core.plugin, "shortest_path", lambda model: None)
    assert [line.partition("(")[0] for line in surface.broken()] == ["epcg_core.plugin.shortest_path"]
    monkeypatch.setattr(surface, "API_VERSION", surface.API_VERSION + 1)
    assert surface.broken() == []


@pytest.mark.parametrize("name", surface.MODULES)
def test_public_names_are_documented_and_listed(name: str) -> None:
    module = importlib.import_module(name)
    assert set(module.__all__) <= set(dir(module))
    undocumented = [
        each
        for each in module.__all__
        if callable(found := getattr(module, each)) and isinstance(found, type) and not found.__doc__
    ]
    assert undocumented == []
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'Nothing'"):
        module.Nothing  # noqa: B018


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from epcg_core.edits import EditedSpace", "import EditedSpace from epcg_core.plugin"),
        (
            "from epcg_core.search.path_evaluators import shortest_path_evaluator",
            "import shortest_path_evaluator from epcg_core.plugin",
        ),
        ("from epcg_core.query import PartRef", "import PartRef from epcg_core.plugin"),
        ("from epcg_core.search.shortest_path import shortest_path", "from epcg_core.plugin"),
        ("from epcg_core.search.exact_cover import PartialCovers", "from epcg_core.plugin"),
        ("from epcg_core.testing import DomainConformance", "import DomainConformance from epcg_testing"),
    ],
)
def test_names_that_moved_are_found_with_a_message(old: str, new: str, tmp_path: Path) -> None:
    always = "import warnings\nwarnings.simplefilter('always', DeprecationWarning)\n"
    run = python_forked(always + old, folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert new in run.stderr
    assert "DeprecationWarning" in run.stderr


def test_names_that_moved_to_a_distribution_say_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "epcg_testing", None)
    with pytest.raises(ModuleNotFoundError, match="not installed: pip install epcg-testing"):
        from epcg_core.testing import check_domain  # noqa: F401


def test_sources_are_those_behind_the_public_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that imports from the public modules depends on the files that define what it imports."""
    for name, line in (
        ("private_one", "from epcg_core.combinatorics.combinations import Combinations"),
        ("public_one", "from epcg_core.plugin import Combinations"),
        ("public_kernel", "from epcg_core.plugin import njit"),
        ("whole", "from epcg_core import plugin"),
    ):
        (tmp_path / f"{name}.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    private, public = sources_of(["private_one"]), sources_of(["public_one"])
    assert set(public.files) - {"public_one.py"} == set(private.files) - {"private_one.py"}
    assert "epcg_core/combinatorics/combinations.py" in public.files
    assert not public.has_kernels or private.has_kernels
    assert sources_of(["public_kernel"]).has_kernels
    assert set(sources_of(["whole"]).files) > set(public.files) - {"public_one.py"}


def test_homes_are_read_from_the_block_for_type_checkers() -> None:
    text = "if TYPE_CHECKING:\n    from a.b import c as c, d as e\nelse:\n    from x import y\n"
    assert homes(text) == {"c": ("a.b", "c"), "e": ("a.b", "d")}
