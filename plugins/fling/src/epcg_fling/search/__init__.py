"""The search for solutions, on top of endgame tables."""
