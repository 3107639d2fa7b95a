"""The mazes of maze.py beside this file as a plugin: generator `edits`, evaluators of shortest solutions."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.combinatorics.edits import EditedSpace
from epcg_core.domain import DomainInfo, Edit, EvaluatorInfo, GeneratorInfo
from epcg_core.search.shortest_path.evaluators import edited_path_evaluator, shortest_path_evaluator
from tests.core.search.paths.maze import Maze, PackedMazeModel, PlainModel, edits_of, parse, with_tiles

EPCG_API_VERSION = 1


@attrs.frozen
class EditsParams:
    """The variants of a maze."""

    maze: str = param("w.#E/.b../...o", help="rows with slashes between")
    edits: int = param(1, minimum=1, help="at most")
    fewest: int = param(1, minimum=0, help="at least")
    packed: bool = param(True, help="whether the packed model is offered")


class Edits(EditedSpace[Maze]):
    def __init__(self, params: EditsParams) -> None:
        maze = parse(params.maze.replace("/", " "))
        super().__init__(maze, edits_of(maze), applied, params.edits, params.fewest)
        self.transition_model = PackedMazeModel() if params.packed else PlainModel()


def applied(maze: Maze, edits: tuple[Edit, ...]) -> Maze:
    return with_tiles(maze, {edit.change["cell"]: edit.change["to"] for edit in edits})


class Blind:
    """A generator without original or model."""

    max_rank = 1

    def __init__(self, params: EditsParams) -> None: ...

    def unrank(self, rank: int) -> Maze:
        raise NotImplementedError


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("mazes", "Mazes", "walk to the exit"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for name, factory in (("edits", Edits), ("blind", Blind)):
        register(
            GeneratorInfo(name=name, domain="mazes", summary="variants", params=EditsParams, factory=factory)
        )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    register(shortest_path_evaluator("mazes", direction="min"))
    register(edited_path_evaluator("mazes"))
