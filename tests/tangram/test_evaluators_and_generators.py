"""A puzzle is measured by what measures its kind; an evaluator says which generator fits it."""

from __future__ import annotations

from typing import Any

import pytest
from epcg_tangram.evaluation.entropy import entropy
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.sets import sets
from epcg_tangram.generators.shapes import shapes
from epcg_tangram.generators.variants import boards
from epcg_tangram.params import (
    BoardsParams,
    InstanceEntropyParams,
    SetsParams,
    ShapesParams,
    VariantsParams,
)

from epcg_core import score
from epcg_core.base.errors import ParamsError


@pytest.mark.parametrize(
    ("space", "measured"),
    [
        ("boards?game=crate", {"solutions"}),
        ("sets?game=star", {"set"}),
        ("solved_boards?game=crate", {"board", "colours"}),
        ("shapes?count=3&lattice=triangles", {"shape", "places"}),
    ],
)
def test_a_puzzle_is_measured_by_what_measures_its_kind(space: str, measured: set[str]) -> None:
    found = score(f"tangram:{space}#0").json()
    assert found["left_out"] == {}
    assert {each["evaluator"] for each in found["measures"]} == measured


@pytest.mark.parametrize(
    "generator",
    [
        boards(VariantsParams("crate")),
        sets(SetsParams("star", size=8)),
        solved_boards(BoardsParams("crate")),
        shapes(ShapesParams(count=3)),
    ],
)
def test_what_is_not_an_instance_is_not_measured_as_one(generator: Any) -> None:
    with pytest.raises(ParamsError, match="choose the generator instances"):
        entropy(InstanceEntropyParams(), generator, {})
