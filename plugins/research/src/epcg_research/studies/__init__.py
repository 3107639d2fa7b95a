"""Studies with people: what they did with puzzles, beside the recorded measures of these puzzles."""
