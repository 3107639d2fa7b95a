"""What a worker makes of a unit: arrays of values, their encoding and their digests. No SQLAlchemy here."""
