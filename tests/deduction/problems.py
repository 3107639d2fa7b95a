"""Random problems of the whole language of instances, and solvers that try everything."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product

import attrs
from epcg_deduction.solving.problem import (
    Automaton,
    Connected,
    Groups,
    Instance,
    Joined,
    Local,
    Matched,
    OneLoop,
    Pieces,
    Problem,
    Site,
)

Pair = tuple[int, int]


@attrs.frozen
class Relation(Automaton):
    """A list of allowed lists; a state is the set of those that go on, by what was read."""

    allowed: frozenset[tuple[int, ...]]

    def first(self) -> tuple[int, ...]:
        return ()

    def after(self, state, index, mark):  # type: ignore[no-untyped-def]
        read = (*state, mark)
        assert index == len(state)
        return read if any(row[: len(read)] == read for row in self.allowed) else None

    def accepts(self, state) -> bool:  # type: ignore[no-untyped-def]
        return state in self.allowed


@attrs.frozen
class AllDiffer(Automaton):
    """No two symbols are equal; -1 may be there twice. A state is the set of those that were read."""

    symbols: tuple[tuple[int, ...], ...]

    def first(self) -> frozenset[int]:
        return frozenset()

    def after(self, state, index, mark):  # type: ignore[no-untyped-def]
        symbol = self.symbols[index][mark]
        return state if symbol < 0 else None if symbol in state else state | {symbol}

    def accepts(self, state) -> bool:  # type: ignore[no-untyped-def]
        return True

    def different(self) -> tuple[tuple[int, ...], ...]:
        return self.symbols


def grid(width: int, height: int) -> list[Pair]:
    """Return the pairs of neighbouring cells of a rectangle."""
    cells = range(width * height)
    right = [(cell, cell + 1) for cell in cells if (cell + 1) % width]
    return right + [(cell, cell + width) for cell in cells[:-width]]


def parts(nodes, pairs) -> list[set[int]]:  # type: ignore[no-untyped-def]
    """Return the components by joining sets until nothing changes."""
    sets = [{node} for node in nodes]
    for pair in pairs:
        joined = [own for own in sets if own & set(pair)]
        sets = [own for own in sets if not own & set(pair)] + [set().union(*joined)]
    return sets


def holds(instance: Instance, marks: tuple[int, ...]) -> bool:
    """Return whether an instance holds for complete marks, by the words of its rule."""
    own = [marks[site] for site in instance.sites]
    if isinstance(instance, Local) and isinstance(instance.automaton, AllDiffer):
        read = [row[mark] for row, mark in zip(instance.automaton.symbols, own, strict=True)]
        return all(read.count(symbol) == 1 for symbol in read if symbol >= 0)
    if isinstance(instance, Local):
        return tuple(own) in instance.automaton.allowed  # type: ignore[attr-defined]
    if isinstance(instance, Connected):
        filled = [site for site, mark in enumerate(own) if instance.mask >> mark & 1]
        inside = [pair for pair in instance.pairs if set(pair) <= set(filled)]
        return len(parts(filled, inside)) <= 1
    if isinstance(instance, OneLoop | Joined):
        lines = [pair for pair, mark in zip(instance.ends, own, strict=True) if mark == 0]
        nodes = {node for line in lines for node in line}
        groups = parts(nodes, lines)
        cyclic = sum(map(len, groups)) - len(groups) < len(lines)
        if isinstance(instance, OneLoop):
            degrees = Counter(node for line in lines for node in line)
            return bool(lines) and (not cyclic or (len(groups) == 1 and set(degrees.values()) == {2}))
        clues = dict(instance.clues)
        inside = [[clues[node] for node in group if node in clues] for group in groups]
        return (
            not cyclic and set(clues) <= nodes and all(len(set(own)) < 2 and len(own) != 1 for own in inside)
        )
    if isinstance(instance, Groups):
        filled = [site for site, mark in enumerate(own) if not instance.mask or instance.mask >> mark & 1]
        same = [
            (a, b)
            for a, b in instance.pairs
            if a in filled and b in filled and (instance.mask or own[a] == own[b])
        ]
        return all(
            _size_holds(instance, group) and (not instance.by_mark or len(group) == own[min(group)] + 1)
            for group in parts(filled, same)
        )
    if isinstance(instance, Pieces):
        joined = [pair for pair, mark in zip(instance.pairs, own, strict=True) if mark == 1]
        groups = parts(range(len(instance.cells)), joined)
        for (a, b), mark in zip(instance.pairs, own, strict=True):
            if mark == 0 and any({a, b} <= group for group in groups):
                return False
        lists = [sorted(instance.values[cell] for cell in group) for group in groups if instance.values]
        return all(_size_holds(instance, group) and _outline_holds(instance, group) for group in groups) and (
            len({tuple(values) for values in lists}) == len(lists)
        )
    assert isinstance(instance, Matched)
    filled = {site for site, mark in enumerate(own) if instance.mask >> mark & 1}
    return len(filled) == len(instance.near) and any(
        len(set(choice)) == len(choice) and set(choice) == filled for choice in product(*instance.near)
    )


def _size_holds(instance: Groups | Pieces, group: set[int]) -> bool:
    values = [value for cell, value in instance.clues if cell in group]
    return (
        (instance.least is None or len(group) >= instance.least)
        and (instance.most is None or len(group) <= instance.most)
        and (instance.exactly is None or len(values) == instance.exactly)
        and (not instance.by_clue or all(value is None or value == len(group) for value in values))
    )


def _outline_holds(instance: Pieces, group: set[int]) -> bool:
    places = [divmod(instance.cells[cell], instance.width) for cell in group] if instance.rectangle else []
    sides = [max(axis) - min(axis) + 1 for axis in zip(*places, strict=True)]
    return not instance.rectangle or sides[0] * sides[1] == len(group)


def brute(problem: Problem) -> list[tuple[int, ...]]:
    """Return all solutions, in lexicographic order."""
    sites = [
        [m for m in range(len(n)) if s >> m & 1] for n, s in zip(problem.names, problem.start, strict=True)
    ]
    return [
        marks for marks in product(*sites) if all(holds(instance, marks) for instance in problem.instances)
    ]


def _some(rng: random.Random, most: int) -> int | None:
    return rng.randint(1, most) if rng.random() < 0.5 else None


def _local(rng: random.Random, counts: list[int], wanted: tuple[int, ...]) -> Local:
    sites = tuple(
        rng.sample(range(len(counts)), rng.randint(0 if rng.random() < 0.05 else 1, min(4, len(counts))))
    )
    rows = list(product(*(range(counts[site]) for site in sites)))
    share = rng.choice([0.3, 0.5, 0.7, 0.9])
    allowed = {row for row in rows if rng.random() < share}
    if wanted:
        allowed.add(tuple(wanted[site] for site in sites))
    return Local(0, "here", sites, Relation(frozenset(allowed)))


def _clues(rng: random.Random, cells: int, most: int) -> tuple[tuple[int, int | None], ...]:
    own = sorted(rng.sample(range(cells), rng.randint(0, min(3, cells))))
    return tuple((cell, rng.choice([None, *range(1, most + 1)])) for cell in own)


def _global(rng: random.Random, kind: str, width: int, height: int, marks: int) -> tuple[Instance, int]:
    """Return an instance about a small board, and how many sites it has."""
    cells, pairs = width * height, tuple(grid(width, height))
    if kind == "different":
        symbols = tuple(tuple(rng.randint(-1, cells) for _ in range(marks)) for _ in range(cells))
        return Local(0, "the board", tuple(range(cells)), AllDiffer(symbols)), cells
    size = min(cells, 5)
    own = tuple(range(cells))
    if kind == "connected":
        return Connected(0, "the board", own, rng.randint(1, (1 << marks) - 1), pairs), cells
    if kind == "groups":
        mask = rng.choice([0, 1, 1, rng.randint(1, (1 << marks) - 1)])
        bounds = (None, _some(rng, size)) if rng.random() < 0.5 else (_some(rng, size), None)
        exactly = rng.choice([None, 0, 1, 2]) if rng.random() < 0.6 else None
        clues, by_clue = _clues(rng, cells, size), rng.random() < 0.7
        by_mark = mask == 0 and rng.random() < 0.7
        return Groups(0, "the board", own, pairs, mask, *bounds, clues, exactly, by_clue, by_mark), cells
    if kind == "matched":
        near = [
            tuple(sorted(rng.sample(own, rng.randint(1, min(3, cells))))) for _ in range(rng.randint(0, 4))
        ]
        return Matched(0, "the board", own, rng.randint(1, (1 << marks) - 1), tuple(near)), cells
    sites = tuple(range(len(pairs)))
    if kind == "loop":
        return OneLoop(0, "the board", sites, pairs), len(pairs)
    if kind == "joined":
        places = rng.sample(own, rng.choice([0, 2, 2, 3, 4]) if cells > 3 else 2)
        clues = tuple(
            (cell, rng.choice([index // 2, rng.randint(0, 2)])) for index, cell in enumerate(places)
        )
        return Joined(0, "the board", sites, pairs, clues), len(pairs)
    values = tuple(rng.randint(0, 1) for _ in own) if rng.random() < 0.4 else ()
    bounds = (_some(rng, size), None) if rng.random() < 0.5 else (None, _some(rng, size))
    squares = own
    if rng.random() < 0.3 and cells > 3:
        squares = tuple(sorted(rng.sample(own, cells - 1)))
        number = {square: cell for cell, square in enumerate(squares)}
        pairs = tuple((number[a], number[b]) for a, b in pairs if a in number and b in number)
        sites, values = tuple(range(len(pairs))), values[: len(squares)]
    exactly = rng.choice([None, 1]) if rng.random() < 0.6 else None
    clues2, by_clue = _clues(rng, len(squares), size), rng.random() < 0.7
    rectangle = rng.random() < 0.6
    instance = Pieces(
        0, "the board", sites, squares, pairs, rectangle, width, *bounds, clues2, exactly, by_clue, values
    )
    return instance, len(pairs)


KINDS = ("local", "connected", "loop", "joined", "groups", "pieces", "matched", "different")


def random_problem(seed: int, kind: str | None = None) -> Problem:
    """Return a small problem: locals by random relations, and perhaps one global instance of a kind.

    Two of three have a solution, if the global instance has one: the relations allow it.
    """
    rng = random.Random(seed)
    kind = kind or rng.choice(KINDS)
    width, height = rng.choice([(2, 2), (3, 2), (2, 3), (4, 1), (3, 3)])
    marks = 2 if kind in ("loop", "joined", "pieces") or width * height > 6 else rng.randint(2, 3)
    instances: list[Instance] = []
    sites = rng.randint(2, 7)
    if kind != "local":
        instance, sites = _global(rng, kind, width, height, marks)
        instances.append(instance)
    counts = [rng.randint(1, 3) for _ in range(sites)] if kind == "local" else [marks] * sites
    problem = Problem(
        tuple(Site("cells", site) for site in range(sites)),
        tuple(tuple("abc"[:count]) for count in counts),
        tuple((1 << count) - 1 for count in counts),
        tuple(instances),
    )
    wanted = rng.choice(brute(problem) or [()]) if rng.random() < 0.67 else ()
    instances += [_local(rng, counts, wanted) for _ in range(rng.randint(0, 5))] if sites else []
    rng.shuffle(instances)
    start = list(problem.start)
    for site in range(sites):
        if rng.random() < 0.2:
            start[site] = 1 << (wanted[site] if wanted else rng.randrange(counts[site]))
    return attrs.evolve(problem, start=tuple(start), instances=tuple(instances))


def positions(problem: Problem, seed: int, number: int) -> Iterator[tuple[int, ...]]:
    """Yield the start and random positions: nonempty parts of what is possible at the start."""
    rng = random.Random(seed)
    yield problem.start
    for _ in range(number):
        masks = []
        for start in problem.start:
            own = [bit for bit in range(8) if start >> bit & 1]
            kept = rng.sample(own, rng.choice([1, len(own)]) if own else 0)
            masks.append(sum(1 << bit for bit in kept))
        yield tuple(masks)
