"""The hexagon, its pieces, and what a constraint allows."""
