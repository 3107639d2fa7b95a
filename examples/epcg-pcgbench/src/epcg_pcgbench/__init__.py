"""Three problems of the PCG Benchmark for EPCG: mazes, rooms with a key and a door, crates on targets.

Khalifa and others, "The Procedural Content Generation Benchmark" (2025), pose them to generators; here all
contents of a size are measured.
"""
