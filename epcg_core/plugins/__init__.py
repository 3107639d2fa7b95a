"""Plugins: what they may contribute (hookspecs), and which of them are active (registry)."""

from epcg_core.plugins.hookspecs import hookimpl

API_VERSION = 1
"""The version of the plugin API. A plugin module declares the one it is written for: `EPCG_API_VERSION`."""

__all__ = ["API_VERSION", "hookimpl"]
