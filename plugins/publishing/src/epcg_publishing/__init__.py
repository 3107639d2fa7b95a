"""Booklets, play pages and exports of curricula."""
