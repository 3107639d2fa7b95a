"""Shortest solutions of puzzles that are played, from scratch or by reusing those of similar puzzles."""
