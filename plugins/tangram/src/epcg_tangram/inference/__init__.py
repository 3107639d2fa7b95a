"""What a player can conclude of a placement."""
