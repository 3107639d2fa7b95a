"""The rules of games of pieces: boards, covers, constraints, instances, and how they are played."""
