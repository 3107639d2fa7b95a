"""The exhaustive store: every evaluated candidate's every score, in one database."""

from epcg_core.chunks.codec import Chunk
from epcg_core.store.reader import Reader
from epcg_core.store.records import RunRecord
from epcg_core.store.store import Store

__all__ = ["Chunk", "Reader", "RunRecord", "Store"]
