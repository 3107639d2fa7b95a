"""Levels and their rules, plain and compiled."""
