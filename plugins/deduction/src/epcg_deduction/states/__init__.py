"""Puzzles that are changed and played: clues put and taken away, marks written."""
