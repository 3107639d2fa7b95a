"""The registered generators of boards."""
