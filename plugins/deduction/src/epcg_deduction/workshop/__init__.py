"""Deduction puzzles in the workbench: drawn, changed and played."""
