"""Databases in a browser: a plugin of Datasette's that draws puzzles, and `epcg browse`, which starts it."""
