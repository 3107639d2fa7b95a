"""Rush Hour for EPCG: every board, and the clusters of boards that moves connect."""
