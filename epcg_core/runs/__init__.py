"""Runs: from a query to recorded results, unit by unit."""
