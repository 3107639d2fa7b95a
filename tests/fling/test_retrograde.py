"""The layers of Fling! boards: what retrograde analysis finds, and that every way to compute it agrees."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
import pytest
from epcg_fling.retrograde.bits import rank_board, rank_half, rank_table, read_run, two_apart, write_run
from epcg_fling.retrograde.layers import BoardLayers
from epcg_fling.retrograde.slices import transpose
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from epcg_core.base.errors import ParamsError
from epcg_core.domain import Bits, CompiledLayers
from tests.workplace import facts

COUNTS = {
    1: (56, 56, 56, 56),
    2: (1540, 267, 267, 267),
    3: (27720, 2720, 2110, 2500),
    4: (367290, 35518, 15724, 21958),
    5: (3819816, 481048, 103324, 182016),
    6: (32468436, 6110224, 548966, 1174996),
    7: (231917400, 67035246, 2232602, 5786314),
    8: (1420494075, 597112986, 6312768, 20049854),
}
"""Of the 7 by 8 board, by pieces: boards, solvable, unique by moves, unique by successors."""

SHAPES = [
    (1, 9, 5),
    (9, 1, 5),
    (1, 2, 2),
    (2, 1, 2),
    (1, 1, 1),
    (2, 2, 4),
    (2, 3, 6),
    (3, 2, 6),
    (2, 7, 5),
    (7, 2, 5),
    (3, 5, 5),
    (4, 3, 6),
    (3, 3, 9),
    (4, 4, 5),
    (5, 3, 6),
]
"""(width, height, pieces) small enough for plain Python."""

LARGER = [(3, 5, 6), (4, 4, 6), (5, 3, 7)]


# --- the rules once more, in plain Python -----------------------------------------------------------------


def moves_of(board: frozenset[int], width: int, height: int) -> list[frozenset[int]]:
    """The successor of every legal move, straight from the rules of the game."""
    found = []
    for cell in board:
        x, y = cell % width, cell // width
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            path = []
            i, j = x + dx, y + dy
            while 0 <= i < width and 0 <= j < height:
                path.append(j * width + i)
                i, j = i + dx, j + dy
            if not path or path[0] in board or not any(c in board for c in path):
                continue
            after = set(board) - {cell}
            for before_it, ahead in pairwise(path):
                if ahead in board:
                    after.remove(ahead)
                    after.add(before_it)
            found.append(frozenset(after))
    return found


Reached = dict[frozenset[int], list[frozenset[int]]]


@cache
def reached_by_board(width: int, height: int, pieces: int) -> list[Reached]:
    """The successors of the moves of every board, by layer, in the order of the ranks."""
    layers = [map(frozenset, combinations(range(width * height), k)) for k in range(1, pieces + 1)]
    return [{board: moves_of(board, width, height) for board in layer} for layer in layers]


@cache
def plain_layers(width: int, height: int, pieces: int, uniqueness: str) -> list[list[tuple[bool, bool]]]:
    """(solvable, unique) of every board by layer and rank, by Algorithm 5."""
    lower: dict[frozenset[int], tuple[bool, bool]] = {}
    layers = []
    for k, boards in enumerate(reached_by_board(width, height, pieces), start=1):
        current = {}
        for board, moves in boards.items():
            statuses = [lower[b] for b in (set(moves) if uniqueness == "successors" else moves)]
            solutions = sum(s for s, _ in statuses)
            unique_solutions = sum(u for _, u in statuses)
            solvable = k == 1 or solutions > 0
            unique = solvable if k <= 2 else solutions == 1 and unique_solutions == 1
            current[board] = (solvable, unique)
        layers.append(list(current.values()))
        lower = current
    return layers


# --- helpers --------------------------------------------------------------------------------------------


def bools(bits: Bits) -> NDArray[np.bool_]:
    assert bits.data.dtype == np.uint8
    assert bits.data.size == -(-bits.count // 8)
    unpacked = np.unpackbits(bits.data, bitorder="little")
    assert not unpacked[bits.count :].any()
    return unpacked[: bits.count].astype(np.bool_)


def packed(values: NDArray[np.bool_]) -> Bits:
    return Bits(np.packbits(values, bitorder="little"), values.size)


def tables_of(layers: BoardLayers, layer: int, lower: dict[str, Bits]) -> dict[str, NDArray[np.uint64]]:
    tables: dict[str, NDArray[np.uint64]] = {}

    def allocate(name: str, words: int) -> NDArray[np.uint64]:
        assert name not in tables
        tables[name] = np.zeros(words, dtype=np.uint64)
        return tables[name]

    layers.working_tables(layer, lower, allocate)
    for table in tables.values():
        table.flags.writeable = False
    return tables


def joined(parts: list[tuple[Bits, Bits]]) -> tuple[Bits, Bits]:
    if all(part[0].count % 8 == 0 for part in parts[:-1]):
        count = sum(part[0].count for part in parts)
        return (
            Bits(np.concatenate([part[0].data for part in parts]), count),
            Bits(np.concatenate([part[1].data for part in parts]), count),
        )
    return (
        packed(np.concatenate([bools(part[0]) for part in parts])),
        packed(np.concatenate([bools(part[1]) for part in parts])),
    )


def solved(layers: BoardLayers, uniqueness: str, block: int | None = None) -> list[tuple[Bits, Bits]]:
    """(solvable, unique) of every layer, computed block by block."""
    found: list[tuple[Bits, Bits]] = []
    lower: dict[str, Bits] = {}
    for layer in layers.layers:
        tables = tables_of(layers, layer, lower)
        size = comb(layers.width * layers.height, layer)
        step = block or layers.block_size(layer)
        found.append(
            joined(
                [
                    layers.solve_block(layer, tables, start, min(step, size - start), uniqueness)
                    for start in range(0, size, step)
                ]
            )
        )
        lower = {"solvable": found[-1][0], "unique": found[-1][1]}
    return found


def count_set(bits: Bits) -> int:
    return int(np.bitwise_count(bits.data).sum(dtype=np.int64))


def methods(width: int, height: int) -> list[Any]:
    return ["direct"] if height == 1 else ["direct", "bit-sliced"]


# --- facts ------------------------------------------------------------------------------------------------


@pytest.mark.sweep(6)
@pytest.mark.parametrize("uniqueness", ["successors", "moves"])
@pytest.mark.parametrize(
    ("width", "height", "pieces"), [*SHAPES, *(pytest.param(*s, marks=pytest.mark.slow) for s in LARGER)]
)
def test_every_bit_of_small_boards_is_that_of_plain_python(
    width: int, height: int, pieces: int, uniqueness: str
) -> None:
    expected = plain_layers(width, height, pieces, uniqueness)
    for method in methods(width, height):
        found = solved(BoardLayers(width, height, pieces, method), uniqueness)
        for layer, (solvable, unique) in enumerate(found):
            pairs = list(zip(bools(solvable).tolist(), bools(unique).tolist(), strict=True))
            assert pairs == expected[layer], (method, layer + 1)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("uniqueness", ["successors", "moves"])
@pytest.mark.parametrize(
    ("width", "height", "pieces"),
    [
        (4, 5, 8),
        (3, 9, 6),
        (9, 3, 6),
        (1, 20, 8),
        *(pytest.param(*shape, marks=pytest.mark.slow) for shape in ((5, 4, 7), (5, 5, 6), (12, 3, 5))),
    ],
)
def test_bit_sliced_and_direct_agree(width: int, height: int, pieces: int, uniqueness: str) -> None:
    sliced = solved(BoardLayers(width, height, pieces, "bit-sliced"), uniqueness)
    direct = solved(BoardLayers(width, height, pieces, "direct"), uniqueness)
    for (s1, u1), (s2, u2) in zip(sliced, direct, strict=True):
        assert np.array_equal(s1.data, s2.data)
        assert np.array_equal(u1.data, u2.data)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("method", ["direct", "bit-sliced"])
@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_blocks_of_any_size_give_the_same_bits(block: int, method: Any) -> None:
    layers = BoardLayers(4, 3, 5, method)
    for whole, parts in zip(solved(layers, "successors"), solved(layers, "successors", block), strict=True):
        assert np.array_equal(whole[0].data, parts[0].data)
        assert np.array_equal(whole[1].data, parts[1].data)


@cache
def five_by_five() -> tuple[list[tuple[Bits, Bits]], dict[str, NDArray[np.uint64]]]:
    layers = BoardLayers(5, 5, 6)
    found = solved(layers, "successors")
    return found, tables_of(layers, 6, {"solvable": found[4][0], "unique": found[4][1]})


@given(start=st.integers(0, comb(25, 6)), count=st.integers(0, 20000))
def test_any_range_of_ranks_is_a_piece_of_the_layer(start: int, count: int) -> None:
    count = min(count, comb(25, 6) - start)
    found, tables = five_by_five()
    solvable, unique = BoardLayers(5, 5, 6).solve_block(6, tables, start, count, "successors")
    assert np.array_equal(bools(solvable), bools(found[5][0])[start : start + count])
    assert np.array_equal(bools(unique), bools(found[5][1])[start : start + count])


@pytest.mark.parametrize("uniqueness", ["successors", "moves"])
def test_counts_of_the_game(uniqueness: str) -> None:
    found = solved(BoardLayers(7, 8, 6), uniqueness)
    for layer, (solvable, unique) in enumerate(found, start=1):
        boards, number_solvable, by_moves, by_successors = COUNTS[layer]
        assert solvable.count == unique.count == boards
        assert count_set(solvable) == number_solvable
        assert count_set(unique) == (by_moves if uniqueness == "moves" else by_successors)


def test_random_ranges_of_the_game_agree_with_board_by_board() -> None:
    random = np.random.default_rng(7)
    lower = dict(zip(("solvable", "unique"), solved(BoardLayers(7, 8, 5), "moves")[-1], strict=True))
    size = comb(56, 6)
    sliced, direct = BoardLayers(7, 8, 6, "bit-sliced"), BoardLayers(7, 8, 6, "direct")
    sliced_tables, direct_tables = tables_of(sliced, 6, lower), tables_of(direct, 6, lower)
    for start in random.integers(0, size - 30000, size=12).tolist():
        count = int(random.integers(1, 30000))
        for left, right in zip(
            sliced.solve_block(6, sliced_tables, start, count, "moves"),
            direct.solve_block(6, direct_tables, start, count, "moves"),
            strict=True,
        ):
            assert np.array_equal(left.data, right.data)


@pytest.mark.slow
@pytest.mark.parametrize("uniqueness", ["successors", "moves"])
def test_counts_of_the_game_with_eight_pieces(uniqueness: str) -> None:
    for layer, (solvable, unique) in enumerate(solved(BoardLayers(7, 8, 8), uniqueness), start=1):
        boards, number_solvable, by_moves, by_successors = COUNTS[layer]
        assert (solvable.count, count_set(solvable)) == (boards, number_solvable)
        assert count_set(unique) == (by_moves if uniqueness == "moves" else by_successors)


@pytest.mark.parametrize("uniqueness", ["successors", "moves"])
def test_counts_of_the_golden_file(uniqueness: str) -> None:
    golden = facts("fling")
    for layer, counts in COUNTS.items():
        row = golden["counts"][str(layer)]
        assert counts == (row["boards"], row["solvable"], row["unique_by_moves"], row["unique_by_successors"])
    for row in golden["small_boards"]:
        for method in methods(row["width"], row["height"]):
            layers = BoardLayers(row["width"], row["height"], row["pieces"], method)
            solvable, unique = solved(layers, uniqueness)[-1]
            assert solvable.count == row["boards"]
            assert count_set(solvable) == row["solvable"]
            assert count_set(unique) == row[f"unique_by_{uniqueness}"]


def test_pieces_two_apart_have_two_moves_to_one_successor() -> None:
    # o.o.o: the outer two flung inward both leave .o.o.; the middle one leaves o..o. or .o..o.
    reached = moves_of(frozenset({0, 2, 4}), 5, 1)
    assert sorted(map(sorted, reached)) == [[0, 3], [1, 3], [1, 3], [1, 4]]
    for uniqueness, unique in (("moves", 40), ("successors", 64)):
        assert sum(u for _, u in plain_layers(4, 4, 3, uniqueness)[2]) == unique


def test_it_is_a_layered_space_with_compiled_layers() -> None:
    layers = BoardLayers(7, 8, 10)
    assert isinstance(layers, CompiledLayers)
    assert layers.layers == range(1, 11)
    assert all(layers.block_size(k) % 2**20 == 0 for k in layers.layers)
    params = layers.params(9)
    assert (params.width, params.height, params.pieces) == (7, 8, 9)


def test_what_cannot_be_solved_is_refused() -> None:
    layers = BoardLayers(4, 4, 3)
    with pytest.raises(ParamsError, match="'successors' or 'moves'"):
        layers.solve_block(1, {}, 0, 16, "paths")
    with pytest.raises(ParamsError, match="layer 1"):
        layers.solve_block(1, {}, 0, 17, "moves")
    with pytest.raises(ParamsError, match="cannot be halved"):
        BoardLayers(9, 1, 3, "bit-sliced").block_size(2)


# --- kernels ----------------------------------------------------------------------------------------------


@cache
def ranks_of_seven(cells: int) -> NDArray[np.int64]:
    return rank_table(cells, 7)


@given(st.sampled_from([1, 12, 13, 28, 36, 37, 56, 64]), st.sets(st.integers(0, 63), max_size=7))
def test_ranks_by_table_are_lexicographic(cells: int, cells_of_64: set[int]) -> None:
    held = {cell for cell in cells_of_64 if cell < cells}
    bits = np.uint64(sum(1 << c for c in held))
    after = sum(comb(cells - 1 - c, len(held) - i) for i, c in enumerate(sorted(held)))
    last = comb(cells, len(held)) - 1
    table = ranks_of_seven(cells)
    assert rank_board(bits, last, table) == last - after
    if cells <= 36:
        assert rank_half(bits, last, table) == last - after


@given(st.lists(st.integers(0, 2**64 - 1), min_size=64, max_size=64))
def test_transposing_exchanges_rows_and_columns(words: list[int]) -> None:
    tile = np.array(words, dtype=np.uint64)
    transpose(tile)
    assert tile.tolist() == [sum(((words[r] >> c) & 1) << r for r in range(64)) for c in range(64)]


def as_integer(words: NDArray[np.uint64]) -> int:
    return sum(int(word) << (64 * i) for i, word in enumerate(words))


@given(
    bits=st.integers(0, 2**320 - 1),
    first=st.integers(0, 320),
    length=st.integers(0, 320),
    position=st.integers(0, 70),
)
def test_runs_of_bits_are_read_and_written_where_they_belong(
    bits: int, first: int, length: int, position: int
) -> None:
    last = min(320, first + length)
    run = (bits >> first) & ((1 << (last - first)) - 1)
    source = np.array([(bits >> (64 * i)) & (2**64 - 1) for i in range(5)], dtype=np.uint64)
    written = np.zeros(8, dtype=np.uint64)
    write_run(source, 0, first, last, written, position)
    assert as_integer(written) == run << position
    read = np.zeros(8, dtype=np.uint64)
    if run:
        read_run(source[:4], source[4], first, last - first, read, 1)
    assert as_integer(read) == run << 64


@given(st.sets(st.integers(0, 7), min_size=1), st.sampled_from([1, 7]))
def test_two_apart(positions: set[int], step: int) -> None:
    ordered = sorted(positions)
    expected = all(b - a == 2 for a, b in pairwise(ordered))
    assert two_apart(np.uint64(sum(1 << (step * p) for p in positions)), np.uint64(step)) == expected
