"""The laws, from ranks to plays: one module for each contract, in which a law is a check or lists checks."""

from __future__ import annotations

from epcg_testing.laws import (
    arrays,
    bounds,
    choices,
    classes,
    editors,
    entropy,
    files,
    golden,
    graphs,
    guests,
    layers,
    packed,
    parts,
    play,
    processes,
    ranks,
    scores,
    shipped,
    texts,
)
from epcg_testing.report import Law

LAWS: tuple[Law, ...] = (
    *parts.LAWS,
    *ranks.LAWS,
    *texts.LAWS,
    *files.LAWS,
    *scores.LAWS,
    *classes.LAWS,
    *arrays.LAWS,
    *processes.LAWS,
    *guests.LAWS,
    *shipped.LAWS,
    *play.LAWS,
    *packed.LAWS,
    *graphs.LAWS,
    *entropy.LAWS,
    *bounds.LAWS,
    *layers.LAWS,
    *choices.LAWS,
    *editors.LAWS,
    *golden.LAWS,
)
"""The laws in the order of their checks."""
