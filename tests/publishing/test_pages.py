"""Pages of a PDF: rows in order, headings with what follows, and pages that are filled."""

from __future__ import annotations

from itertools import pairwise

from epcg_publishing.layout import COLUMNS
from epcg_publishing.pdf import INNER, PAGE, TALLEST, _pages, _Row, _tallest
from hypothesis import given, strategies as st

rows = st.lists(st.tuples(st.floats(1, 1.2 * PAGE), st.booleans(), st.booleans()), max_size=40)


def row(height: float, keep: bool = False, start: bool = False, name: str = "") -> _Row:
    return _Row(height, lambda top: None, keep, start, name)


@given(rows)
def test_every_row_is_on_one_page_in_order_and_headings_stay_with_the_next(
    found: list[tuple[float, bool, bool]],
) -> None:
    made = [row(height, keep, start, str(i)) for i, (height, keep, start) in enumerate(found)]
    pages = _pages(made)
    assert [each for page in pages for each in page] == made
    assert all(pages)
    for page in pages:
        if sum(each.height for each in page) > PAGE:  # one group that is too high for any page
            assert all(each.keep for each in page[:-1])
        if page is not pages[-1]:
            assert not page[-1].keep
    for page, following in pairwise(pages):
        group = [following[0]]
        while group[-1].keep and len(group) < len(following):
            group.append(following[len(group)])
        room = PAGE - sum(each.height for each in page)
        assert following[0].start or sum(each.height for each in group) > room


def test_two_chapters_of_one_row_share_a_page() -> None:
    chapter = [row(65, keep=True), row(TALLEST[COLUMNS] + 36)]
    assert len(_pages([*chapter, *chapter])) == 1


def picture(width: int, height: int) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"/>'


def test_pictures_are_as_high_as_whole_rows_allow() -> None:
    square = _tallest([picture(100, 100)] * 6, 2)  # three rows and a heading fill a page
    assert 3 * (square + 36) + 65 <= PAGE < 3 * (square + 36) + 66
    assert _tallest([picture(70, 80)] * 4, 2) == TALLEST[COLUMNS]
    assert _tallest([picture(400, 100)], 1) >= INNER / 4 * 0.75
    assert _tallest([None], 1) == TALLEST[COLUMNS]
