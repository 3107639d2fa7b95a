"""Moves that lose: what the graph of a content says of each is what a search from there finds."""

from __future__ import annotations

import random

import pytest

from epcg_core.base.errors import EpcgError
from epcg_core.domain import LimitReachedError
from epcg_core.editing import editing
from epcg_core.editing.editing import Document
from epcg_core.editing.play import Play
from epcg_core.search.shortest_path.reachable import reachable_from
from epcg_core.search.shortest_path.solver import shortest_path

SMALL = 3_000
"""Positions of the contents that are tried, at most."""


def small_examples(domain: str) -> list[Document]:
    found = []
    for text in editing.examples(domain).values():
        document = editing.open_document(domain, text)
        try:
            reachable_from(document.model, document.editor.content, SMALL)
        except (EpcgError, LimitReachedError):  # the level has no kernel, or more positions
            continue
        found.append(document)
    return found


@pytest.mark.parametrize("walks", [8, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("domain", ["puzzlescript", "snakebird"])
def test_moves_that_lose_are_those_from_which_no_search_wins(domain: str, walks: int) -> None:
    pytest.importorskip(f"epcg_{domain}")
    documents = small_examples(domain)
    assert documents
    rng, verdicts = random.Random(8), set()
    for _ in range(walks):
        document = rng.choice(documents)
        model, content = document.model, document.editor.content
        taken: list[int] = []
        for _ in range(6):
            play = Play(document, taken)
            found = play.dead()
            if not found or model.is_goal(play.state):
                break
            for action, lost in zip(model.actions(play.state), found, strict=True):
                after = shortest_path(model, content, SMALL * 10, start=model.apply(play.state, action))
                assert lost is (after.length is None)
                verdicts.add(lost)
            taken.append(rng.randrange(len(found)))
    assert verdicts == {False, True}
