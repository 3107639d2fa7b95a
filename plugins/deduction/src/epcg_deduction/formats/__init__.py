"""Texts of puzzles: the domain's own, and files."""
