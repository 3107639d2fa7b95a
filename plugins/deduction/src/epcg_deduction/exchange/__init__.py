"""Puzzles as other programs write them."""

from epcg_deduction.exchange.penpa import read_penpa, write_penpa
from epcg_deduction.exchange.penpa_text import is_penpa
from epcg_deduction.exchange.puzzlink import is_address, read_address, write_address
from epcg_deduction.exchange.pzprv3 import is_file, read_file, write_file

__all__ = [
    "is_address",
    "is_file",
    "is_penpa",
    "read_address",
    "read_file",
    "read_penpa",
    "write_address",
    "write_file",
    "write_penpa",
]
