"""A project: a folder of ordinary files, opened as documents, saved as one edits, with its history."""
