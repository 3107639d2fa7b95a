"""How a game is played, for booklets: its inputs and what wins, in the words of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_core.plugin import Instruction, svg
from epcg_puzzlescript.language.game import Game, Mask
from epcg_puzzlescript.rendering.picture import CELL
from epcg_puzzlescript.rendering.sprites import layers_of
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import RESTART


def how_to_play(states: Sequence[Level]) -> list[Instruction]:
    """Explain the games of these levels to players."""
    games = {level.rules: level.game for level in states}
    return [instruction for game in games.values() for instruction in _instructions(game)]


def _instructions(game: Game) -> Iterator[Instruction]:
    name = f"{game.title}: " if game.title else ""
    keys = "the arrow keys" if game.says("noaction") else "the arrow keys and the action key"
    yield Instruction(f"{name}play with {keys}.", _icon(game, game.player))
    if game.real_time:
        yield Instruction(
            "The game has a clock: with each tick its rules run although no key is pressed. Here the clock "
            "waits for you: a tick is a move of its own, and the key T gives it."
        )
    if RESTART in PuzzleScriptModel().inputs(game):
        yield Instruction(
            "A restart goes back to the last checkpoint. Where that leads to another board, it is a move of "
            "its own, and the key C makes it."
        )
    for sentence in game.reading.sentences:
        yield Instruction(sentence)
    if game.conditions:
        goals = "; ".join(_goal(game, c.quantifier, c.what, c.on) for c in game.conditions)
        yield Instruction(f"You have won when {goals}.")
    else:
        yield Instruction("You have won when the rules of the game say so.")


def _goal(game: Game, quantifier: str, what: Mask, on: Mask | None) -> str:
    words = {"no": "no cell has", "some": "some cell has", "all": "every cell with"}[quantifier]
    if quantifier == "all":
        return f"{words} {_name(game, what)} has {_name(game, on) if on else 'anything'}"
    return f"{words} {_name(game, what)}" + (f" and {_name(game, on)}" if on else "")


def _name(game: Game, mask: Mask) -> str:
    names = [thing.name for thing in game.objects if mask.bits >> thing.number & 1]
    return (" and " if mask.whole else " or ").join(names)


def _icon(game: Game, mask: Mask) -> str:
    shown = [thing for thing in game.objects if mask.bits >> thing.number & 1]
    thing = shown[0] if shown else game.objects[0]
    paths = [f'<path d="{data}" fill="{colour}"/>' for colour, data in layers_of(thing)]
    place = f'<g transform="scale({CELL}) translate(.5 .5)">'
    return svg.document(CELL, CELL, thing.name, [place, *paths, "</g>"])
