"""Boards and instances as text."""
