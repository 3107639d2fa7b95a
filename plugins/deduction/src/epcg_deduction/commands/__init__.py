"""Commands: `epcg deduction ...`."""
