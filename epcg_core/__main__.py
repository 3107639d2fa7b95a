"""`python -m epcg_core`: the command line."""

from epcg_core.cli import main

if __name__ == "__main__":
    main()
