"""Fling! for EPCG."""
