"""Exhaustive procedural content generation: generate all content of a kind, evaluate it, keep the best."""

from importlib.metadata import version as _version

__version__ = _version("epcg-core")

API_VERSION = 1
"""The version of the plugin API; a plugin module says which it was written for as `EPCG_API_VERSION`."""

from epcg_core.hookspecs import hookimpl  # noqa: E402

__all__ = ["API_VERSION", "__version__", "hookimpl"]
