"""Boards and levels as text."""
