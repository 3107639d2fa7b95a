"""Puzzles as text and pictures, by the renderers that plugins contribute."""

from __future__ import annotations

from typing import Any

from epcg_core.domain import GeneratorInfo, resolve
from epcg_core.errors import PluginError, QueryError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import SpaceSpec, make_generator, max_rank_of


def render(puzzle: str, format: str = "text", renderer: str = "", **options: Any) -> str:
    """Render a puzzle, given by its id, as "text" or "svg", by its domain's own renderer or a named one.

    Raises EpcgError if that fails.
    """
    space, rank = parse_puzzle_id(registry(), puzzle)
    generator = make_generator(registry(), space)
    max_rank = max_rank_of(registry(), space, generator)
    if not 0 <= rank < max_rank:
        raise QueryError(f"{space.name} has ranks 0 to {max_rank - 1}, not {rank}.")
    with registry().attribute_errors_to(_generator_info(space)):
        state = generator.unrank(rank)
    return render_state(space, generator, state, format, renderer, **options)


def render_unsolved(puzzle: str, format: str) -> str | None:
    """Render a puzzle without its solution; None if its domain has no renderer for "svg"."""
    return _render_for_print(puzzle, format, False)


def render_solved(puzzle: str, format: str) -> str | None:
    """Render a puzzle with a solution; None if the domain draws none (`RendererInfo.draws_solution`)."""
    return _render_for_print(puzzle, format, True)


def _render_for_print(puzzle: str, format: str, solution: bool) -> str | None:
    info = registry().renderer(parse_puzzle_id(registry(), puzzle)[0].domain, format)
    if info is not None and info.draws_solution:
        return render(puzzle, format, solution=solution)
    if solution or (info is None and format == "svg"):
        return None
    return render(puzzle, format)


def render_state(
    space: SpaceSpec, generator: Any, state: Any, format: str, renderer: str = "", **options: Any
) -> str:
    """Render a state of a generator as "text" or "svg"; errors and `renderer` as of `render`."""
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


def _generator_info(space: SpaceSpec) -> GeneratorInfo:
    return registry().generator(space.domain, space.generator.name)


def format_state(generator: Any, state: Any) -> str:
    """Format a state with the generator's `to_text`, else with `str`."""
    own = getattr(generator, "format", None)
    return str(own(state)) if own is not None else str(state)
