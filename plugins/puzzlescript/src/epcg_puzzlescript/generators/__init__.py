"""The registered generators."""
