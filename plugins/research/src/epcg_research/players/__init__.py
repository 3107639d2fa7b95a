"""Player models: how people choose their moves, fitted from records of play.

`positions`, `features`, `models` and `policy` are what a measure of a puzzle needs; they import neither scipy
nor a database, because a run's sources are followed from the policy. The others fit, compare and draw.
"""
