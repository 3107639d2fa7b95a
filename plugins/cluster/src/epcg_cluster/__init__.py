"""The dask executor: units computed by the workers of a cluster."""
