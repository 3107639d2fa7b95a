"""Layers: what retrograde analysis computes from tables is what playing on finds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import CompiledLayers, actions_of, as_array, search_named
from epcg_core.plugin import Bits, RunSpec, from_data, make_generator
from epcg_testing.report import Laws
from epcg_testing.subject import Space, Subject
from epcg_testing.violations import Broken, Case, Cases, Skip, require

LAWS = Laws()

_LAYERS = 20_000
"""Most states of all layers together that are solved."""


def _layered(subject: Subject) -> Iterator[tuple[Space, list[RunSpec]] | Skip]:
    for space in subject.offering("layered_space", "transition_model", "rank"):
        if isinstance(space, Skip):
            yield space
            continue
        specs = _specs(space, "successors")
        total = sum(spec.max_rank for spec in specs)
        if total > _LAYERS:
            yield Skip(space.where, f"its layers have {total:,} states: declare one with at most {_LAYERS:,}")
        elif len(specs) < 2:
            yield Skip(space.where, "it has one layer only: declare a space with two or more")
        else:
            yield space, specs


@LAWS.listed(
    "actions-lead-down",
    "every action leads to a state of the next lower layer, which the lower generator ranks",
    "layers must be numbered so that an action takes away exactly one: a piece, a turn.",
    _layered,
)
def actions_lead_down(found: tuple[Space, list[RunSpec]]) -> Cases:
    space, specs = found
    for below, spec in pairwise(specs):
        lower, upper = _generator(space.subject, below), _generator(space.subject, spec)
        ranks = range(min(upper.max_rank, 200))
        yield Case(f"{space.where}, layer {spec.layer}", partial(_leads_down, lower, upper), ranks)


def _leads_down(lower: Any, upper: Any, rank: int) -> None:
    model, state = upper.transition_model, upper.unrank(rank)
    require("is_goal above the lowest layer", False, bool(model.is_goal(state)))
    for action in actions_of(model, state):
        found = lower.rank(model.apply(state, action))
        if not 0 <= found < lower.max_rank:
            raise Broken(f"the rank below of what {action!r} leads to", f"0 to {lower.max_rank - 1}", found)


@LAWS.listed(
    "layers-equal-play",
    "retrograde analysis from ranked tables finds what play finds",
    "rank, actions, apply or key do not mean the same states: the counterexample is the lowest one.",
    _layered,
)
def layers_equal_play(found: tuple[Space, list[RunSpec]], compiled: bool = False) -> Cases:
    space, _ = found
    for uniqueness in ("successors", "moves"):
        where = f"{space.where}, counting {uniqueness}"
        yield Case.once(where, partial(_compare, space, uniqueness, compiled))


@LAWS.listed(
    "compiled-layers-equal-play",
    "solve_block finds what play finds, for both meanings of a unique solution",
    "compare the kernel with the rank above; it begins every block at a rank of its own.",
    _layered,
)
def compiled_layers_equal_play(found: tuple[Space, list[RunSpec]]) -> Cases:
    space, _ = found
    if isinstance(space.generator.layered_space, CompiledLayers):
        yield from layers_equal_play(found, compiled=True)
    else:
        yield Skip(space.where, "the layers offer no solve_block")


def _compare(space: Space, uniqueness: str, compiled: bool) -> None:
    specs = _specs(space, uniqueness)
    inputs: dict[str, Bits] = {}
    below: dict[Any, tuple[bool, bool]] = {}
    for spec in specs:
        tables: dict[str, NDArray[np.uint64]] = {}
        search = search_named(space.subject.registry, "retrograde")
        if compiled:
            search.prepare(spec, inputs, partial(_allocate, tables))
        solve = search.solver(spec, inputs, tables) if compiled else search.checker(spec, inputs).plain
        values = solve(0, spec.max_rank).evaluation.values
        columns = [as_array(column) for column in values]
        generator = _generator(space.subject, spec)
        below = _play(
            generator, below, uniqueness, height=0 if spec is specs[0] else 1 if spec is specs[1] else 2
        )
        for rank in range(spec.max_rank):
            got = tuple(bool(column[rank]) for column in columns)
            key = generator.transition_model.key(generator.unrank(rank))
            require(f"(solvable, unique) of rank {rank} of layer {spec.layer}", below[key], got)
        inputs = {"solvable": _bits(values[0]), "unique": _bits(values[1])}


def _play(
    generator: Any, below: dict[Any, tuple[bool, bool]], uniqueness: str, height: int
) -> dict[Any, tuple[bool, bool]]:
    """Return (solvable, unique) of each position of a layer by its key, from those of its successors."""
    model, found = generator.transition_model, {}
    for rank in range(generator.max_rank):
        state = generator.unrank(rank)
        if height == 0:
            goal = bool(model.is_goal(state))
            found[model.key(state)] = (goal, goal)
            continue
        keys = [model.key(model.apply(state, action)) for action in actions_of(model, state)]
        if uniqueness == "successors":
            keys = list(dict.fromkeys(keys))
        solvable = [key for key in keys if below[key][0]]
        unique = len(solvable) == 1 and below[solvable[0]][1]
        found[model.key(state)] = (bool(solvable), bool(solvable) if height == 1 else unique)
    return found


def _specs(space: Space, uniqueness: str) -> list[RunSpec]:
    """Plan the runs of the layers, the lowest first."""
    query = from_data(
        {
            "name": "layers",
            "domain": space.subject.name,
            "generator": {"name": space.spec.generator.name, "params": space.spec.generator.params},
            "search": {"name": "retrograde", "params": {"uniqueness": uniqueness}},
            "evaluators": [],
        }
    )
    spec: RunSpec | None = search_named(space.subject.registry, "retrograde").plan(query)
    found: list[RunSpec] = []
    while spec is not None:
        found.insert(0, spec)
        spec = spec.inputs[0].run if spec.inputs else None
    return found


def _generator(subject: Subject, spec: RunSpec) -> Any:
    return make_generator(subject.registry, spec.space)


def _allocate(tables: dict[str, NDArray[np.uint64]], name: str, words: int) -> NDArray[np.uint64]:
    tables[name] = np.zeros(words, np.uint64)
    return tables[name]


def _bits(column: Any) -> Bits:
    assert isinstance(column, Bits)
    return column
