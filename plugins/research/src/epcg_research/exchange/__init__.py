"""What goes in and out: Arrow and Parquet, measures of others, traces of play."""
