"""Ratios against references measured in the same run: `make bench`, or `python -m benchmarks NAME...`."""
