"""Addresses of the workbench that the pages of the database name, behind that of the project."""

DATA_PATH = "/data/"
"""Where the workbench mounts Datasette."""
OPEN_PATH = "/open"
"""?puzzle=ID opens a puzzle at the board."""
DATABASE = "epcg.db"
"""The database of a project, in its folder."""
