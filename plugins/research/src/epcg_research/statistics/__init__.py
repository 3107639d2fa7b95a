"""Statistics of studies with people: arrays in, estimates out.

scipy and statsmodels do the arithmetic; the choice of a method, its name, and what it assumes are ours.
They are imported when they are used: the extra `statistics`.
"""

from epcg_research.statistics.censored import ordered
from epcg_research.statistics.comparisons import paired, preferred, unpaired
from epcg_research.statistics.correlation import METHODS, NAMES, Method, correlation, difference
from epcg_research.statistics.estimates import CONFIDENCE, Estimate, need_statistics
from epcg_research.statistics.multiple import ADJUSTMENTS, Adjustment, adjusted
from epcg_research.statistics.people import (
    AVERAGES,
    MEAN_OF_GIVEN_UP,
    NO_MEDIANS,
    Average,
    averages,
    centre_interval,
    mixed_slope,
    ranks_within,
)
from epcg_research.statistics.power import Power, power_of_correlation, power_of_preference
from epcg_research.statistics.resampling import NO_PRODUCT_MOMENT, RESAMPLED, Resampled, bootstrap

__all__ = [
    "ADJUSTMENTS",
    "AVERAGES",
    "CONFIDENCE",
    "MEAN_OF_GIVEN_UP",
    "METHODS",
    "NAMES",
    "NO_MEDIANS",
    "NO_PRODUCT_MOMENT",
    "RESAMPLED",
    "Adjustment",
    "Average",
    "Estimate",
    "Method",
    "Power",
    "Resampled",
    "adjusted",
    "averages",
    "bootstrap",
    "centre_interval",
    "correlation",
    "difference",
    "mixed_slope",
    "need_statistics",
    "ordered",
    "paired",
    "power_of_correlation",
    "power_of_preference",
    "preferred",
    "ranks_within",
    "unpaired",
]
