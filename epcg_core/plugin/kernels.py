"""What compiled code of plugins is made of: the one door to numba, and kernels that kernels call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import facade

if TYPE_CHECKING:
    from epcg_core.combinatorics.kernels import (
        binomial_table as binomial_table,
        bit_count as bit_count,
        bit_index as bit_index,
        combination_bits_at as combination_bits_at,
        combination_bits_block as combination_bits_block,
        combination_block as combination_block,
        combination_ranks_of as combination_ranks_of,
        combinations_at as combinations_at,
        highest_bit as highest_bit,
        increment_combination as increment_combination,
        increment_combination_bits as increment_combination_bits,
        rank_combination_bits as rank_combination_bits,
        unrank_combination as unrank_combination,
        unrank_combination_bits as unrank_combination_bits,
    )
    from epcg_core.combinatorics.tuple_kernels import (
        constrained_at as constrained_at,
        constrained_block as constrained_block,
        increment_mixed_radix as increment_mixed_radix,
        increment_multiset as increment_multiset,
        mixed_radix_at as mixed_radix_at,
        mixed_radix_block as mixed_radix_block,
        multiset_block as multiset_block,
        multisets_at as multisets_at,
        rank_multiset as rank_multiset,
        transversals_at as transversals_at,
        unrank_mixed_radix as unrank_mixed_radix,
        unrank_multiset as unrank_multiset,
    )
    from epcg_core.compiled import (
        array_njit as array_njit,
        bare_njit as bare_njit,
        lean_njit as lean_njit,
        njit as njit,
        read_only as read_only,
    )
    from epcg_core.compiled.generated import (
        GeneratedKernel as GeneratedKernel,
    )
    from epcg_core.search.branch_and_bound.kernels import (
        add_pruning as add_pruning,
    )
else:
    __getattr__, __dir__, __all__ = facade(__name__, __file__)
