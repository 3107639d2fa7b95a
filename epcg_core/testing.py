"""Forward the names of the conformance kit, which tests of plugins imported from here (deprecated).

They are in a distribution of its own, epcg-testing; this is the one module of the core that names another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import moved

if not TYPE_CHECKING:
    __getattr__ = moved(__name__, "epcg_testing", "epcg_testing")
