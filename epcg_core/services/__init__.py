"""Services shared by the command line and the Python API: answers, descriptions of runs, selections."""
