"""Changes, marks and moves of all kinds of puzzle are told as a person sees them: no signs of their texts."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from epcg_workbench.changes import changes_of

from epcg_core.domain import EditorInfo
from epcg_core.editing.editing import Document, examples, open_document
from epcg_core.editing.play import Play
from epcg_core.plugins.registry import registry

KINDS = ("put", "erase", "move", "swap", "flip", "turn")
DRAWN = 10
CELLS = r"\b(square|triangle|cube|hexagon|quarter)s? \d+\b(?!( to \d+|,? and \d+|, \d+)*, rows? \d)"
"""Numbers of cells that no picture shows, as those of a row are."""
SIGNS = re.compile(rf"#|\.[.#]|\bn [\d?^v<>]|_\w|{CELLS}")
"""Rows of a drawing, names of files' keys, and such numbers."""
DOMAINS = sorted({info.domain for info in registry().all(EditorInfo)})


def documents(domain: str) -> list[Document]:
    texts = list(examples(domain).values())
    return [open_document(domain, text) for text in random.Random(domain).sample(texts, min(4, len(texts)))]


def told(document: Document) -> Iterator[str]:
    """Yield what is told of some changes of each kind, of the places, of the marks and of some moves."""
    drawing = random.Random(document.text)
    for kind in KINDS:
        space = changes_of(document.editor, kinds=[kind])
        for rank in drawing.sample(range(space.max_rank), min(DRAWN, space.max_rank)):
            yield from (space.edits[number].description for number in space.edits_of(rank))
    yield from (site.title for site in document.scene.sites)
    if document.playable:
        steps = Play(document).position().steps
        yield from (step.text for step in drawing.sample(list(steps), min(DRAWN, len(steps))))


@pytest.mark.parametrize("domain", DOMAINS)
def test_words_have_no_signs_of_texts(domain: str) -> None:
    found = [words for document in documents(domain) for words in told(document)]
    palettes = [open_document(domain, text).editor.palette for text in examples(domain).values()]
    found += [mark.title or mark.name for palette in palettes for mark in palette]
    assert found
    assert [words for words in found if SIGNS.search(words)] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_places_and_moves_are_told_apart(domain: str) -> None:
    for document in documents(domain):
        titles = [[site.title for site in document.scene.sites]]
        if document.playable:
            titles.append([step.text for step in Play(document).position().steps])
        for each in titles:
            assert [words for words, count in Counter(each).items() if count > 1] == []
