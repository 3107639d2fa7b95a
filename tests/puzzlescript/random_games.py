"""Games of random rules, on which the engines are compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import GameError

NAMES = ("player", "crate", "ball", "wall", "ghost", "mark", "spark")
LAYERS = (("player", "crate", "ball", "wall"), ("ghost", "mark"), ("spark",))
PROPERTIES = {"thing": ("crate", "ball"), "any_thing": ("crate", "ghost", "spark"), "soft": ("ghost", "mark")}
GLYPHS = {"p": "player", "c": "crate", "b": "ball", "w": "wall", "g": "ghost", "m": "mark", "s": "spark"}
MOVES = ("", "", "", ">", "<", "^", "v", "stationary", "moving", "up", "right", "action", "perpendicular")
SETTINGS = ("run_rules_on_level_start", "require_player_movement")
CONDITIONS = ("all crate on mark", "no ball", "some ghost on thing", "")
COMMANDS = ("again", "again", "cancel", "restart", "win", "checkpoint", "sfx1")
GLYPH_SETS = {
    "q": ("player", "ghost"),
    "x": ("crate", "mark"),
    "y": ("ball", "spark"),
    "z": ("mark", "spark"),
}


def playable(make: Callable[..., str], random: Random, chance: bool = False, rules: int = 4) -> Game:
    """Return the first game of those that `make` draws which is not refused for its faults."""
    while True:
        try:
            return parse_game(make(random, chance, rules))
        except GameError:
            continue


def widened_game(random: Random, chance: bool = False, rules: int = 4) -> str:
    """Return a game of `random_game` in other words."""
    return widened(random, random_game(random, chance, rules))


def random_game(random: Random, chance: bool = False, rules: int = 4) -> str:
    """Return the text of a game with some random rules, and levels of random boards."""
    flags = [
        flag for flag in ("run_rules_on_level_start", "require_player_movement") if random.random() < 0.1
    ]
    lines = [*flags, "OBJECTS", "background", "black", ""]
    for name in NAMES:
        lines += [name, "red", ""]
    lines += ["LEGEND", ". = background"]
    lines += [f"{glyph} = {name}" for glyph, name in GLYPHS.items()]
    lines += [f"{glyph} = {' and '.join(names)}" for glyph, names in GLYPH_SETS.items()]
    lines += [f"{name} = {' or '.join(names)}" for name, names in PROPERTIES.items()]
    lines += ["SOUNDS", "COLLISIONLAYERS", "background", *(", ".join(layer) for layer in LAYERS), "RULES"]
    written = [random_rule(random, chance) for _ in range(random.randint(1, rules))]
    if len(written) > 1 and random.random() < 0.2:
        written = ["startloop", *written, "endloop"]
    lines += [
        *written,
        "WINCONDITIONS",
        random.choice(["all crate on mark", "no ball", "some ghost on thing", ""]),
    ]
    lines += ["LEVELS", ""]
    for _ in range(2):
        lines += [*random_board(random), ""]
    return "\n".join(lines)


def random_board(random: Random) -> list[str]:
    """Return the rows of a board."""
    width, height = random.choice([(4, 3), (3, 3), (1, 5), (5, 2), (2, 4)])
    glyphs = "..........ppccbbwgmsqxy"
    return ["".join(random.choice(glyphs) for _ in range(width)) for _ in range(height)]


def random_rule(random: Random, chance: bool) -> str:
    """Return a rule. Many say nothing that can happen; the parser leaves out those with faults."""
    late = random.random() < 0.25
    front = ["late"] if late else []
    if not late and random.random() < 0.12:
        front.append("rigid")
    if chance and random.random() < 0.2:
        front.append("random")
    if random.random() < 0.3:
        front.append(random.choice(["up", "down", "left", "right", "horizontal", "vertical"]))
    if random.random() < 0.15:
        front.insert(0, "+")
    left, right = [], []
    for _ in range(random.choice([1, 1, 1, 1, 1, 2])):
        cells = [random_cell(random, late) for _ in range(random.choice([1, 2, 2, 3]))]
        after = [changed(random, cell, late, chance) for cell in cells]
        for _ in range(2):
            if len(cells) > 1 and random.random() < 0.12:
                at = random.randrange(1, len(cells))
                if "..." not in (cells[at - 1], cells[at]):
                    cells.insert(at, "...")
                    after.insert(at, "...")
        left.append(f"[ {' | '.join(cells)} ]")
        right.append(f"[ {' | '.join(after)} ]")
    command = random.choice(COMMANDS) if random.random() < 0.2 else ""
    if command and random.random() < 0.4:
        right = []
    return " ".join([*front, *left, "->", *right, command])


def random_cell(random: Random, late: bool) -> str:
    pairs = []
    for layer in random.sample(range(4), random.choice([0, 1, 1, 1, 1, 1, 1, 2])):
        names = LAYERS[layer] if layer < 3 else tuple(PROPERTIES)
        word = "" if late else random.choice(MOVES)
        if random.random() < 0.15:
            word = "no"
        pairs.append(f"{word} {random.choice(names)}".strip())
    return " ".join(pairs)


def changed(random: Random, cell: str, late: bool, chance: bool) -> str:
    """Return what becomes of a cell: often the same, with another movement or another object."""
    draw = random.random()
    if draw < 0.35:
        return cell
    if draw < 0.5:
        return ""
    if draw < 0.7 and not late and cell and "no" not in cell.split():
        name = cell.split()[-1]
        return f"{random.choice(['>', '<', '^', 'v', 'up', 'stationary', 'action'])} {name}"
    if chance and draw < 0.8:
        return random.choice(["random thing", "random any_thing", "randomdir crate", "random soft spark"])
    return random_cell(random, late)


OTHER_NAMES = {
    "most": "thing or player", "everything": "soft or most or spark", "box": "crate", "item": "thing",
    "pair": "ball and mark", "trio": "spark and pair", "near": "crate or wall",
}  # fmt: skip
"""Further entries of the legend: properties of properties, other names, aggregates."""
OTHER_WORDS = ("horizontal", "vertical", "orthogonal", "parallel", "perpendicular", "moving", "down")
OTHER_CONDITIONS = ("all pair on soft", "no trio", "some pair", "no most on spark\nall soft on everything")
PLAYERS = ("hero or ball", "hero and ghost", "hero or spark", "pair")


def widened(random: Random, text: str) -> str:
    """Return a game of `random_game` with other names and words, loops, another player, two backgrounds."""
    head, rules, conditions, levels = re.split(r"\n(?:RULES|WINCONDITIONS|LEVELS)\n", text)
    written = [other_words(random, rule) for rule in rules.split("\n") if "loop" not in rule]
    if random.random() < 0.3:
        written += [random.choice(("", "+ ")) + rule for rule in random.choices(written, k=2)]
    if random.random() < 0.5:
        a, b, c, d = sorted(random.choices(range(len(written) + 1), k=4))
        written[c:d] = ["startloop", *written[c:d], "endloop"]
        written[a:b] = ["startloop", *written[a:b], "endloop"]
    if random.random() < 0.4:
        conditions = random.choice(OTHER_CONDITIONS)
    entries = [f"{name} = {what}" for name, what in OTHER_NAMES.items()]
    head = head.replace("\nLEGEND\n", "\nfloor f\nblue\n\nLEGEND\n")
    layers = random.choice(["background, floor", "floor background\nghost"])  # an empty layer, that is
    head = head.replace("\nbackground\nplayer,", f"\n{layers}\nplayer,")
    levels = re.sub(r"\.", lambda _: random.choice("...f"), levels)
    game = "\n".join([head.replace("\nSOUNDS", "\n".join(["", *entries, "SOUNDS"])), "RULES", *written])
    game += f"\nWINCONDITIONS\n{conditions}\nLEVELS\n{levels}"
    if random.random() < 0.3:
        game = re.sub(r"\bplayer\b", "hero", game)
        game = game.replace("\nSOUNDS", f"\nplayer = {random.choice(PLAYERS)}\nSOUNDS")
    return game


def other_words(random: Random, rule: str) -> str:
    """Return a rule in which a name or a word became another one on both sides, so that many still hold."""
    words = rule.replace(" random any", " random any crate").split(" ")
    if random.random() < 0.5:
        old, new = random.choice(NAMES), random.choice((*OTHER_NAMES, *PROPERTIES, "floor"))
        words = [new if word == old else word for word in words]
    if random.random() < 0.5:
        old, new = random.choice((">", "<", "^", "moving")), random.choice(OTHER_WORDS)
        words = [new if word == old else word for word in words]
    if words[-1] in COMMANDS and random.random() < 0.5:
        words += random.choices((*COMMANDS, "message"), k=random.choice([1, 1, 2]))
    elif random.random() < 0.15:
        words.append("again")
    return " ".join(words)
