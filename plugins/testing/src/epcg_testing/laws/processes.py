"""Another process, with another order of sets, must say the same: runs are computed by many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from typing import Any

from epcg_core.plugin import plain
from epcg_testing.report import Laws
from epcg_testing.subject import Space, Subject
from epcg_testing.subprocess_check import facts
from epcg_testing.violations import Broken, Case, Cases, require

LAWS = Laws()

_STATES = 6
_HASH_SEED = "20071"


@LAWS.whole(
    "processes-agree",
    "states, values and the order of actions are the same in another process",
    "sort what comes out of sets before its order matters; hash(), id() and the time are no part of a value.",
)
def processes_agree(subject: Subject) -> Cases:
    spaces = [space for space in subject.spaces if space.max_rank]
    if not spaces:
        return
    answer = _ask(spaces)
    for number, space in enumerate(spaces):
        ranks = space.few(_STATES)
        if isinstance(answer, str):
            yield Case.once(space.where, partial(_failed, answer))
        else:
            told = dict(zip(ranks, answer[number], strict=True))
            yield Case(space.where, partial(_agree, space, told), ranks)


def _question(space: Space) -> dict[str, Any]:
    evaluators = [[scored.info.name, plain(scored.params)] for scored in space.evaluators]
    return {
        "domain": space.spec.domain,
        "generator": space.spec.generator.name,
        "params": space.spec.generator.params,
        "evaluators": evaluators,
        "ranks": list(space.few(_STATES)),
    }


def _ask(spaces: list[Space]) -> list[list[dict[str, str]]] | str:
    """Ask a process for the facts of each space's ranks; return an error message if that fails."""
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-m", "epcg_testing.subprocess_check"],
        input=json.dumps([_question(space) for space in spaces]), capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONHASHSEED": _HASH_SEED, "PYTHONPATH": path},
    )  # fmt: skip
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    found: list[list[dict[str, str]]] = json.loads(done.stdout)
    return found


def _failed(message: str) -> None:
    raise Broken("a new process cannot compute it", "the same facts", message)


def _agree(space: Space, told: dict[int, dict[str, str]], rank: int) -> None:
    if rank in told:
        ours = facts(space.generator, [(s.info.name, s.evaluator) for s in space.evaluators], rank)
        for what, fact in ours.items():
            require(f"{what}, in another process", fact, told[rank].get(what, "nothing"))
