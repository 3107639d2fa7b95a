"""The registered inference rules."""
