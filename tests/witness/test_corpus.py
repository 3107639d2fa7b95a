"""The sets of the 2024 paper, chosen from a corpus of panels by what they hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import attrs
import pytest
from epcg_research.reproduce import Bench
from epcg_witness.formats.windmill import write_windmill
from epcg_witness.generators.windmill_file import WindmillFile
from epcg_witness.params import WindmillFileParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import Eraser, Panel, Polyomino, Square, Star, Triangles
from epcg_witness.studies import experiments
from epcg_witness.studies.corpus import A_DAY, CORPUS_FILE, PUBLISHED_BEFORE, Posted, published_set

from epcg_core.query.named import load_query
from epcg_core.runs.coordinator import Options
from tests.workplace import SHARED

DATA = SHARED / "data"
START = 1_500_000_000_000


def posted(name: str, day: float = 0, upvotes: int = 5, **parts: object) -> Posted:
    panel = Panel(**{"width": 4, "height": 4, "symbols": {5: Triangles(2)}, **parts})  # type: ignore[arg-type]
    return Posted(name, name, panel, START + day * A_DAY, 50, upvotes)


def names(corpus: list[Posted], which: str = "triangles") -> list[str]:
    return [each.id for each in published_set(corpus, which)]  # type: ignore[arg-type]


def test_the_contents_decide_which_set_a_panel_is_in() -> None:
    corpus = [
        posted("triangles"),
        posted("triangles and gaps", 2, gaps=(1,), dots=(4,)),
        posted("squares", 4, symbols={1: Square("black"), 2: Square("white")}),
        posted("stars and triangles", 6, symbols={1: Star("red"), 2: Triangles(1)}),
        posted("piece", 8, symbols={1: Polyomino([(0, 0)])}),
        posted("path", 10, symbols={}, dots=(3,)),
        posted("small", 12, width=3, height=4),
        posted("two starts", 14, starts=(0, 4)),
        posted("eraser", 16, symbols={1: Eraser(), 2: Triangles(1)}),
    ]
    assert names(corpus) == ["triangles", "triangles and gaps"]
    assert names(corpus, "other") == ["squares", "path"]


def test_panels_that_are_late_popular_or_posted_twice_are_left_out() -> None:
    late = (PUBLISHED_BEFORE - START) / A_DAY
    twice = [attrs.evolve(posted(name, day), contents="same") for name, day in (("a", 2), ("b", 300))]
    corpus = [
        posted("kept", 0, 39),
        posted("popular", 4, 40),
        *twice,
        posted("last", late - 0.1),
        posted("late", late),
    ]
    assert names(corpus) == ["kept", "last"]


def test_eight_panels_in_a_row_are_left_out_and_seven_are_not() -> None:
    seven = [posted(f"seven {i}", i / 10) for i in range(7)]
    eight = [posted(f"eight {i}", 10 + i) for i in range(8)]
    assert names([*seven, *eight]) == [each.id for each in seven]


def test_a_gzipped_file_has_the_puzzles_that_are_asked_for(tmp_path: Path) -> None:
    contents = write_windmill(Panel(width=2, height=2))
    entries = [{"id": name, "contents": contents} for name in ("c", "a", "b")]
    path = tmp_path / "puzzles.json.gz"
    path.write_bytes(gzip.compress(json.dumps(entries).encode()))
    assert [p.name for p in WindmillFile(WindmillFileParams(str(path))).puzzles] == ["c", "a", "b"]
    some = WindmillFile(WindmillFileParams(str(path), ids=("b", "c")))
    assert [puzzle.name for puzzle in some.puzzles] == ["c", "b"]
    with pytest.raises(PanelError, match="no puzzle with the id 'x'"):
        WindmillFile(WindmillFileParams(str(path), ids=("a", "x")))
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(PanelError, match="not a gzipped file"):
        WindmillFile(WindmillFileParams(str(path)))


@pytest.mark.skipif(not (DATA / CORPUS_FILE).exists(), reason="the corpus is not beside the repository")
@pytest.mark.parametrize("measured", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_24_panels_of_the_player_models(tmp_path: Path, measured: bool) -> None:
    with Bench(str(tmp_path / "a.db"), load_query, DATA, Options(executor="serial", quiet=True)) as bench:
        assert len(experiments.players(bench)) == 24
        policy = experiments.policy_correlation(bench, "policy_puzzle_difficulty.csv", "policy_tsi")
        assert round(float(policy.value), 3) == 0.658
        if measured:
            found = experiments.player_correlation(bench, ("separation",))
            assert round(float(found.value), 3) == 0.844
            assert found.detail.startswith("n = 24; 95 %: ")
