"""Inference rules: a player's conclusions about a placement."""
