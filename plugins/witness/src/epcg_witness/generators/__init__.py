"""The registered generators of panels."""
