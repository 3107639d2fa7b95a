"""The spaces of deduction puzzles."""
