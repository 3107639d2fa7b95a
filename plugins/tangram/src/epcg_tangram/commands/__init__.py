"""The commands under `epcg tangram`."""
