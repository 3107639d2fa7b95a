"""Puzzles as other programs write them."""

from epcg_deduction.exchange.puzzlink import is_address, read_address, write_address
from epcg_deduction.exchange.pzprv3 import is_file, read_file, write_file

__all__ = ["is_address", "is_file", "read_address", "read_file", "write_address", "write_file"]
