"""What the command line and the Python API share: questions answered, runs described, candidates chosen."""
