"""The public modules: what is recorded is there, and it is not much."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from epcg_core.plugins import facade
from epcg_core.plugins.facade import homes
from epcg_core.plugins.sources import sources_of
from tests.core import surface


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


def test_a_name_without_a_promise_says_where_it_is() -> None:
    import epcg_core.plugin

    with pytest.raises(AttributeError, match=r"epcg_core\.inside has it, without a promise"):
        epcg_core.plugin.Columns  # noqa: B018


def test_the_doors_share_no_name() -> None:
    import epcg_core.inside
    import epcg_core.plugin

    assert set(epcg_core.plugin.__all__) & set(epcg_core.inside.__all__) == set()


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


MOST_NAMES = 240


def test_few_names_are_promised() -> None:
    """Each is kept for good, with its arguments: a new one takes the place of another."""
    assert len(importlib.import_module("epcg_core.plugin").__all__) <= MOST_NAMES


def test_homes_are_read_from_the_block_for_type_checkers() -> None:
    text = "if TYPE_CHECKING:\n    from a.b import c as c, d as e\nelse:\n    from x import y\n"
    assert homes(text) == {"c": ("a.b", "c"), "e": ("a.b", "d")}


def test_an_import_within_a_function_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python asks for `__path__` at each, and kernels are imported so, call by call."""

    def read(content: object) -> None:
        raise AssertionError("the names are read again")

    monkeypatch.setattr(facade, "homes", read)
    from epcg_core.plugin import njit

    plugin: Any = importlib.import_module("epcg_core.plugin")
    assert callable(njit)
    assert not hasattr(plugin, "__path__")
    with pytest.raises(AssertionError, match="read again"):
        _ = plugin.scan_rows_that_nobody_has
