"""The revisions of the tables of votes."""
