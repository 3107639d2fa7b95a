"""The revisions of the tables of responses."""
