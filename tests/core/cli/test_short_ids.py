"""Short ids: what tables show instead of long names, and where they are taken."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

import epcg_core as epcg
from epcg_core.base.errors import QueryError
from epcg_core.query.short_ids import LONGEST, is_short, short, shortened
from epcg_core.store import Store
from epcg_core.store.short_ids import whole
from tests.workplace import Numbers

LONG = "numbers:range?note=" + "x" * LONGEST


def test_only_long_names_are_shortened() -> None:
    assert shortened("numbers:range?size=100#99") == "numbers:range?size=100#99"
    found = shortened(f"{LONG}#17")
    assert is_short(found)
    assert found == f"{short(LONG)}#17"
    assert shortened(LONG) == short(LONG)
    assert shortened(f"numbers:range@2?{'x' * LONGEST}#1").startswith("numbers:range@2~")
    for other in (f"{LONG} and more", "https://example.org/?" + "x" * LONGEST, "x" * 100, f"{LONG}#x"):
        assert shortened(other) == other
        assert not is_short(other)


def test_tables_have_short_ids_which_are_taken(
    toy: Numbers, cli: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epcg_core.query.short_ids.LONGEST", 10)
    query = toy.file("digits", more='[[select]]\nmetric = "digits"\ncount = 3\n')
    name = f"{short('numbers:range?size=100')}#99"
    shown = cli("run", query).stdout
    assert f"{name}\n" in shown
    assert "numbers:range?size=100#89" not in shown
    ask = ("sql", "SELECT puzzle FROM kept ORDER BY rank DESC LIMIT 1")
    assert cli(*ask).stdout.split() == ["puzzle", name]
    assert cli(*ask, "--format", "csv").stdout.split() == ["puzzle", "numbers:range?size=100#99"]
    assert json.loads(cli(*ask, "--format", "json").stdout) == [{"puzzle": "numbers:range?size=100#99"}]

    assert cli("render", name).stdout == "* 99 *\n"
    assert cli("score", name).stdout.startswith("numbers:range?size=100#99\n")
    assert "* 99 *" in cli("sql", f"SELECT epcg_text('{name}')").stdout
    assert epcg.open(toy.database).puzzle(name).id == "numbers:range?size=100#99"


def test_a_short_id_of_another_database(toy: Numbers, cli: Callable[..., Result]) -> None:
    cli("run", toy.file("digits"))
    lost = f"{short(LONG)}#5"
    message = f"'{lost}' is the short name of no space that this database knows"
    assert message in cli("render", lost, code=1).stderr
    assert message in cli("score", lost, code=1).stderr
    with (
        Store.open(toy.database) as store,
        store.reader() as reader,
        pytest.raises(QueryError, match="no space"),
    ):
        whole(reader, lost)
