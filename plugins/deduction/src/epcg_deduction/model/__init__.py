"""Boards, genres, clues and puzzles: the parts of a deduction puzzle."""
