"""Whether ours is what was published: the kinds of published numbers, and the verdicts on rows."""

from __future__ import annotations

import pytest
from epcg_research.reproduce.printed import (
    About,
    Exact,
    LessThan,
    MoreThan,
    Published,
    Rounded,
    RowAnswer,
    Significant,
    Varies,
    answer_in_words,
    read_printed,
)
from epcg_research.reproduce.tables import Ask, Call, OutOfReach, Row
from epcg_research.reproduce.verdicts import Verdict, compare, without_result
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, PluginError

NUMBERS = st.floats(-1e9, 1e9)


@pytest.mark.parametrize(
    ("published", "ours", "admitted"),
    [
        (Exact(12), 12, True),
        (Exact(12), 12.0, True),
        (Exact(12), 13, False),
        (Exact(12), "12", False),
        (Exact("12"), 12, False),
        (Exact("RU, UR"), "RU, UR", True),
        (Exact("RU, UR"), "RU", False),
        (Rounded(6.46, 2), 6.4649, True),
        (Rounded(6.46, 2), 6.4651, False),
        (Rounded(6.46, 2), "6.46", False),
        (Rounded(0.0, 1), 0, True),
        (Rounded(0.0, 1), 0.06, False),
        (Significant(1.53e-05, 3), 1.5349e-05, True),
        (Significant(1.53e-05, 3), 1.536e-05, False),
        (Significant(9.99e-05, 3), 1e-04, False),
        (Significant(0.0, 3), 0, True),
        (Significant(0.0, 3), 1e-300, False),
        (Significant(1.5, 2), "1.5", False),
        (About(15e6, 0.04), 15_500_000, True),
        (About(15e6, 0.04), 16_000_000, False),
        (About(15e6, 0.04), "15 million", False),
        (LessThan(0.05), 0.049, True),
        (LessThan(0.05), 0.05, False),
        (LessThan(0.05), "0.01", False),
        (MoreThan(40), 40.1, True),
        (MoreThan(40), 40, False),
        (MoreThan(40), "41", False),
        (Varies(), 3.7, True),
        (Varies(), "3.7", False),
    ],
)
def test_what_a_published_number_admits(published: Published, ours: RowAnswer, admitted: bool) -> None:
    assert published.admits(ours) is admitted


@given(NUMBERS, st.integers(0, 6))
def test_a_rounded_number_admits_what_it_was_rounded_from(value: float, decimals: int) -> None:
    assert Rounded(round(value, decimals), decimals).admits(value)


@given(NUMBERS, st.integers(0, 6), st.sampled_from([-1.0, 1.0]))
def test_a_rounded_number_admits_nothing_a_unit_away(value: float, decimals: int, sign: float) -> None:
    rounded = round(value, decimals)
    assert not Rounded(rounded, decimals).admits(rounded + sign * 0.99 * 10.0**-decimals)


@given(st.floats(1e-12, 1e12), st.integers(1, 6))
def test_significant_digits_admit_what_they_were_rounded_from(value: float, digits: int) -> None:
    assert Significant(float(f"{value:.{digits - 1}e}"), digits).admits(value)


@given(st.integers() | st.text())
def test_a_number_or_text_admits_itself_and_only_of_its_kind(value: int | str) -> None:
    assert Exact(value).admits(value)
    assert not Exact(value).admits(str(value) if isinstance(value, int) else 0)


def test_numbers_in_words() -> None:
    assert [answer_in_words(v) for v in (1_234_567, 2.0, 0.000015, 8.4782608, "RU")] == [
        "1,234,567", "2", "1.5e-05", "8.47826", "RU"
    ]  # fmt: skip
    texts = map(str, (Exact(1_500), Rounded(4.5, 2), Significant(0.412, 2), About(15e6, 0.1), MoreThan(40)))
    assert list(texts) == ["1,500", "4.50", "4.1e-01", "about 15,000,000", "over 40"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (47, Exact(47)),
        (801.5, Exact(801.5)),
        ({"text": "10 to 20"}, Exact("10 to 20")),
        ("0.9746", Rounded(0.9746, 4)),
        ("65", Rounded(65, 0)),
        ("-0.50", Rounded(-0.5, 2)),
        ("3.93e-01", Significant(0.393, 3)),
        ("2E18", Significant(2e18, 1)),
        ({"about": 5, "within": 0.25}, About(5, 0.25)),
        ("over 40", MoreThan(40)),
        ("under 0.05", LessThan(0.05)),
        ("varies", Varies()),
        ("-", None),
    ],
)
def test_a_number_is_written_as_it_is_printed(written: object, read: Published | None) -> None:
    assert read_printed(written, "here") == read


