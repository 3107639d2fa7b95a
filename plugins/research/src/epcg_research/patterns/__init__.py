"""The search of all local patterns over a recorded space: those that never fail there are inference rules."""
