"""Sliding tiles for EPCG: every solvable board of a frame, and how far each is from solved."""
