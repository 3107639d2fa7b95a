"""Contents that other programs made, beside the whole space of a run."""
