"""The rules in plain Python, which kernels are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from epcg_pcgbench.contents import Content

Cell = tuple[int, int]


def cells(content: Content, signs: str) -> list[Cell]:
    """Return the (row, column) of all cells with one of some signs."""
    return [(r, c) for r, row in enumerate(content) for c, sign in enumerate(row) if sign in signs]


def free_cells(content: Content) -> set[Cell]:
    return set(cells(content, ".@+De$x"))


def beside(cell: Cell) -> Iterator[Cell]:
    row, column = cell
    yield from ((row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column))


def distances(start: Cell, free: set[Cell]) -> dict[Cell, int]:
    """Return the moves from a cell to each that can be reached over free cells, by breadth-first search."""
    found, queue = {start: 0}, [start]
    for cell in queue:
        for to in beside(cell):
            if to in free and to not in found:
                found[to] = found[cell] + 1
                queue.append(to)
    return found


def regions(free: Iterable[Cell]) -> int:
    """Count the regions of free cells."""
    left, number = set(free), 0
    while left:
        left -= distances(next(iter(left)), left).keys()
        number += 1
    return number


def longest_path(free: set[Cell]) -> int:
    """Return the longest of all shortest paths."""
    return max(max(distances(cell, free).values()) for cell in free)


def room_paths(content: Content) -> tuple[int | None, int | None]:
    """Return the moves from player to key without the door, and from key to door."""
    player, key, door = (cells(content, sign) for sign in "@+D")
    if not len(player) == len(key) == len(door) == 1:
        return None, None
    free = free_cells(content)
    to_key = distances(player[0], free - {door[0]}).get(key[0])
    return to_key, distances(key[0], free).get(door[0])


def fewest_moves(content: Content) -> int | None:
    """Return the moves of a shortest solution of crates; None without one, or with the wrong numbers."""
    players, crates, targets = (cells(content, sign) for sign in "@$x")
    if len(players) != 1 or not crates or len(crates) != len(targets):
        return None
    free, goal = free_cells(content), frozenset(targets)
    start = (players[0], frozenset(crates))
    found, queue = {start: 0}, [start]
    for position in queue:
        player, lying = position
        if lying == goal:
            return found[position]
        for to in beside(player):
            after = lying
            if to in lying:
                beyond = (2 * to[0] - player[0], 2 * to[1] - player[1])
                if beyond not in free or beyond in lying:
                    continue
                after = lying - {to} | {beyond}
            if to in free and (to, after) not in found:
                found[to, after] = found[position] + 1
                queue.append((to, after))
    return None