@pytest.mark.parametrize(
    "written",
    [True, "about 5", "1,000", ".5", "12.3e4", "over forty", "1e999", "9" * 50, [1], {}, {"text": 1}],
)
def test_other_forms_of_a_number_are_refused(written: object) -> None:
    with pytest.raises(EpcgError, match="here"):
        read_printed(written, "here")


@given(st.floats(-1e6, 1e6), st.integers(1, 6))
def test_a_printed_number_is_read_back(value: float, digits: int) -> None:
    assert read_printed(f"{value:.{digits}f}", "") == Rounded(float(f"{value:.{digits}f}"), digits)
    assert read_printed(f"{value:.{digits}e}", "") == Significant(float(f"{value:.{digits}e}"), digits + 1)


ASK = Ask("plugin/query")


def row(published: Published | None, found: Published | None = None, reason: str = "") -> Row:
    return Row(label="a", published=published, ask=ASK, sql="SELECT 1", found=found, reason=reason)


def test_the_verdicts_on_computed_rows() -> None:
    erratum = row(Exact(78), Exact(168), "an erratum")
    assert compare(row(Exact(78)), 78) == (Verdict.EQUAL, "")
    assert compare(row(Exact(78)), 79)[0] is Verdict.UNEXPLAINED
    assert compare(erratum, 168) == (Verdict.DIFFERS, "an erratum")
    assert compare(row(None), 5)[0] is Verdict.NOT_COMPARED
    assert compare(row(None, Exact(5)), 5)[0] is Verdict.NOT_COMPARED


def test_a_reason_holds_for_what_it_was_given_for_and_nothing_else() -> None:
    erratum = row(Exact(78), Exact(168), "an erratum")
    assert compare(erratum, 150)[0] is Verdict.UNEXPLAINED
    verdict, why = compare(erratum, 78)
    assert verdict is Verdict.UNEXPLAINED
    assert "168 is on record" in why
    assert compare(row(None, Exact(5)), 6) == (Verdict.UNEXPLAINED, "5 was found when the row was written")


def test_the_verdicts_on_rows_that_are_not_computed() -> None:
    size = OutOfReach("size", "all boards", 10**12)
    far = without_result(Row(label="a", published=None, out_of_reach=size))
    assert (far.verdict, far.reason) == (
        Verdict.OUT_OF_REACH, "1,000,000,000,000 candidates: all boards"
    )  # fmt: skip
    drawing = OutOfReach("drawing", "it is only drawn")
    assert without_result(Row(label="a", published=None, out_of_reach=drawing)).reason == (
        "a drawing: it is only drawn"
    )
    assert without_result(Row(label="a", published=None, reason="lost")).verdict is Verdict.NOT_COMPARED
    assert without_result(Row(label="a", published=Exact(1), reason="lost")).verdict is Verdict.NOT_COMPARED
    assert without_result(row(Exact(1)), "no data").reason == "no data"


@pytest.mark.parametrize("size", [1, 10**11])
def test_a_space_that_can_be_searched_is_not_out_of_reach(size: int) -> None:
    with pytest.raises(PluginError, match="are not out of reach"):
        OutOfReach("size", "boards", size)


def test_only_sizes_have_a_size() -> None:
    with pytest.raises(PluginError, match="the obstacle 'size', and no other"):
        OutOfReach("drawing", "a picture", 10**12)
    with pytest.raises(PluginError, match="the obstacle 'size', and no other"):
        OutOfReach("size", "boards")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"published": Exact(1)}, "neither computes anything nor says why"),
        ({"published": Exact(1), "ask": ASK}, "query and sql belong together"),
        ({"published": Exact(1), "sql": "SELECT 1"}, "query and sql belong together"),
        ({"published": Exact(1), "compute": Call("builtins:len")}, "compute and how belong together"),
        (
            {"published": Exact(1), "reduce": "builtins:len", "compute": Call("builtins:len"), "how": "so"},
            "and reduce to them",
        ),
        (
            {
                "published": Exact(1),
                "ask": ASK,
                "sql": "SELECT 1",
                "compute": Call("builtins:len"),
                "how": "so",
            },
            "keep one of these",
        ),
        (
            {"published": Exact(1), "ask": ASK, "sql": "SELECT 1", "found": Exact(2)},
            "what is found here and the reason",
        ),
        (
            {"published": Exact(1), "ask": ASK, "sql": "SELECT 1", "reason": "because"},
            "what is found here and the reason",
        ),
    ],
)
def test_a_row_says_neither_too_little_nor_too_much(fields: dict[str, object], problem: str) -> None:
    with pytest.raises(PluginError, match=problem):
        Row(label="a", **fields)  # type: ignore[arg-type]
