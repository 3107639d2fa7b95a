"""The workshop of games of pieces: what is painted, and what can be said of a game at once."""
