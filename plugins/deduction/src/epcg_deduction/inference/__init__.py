"""What a player concludes: kinds of steps as inference rules, hints in words, and play as positions."""
