"""Puzzle entropy of panels, compiled."""
