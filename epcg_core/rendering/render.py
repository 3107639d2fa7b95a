"""Puzzles as text and pictures, by the renderers that plugins contribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from epcg_core.base.errors import PluginError, QueryError
from epcg_core.combinatorics.several import BETWEEN, Several
from epcg_core.domain import GeneratorInfo, RendererInfo, resolve
from epcg_core.domain.content import format_state as format_state, opened_state as opened_state
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import SpaceSpec, make_generator, max_rank_of
from epcg_core.rendering import svg

Solved: TypeAlias = "bool | Sequence[str]"
"""Whether to draw a puzzle with a solution; recorded actions are drawn without a search."""


def render(
    puzzle: str, format: str = "text", renderer: str = "", *, solution: Solved = False, **options: Any
) -> str:
    """Render a puzzle, given by its id, as "text" or "svg".

    Args:
        puzzle: the puzzle's id.
        format: the format.
        renderer: the name of a further renderer of the domain; without one its own.
        solution: whether to draw a solution, if the domain draws any; or a recorded one.
        options: further options of the domain's renderer.

    Raises:
        EpcgError: if the id cannot be read, or its puzzle cannot be drawn.
    """
    space, rank = parse_puzzle_id(registry(), puzzle)
    generator = make_generator(registry(), space)
    max_rank = max_rank_of(registry(), space, generator)
    if not 0 <= rank < max_rank:
        raise QueryError(f"{space.name} has ranks 0 to {max_rank - 1}, not {rank}.")
    with registry().attribute_errors_to(_generator_info(space)):
        state = generator.unrank(rank)
    info = registry().renderer(space.domain, format, renderer)
    if info is not None and info.draws_solution:
        options["solution"] = solution or False
    return render_state(space, generator, state, format, renderer, **options)


def render_unsolved(puzzle: str, format: str) -> str | None:
    """Render a puzzle without its solution; None if its domain has no renderer for "svg"."""
    return None if format == "svg" and renderer_of(puzzle, format) is None else render(puzzle, format)


def render_solved(puzzle: str, format: str, recorded: Sequence[str] = (), renderer: str = "") -> str | None:
    """Render a puzzle with a solution: the recorded one, if given, else one that the domain finds.

    None if the domain draws none (`RendererInfo.draws_solution`).
    """
    info = renderer_of(puzzle, format, renderer)
    if info is None or not info.draws_solution:
        return None
    return render(puzzle, format, renderer, solution=recorded or True)


def render_animated(puzzle: str, renderer: str = "") -> str | None:
    """Render a puzzle as SVG that plays a solution; None if the domain has no moving pictures."""
    info = renderer_of(puzzle, "svg", renderer)
    if info is None or not info.animates_solution:
        return None
    return render(puzzle, "svg", renderer, animate=True)


def renderer_of(puzzle: str, format: str, renderer: str = "") -> RendererInfo | None:
    """Return the renderer that draws a puzzle, given by its id, in a format; None if there is none."""
    return registry().renderer(parse_puzzle_id(registry(), puzzle)[0].domain, format, renderer)


def render_state(
    space: SpaceSpec, generator: Any, state: Any, format: str, renderer: str = "", **options: Any
) -> str:
    """Render a state of a generator as "text" or "svg"; errors and `renderer` as of `render`."""
    if isinstance(state, Several):
        return _several(generator, state, format, renderer, **options)
    info = registry().renderer(space.domain, format, renderer)
    if info is not None:
        with registry().attribute_errors_to(info):
            drawn = resolve(info.factory)(generator)(state, **options)
        if isinstance(drawn, bytes):
            return drawn.decode("utf-8")
        if not isinstance(drawn, str):
            raise PluginError(
                f"The {registry().described(info)} returned {drawn!r}: a renderer returns a string."
            )
        return drawn
    if format == "text":
        with registry().attribute_errors_to(_generator_info(space)):
            return format_state(generator, state)
    raise PluginError(f"The domain {space.domain} has no renderer for {format}.")


def _several(generator: Any, state: Several, format: str, renderer: str, **options: Any) -> str:
    """Render several items: texts below each other, pictures in rows."""
    if options.get("solution"):  # a recorded solution is of one content
        options["solution"] = bool(options["solution"])
    items = [generator.items[place] for place in state.places]
    drawn = [
        render_state(item.space, item.generator, item.state, format, renderer, **options) for item in items
    ]
    if format == "text":
        return BETWEEN.join(text.strip("\n") for text in drawn) + "\n"
    return svg.in_rows(drawn, f"{len(drawn)} items")


def _generator_info(space: SpaceSpec) -> GeneratorInfo:
    return registry().generator(space.domain, space.generator.name)
