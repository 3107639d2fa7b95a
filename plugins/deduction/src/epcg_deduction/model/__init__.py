"""What a deduction puzzle is made of: boards, genres, clues and puzzles."""
