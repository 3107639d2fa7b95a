"""Several contents in one text of a domain, with a blank line between them: read, changed, and told apart."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from epcg_core.base.errors import EpcgError
from epcg_core.domain import EditorInfo
from epcg_core.domain.files import Piece
from epcg_core.editing.editing import examples
from epcg_core.editing.files import OwnTexts, kinds_of, moved
from epcg_core.plugins.registry import registry

DOMAINS = [info.domain for info in registry().all(EditorInfo) if info.domain != "puzzlescript"]
"""A content of PuzzleScript is a whole game, which has a format for many levels."""


def own(domain: str, most: int = 3) -> list[str]:
    return [text.strip("\n") for text in list(examples(domain).values())[:most]]


def held(domain: str, text: str) -> list[str]:
    sheet = OwnTexts(domain).read(text)
    assert sheet.usable, sheet.faults
    return [piece.text.strip("\n") for piece in sheet.pieces]


@pytest.mark.parametrize("domain", DOMAINS)
def test_contents_after_one_another_are_a_list(domain: str) -> None:
    """Also twice the same one, which together could be read as one large board."""
    for texts in (own(domain), own(domain, 1) * 2):
        text = "\n\n".join(texts) + "\n"
        assert held(domain, text) == texts
        assert domain in {kind.domain for kind in kinds_of(Path("a.txt"), text)}


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_list_grows_from_one_and_shrinks_to_one(domain: str) -> None:
    first, *others = own(domain)
    kept, text = OwnTexts(domain), f"{first}\n"
    for number, other in enumerate(others, 1):
        text = kept.insert(text, number, Piece(other))
    assert held(domain, text) == [first, *others]
    text = kept.replace(text, 0, Piece(f"{others[0]}\n" if others else first))
    text = kept.insert(text, 0, Piece(first))
    assert held(domain, text)[0] == first
    while len(held(domain, text)) > 1:
        text = kept.remove(text, 0)
    assert held(domain, text) == [(others or [first])[-1]]
    with pytest.raises(EpcgError, match="holds one content"):
        kept.remove(text, 0)


def named(domain: str, text: str) -> list[tuple[str, str]]:
    return [(piece.title, piece.text.strip("\n")) for piece in OwnTexts(domain).read(text).pieces]


@pytest.mark.parametrize("domain", DOMAINS)
def test_contents_have_names_that_stay_with_them(domain: str) -> None:
    """Whatever is done to them: one at a time, drawn at random."""
    kept, chance, texts = OwnTexts(domain), random.Random(domain), own(domain)
    for gap in ("\n\n", "\n\n\n"):
        text, wanted = gap.join(texts) + "\n", [("", each) for each in texts]
        for turn in range(12):
            number = chance.randrange(len(wanted))
            how = chance.choice(["entitle", "entitle", "untitle", "replace", "insert", "remove", "move"])
            title, content = wanted[number]
            if how in ("entitle", "untitle"):
                title = f"Der {turn}. Weg: hinüber" if how == "entitle" else ""
                text, wanted[number] = kept.entitle(text, number, title), (title, content)
            elif how == "replace":
                wanted[number] = (title, chance.choice(texts))
                text = kept.replace(text, number, Piece(f"{wanted[number][1]}\n"))
            elif how == "insert":
                text = kept.insert(text, number, kept.read(text).pieces[number])
                wanted.insert(number, (title, content))
            elif how == "remove" and len(wanted) > 1:
                text = kept.remove(text, number)
                del wanted[number]
            elif how == "move" and len(wanted) > 1:
                to = chance.randrange(len(wanted))
                text = moved(kept, text, number, to)
                wanted.insert(to, wanted.pop(number))
            assert named(domain, text) == wanted, how
            assert kept.read(text).usable
        assert domain in {kind.domain for kind in kinds_of(Path("a.txt"), text)}


def test_a_fault_below_a_name_is_told_at_its_line() -> None:
    first = next(each for each in own("witness") if "square" in each)
    second = own("witness")[-1]
    one = f"title: One\n{first}\n"
    for good in (one, f"{one}\ntitle: Two\n{second}\n"):
        text = good.replace("square", "sqare", 1)
        line = text[: text.index("sqare")].count("\n") + 1
        (fault,) = OwnTexts("witness").read(text).faults
        assert (fault.line, fault.message.startswith(f"line {line}, ")) == (line, True)


def test_each_change_leaves_the_rest_as_it_is() -> None:
    first, second, third = own("fling")
    text = f"\n{first}\n\n\n{second}\n\n{third}\n\n\n"
    assert OwnTexts("fling").replace(text, 1, Piece(f"{first}\n")) == text.replace(second, first)


def test_a_fault_in_one_of_several_is_told_at_its_line_and_the_others_stay() -> None:
    panels = own("witness")
    text = "\n\n".join(panels) + "\n"
    faulty = text.replace("square black", "sqare black", 1)
    line = faulty[: faulty.index("sqare")].count("\n") + 1
    sheet = OwnTexts("witness").read(faulty)
    (fault,) = sheet.faults
    assert (fault.line, fault.serious, len(sheet.pieces)) == (line, True, 2)
    assert fault.message.startswith(f"line {line}, ")
    assert [kind.domain for kind in kinds_of(Path("a.txt"), faulty)] == ["witness"]


def test_a_blank_line_before_a_legend_ends_no_panel() -> None:
    panels = own("witness")
    apart = "\n\n".join(panels).replace("\na: ", "\n\na: ")
    assert len(held("witness", apart)) == 3


def test_a_whole_game_is_one_content_and_no_list() -> None:
    first, second = own("puzzlescript", 2)
    assert held("puzzlescript", first) == [first]
    with pytest.raises(EpcgError, match="belongs into a file of its own"):
        OwnTexts("puzzlescript").insert(first, 1, Piece(second))
