"""What a player can conclude of a partial path."""
