"""The language: from the text of a game to its objects, elementary rules, conditions and levels."""
