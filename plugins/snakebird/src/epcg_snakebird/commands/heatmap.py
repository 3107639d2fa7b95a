"""`epcg snakebird heatmap`: what the best change of each tile does to a level's shortest solution."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epcg_core.plugin import WHOLE, writing
from epcg_snakebird.commands.options import own_tail_option
from epcg_snakebird.edits.runs import Variant, longest, recorded_variants, shortest
from epcg_snakebird.formats.shipped import named_level
from epcg_snakebird.rendering.heat_map import Goal, best_changes, heat_map_svg, heat_map_text
from epcg_snakebird.rules.level import TILE_NAMES
from epcg_snakebird.rules.moves import start
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import LEAVES, OwnTail, Rules

if TYPE_CHECKING:
    from epcg_core.plugin import PathResult
    from epcg_snakebird.rules.level import Level

DEFAULT_LIMIT = 1_000_000


def command() -> click.Command:
    """Make the click command."""

    @click.command("heatmap", short_help="What the best change of each tile does to a level's solution.")
    @click.argument("level")
    @click.option(
        "--db", envvar="EPCG_DB", default="epcg.db", show_default=True, show_envvar=True,
        help="The database in which every change is recorded.",
    )  # fmt: skip
    @click.option(
        "--output", type=click.Path(dir_okay=False, path_type=Path), help="Draw into this SVG file."
    )
    @click.option(
        "--best", type=click.Choice(["longest", "shortest"]), default="longest", show_default=True,
        help="Which change of a tile is the best.",
    )  # fmt: skip
    @click.option(
        "--limit", default=DEFAULT_LIMIT, show_default=True, type=click.IntRange(1, 2**62),
        help="Expansions of each search.",
    )  # fmt: skip
    @own_tail_option(LEAVES)
    @click.option("--workers", type=click.IntRange(1), help="Processes; default: one for each processor.")
    @click.option("--json", "as_json", is_flag=True, help="Print every change as JSON.")
    def heatmap(
        level: str,
        db: str,
        output: Path | None,
        best: Goal,
        limit: int,
        own_tail: OwnTail,
        workers: int | None,
        as_json: bool,
    ) -> None:
        """Show for each tile of LEVEL what the best change there does to its shortest solution.

        If there is none, show which changes make one. LEVEL is a file, or the number or name of a level that
        comes with the plugin. Every tile is changed to each of the other two of sky, ground and spikes, which
        is a run of the query snakebird/single_edits with this own_tail; if that is recorded, it is read.
        """
        _heat_map(level, db, output, best, limit, own_tail, workers, as_json)

    return heatmap


def _heat_map(
    name: str,
    db: str,
    output: Path | None,
    goal: Goal,
    limit: int,
    own_tail: OwnTail,
    workers: int | None,
    as_json: bool,
) -> None:
    level = named_level(name)
    from epcg_core.plugin import Coordinator, Options, Store

    found = shortest_solution(start(level), limit, Rules(own_tail=own_tail))
    with Store.open(db, write=True) as store, Coordinator(store, Options(workers=workers)) as coordinator:
        run, variants = recorded_variants(coordinator, store, name, limit, own_tail=own_tail)
    if as_json:
        print(json.dumps(_as_data(level, run, found, variants), indent=2))
    else:
        print(heat_map_text(level, found.length, variants, goal), end="")
        if found.length is None:
            _print_openings(level, found, limit, variants, goal)
        else:
            print(f"\n{found.length} moves; the {goal} of single changes:")
            for variant in _best(variants, goal):
                print(f"  {variant.in_words(level)}")
    if output is not None:
        with writing(output):
            output.write_text(heat_map_svg(level, found.length, variants, goal), encoding="utf-8")
        print(f"The heat map is in {output}.", file=sys.stderr)


def _print_openings(level: Level, found: PathResult, limit: int, variants: list[Variant], goal: Goal) -> None:
    """Print which single changes make a level without a solution solvable, the best first."""
    why = f"Unknown: no solution within {limit:,} expansions"
    if found.exhausted:
        positions = "1 position" if found.expansions == 1 else f"{found.expansions:,} positions"
        why = WHOLE.proven("No solution", positions)
    solved = [variant for variant in variants if variant.moves is not None]
    if not solved:
        unknown = sum(variant.over_limit for variant in variants)
        left = f", except that {unknown:,} reached the limit" if unknown else ""
        print(f"\n{why}; no single change makes one{left}.")
        return
    sign = -1 if goal == "longest" else 1
    print(f"\n{why}; single changes that make one, the {goal} first:")
    for variant in sorted(solved, key=lambda variant: sign * (variant.moves or 0)):
        print(f"  {variant.in_words(level)}")


def _best(variants: list[Variant], goal: Goal) -> list[Variant]:
    return longest(variants) if goal == "longest" else shortest(variants)


def _as_data(level: Level, run: int, found: PathResult, variants: list[Variant]) -> dict[str, object]:
    best = {goal: best_changes(variants, goal) for goal in ("longest", "shortest")}
    return {
        "level": level.name,
        "run": run,
        "moves": found.length,
        "proven_unsolvable": found.exhausted,
        "changes": [
            {
                "x": level.place(variant.cell)[0],
                "y": level.place(variant.cell)[1],
                "to": TILE_NAMES[variant.tile],
                "moves": variant.moves,
                "over_limit": variant.over_limit,
                "longest_here": best["longest"][variant.cell] == variant,
                "shortest_here": best["shortest"][variant.cell] == variant,
            }
            for variant in variants
        ],
    }
