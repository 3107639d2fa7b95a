"""Queries, the specifications of their runs, and the names of spaces and puzzles."""
