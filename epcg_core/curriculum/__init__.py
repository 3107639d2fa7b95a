"""Curricula: puzzles chosen from the database by a plan, with the reasons, and printed."""
