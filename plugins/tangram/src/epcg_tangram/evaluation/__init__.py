"""The registered evaluators."""
