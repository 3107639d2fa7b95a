"""The published results, and what they are computed from."""
