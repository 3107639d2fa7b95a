"""PuzzleScript for EPCG: every game that is written in its language is a domain of puzzles."""
