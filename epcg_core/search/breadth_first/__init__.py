"""Breadth-first search of a ranked graph, one run per depth."""
