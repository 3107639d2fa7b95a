"""Platformer levels for EPCG: all segments of a grammar, and the chains of them that can be passed."""
