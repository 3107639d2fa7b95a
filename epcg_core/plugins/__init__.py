"""Plugins: their possible contributions (hookspecs) and the active ones (registry)."""

import pluggy

hookimpl = pluggy.HookimplMarker("epcg")
"""The decorator of a plugin's hooks."""

API_VERSION = 1
"""The version of the plugin API. A plugin module declares its version as `EPCG_API_VERSION`."""

__all__ = ["API_VERSION", "hookimpl"]
