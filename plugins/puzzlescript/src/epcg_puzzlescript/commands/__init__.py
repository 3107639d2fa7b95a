"""The commands `epcg puzzlescript ...`."""
