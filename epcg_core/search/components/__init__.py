"""The search for the components of a graph."""
