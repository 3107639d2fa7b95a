"""A game that a person plays: positions, undo, hints and the screen."""
