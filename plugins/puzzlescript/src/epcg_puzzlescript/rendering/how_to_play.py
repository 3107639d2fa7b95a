"""How a game is played, for booklets: its keys and what wins, in the words of the game and only of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epcg_core.plugin import Instruction, svg
from epcg_puzzlescript.language.elementary import ACTION, LAYER_BITS
from epcg_puzzlescript.language.game import Game, Mask
from epcg_puzzlescript.rendering.goals import goals
from epcg_puzzlescript.rendering.picture import CELL
from epcg_puzzlescript.rendering.sprites import layers_of
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import RESTART


def how_to_play(states: Sequence[Level]) -> list[Instruction]:
    """Explain the games of these levels to players."""
    games = {level.rules: level.game for level in states}
    return [
        instruction
        for rules, game in games.items()
        for instruction in _instructions(game, [level for level in states if level.rules == rules])
    ]


def solutions_explained(states: Sequence[Level]) -> Instruction:
    """Tell how to read the drawn solutions of these levels: only the signs that their games have."""
    games = list({level.rules: level.game for level in states}.values())
    english, german = ["Arrows below a level are its moves"], ["Die Pfeile unter einem Level sind seine Züge"]
    if any(map(acts, games)):
        english.append("a cross is the action key")
        german.append("ein Kreuz ist die Aktionstaste")
    if any(game.real_time for game in games):
        english.append("a clock is a tick")
        german.append("eine Uhr ist ein Takt")
    if any(map(_restarts, games)):
        english.append("a ring is a restart at the checkpoint")
        german.append("ein Ring ist ein Neustart am Sicherungspunkt")
    return Instruction("; ".join(english) + ".", others={"de": "; ".join(german) + "."})


def acts(game: Game) -> bool:
    """Return whether the action key can do something: a rule can match after it was pressed.

    Rules that run after the moves are not asked: what they have done to a board at rest is done.
    """
    if game.says("noaction") or game.says("require_player_movement"):
        return False
    players = [thing.layer for thing in game.objects if game.player.bits >> thing.number & 1]
    moving = 0
    for layer in players:
        moving |= ACTION << LAYER_BITS * layer
    rules = [rule for group in game.normal.groups for rule in group.rules]
    return any(all(not pattern.moves & ~moving for pattern in rule.patterns) for rule in rules)


def _restarts(game: Game) -> bool:
    return RESTART in PuzzleScriptModel().inputs(game)


def _instructions(game: Game, states: Sequence[Level]) -> Iterator[Instruction]:
    if acts(game):
        keys, german = "the arrow keys and X, the action key", "den Pfeiltasten und X, der Aktionstaste"
    else:
        keys, german = "the arrow keys", "den Pfeiltasten"
    english, german = f"play with {keys}.", f"gespielt wird mit {german}."
    if game.title:
        english, german = f"{game.title}: {english}", f"{game.title}: {german}"
    else:
        english, german = english[0].upper() + english[1:], german[0].upper() + german[1:]
    yield Instruction(english, _icon(game, game.player), {"de": german})
    if game.real_time:
        yield Instruction(
            "The game has a clock: with each tick its rules run although no key is pressed. Here the clock "
            "waits for you: a tick is a move of its own, and the key T gives it.",
            others={
                "de": "Das Spiel hat eine Uhr: Mit jedem Takt gelten seine Regeln, auch wenn keine Taste "
                "gedrückt wird. Hier wartet die Uhr: Ein Takt ist ein eigener Zug, und die Taste T gibt ihn."
            },
        )
    if _restarts(game):
        yield Instruction(
            "A restart goes back to the last checkpoint. Where that leads to another board, it is a move of "
            "its own, and the key C makes it.",
            others={
                "de": "Ein Neustart führt zum letzten Sicherungspunkt zurück. Wo das ein anderes Brett "
                "ergibt, ist er ein eigener Zug, und die Taste C macht ihn."
            },
        )
    for sentence in game.reading.sentences:
        yield Instruction(sentence)
    english, german = goals(game, states)
    yield Instruction(english, others={"de": german})


def _icon(game: Game, mask: Mask) -> str:
    shown = [thing for thing in game.objects if mask.bits >> thing.number & 1]
    thing = shown[0] if shown else game.objects[0]
    paths = [f'<path d="{data}" fill="{colour}"/>' for colour, data in layers_of(thing)]
    place = f'<g transform="scale({CELL}) translate(.5 .5)">'
    return svg.document(CELL, CELL, thing.name, [place, *paths, "</g>"])
