"""Changes of a level: all of one tile, and the removal of one part."""
