"""The commands under `epcg witness`."""
