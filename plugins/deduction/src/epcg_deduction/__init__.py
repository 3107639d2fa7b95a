"""Deduction puzzles for EPCG: marks, clues and rules as a text; every genre's puzzles, exhaustively."""
