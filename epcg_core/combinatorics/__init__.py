"""Ranked spaces of the usual combinatorial objects, exact at any size.

Each has `max_rank`, `unrank(rank)`, `rank(state)` and `increment(state)`, and, below 2^63 states, the arrays
`states_block(start, count)` and `states_at(ranks)`. They are generators in the sense of `epcg_core.domain`.
The kernels behind the arrays, for other kernels to call, are in `kernels` (combinations, bitboards),
`permutation_kernels` and `tuple_kernels` (multisets, mixed radix, transversals, constrained tuples).
"""

from epcg_core.combinatorics.combinations import Combinations, Multisets
from epcg_core.combinatorics.constrained import ConstrainedTuples, Occurrences
from epcg_core.combinatorics.factored import BaseBlock, BaseRanks, FactoredSpace
from epcg_core.combinatorics.permutations import KPermutations, MyrvoldRuskeyPermutations, Permutations
from epcg_core.combinatorics.products import MixedRadix, Product
from epcg_core.combinatorics.ranked import RankedSpace
from epcg_core.combinatorics.sequences import Listed
from epcg_core.combinatorics.transversals import PartialTransversals
from epcg_core.combinatorics.walks import ArrayWalk, Walk

__all__ = [
    "ArrayWalk",
    "BaseBlock",
    "BaseRanks",
    "Combinations",
    "ConstrainedTuples",
    "FactoredSpace",
    "KPermutations",
    "Listed",
    "MixedRadix",
    "Multisets",
    "MyrvoldRuskeyPermutations",
    "Occurrences",
    "PartialTransversals",
    "Permutations",
    "Product",
    "RankedSpace",
    "Walk",
]
