"""A plain reading of rules on complete markings, which shares nothing with solvers."""
