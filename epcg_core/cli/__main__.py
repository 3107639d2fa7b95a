"""`python -m epcg_core.cli`."""

from epcg_core.cli import main

if __name__ == "__main__":
    main()
