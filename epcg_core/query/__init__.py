"""Queries: what they ask for, the runs that they plan, and the names of spaces and puzzles."""
