"""A person looks at a database while a run writes it and ten readers ask: in a real browser."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.store.reading import Readers, browsing
from tests.whole.browser.chromium import browser_marks, open_page, wait_for_pictures
from tests.workplace import epcg_command

pytest.importorskip("datasette", reason="Datasette is not installed: pip install 'epcg-workbench[datasette]'")

pytestmark = browser_marks()

QUERIES = Path(__file__).parents[3] / "plugins" / "fling" / "queries"


@pytest.fixture
def location(tmp_path: Path) -> Path:
    """The ten best Fling! boards of four pieces."""
    location = tmp_path / "boards.db"
    subprocess.run(
        epcg_command("run", QUERIES / "best_by_expert_ratio.toml", "--set", "generator.pieces=4", "--quiet",
                     "--db", location),
        check=True, capture_output=True,
    )  # fmt: skip
    return location


@pytest.fixture
def writing(location: Path) -> Iterator[None]:
    """A run that writes rows into the same database, as fast as it can, until it is stopped."""
    command = epcg_command("run", QUERIES / "best_by_expert_ratio.toml", "--quiet", "--workers", 1)
    options = ["--set", "generator.pieces=6", "--set", "record.rows=all", "--db", str(location)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield
    process.terminate()
    process.wait(60)


@pytest.mark.usefixtures("writing")
def test_pictures_filters_and_solutions_while_a_run_writes(location: Path) -> None:
    with (
        browsing(location) as pages,
        Readers(location, pages, 1.0) as readers,
        open_page() as (page, complaints),
    ):
        page.goto(f"{pages}/kept")
        images = "td.col-puzzle figure.epcg > a > img"
        assert wait_for_pictures(page, images, 3) == 10
        page.get_by_text("solution", exact=True).first.click()
        wait_for_pictures(page, "td.col-puzzle details[open] img", 1)

        page.locator(".facet-results a", has_text="top 10 by expert_ratio").first.click()
        page.wait_for_url("**kept_by=top**")
        assert wait_for_pictures(page, images, 3) == 10

        page.goto(f"{pages}/scores?run_id=5&_nocount=1")
        page.locator("select[name='_filter_column']").last.select_option("metric")
        page.locator("input[name='_filter_value']").last.fill("expert_tree")
        page.locator("input[type='submit'][value='Apply']").click()
        page.get_by_text('metric = "expert_tree"').first.wait_for()
        wait_for_pictures(page, "td.col-rank figure.epcg > a > img", 3)
        assert set(page.locator("tbody td.col-metric").all_inner_texts()) == {"expert_tree"}

        page.goto(f"{pages}/best?run=5&metric=expert_ratio")
        assert wait_for_pictures(page, "td.col-puzzle figure.epcg > a > img", 3) == 20
        page.goto(f"{pages}/runs")
        assert page.locator("tbody tr").count() >= 5
    assert complaints == []
    assert readers.tally.problems == []
    assert readers.tally.locked == 0
    assert set(readers.tally.asked) == {"view", "function", "sql", "page"}
