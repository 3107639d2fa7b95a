"""What a week of use of a former workbench broke, each as a promise about its kind, without a browser.

The table of all findings with their tests stands in tests/whole/browser/test_findings.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from epcg_workbench import fillings as filling
from epcg_workbench.jobs import answer

from epcg_core.inside import editing
from epcg_core.plugin import EditorInfo, registry
from tests.workplace import sweep

pytest.importorskip("starlette", reason="Starlette is not installed: pip install epcg-workbench")

DOMAINS = sorted({info.domain for info in registry().all(EditorInfo)})
SMALL = (
    "side 2; without Line; without Triangle; without Snake; without Hexagon; without Elbow; without Butterfly"
)
NONE = "no level of any game\x00 at all"
PROVES = re.compile(r"\b(?:all of|every|proven|no other|none gives)\b", re.IGNORECASE)


def text_of(domain: str) -> str:
    examples = editing.examples(domain)
    return SMALL if domain == "tangram" else next(iter(examples.values()), editing.new_text(domain))


def asked(do: str, **request: Any) -> list[dict[str, Any]]:
    found = list(answer({"do": do, **request}))
    assert not any("error" in each for each in found), found
    return found


def number_of(domain: str) -> tuple[str, str]:
    """Return an evaluator and a numeric measure that a content of a domain has a value of."""
    for each in asked("measures", domain=domain, text=text_of(domain), plain=True):
        for metric in each.get("metrics", ()):
            if metric["kind"] != "bool" and metric["value"] is not None:
                return each["evaluator"], metric["metric"]
    pytest.skip("it has no number")


def test_a_text_that_no_domain_reads_is_told_one_sentence() -> None:
    (found,) = answer({"do": "open", "text": NONE})
    assert found["error"].startswith("No puzzle of a known kind is seen in this text")
    assert len(found["error"].splitlines()) == 1
    assert "Traceback" not in found["error"]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("domain", sweep(DOMAINS, lambda domain: domain != "segments"))
def test_a_change_that_empties_a_place_says_what_it_takes_away(domain: str) -> None:
    document = editing.open_document(domain, text_of(domain))
    titles = {mark.name: mark.title or mark.name for mark in document.editor.palette}
    site = next((name for name, marks in document.scene.marks.items() if marks), None)
    if site is None:
        pytest.skip("nothing lies there")
    evaluator, metric = number_of(domain)
    *_, end = asked(
        "effects", domain=domain, text=document.text, evaluator=evaluator, metric=metric, kinds=["erase"],
        locked=[each.id for each in document.scene.sites if each.id != site],
        wish={"metric": metric, "count": 3},
    )  # fmt: skip
    for change in end["wished"]:
        if change["marks"].get(site):
            continue
        names = [titles.get(name, name) for name in document.scene.marks[site]]
        assert change["description"].endswith(f"emptied of {' and '.join(names)}")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("keep", ["highest", "lowest"])
@pytest.mark.parametrize("domain", sweep(DOMAINS, lambda domain: domain not in ("tangram", "witness")))
def test_no_suggestion_changes_nothing_or_is_worse_than_what_there_is(domain: str, keep: str) -> None:
    """What more and less give is more and less, and each is another content."""
    document = editing.open_document(domain, text_of(domain))
    evaluator, metric = number_of(domain)
    marked = [site for site, marks in document.scene.marks.items() if marks]
    few = {*marked[:4], *[site.id for site in document.scene.sites][:4]}
    locked = [site.id for site in document.scene.sites if site.id not in few]
    wish = {"metric": metric, "keep": keep, "count": 5}
    own, *_, end = asked(
        "effects",
        domain=domain,
        text=document.text,
        evaluator=evaluator,
        metric=metric,
        locked=locked,
        wish=wish,
    )
    value = own["own"]
    for each in end["suggestions"]:
        if each["kind"] in ("highest", "lowest"):
            assert (each["value"] > value) is (each["kind"] == "highest")
            assert each["value"] != value
    for change in [*end["wished"], *end["suggestions"]]:
        (made,) = asked("apply", domain=domain, text=document.text, edits=change["edits"])
        assert made["text"] != document.text
    values = [each["value"] for each in end["wished"]]
    assert values == sorted(values, reverse=keep == "highest")
    ties = values.count(values[4]) - values[:5].count(values[4]) if len(values) > 4 else 0
    assert end["wish"]["equal"] >= ties, "what is as good as the last one that is kept is counted"
    assert bool(end["wish"]["ties"]) is (end["wish"]["equal"] > 0)
    if ties:
        assert f"{end['wish']['equal']:,} more" in end["wish"]["ties"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("most", [40, pytest.param(filling.MOST_TRIED, marks=pytest.mark.slow)])
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_sample_says_nothing_of_all(domain: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers about fillings that were not all tried tell how many of how many were."""
    assert filling.MOST_TRIED == 1000
    monkeypatch.setattr(filling, "MOST_TRIED", most)
    document = editing.open_document(domain, text_of(domain))
    _, metric = number_of(domain)
    by_kind: dict[str, list[str]] = {}
    for site in document.scene.sites:
        by_kind.setdefault(site.kind, []).append(site.id)
    kind = max(by_kind, key=lambda each: len(by_kind[each]))
    marks = [mark.name for mark in document.editor.palette if kind in mark.kinds][:4]
    first, *rest = asked(
        "fillings", domain=domain, text=document.text, wish={"metric": metric, "count": 3},
        open=[{"sites": by_kind[kind][:16], "marks": ["", *marks]}],
    )  # fmt: skip
    for each in [first, *rest]:
        if each["tried"] < int(each["of"]):
            assert not PROVES.search(each["wish"]["text"])
    last = rest[-1] if rest else first
    assert last["tried"] <= most or last["tried"] == int(last["of"])


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_file_of_several_contents_is_never_opened_as_its_first(domain: str, tmp_path: Path) -> None:
    """What is written one below the other is opened as all of it, or as a text."""
    texts = list(dict.fromkeys([*editing.examples(domain).values(), editing.new_text(domain)]))[:3]
    (tmp_path / "many.txt").write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    (opened,) = asked("project_open", folder=str(tmp_path), file="many.txt")
    levels = [piece for piece in opened["pieces"] if piece["kind"] == "content"]
    if opened["domain"]:
        assert len(levels) >= len(texts)
    else:
        assert levels == []
    assert opened["text"] == (tmp_path / "many.txt").read_text("utf-8")


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_line_that_is_spoilt_has_its_fault_or_changes_the_pieces(domain: str, tmp_path: Path) -> None:
    """No spoilt text is silently another game: a fault is told, or what was read is not what was written."""
    text = text_of(domain)
    lines = text.split("\n")
    name = "file.txt"
    (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    (opened,) = answer({"do": "project_open", "folder": str(tmp_path), "file": name})
    if "error" in opened or not opened.get("format"):
        pytest.skip("it is not a document")
    kind = {"domain": opened["domain"], "format": opened["format"], "file": name}
    before = [piece.get("hash") for piece in opened["pieces"]]
    for at in range(0, len(lines), max(1, len(lines) // 12)):
        if not lines[at].strip():
            continue
        spoilt = "\n".join([*lines[:at], "[ ] -> -> ]] ??", *lines[at + 1 :]]) + "\n"
        (told,) = answer({"do": "project_check", "folder": str(tmp_path), "text": spoilt, **kind})
        assert "error" not in told or "Traceback" not in told["error"]
        after = [piece.get("hash") for piece in told.get("pieces", ())]
        assert told.get("faults") or after != before, lines[at]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_game_is_drawn_in_its_own_art_wherever_it_is_drawn(domain: str) -> None:
    """The ground that the board shows is that of the list's pictures."""
    document = editing.open_document(domain, text_of(domain))
    ground = getattr(document.editor, "ground", None)
    if ground is None:
        pytest.skip("its empty places look like nothing")
    (opened,) = asked("open", domain=domain, text=document.text)
    shown = next(mark for mark in opened["palette"] if not mark["name"])
    colours = set(re.findall(r"#[0-9a-fA-F]{6}\b", str(shown)))
    assert colours
    listed = next(each for each in asked("examples", domain=domain) if each["text"] == document.text)
    assert colours & set(re.findall(r"#[0-9a-fA-F]{6}\b", listed["svg"]))
