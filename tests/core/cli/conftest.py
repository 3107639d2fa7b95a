"""A database to ask, made once."""

from __future__ import annotations

import pytest

from tests.workplace import Numbers, epcg


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    """The files of `answered`, once they have been made."""
    return {}


@pytest.fixture
def answered(toy: Numbers, files: dict[str, bytes]) -> Numbers:
    """A database with the numbers 0 .. 99: run 1 their digit sum, evenness and root, run 2 their divisor."""
    if not files:
        top = '[[select]]\nmetric = "digits"\ncount = 3\n'
        epcg("run", toy.file("digits", "even", "root", name="sums", more=top), "--quiet")
        epcg("run", toy.file("divisor", name="divisors"), "--quiet")
        files.update({path.name: path.read_bytes() for path in toy.folder.iterdir()})
    for name, content in files.items():
        (toy.folder / name).write_bytes(content)
    return toy
