"""The tests under every Python that EPCG supports, each in an environment of its own.

    pip install nox
    nox                  lint, then the tests under each Python that is installed
    nox -s tests-3.12    one of them; further arguments go to pytest: nox -s tests-3.12 -- tests/core/store

A Python that is not installed is skipped with a message. Environments are kept between calls (`nox -r`).
"""

from __future__ import annotations

import nox

PYTHONS = ("3.11", "3.12", "3.13")
PLUGINS = ("fling", "witness", "snakebird", "tangram", "puzzlescript", "deduction")

nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "tests"]


def install(session: nox.Session) -> None:
    """Install the core with the developers' tools, the plugins and the examples, in their pinned versions."""
    examples = ["sliding", "rushhour", "segments", "hanoi", "pcgbench"]
    folders = [*(f"plugins/{name}" for name in PLUGINS), *(f"examples/epcg-{name}" for name in examples)]
    editable = [word for folder in folders for word in ("-e", folder)]
    session.install("-c", "constraints.txt", "-e", ".[dev]", *editable)


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """Run ruff, mypy --strict and the checker of the pages' types."""
    install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("python", "-m", "tests.page_types")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests, or those that are named after `--`."""
    install(session)
    session.run("pytest", "-q", "-n", "auto", "--dist", "worksteal", *session.posargs)
