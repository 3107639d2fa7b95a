"""Published numbers, and the questions that give ours."""
