"""The registered evaluators, and the analysis of one board."""
