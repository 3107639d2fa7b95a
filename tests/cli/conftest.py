"""The command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.workplace import Workplace


@pytest.fixture
def cli(toy: Workplace) -> Callable[..., Result]:
    """cli(*arguments, code=0): run `epcg`, check its exit code, return stdout, stderr and the rest."""
    from epcg_core.cli.app import app

    def invoke(*arguments: Any, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin, prog_name="epcg")
        assert result.exit_code == code, f"exit {result.exit_code}\n{result.stdout}\n{result.stderr}"
        return result

    return invoke


@pytest.fixture(scope="session")
def recorded() -> dict[str, bytes]:
    """The files of `answered`, once they have been made."""
    return {}


@pytest.fixture
def answered(toy: Workplace, cli: Callable[..., Result], recorded: dict[str, bytes]) -> Workplace:
    """A database with the numbers 0 .. 99: run 1 their digit sum, evenness and root, run 2 their divisor."""
    if not recorded:
        top = '[[select]]\nmetric = "digits"\ncount = 3\n'
        cli("run", toy.query("digits", "even", "root", name="sums", more=top), "--quiet")
        cli("run", toy.query("divisor", name="divisors"), "--quiet")
        recorded.update({path.name: path.read_bytes() for path in toy.folder.iterdir()})
    for name, content in recorded.items():
        (toy.folder / name).write_bytes(content)
    return toy
