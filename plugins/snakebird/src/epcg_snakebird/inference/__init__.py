"""Inference rules: a player's conclusions about a move."""
