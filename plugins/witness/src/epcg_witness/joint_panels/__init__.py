"""Sets of sub-panels that one path solves together."""
