"""The search for distances: how many positions lie how many actions from each state, in memory or on disk."""
