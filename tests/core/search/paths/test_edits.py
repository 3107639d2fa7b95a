"""Edited contents: which variants there are, and in which order."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.combinatorics.edits import EditedSpace, describe
from epcg_core.domain import Edit, EditedContent, Generator

Word = str


def letters(word: Word, alphabet: str = "ABC") -> list[Edit]:
    """Every letter changed to every other of the alphabet."""
    return [
        Edit(place, f"letter {place} to {other}", {"place": place, "to": other})
        for place, letter in enumerate(word)
        for other in alphabet
        if other != letter
    ]


def applied(word: Word, edits: tuple[Edit, ...]) -> Word:
    found = list(word)
    for edit in edits:
        found[edit.change["place"]] = edit.change["to"]
    return "".join(found)


def variants(word: Word, at_most: int = 1, at_least: int = 1) -> EditedSpace[Word]:
    return EditedSpace(word, letters(word), applied, at_most, at_least)


def test_single_edits_are_ranked_in_their_order() -> None:
    space = variants("AB")
    assert [space.unrank(rank) for rank in range(space.max_rank)] == ["BB", "CB", "AA", "AC"]
    assert [space.edits_of(rank) for rank in range(4)] == [(0,), (1,), (2,), (3,)]
    assert space.edits[3].description == "letter 1 to C"


def test_more_edits_come_after_fewer() -> None:
    space = variants("AA", at_most=2, at_least=0)
    assert [space.unrank(rank) for rank in range(space.max_rank)] == [
        "AA", "BA", "CA", "AB", "AC", "BB", "BC", "CB", "CC",
    ]  # fmt: skip
    assert describe(space.edits, space.edits_of(0)) == "nothing"
    assert describe(space.edits, space.edits_of(8)) == "letter 0 to C; letter 1 to C"


@given(st.text("ABCD", max_size=5), st.integers(0, 4), st.integers(0, 4))
def test_every_variant_is_there_once(word: Word, one: int, other: int) -> None:
    at_least, at_most = sorted((one, other))
    space = variants(word, at_most, at_least)
    expected = {
        "".join(changed)
        for changed in itertools.product(*({*"ABC", letter} for letter in word))
        if at_least <= sum(a != b for a, b in zip(word, changed, strict=True)) <= at_most
    }
    found = [space.unrank(rank) for rank in range(space.max_rank)]
    assert len(found) == len(expected)
    assert set(found) == expected
    named = [space.edits_of(rank) for rank in range(space.max_rank)]
    assert named == sorted(named, key=lambda numbers: (len(numbers), numbers))
    assert [space.rank_of(numbers) for numbers in named] == list(range(space.max_rank))
    for state, numbers in zip(found, named, strict=True):
        assert applied(word, tuple(space.edits[number] for number in numbers)) == state


def test_large_spaces_are_counted_exactly() -> None:
    """Two edits a place: 2^k C(places, k) variants."""
    space = variants("A" * 200, at_most=40)
    assert space.max_rank == sum(2**k * math.comb(200, k) for k in range(1, 41))
    last = space.max_rank - 1
    assert space.unrank(last) == "A" * 160 + "C" * 40
    assert space.rank_of(space.edits_of(last)) == last


def test_edits_of_one_place_are_brought_together() -> None:
    edits = letters("AA")
    space = EditedSpace("AA", [edits[0], edits[2], edits[1], edits[3]], applied, at_most=2)
    assert space.edits == tuple(edits)


def test_it_is_a_generator_of_edited_content() -> None:
    space: Generator[Word] = variants("AB")
    assert isinstance(space, EditedContent)
    assert space.original == "AB"


def test_bad_ranges_and_ranks_are_refused() -> None:
    with pytest.raises(ParamsError, match=r"^at_least = 2 and at_most = 1 do not form a range: "):
        variants("AB", 1, 2)
    with pytest.raises(ParamsError, match=r"^The edit 'letter 0 to B' is listed twice\.$"):
        EditedSpace("AB", letters("A") * 2, applied)
    space = variants("AB")
    for rank in (-1, 4):
        with pytest.raises(
            RankError, match=rf"^There is no variant {rank}: with 1 to 1 of 4 edits there are 4"
        ):
            space.unrank(rank)
    with pytest.raises(RankError, match="has 1 to 1 edits, not 2"):
        space.rank_of((0, 2))
    assert variants("").max_rank == 0
