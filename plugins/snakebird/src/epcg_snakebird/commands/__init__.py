"""The commands under `epcg snakebird`."""
