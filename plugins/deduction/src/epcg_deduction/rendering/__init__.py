"""Pictures of puzzles and of their solutions."""
