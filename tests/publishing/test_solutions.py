"""A booklet prints the solutions of what was chosen, kept by its query or not."""

from __future__ import annotations

import json
from pathlib import Path

from epcg_core.search.exact_cover.solver import PartialCovers
from tests.core.search.exact_cover.place import Tilings
from tests.core.search.exact_cover.toy_dominoes import dominoes
from tests.workplace import epcg

QUERY = """
name = "tilings"
domain = "dominoes"
generator = { name = "partial", width = 4, height = 4, depth = 2 }
evaluators = [{ name = "across" }]
select = [{ metric = "across", count = 1 }]
"""
PLAN = """
name = "tilings"
title = "Tilings"
[[chapters]]
name = "only"
title = "All"
query = "tilings.toml"
rows = "all"
measure = "across"
strategy = "lowest"
count = 2
"""


def test_solutions_that_no_run_recorded_are_told_by_its_evaluator(
    tilings: Tilings,
) -> None:
    Path("tilings.toml").write_text(QUERY, encoding="utf-8")
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    for words in (["build", "plan.toml", "--quiet"], ["export", "tilings", "--format", "json"]):
        epcg("curriculum", *words)
    chapters = json.loads(Path("tilings.json").read_text(encoding="utf-8"))["chapters"]
    assert len(chapters[0]["puzzles"]) == 2
    assert len({rank for rank, _, _ in tilings.solutions()}) == 1
    space = PartialCovers(dominoes(4, 4), 2)
    for puzzle in chapters[0]["puzzles"]:
        rank = int(puzzle["puzzle"].rpartition("#")[2])
        assert puzzle["solutions"]
        assert all(tuple(map(int, one[:2])) == space.unrank(rank) for one in puzzle["solutions"])
