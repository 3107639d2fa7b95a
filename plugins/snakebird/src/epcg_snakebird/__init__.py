"""Snakebird levels for EPCG: rules, formats, solver, and what every small change of a level does."""
