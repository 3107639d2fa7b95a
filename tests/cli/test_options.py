"""Options that had another name."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from epcg_core.cli.options import renamed_option


@click.command()
@renamed_option("--output", "--out", "target", default="here", type=click.Path(path_type=Path))
def write(target: Path) -> None:
    click.echo(repr(target))


@pytest.mark.parametrize(
    ("arguments", "target", "told"),
    [
        ((), Path("here"), ""),
        (("--output", "there"), Path("there"), ""),
        (("--out", "there"), Path("there"), "The option --out is now called --output; use that.\n"),
    ],
)
def test_a_former_name_keeps_working_and_says_the_new_one(
    arguments: tuple[str, ...], target: Path, told: str
) -> None:
    result = CliRunner().invoke(write, arguments)
    assert (result.stdout, result.stderr) == (f"{target!r}\n", told)


def test_help_names_the_new_one_alone() -> None:
    assert "--out " not in CliRunner().invoke(write, ["--help"]).stdout
