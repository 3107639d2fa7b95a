"""The registered generators of levels."""
