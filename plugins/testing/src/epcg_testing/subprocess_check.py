"""Facts about states from a separate process, which reads a question on stdin, for comparison."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, format_state, space_spec
from epcg_core.plugin import make_generator, registry, resolve, structure
from epcg_testing.positions import first_position
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import plain_score
from epcg_testing.tables import needed_tables
from epcg_testing.violations import NotPlayedError

_POSITIONS = 4
_LOOK_S = 0.5


def facts(generator: Any, evaluators: Sequence[tuple[str, Any]], rank: int) -> dict[str, str]:
    """Return a state, its values, and the first actions of play as process-independent strings."""
    state = generator.unrank(rank)
    found = {"the state": repr(snapshot(state))}
    if getattr(generator, "format", None) is not None:
        found["its text"] = format_state(generator, state)
    for name, evaluator in evaluators:
        try:
            score = repr(plain_score(evaluator, state))
        except PLUGIN_EXCEPTIONS as error:  # other laws tell of it; both processes meet it
            score = type(error).__name__
        found[f"its score by {name}"] = score
    model = getattr(generator, "transition_model", None)
    if model is not None:
        with suppress(NotPlayedError):
            found["the order of its actions"] = repr(_play(model, state))
    return found


def _play(model: Any, puzzle: Any) -> list[Any]:
    """Return the actions of some positions along the first actions."""
    position = first_position(model, puzzle)
    told = []
    for _ in range(_POSITIONS):
        actions = [] if model.is_goal(position) else list(islice(model.actions(position), 64))
        told.append([snapshot(action) for action in actions])
        if not actions:
            break
        position = model.apply(position, actions[0])
    return told


def main() -> None:
    """Answer the question on stdin: a list of spaces, each with evaluators and ranks."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)  # what a plugin prints is not the answer
        sys.stdout = sys.stderr
        json.dump(_answer(json.load(sys.stdin)), out)


def _end_with_parent(parent: int) -> None:
    """End when the check does: a part that gives no answer has it killed."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)


def _answer(question: list[dict[str, Any]]) -> list[list[dict[str, str]]]:
    answer = []
    for asked in question:
        domain = asked["domain"]
        space = space_spec(registry(), domain, asked["generator"], asked["params"])
        generator = make_generator(registry(), space)
        evaluators = []
        for name, params in asked["evaluators"]:
            info = registry().evaluator(domain, name)
            own: Any = structure(info.params, params, name)
            tables = needed_tables(space, generator, info, own)
            evaluators.append((name, resolve(info.factory)(own, generator, tables)))
        answer.append([facts(generator, evaluators, rank) for rank in asked["ranks"]])
    return answer


if __name__ == "__main__":
    main()
