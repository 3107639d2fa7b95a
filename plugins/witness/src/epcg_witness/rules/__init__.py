"""Panels and the rules that their lines must satisfy, in plain Python."""
