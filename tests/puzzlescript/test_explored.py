"""Levels that are explored once for all readers: they are as plain play has them, and are played once."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from epcg_publishing.play_graph import play_graph
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.files import read_game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel

from epcg_core.difficulty.evaluator import Entropy
from epcg_core.domain import explored as exploring
from epcg_core.domain.explored import Explored, explored
from epcg_core.inside import editing
from epcg_core.plugin import LimitReachedError
from tests.puzzlescript.random_games import playable, random_game, widened_game


def compare(level: Level, most: int) -> int:
    """Compare what is explored of a level with plain play, breadth first; return how many positions."""
    plain, model = PuzzleScriptModel(), PuzzleScriptModel()
    try:
        state = plain.initial(level)
    except GameError:
        return 0
    play = Explored(model, level)
    assert play.initial(level) == state
    met, queue = {plain.key(state)}, [(state, play.initial(level))]
    for here, other in queue:
        assert play.state(play.key(other)) is other
        assert play.is_goal(other) == here.won
        if here.won:
            continue
        try:
            actions = list(plain.actions(here))
        except GameError as error:
            with pytest.raises(GameError, match=str(error)[:20]):
                play.actions(other)
            continue
        assert list(play.actions(other)) == actions, level.game.text
        for action in actions:
            after, found = plain.apply(here, action), play.apply(other, action)
            assert found == after, level.game.text
            assert (play.key(found) == play.key(other)) == (plain.key(after) == plain.key(here))
            if plain.key(after) not in met and len(met) < most:
                met.add(plain.key(after))
                queue.append((after, found))
    return len(queue)


def random_levels(seed: int) -> list[Level]:
    random = Random(seed)
    game = playable(widened_game if seed % 2 else random_game, random, rules=3)
    return [level_of(game, number) for number in range(len(game.maps))]


@pytest.mark.parametrize("plainly", [0, 5])
@pytest.mark.parametrize("games", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_random_games_are_explored_as_they_are_played(
    plainly: int, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "PLAINLY", plainly)
    found = [compare(level, 12) for seed in range(games) for level in random_levels(seed)]
    assert sum(found) > 4 * len(found)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("plainly", [0, 32])
@pytest.mark.parametrize("path", shipped_games(), ids=lambda path: path.stem)
def test_our_own_games_are_explored_as_they_are_played(
    path: Any, plainly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "PLAINLY", plainly)
    assert compare(level_of(read_game(path), 0), 60) > 3


def entropies(level: Level, make: Any) -> list[Any]:
    """Return the values of entropy of a level, and those of its plain form."""
    found: list[Any] = []
    for evaluator in (make, make.plain()):
        try:
            found.append(evaluator.evaluate(level))
        except (LimitReachedError, GameError) as error:
            found.append(str(error)[:20])
    return found


def entropy(rules: tuple[str, ...], limit: int) -> Any:
    """Return the evaluator `entropy` of levels that are opened."""
    info = next(info for info in editing.evaluators("puzzlescript") if info.name == "entropy")
    params = info.params(rules=rules, limit=limit)
    document = editing.open_document("puzzlescript", next(iter(editing.examples("puzzlescript").values())))
    return info.factory(params, document.editor)


@pytest.mark.parametrize("games", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_entropy_of_random_games_is_that_of_plain_play(games: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "PLAINLY", 3)
    make = entropy(("nothing-is-won",), 60)
    assert type(make.plain()) is Entropy
    for seed in range(100, 100 + games):
        for level in random_levels(seed):
            found, plain = entropies(level, make)
            assert found == plain, level.game.text


def test_readers_of_a_level_play_its_positions_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entropy, the graph of a play page, and both again, from a text that is opened again."""
    played, packed = [], []
    before, made = PuzzleScriptModel.played, PuzzleScriptModel.packed

    def counted(self: PuzzleScriptModel, position: Any, given: str) -> Any:
        played.append(position)
        return before(self, position, given)

    def counted_packed(self: PuzzleScriptModel, level: Level) -> Any:
        packed.append(level)
        return made(self, level)

    monkeypatch.setattr(PuzzleScriptModel, "played", counted)
    monkeypatch.setattr(PuzzleScriptModel, "packed", counted_packed)
    monkeypatch.setattr(exploring, "PLAINLY", 4)
    text = editing.examples("puzzlescript")["Lanterns on the Pier 1"]
    graphs = []
    for _ in range(2):
        document = editing.open_document("puzzlescript", text)
        for _, found in editing.measures(document, ["entropy"]):
            assert not isinstance(found, str)
        graphs.append(play_graph(document))
    assert len(graphs[0].states) > 4 * exploring.PLAINLY
    assert graphs[0].edges == graphs[1].edges
    assert len(played) <= 5 * exploring.PLAINLY + 5
    assert len(packed) <= 1


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "KEPT", 2)
    levels = [level_of(read_game(path), 0) for path in shipped_games()[:3]]
    model = PuzzleScriptModel()
    first = explored(model, levels[0])
    assert explored(PuzzleScriptModel(), levels[0]) is first
    for level in levels[1:]:
        explored(model, level)
    assert explored(model, levels[0]) is not first
