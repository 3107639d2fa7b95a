"""The commands under `epcg fling`."""
