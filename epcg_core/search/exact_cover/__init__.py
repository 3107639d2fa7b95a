"""Exact cover: all covers of a problem modulo its symmetries."""
