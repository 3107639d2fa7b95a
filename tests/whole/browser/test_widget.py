"""The board of a notebook, in a real browser: a page plays the notebook, this process is its Python."""

from __future__ import annotations

from typing import Any

import pytest

import epcg_core as epcg
from epcg_core.base.errors import EpcgError
from tests.whole.browser.chromium import chromium, open_page
from tests.workplace import needs

pytestmark = needs("anywidget", "anywidget is not installed: pip install 'epcg-workbench[notebook]'")

BOARD = "o..o\n.o..\n...."
HOST = """
const listeners = {}, state = {domain: "fling", text: INITIAL};
window.tell = (message) => (listeners["msg:custom"] ?? []).forEach((listener) => listener(message));
const model = {
  get: (key) => state[key],
  set: (key, value) => { state[key] = value; },
  save_changes: () => window.save(state.text),
  on: (name, listener) => { (listeners[name] ??= []).push(listener); },
  send: (content) => window.ask(content),
};
widget.default.render({model, el: document.body});
"""


def test_a_text_is_edited_and_read_again() -> None:
    widget = epcg.edit("fling", "o..o/.o../....")
    assert widget.text == BOARD
    widget.text = "o.o"
    assert widget.text == "o.o"
    with pytest.raises(EpcgError, match="Row 1"):
        widget.text = "x"
    assert widget.text == "o.o"
    assert epcg.edit("fling").text.count("o") == 2
    with pytest.raises(EpcgError, match="Did you mean 'fling'"):
        epcg.edit("flign")


def test_requests_of_the_page_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = epcg.edit("fling", BOARD)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", sent.append)
    request = {"do": "put", "domain": "fling", "text": BOARD, "sites": ["c1,3"], "mark": "ball"}
    widget._told(widget, {"number": 7, "request": request}, None)
    assert [each["number"] for each in sent] == [7, 7]
    assert sent[0]["message"]["text"] == "o..o\n.o..\no..."
    assert sent[1]["done"]


@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium")
def test_the_board_in_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    widget = epcg.edit("fling", BOARD)
    answers: list[Any] = []
    monkeypatch.setattr(widget, "send", answers.append)
    with open_page() as (page, complaints):
        page.expose_function("ask", lambda content: widget._told(widget, content, None))
        page.expose_function("save", lambda text: setattr(widget, "text", text))
        page.set_content("<!doctype html><body></body>")
        page.add_style_tag(content=str(widget._css))
        source = str(widget._esm).replace(
            "export default { render };", "window.widget = {default: {render}};"
        )
        page.add_script_tag(content=source.replace("export ", ""), type="module")
        page.add_script_tag(content=HOST.replace("INITIAL", repr(BOARD)), type="module")

        def rest() -> None:
            for _ in range(50):
                page.wait_for_timeout(20)
                if not answers:
                    return
                for message in answers[:]:
                    page.evaluate("message => window.tell(message)", message)
                    answers.remove(message)

        rest()
        rest()
        page.locator('[data-metric="legal_moves"]').wait_for()
        box = page.locator('epcg-board [data-site="c1,3"]').bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        rest()
        rest()
        assert widget.text == "o..o\n.o..\no..."
        page.get_by_text("Undo").click()
        rest()
        rest()
        assert widget.text == BOARD
        assert complaints == []
