"""The registered evaluators of levels."""
