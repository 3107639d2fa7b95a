"""Options of runs: how to compute, and which recorded runs to use."""

from __future__ import annotations

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.chunks.codec import BIT_CHUNK_SIZE


def _at_most_a_chunk(_: object, attribute: attrs.Attribute[int | None], value: int | None) -> None:
    if value is not None and value > BIT_CHUNK_SIZE:
        raise ParamsError(
            f"{attribute.name}: {value} is not allowed; a chunk has at most {BIT_CHUNK_SIZE} ranks."
        )


def _positive(_: object, attribute: attrs.Attribute[int | None], value: object) -> None:
    if value is not None and (type(value) is not int or value < 1):
        raise ParamsError(
            f"{attribute.name}: {value!r} is not allowed; expected an integer of 1 or more, or None."
        )


@attrs.frozen
class Options:
    """How to run: no option changes a value that is computed.

    Raises ParamsError if `unit_size` or `chunk_size` is not a positive integer, or above the limit.
    """

    executor: str | None = None
    """"serial", "processes", "threads" or "dask"; None means processes, or serial for short runs."""
    workers: int | None = attrs.field(default=None, validator=_positive)
    """Processes or threads; None means one for each processor."""
    quiet: bool = False
    """Whether progress is hidden."""
    unit_timeout: float | None = None
    """Seconds that a unit may take before the run stops with its name; None means no limit."""
    scheduler: str | None = None
    """The address of a dask scheduler, whose workers compute; None means a cluster of this machine's own."""
    again: bool = attrs.field(default=False, kw_only=True)
    """Whether the answer is computed again, and each run behind it whose sources differ; older runs stay."""
    accept_older: bool = attrs.field(default=False, kw_only=True)
    """Whether runs that were computed with other sources are used; that is recorded."""

    @accept_older.validator
    def _one_choice(self, _: object, value: bool) -> None:
        if value and self.again:
            raise ParamsError("--again computes older runs again, --accept-older uses them: give one.")

    unit_size: int | None = attrs.field(default=None, kw_only=True, validator=_positive)
    """Ranks in a unit of a new run; None means about half a second's work."""
    chunk_size: int | None = attrs.field(default=None, kw_only=True, validator=[_positive, _at_most_a_chunk])
    """Ranks in a chunk of a new run, at most 1,048,576; None means a size that suits its metrics. Digests are
    made chunk by chunk, so only runs with chunks of the same size have the same digest. Certificates do not
    depend on it."""
