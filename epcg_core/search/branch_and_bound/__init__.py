"""Branch and bound: find the best candidate and prove that none is better."""
