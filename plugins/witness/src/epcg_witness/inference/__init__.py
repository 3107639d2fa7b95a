"""Inference rules: a player's conclusions about a partial path."""
