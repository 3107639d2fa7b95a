"""Searches: ways to cover a ranked space."""
