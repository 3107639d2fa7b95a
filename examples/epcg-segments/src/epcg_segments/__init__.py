"""Platformer levels for EPCG: all segments of a grammar, the chains of them that can be passed, and how hard."""
