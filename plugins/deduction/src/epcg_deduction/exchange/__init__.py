"""Puzzles as other programs write them."""

from epcg_deduction.exchange.puzzlink import is_address, read_address, write_address

__all__ = ["is_address", "read_address", "write_address"]
