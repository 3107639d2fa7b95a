"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from epcg_snakebird.rules.variants import OwnTail

Function = TypeVar("Function", bound=Callable[..., Any])


def own_tail_option(default: OwnTail) -> Callable[[Function], Function]:
    """Make the decorator that adds the option `--own-tail` with this default."""
    return click.option(
        "--own-tail",
        type=click.Choice(get_args(OwnTail)),
        default=default,
        show_default=True,
        help="If a snake pushes into its own tail's cell, the tail leaves it, as in the game, or stays in "
        "the way, as in the paper.",
    )
