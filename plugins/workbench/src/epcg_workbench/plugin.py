"""The parts of the face. Light, because every command reads it."""

EPCG_API_VERSION = 1
