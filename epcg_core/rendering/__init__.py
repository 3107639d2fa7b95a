"""Puzzles as text and pictures, and the SVG elements that renderers share."""
