"""The rules of play: the plain engine, the engine of bit planes, and the transition model."""
