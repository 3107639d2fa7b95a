"""The registered evaluators of panels."""
