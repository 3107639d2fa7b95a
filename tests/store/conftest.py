"""The toy domains and the bench of tests/core, here too."""

from tests.core.conftest import bench, game

__all__ = ["bench", "game"]
