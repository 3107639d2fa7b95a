"""Levels as SVG and as text for people."""
