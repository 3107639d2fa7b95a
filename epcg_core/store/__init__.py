"""The exhaustive store: every evaluated candidate's every score, in one database.

`Chunk` and `Reader` are imported when they are first asked for: they need numpy, which `epcg sql` does not.
"""

from typing import TYPE_CHECKING, Any

from epcg_core.store.store import Store

if TYPE_CHECKING:
    from epcg_core.chunks.codec import Chunk
    from epcg_core.store.reader import Reader
    from epcg_core.store.records import RunRecord

__all__ = ["Chunk", "Reader", "RunRecord", "Store"]


def __getattr__(name: str) -> Any:
    if name == "Chunk":
        from epcg_core.chunks import codec

        return codec.Chunk
    if name == "Reader":
        from epcg_core.store import reader

        return reader.Reader
    if name == "RunRecord":
        from epcg_core.store import records

        return records.RunRecord
    raise AttributeError(f"module 'epcg_core.store' has no attribute '{name}'")
