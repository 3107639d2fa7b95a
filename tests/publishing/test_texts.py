"""The texts that players read: both languages have all of them, and none stands outside of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from epcg_publishing.site import pages
from epcg_publishing.study.site import SCRIPTS
from epcg_publishing.texts import LANGUAGES, block, in_language, say, texts_of

from epcg_core.inside import board_file
from epcg_core.plugin import Reading

MODULES = sorted({*SCRIPTS, *pages.LIST, "game.js", "linked.js", "friend.js"} - {"texts.js"})
TEMPLATES = ("play.html", "share.html", "study.html")
SLOTS = {"PLAYER", "REST", "HOW", "TITLE"}
SAID = re.compile(r'(?<![#.\w])say\(\s*"([^"]+)"')
COUNTED = re.compile(r'\bsayOf\([^"]+"([^"]+)",\s*"([^"]+)"')
STRING = re.compile(r'"([^"\n]*)"|`([^`\n]*)`')
SENTENCE = re.compile(r"^[A-Z][a-z]+ [a-z]|^[A-Z][^\n]*[.?:]$|^[A-Z][a-z]{3,}$")
NOT_READ = {
    "ArrowUp",
    "ArrowLeft",
    "ArrowDown",
    "ArrowRight",
    "Enter",
    "Backspace",
    "Escape",
    "Arrow",
    "Delete",
}
"""Names of keys, which are no texts."""
NAMED = re.compile(r"\{(\w+)\}")
FORMS = {"de": {"one", "other"}}
LANGUAGE = LANGUAGES[1:]


def source(name: str) -> str:
    """Return a module without its comments."""
    text = re.sub(r"/\*.*?\*/", "", pages.static(name), flags=re.DOTALL)
    return re.sub(r"(^|\s)// .*$", "", text, flags=re.MULTILINE)


def in_templates(html: str) -> Iterator[str]:
    """Yield the texts of a template, and those of its attributes."""
    for text in re.findall(r"(?<=>)([^<>]*[A-Za-z][^<>]*)(?=<)", html):
        if not SLOTS.issuperset(text.split()):
            yield text.strip()
    yield from re.findall(r'\s(?:aria-label|title|alt)="([^"]+)"', html)


def in_python() -> Iterator[str]:
    """Yield the texts that the package says itself."""
    folder = Path(pages.__file__).parents[1]
    for path in folder.rglob("*.py"):
        text = path.read_text("utf-8")
        yield from re.findall(r"""\bsay\(\s*language,\s*["']([^"']+)["']""", text)
        yield from re.findall(r'^_STILL = "([^"]+)"', text, re.MULTILINE)
    for html in (pages._BAR, pages._BEGIN):
        yield from in_templates(html)


def keys() -> set[str]:
    """Return all English texts that players read."""
    found = set(in_python())
    for name in MODULES:
        found.update(SAID.findall(source(name)))
        found.update(many for _, many in COUNTED.findall(source(name)))
    for name in TEMPLATES:
        found.update(in_templates(pages.static(name)))
    found.update(f"{word} {{number}}" for word in ("Level", "Board", "Panel"))
    found.add(f"It has {Reading('').proven('no solution')}.")
    return found


@pytest.mark.parametrize("language", LANGUAGE)
def test_a_language_has_all_texts_and_no_others(language: str) -> None:
    assert set(texts_of(language)) == keys()


@pytest.mark.parametrize("language", LANGUAGE)
def test_translations_name_the_same_values(language: str) -> None:
    for text, found in texts_of(language).items():
        forms = found if isinstance(found, Mapping) else {"": found}
        for form in forms.values():
            assert sorted(NAMED.findall(form)) == sorted(NAMED.findall(text)), text
            assert form.strip() == form
            assert form.endswith(text[-1] if text[-1] in ".?" else form[-1:]), text


@pytest.mark.parametrize("language", LANGUAGE)
def test_what_is_counted_has_the_plural_forms_of_the_language(language: str) -> None:
    counted = {many for name in MODULES for _, many in COUNTED.findall(source(name))}
    assert len(counted) > 4
    for text in counted:
        found = texts_of(language)[text]
        assert isinstance(found, Mapping)
        assert set(found) == FORMS[language], text


@pytest.mark.parametrize("name", MODULES)
def test_no_text_stands_outside_of_the_table(name: str) -> None:
    text = COUNTED.sub("", SAID.sub("", source(name)))
    # what an error of a page's maker says is not read by players
    text = re.sub(r"throw new \w*Error\([^\n]*", "", text)
    outside = [
        a or b for a, b in STRING.findall(text) if SENTENCE.search(a or b) and (a or b) not in NOT_READ
    ]
    assert outside == []


def test_the_search_for_texts_finds_one() -> None:
    found = [a or b for a, b in STRING.findall('x.textContent = "Go on"; y = `Puzzle ${n} is lost.`')]
    assert [text for text in found if SENTENCE.search(text)] == found


def test_templates_are_translated_and_escaped() -> None:
    html = in_language(pages.static("play.html") + pages.static("share.html"), "de")
    assert ">Tipp</button>" in html
    assert " Sagen, wenn nichts mehr zu gewinnen ist</label>" in html
    assert 'aria-label="Brett: gespielt wird mit Pfeiltasten und Enter"' in html
    for text in texts_of("de"):
        assert f">{text}<" not in html or say("de", text) == text, text
    assert [*re.findall(r"<[^>]*>", pages.static("share.html").replace("aria-label", ""))] != []
    assert in_language("<p>Hint</p>", "en") == "<p>Hint</p>"
    assert "<" not in block("de").partition(">")[2].rpartition("</script>")[0]
    assert block("en") == ""


def test_the_texts_come_first_in_each_program() -> None:
    assert pages.PLAYER[0] == pages.LIST[0] == "texts.js"
    assert "SAID" in board_file("texts.js")
