"""A text that is read again after a stroke becomes what it becomes when it is read afresh, with less work."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from epcg_puzzlescript.language import grouping, memory
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError

from tests.puzzlescript.random_games import random_game, random_rule, widened_game

LETTERS = "pcbw.>|[]+-( )\nv^="


def edited(random: Random, text: str) -> str:
    """Return a text after a stroke, or after lines were added, copied, moved or taken away."""
    lines = text.split("\n")
    kind, at, other = random.randrange(6), random.randrange(len(lines)), random.randrange(len(lines))
    if kind == 0:
        place = random.randrange(len(text))
        return text[:place] + random.choice(LETTERS) + text[place + random.randrange(2) :]
    if kind == 1:
        rules = next((number for number, line in enumerate(lines) if line.strip().lower() == "rules"), at)
        lines.insert(rules + 1, random_rule(random, True))
    elif kind == 2:
        lines.insert(at, lines[other])
    elif kind == 3:
        lines.pop(at)
    elif kind == 4:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines.insert(at, "")
    return "\n".join(lines)


def read(text: str) -> Any:
    """Return all that is read of a text; the faults of one that is refused."""
    try:
        game = parse_game(text)
    except GameError as error:
        return str(error), error.problems
    return (
        game.normal, game.late, game.problems, game.rule_texts, game.conditions, game.levels, game.identity,
        game.settings, game.player, game.background,
    )  # fmt: skip


def texts(make: Callable[..., str], seed: int, edits: int) -> list[str]:
    """Return the text of a random game, and what edits make of it, one after the other and from the start."""
    random = Random(seed)
    found = [make(random, seed % 2 == 0, 5)]
    for number in range(edits):
        found.append(edited(random, found[0] if number % 3 == 0 else found[-1]))
    return found


@pytest.mark.parametrize("make", [random_game, widened_game])
@pytest.mark.parametrize("games", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_random_edits_of_random_games_are_read_as_afresh(
    make: Callable[..., str], games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [text for seed in range(games) for text in texts(make, seed, 14)]
    again = [read(text) for text in written]
    monkeypatch.setattr(memory, "MOST_VOCABULARIES", 0)
    read(written[0])  # after which nothing is kept
    for text, found in zip(written, again, strict=True):
        assert found == read(text), text


def test_a_stroke_expands_the_rule_that_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = random_game(Random(5), False, 4)
    pairs = [(what, other) for what in ("crate", "ball") for other in ("mark", "ghost", "wall", "spark")]
    rules = [f"[ > player | {what} | {other} ] -> [ > player | > {what} | {other} ]" for what, other in pairs]
    head, _, tail = text.partition("\nRULES\n")
    count, expand = [], grouping.expanded

    def counted(*arguments: Any) -> Any:
        count.append(arguments)
        return expand(*arguments)

    monkeypatch.setattr(grouping, "expanded", counted)
    work = []
    for lines in (rules, [*rules[:4], rules[4] + " again", *rules[5:]], ["", *rules], rules[2:]):
        parse_game(f"{head}\nRULES\n" + "\n".join(lines) + f"\n{tail}")
        work.append(len(count))
        count.clear()
    assert work[0] >= len(rules)
    assert work[1] == 1
    assert work[2] <= 1, "the rule whose change was undone may have to be read again"
    assert work[3] == 0
