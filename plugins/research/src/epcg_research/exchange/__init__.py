"""Exchange with other programs: Arrow and Parquet, measures of others, traces of play."""
