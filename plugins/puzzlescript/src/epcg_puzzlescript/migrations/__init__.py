"""The revisions of the tables of surveys."""
