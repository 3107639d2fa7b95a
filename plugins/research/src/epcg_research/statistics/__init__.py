"""Statistics of studies with people: arrays in, estimates out.

scipy and statsmodels do the arithmetic; the choice of a method, its name, and what it assumes are ours.
They are imported when they are used: the extra `statistics`.
"""

from epcg_research.statistics.censored import median_interval, ordered
from epcg_research.statistics.comparisons import paired, preferred, unpaired
from epcg_research.statistics.correlation import METHODS, NAMES, Method, correlation, difference
from epcg_research.statistics.estimates import CONFIDENCE, Estimate, need_statistics
from epcg_research.statistics.hazards import OF_TIMES, hazard_ratio
from epcg_research.statistics.missing import left_out
from epcg_research.statistics.multiple import ADJUSTMENTS, Adjustment, adjusted
from epcg_research.statistics.multivariate import Multivariate, multivariate
from epcg_research.statistics.orders import OF_ORDER, at_balanced_orders, of_order, preferences
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
from epcg_research.statistics.persistence import log_rank, still_there
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
    "OF_ORDER",
    "OF_TIMES",
    "RESAMPLED",
    "Adjustment",
    "Average",
    "Estimate",
    "Method",
    "Multivariate",
    "Power",
    "Resampled",
    "adjusted",
    "at_balanced_orders",
    "averages",
    "bootstrap",
    "centre_interval",
    "correlation",
    "difference",
    "hazard_ratio",
    "left_out",
    "log_rank",
    "median_interval",
    "mixed_slope",
    "multivariate",
    "need_statistics",
    "of_order",
    "ordered",
    "paired",
    "power_of_correlation",
    "power_of_preference",
    "preferences",
    "preferred",
    "ranks_within",
    "still_there",
    "unpaired",
]
