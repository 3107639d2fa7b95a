"""The questions by which a designer goes on with a level: where else it could begin, and end."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_core.plugin import EpcgError, GameQuestion, counted
from epcg_puzzlescript.formats.text import format_level
from epcg_puzzlescript.generators.starts import Starts, goal_objects, moving_objects
from epcg_puzzlescript.language.roles import forgets_start
from epcg_puzzlescript.params import StartsParams
from epcg_puzzlescript.rules.level import Level

_MOST_TOGETHER = 1_000_000
"""More starts are not solved together: each is searched by itself."""
_LAST_RANK = 2**63 - 2
"""More ranks cannot be recorded."""
_TOGETHER, _ALONE = "start_moves", "shortest_solution"


def starts_questions(level: Level) -> Sequence[GameQuestion]:
    """Return the questions where else a level could begin, and where else its goals could lie."""
    kinds = (
        ("Where else could it begin?", moving_objects(level), "what moves"),
        ("Where else could its goals lie?", goal_objects(level), "the goals"),
    )
    found = (_question(level, title, objects, what) for title, objects, what in kinds if objects)
    return [question for question in found if question is not None]


def _question(level: Level, title: str, objects: Sequence[str], what: str) -> GameQuestion | None:
    content, left = format_level(level), tuple(objects)
    try:
        space = Starts(StartsParams(content=content, objects=left, on_floor=True))
        while space.max_rank > _LAST_RANK:  # what has most ways stays
            most = max(ways for _, ways in space.placed)
            left = tuple(name for name, (_, ways) in zip(left, space.placed, strict=True) if ways < most)
            if not left:
                return None
            space = Starts(StartsParams(content=content, objects=left, on_floor=True))
    except EpcgError:  # the level cannot be written by itself
        return None
    if space.max_rank < 2:
        return None
    together = space.max_rank <= _MOST_TOGETHER and forgets_start(level.game)
    how = "solved together, backwards from what is won" if together else "each solved by itself"
    return GameQuestion(
        title=title,
        about=f"Puts {what} ({', '.join(left)}) wherever there is floor: "
        f"{counted(space.max_rank, 'level')}, {how}; keeps those that take most moves.",
        query={"name": "starts", "objects": list(left), "on_floor": True, "content": content},
        measures=(_TOGETHER if together else _ALONE,),
    )
