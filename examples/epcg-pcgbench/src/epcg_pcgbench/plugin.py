"""The parts that the plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import (
    CommandInfo,
    Domain,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    GeneratorInfo,
    hookimpl,
)
from epcg_pcgbench import metrics

EPCG_API_VERSION = 1

PCGBENCH = Domain(
    "pcgbench",
    "PCG Benchmark",
    "mazes, rooms with a key and a door, and crates on targets, as the PCG Benchmark asks for them",
    content_word=("content", "contents"),
    generators=[
        GeneratorInfo(
            name="binary",
            summary="all contents of solid and empty cells",
            params="epcg_pcgbench.params:SizeParams",
            factory="epcg_pcgbench.contents:Binary",
        ),
        GeneratorInfo(
            name="mazes",
            summary="those whose empty cells are one region",
            params="epcg_pcgbench.params:SizeParams",
            factory="epcg_pcgbench.contents:Mazes",
        ),
        GeneratorInfo(
            name="zelda",
            summary="contents with a player, a key, a door and as many enemies as will do",
            params="epcg_pcgbench.params:RoomParams",
            factory="epcg_pcgbench.contents:Zelda",
        ),
        GeneratorInfo(
            name="sokoban",
            summary="contents with a player, crates, and as many targets, inside a solid border",
            params="epcg_pcgbench.params:CrateParams",
            factory="epcg_pcgbench.contents:Sokoban",
        ),
    ],
    evaluators=[
        EvaluatorInfo(
            name="binary",
            summary="regions, the longest way through a single one, and whether that is enough",
            metrics=(metrics.REGIONS, metrics.LONGEST, metrics.GOOD_MAZE),
            factory="epcg_pcgbench.evaluators:Binary",
        ),
        EvaluatorInfo(
            name="zelda",
            summary="the ways to the key and to the door, and whether all is as asked",
            params="epcg_pcgbench.params:EnemiesParams",
            metrics=(metrics.TO_KEY, metrics.TO_DOOR, metrics.GOOD_ROOM),
            factory="epcg_pcgbench.evaluators:Zelda",
        ),
        EvaluatorInfo(
            name="sokoban",
            summary="crates, the fewest moves that bring all of them to targets, and whether they are enough",
            params="epcg_pcgbench.params:DifficultyParams",
            metrics=(metrics.CRATES, metrics.MOVES, metrics.GOOD_CRATES),
            factory="epcg_pcgbench.evaluators:Sokoban",
        ),
    ],
    editors=[
        EditorInfo(
            summary="cells that hold one sign each",
            factory="epcg_pcgbench.editor:ContentEditor",
            new="epcg_pcgbench.editor:new_content",
            size=(4, 3),
            examples="epcg_pcgbench.editor:examples",
        )
    ],
    commands=[
        CommandInfo(
            name="apart",
            summary="how far the good contents of a run are apart",
            factory="epcg_pcgbench.apart:apart",
        )
    ],
)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(PCGBENCH)
