"""Addresses of dask schedulers. Light: distributed is not imported."""

from __future__ import annotations

import re

from epcg_core.plugin import EpcgError

_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.%a-z]{2,60}\]):(?P<port>[0-9]{1,5})/?"
    r"|inproc://[^\s\0]{1,253}"
)


def check_scheduler(address: str) -> None:
    """Raise EpcgError if a string is not the address of a scheduler, such as tcp://host:8786."""
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match["port"] or 1) not in range(1, 65536):
        raise EpcgError(
            f"'{address}' is not the address of a dask scheduler: write host:port, as in tcp://host:8786."
        )
