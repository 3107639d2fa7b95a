"""Results of workers: arrays of values, their encoding and digests. Must not import SQLAlchemy."""
