"""Retrograde analysis of boards, layer by layer."""
