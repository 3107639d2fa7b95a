"""Levels as text and as files."""
