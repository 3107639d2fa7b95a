"""Options of runs that do not affect results."""

from __future__ import annotations

import attrs

from epcg_core.errors import ParamsError


def _positive(_: object, attribute: attrs.Attribute[int | None], value: object) -> None:
    if value is not None and (type(value) is not int or value < 1):
        raise ParamsError(
            f"{attribute.name}: {value!r} is not allowed; expected an integer of 1 or more, or None."
        )


@attrs.frozen
class Options:
    """Options of running: none of them changes a value that is recorded.

    Raises ParamsError if `unit_size` or `chunk_size` is not a positive integer.
    """

    executor: str | None = None
    """"serial", "processes", "threads" or "dask"; None: processes, or serial for less than 2 seconds."""
    workers: int | None = None
    quiet: bool = False
    unit_timeout: float | None = None
    """Seconds that a unit may take before the run stops with its name; None: as long as it likes."""
    scheduler: str | None = None
    """The address of a dask scheduler, whose workers compute."""
    unit_size: int | None = attrs.field(default=None, kw_only=True, validator=_positive)
    """Ranks in a unit of a new run; None means about half a second's work."""
    chunk_size: int | None = attrs.field(default=None, kw_only=True, validator=_positive)
    """Ranks in a chunk of a new run; None means a size that suits its metrics. Digests are made chunk by
    chunk, so only runs with chunks of the same size have the same digest, and a certificate whose inputs have
    chunks of another size can be checked only beside the database."""
