"""What a player can conclude of a move."""
