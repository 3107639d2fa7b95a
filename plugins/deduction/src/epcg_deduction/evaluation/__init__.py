"""The evaluators of deduction puzzles."""
