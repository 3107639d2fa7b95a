"""Verification: check recorded runs, prove optima, issue and check certificates, reproduce publications."""
