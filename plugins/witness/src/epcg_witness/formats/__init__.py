"""Panels as text, and the files of The Windmill."""
