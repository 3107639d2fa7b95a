"""What the rules of a puzzle say about its sites, and the solvers that read nothing else."""
