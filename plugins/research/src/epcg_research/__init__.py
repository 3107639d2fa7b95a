"""Certificates, reproduction, studies and plots, exports and imports."""
