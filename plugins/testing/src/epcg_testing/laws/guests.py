"""Parts are guests: stdout, the working folder, the environment and private modules are the host's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, Inference, active_entry_points, choice_of, private_imports
from epcg_core.plugin import EvaluatorInfo, GeneratorInfo, InferenceRuleInfo, RendererInfo, resolve, structure
from epcg_testing.positions import first_position
from epcg_testing.report import Laws
from epcg_testing.subject import Believed, Scored, Space, Subject
from epcg_testing.violations import Broken, Case, Cases
from epcg_testing.watching import Seen, watched

LAWS = Laws()

_FEW = 3
_PATIENCE_S = 120.0
_IMPORT = """
import attrs, importlib, json, sys
from epcg_testing.watching import watched
with watched() as seen:
    for name in sys.argv[1:]:
        importlib.import_module(name)
print(json.dumps(attrs.asdict(seen)))
"""


@LAWS.whole(
    "parts-are-guests",
    "no part writes to stdout, or changes the working folder or the environment",
    "log instead of printing, or print to sys.stderr; name files by whole paths, and pass an environment to "
    "the programs that you start.",
)
def parts_are_guests(subject: Subject) -> Cases:
    yield Case.once("the plugin's modules, when they are imported", partial(_imported, subject))
    for space in subject.spaces:
        yield Case(space.where, partial(_watch, partial(_generate, space)), space.few(_FEW))
        for scored in space.evaluators:
            yield Case(scored.where, partial(_watch, partial(_evaluate, scored)), space.few(_FEW))
        for believed in space.rules:
            yield Case(believed.where, partial(_watch, partial(_infer, space, believed)), space.few(_FEW))
        for info in subject.parts(RendererInfo):
            where = f"{space.where}, renderer for {info.format} {info.name}".rstrip()
            yield Case(where, partial(_watch, partial(_draw, space, info)), space.few(_FEW))


def _imported(subject: Subject) -> None:
    """Import the modules of the plugins in a process that has not imported them."""
    points = active_entry_points()
    own = [p.module for p in points if p.dist is not None and p.dist.name == subject.distribution]
    for kind in (GeneratorInfo, EvaluatorInfo, InferenceRuleInfo, RendererInfo):
        infos: Sequence[Any] = subject.parts(kind)
        own += [info.factory.partition(":")[0] for info in infos if isinstance(info.factory, str)]
    modules = sorted({*own})
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, *modules],
        capture_output=True, text=True, check=False, timeout=_PATIENCE_S,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    if not done.returncode:  # else another law tells it
        _judge(Seen(**json.loads(done.stdout)))


def _watch(act: Callable[[int], None], rank: int) -> None:
    """Judge what is done for one rank; what is raised there other laws tell."""
    with watched() as seen, suppress(*PLUGIN_EXCEPTIONS):
        act(rank)
    _judge(seen)


def _judge(seen: Seen) -> None:
    if seen.printed:
        raise Broken("what it writes to stdout", "nothing", seen.printed)
    if seen.folder:
        raise Broken("the working folder afterwards", "the same", seen.folder)
    if seen.variables:
        raise Broken("the environment variables that it changes", "none", ", ".join(seen.variables))


def _generate(space: Space, rank: int) -> None:
    info = space.subject.registry.generator(space.spec.domain, space.spec.generator.name)
    params: Any = structure(info.params, space.spec.generator.params, info.name)
    generator: Any = resolve(info.factory)(params)  # the core's own way would undo what is watched
    state = generator.unrank(rank)
    if space.offers("format"):
        generator.format(state)
    if space.offers("rank"):
        generator.rank(state)
    if space.offers("transition_model"):
        model = generator.transition_model
        position = first_position(model, state)
        for action in [] if model.is_goal(position) else list(model.actions(position))[:_FEW]:
            model.apply(position, action)


def _evaluate(scored: Scored, rank: int) -> None:
    scored.fresh().evaluate(scored.space.unrank(rank))


def _infer(space: Space, believed: Believed, rank: int) -> None:
    model = space.generator.transition_model
    position = first_position(model, space.unrank(rank))
    if not model.is_goal(position):
        actions = tuple(model.actions(position))
        Inference[Any, Any]([believed.rule]).remaining(position, actions, None, choice_of(model))


def _draw(space: Space, info: RendererInfo, rank: int) -> None:
    resolve(info.factory)(space.generator)(space.unrank(rank))


@LAWS.whole(
    "imports-are-public",
    "the plugin imports epcg_core and epcg_core.plugin, and no other module of the core",
    "import the name from epcg_core.plugin; if it is not there, ask for it: private modules may change or "
    "move in any release.",
)
def imports_are_public(subject: Subject) -> Cases:
    for report in subject.registry.reports:
        if report.distribution == subject.distribution:
            yield Case.once(f"plugin {report.name}", partial(_public, report.name))


def _public(plugin: str) -> None:
    found = private_imports(plugin)
    if found:
        raise Broken("the private modules that it imports", "none", ", ".join(found))
