"""`epcg puzzlescript info`: what a game is made of, its faults, and which engine serves it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from epcg_core.plugin import counted
from epcg_puzzlescript.formats.files import game_files
from epcg_puzzlescript.formats.text import level_of, read_game_text, reading_of
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.levels import Map
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel

_MANY_RULES = 20_000
_MANY_CELLS = 40_000


def command() -> click.Command:
    """Make the click command."""

    @click.command("info", short_help="What a game is made of, its faults, and which engine serves it.")
    @click.argument("game")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def info(game: str, as_json: bool) -> None:
        """Show what GAME, a file or a game that comes with the plugin, is made of.

        Faults are listed with their line and column. A word that does not fit is left out, and the rest of
        its line counts; a game with more than five errors is refused, as PuzzleScript itself refuses it.
        """
        path = game_files(game, only=True)[0]
        text = read_text(path)
        try:
            data = facts(read_game_text(text), path)
        except GameError as error:
            raise GameError(f"{path.name}: {error}") from None
        click.echo(json.dumps(data, indent=2) if as_json else "\n".join(_lines(data)))

    return info


def facts(game: Game, path: Path) -> dict[str, Any]:
    """Return what there is to say of a game."""
    groups = [*game.normal.groups, *game.late.groups]
    kind, engine = engine_of(game)
    return {
        "file": path.name,
        "title": game.title,
        "author": game.author,
        "sha256": game.sha256,
        "objects": len(game.objects),
        "layers": len(game.layers),
        "rules": len(game.rule_texts),
        "elementary_rules": sum(len(group.rules) for group in groups),
        "levels": [[level.width, level.height] for level in game.levels if isinstance(level, Map)],
        "conditions": len(game.conditions),
        "engine": engine,
        "engine_kind": kind,
        "notes": notes_of(game),
        "errors": sum(problem.errors for problem in game.problems),
        "warnings": sum(problem.warnings for problem in game.problems),
        "unread": game.unread,
        "unsearched": list(reading_of(game).unsearched),
        "faults": [str(problem) for problem in game.problems],
    }


def engine_of(game: Game) -> tuple[str, str]:
    """Return which engine serves a game: in a word, and with the reason."""
    if game.draws:
        return _of_chance(game)
    kind, kernels = _kernels([level_of(game, number) for number in range(len(game.maps))])
    return kind, f"{_planes(game)}; {kernels}"


def _of_chance(game: Game) -> tuple[str, str]:
    """Return which engine serves the levels of a game that draws random numbers, and why."""
    levels = [level_of(game, number) for number in range(len(game.maps))]
    served = [level for level in levels if level.without_chance is not None]
    if not served:
        why = "bit planes, for play with a seed: rules draw random numbers, so the game is not searched"
        return "play only", why
    reasons = dict.fromkeys(level.without_chance.why for level in served if level.without_chance is not None)
    kind, kernels = _kernels(served)
    share = "all levels" if len(served) == len(levels) else f"{len(served)} of {len(levels)} levels"
    return kind, f"{share} are searched without random rules. {' '.join(reasons)} There: {kernels}"


def _planes(game: Game) -> str:
    rules = [r for part in (game.normal, game.late) for g in part.groups for r in g.rules]
    ordered = sum(len(r.rows) > 1 or len(r.rows[0].parts) > 1 or r.rigid for r in rules)
    if not ordered:
        return "bit planes: every rule is matched everywhere at once, and in the order of the scan if need be"
    return (
        f"bit planes: {len(rules) - ordered} of {len(rules)} elementary rules are matched everywhere "
        f"at once; {ordered} have several rows, an ellipsis or 'rigid', and are applied match by match"
    )


def _kernels(levels: Sequence[Level]) -> tuple[str, str]:
    """Return the engine in a word, and what there is to say of kernels of the game's own."""
    model = PuzzleScriptModel()
    reasons = [_without_kernel(level, model) for level in levels]
    without = list(dict.fromkeys(reason for reason in reasons if reason is not None))
    if not without:
        return "kernel", "a kernel of its own for long searches"
    if None not in reasons:
        return "bit planes", f"no kernel of its own: {', '.join(without)}"
    served = f"{reasons.count(None)} of {counted(len(reasons), 'level')}"
    return (
        "kernel in part",
        f"a kernel of its own for long searches of {served} (others: {', '.join(without)})",
    )


def _without_kernel(level: Level, model: PuzzleScriptModel) -> str | None:
    """Return why the searches of a level have no kernel; None if they have one."""
    from epcg_puzzlescript.rules.game_kernels import kernel_of  # which needs the compiler

    return kernel_of(model.tables(level)).reason


def engine_of_level(level: Level, model: PuzzleScriptModel) -> tuple[str, str]:
    """Return which engine searches a level, in a word, and why none faster, '' if none is."""
    if level.searched.game.draws:
        return "plain", "chance may decide on the level, so all draws of each turn are played"
    reason = _without_kernel(level, model)
    return ("kernel", "") if reason is None else ("bit planes", f"no kernel: {reason}")


def notes_of(game: Game) -> list[str]:
    """Return what a designer should know."""
    found = []
    if game.real_time:
        found.append(
            "A real-time game: a tick of its clock is an input, which counts as a move; any number of inputs "
            "can be made between two ticks."
        )
    if not game.conditions and "win" not in game.commands:
        found.append("No condition and no rule wins, so no level has a solution.")
    if game.keeps_checkpoints:
        found.append(
            "Restarts go back to the last checkpoint; the player's is an input where it leads to a board "
            "that was not seen. Such a game is searched slowly."
        )
    rules = sum(len(group.rules) for part in (game.normal, game.late) for group in part.groups)
    if rules > _MANY_RULES:
        found.append(f"Its {rules:,} elementary rules make it slow.")
    most = max((level.width * level.height for level in game.maps), default=0)
    if most > _MANY_CELLS:
        found.append(f"A level of {most:,} cells is slow, and is not drawn in the editor.")
    found += reading_of(game).sentences
    return found


def _lines(data: dict[str, Any]) -> list[str]:
    sizes = ", ".join(f"{width} by {height}" for width, height in data["levels"])
    titled = f"{data['title']} ({data['file']})" if data["title"] else data["file"]
    return [
        titled + (f", by {data['author']}" if data["author"] else ""),
        f"objects           {data['objects']} on {counted(data['layers'], 'layer')}",
        f"rules             {counted(data['rules'], 'line')}, "
        f"{counted(data['elementary_rules'], 'elementary rule')}",
        f"levels            {len(data['levels'])}: {sizes}",
        f"win conditions    {data['conditions']}",
        f"engine            {data['engine']}",
        f"sha256            {data['sha256']}",
        *(f"note              {note}" for note in data["notes"]),
        f"faults            {len(data['faults']) or 'none'}",
        *(f"  {fault}" for fault in data["faults"]),
    ]
