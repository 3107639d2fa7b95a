"""The command line in this process, here too."""

from tests.cli.conftest import cli

__all__ = ["cli"]
