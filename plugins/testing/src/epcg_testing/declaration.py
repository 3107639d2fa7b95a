"""A plugin's declarations for the conformance kit: `conformance.toml` in the plugin's package.

    domain = "words"
    capabilities = ["arrays-equal-evaluate"]   # laws that must apply: a capability lost is then noticed

    [[spaces]]                                 # small spaces to check, the smallest first
    generator = "five"
    params = { letters = 2 }
    states = 32                                # golden: the number of ranks

    [[spaces.counts]]                          # golden: how many states have this value
    evaluator = "runs"
    metric = "runs"
    value = 1
    count = 2

    [[spaces.plays]]                           # golden: a transcript of play from a puzzle to a goal
    rank = 3
    actions = ["turn 2", "turn 4"]
    choices = [5, 4]

In a string param, '{here}' stands for the folder of the file. A generator whose params all have defaults
needs no declaration if its space is small.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import active_entry_points
from epcg_core.plugin import PluginError, documents, param, structure

FILE = "conformance.toml"


@attrs.frozen
class DeclaredPart:
    """An evaluator, with params."""

    name: str = param(help="its name")
    params: dict[str, Any] = param(attrs.Factory(dict), help="its params; default: their defaults")


@attrs.frozen
class DeclaredRule(DeclaredPart):
    """An inference rule, with params."""

    misleads: str = param("", help="why a player who believes the rule may miss every solution, if so")


@attrs.frozen
class DeclaredCount:
    """The number of states of the space with a value."""

    evaluator: str = param(help="the evaluator that gives the metric, one of the space's")
    metric: str = param(help="the metric")
    count: int = param(minimum=0, help="how many states have it")
    value: float | None = param(None, help="the value; true is 1; default: states that have none")


@attrs.frozen
class DeclaredPlay:
    """A transcript of play, from a puzzle to a goal."""

    rank: int = param(minimum=0, help="the puzzle")
    actions: tuple[str, ...] = param(help="the action strings, in order")
    choices: tuple[int, ...] = param((), minimum=0, help="how many actions there are before each of them")


@attrs.frozen
class DeclaredSpace:
    """A small space, and known facts about it."""

    generator: str = param(help="the generator")
    params: dict[str, Any] = param(attrs.Factory(dict), help="its params")
    evaluators: tuple[DeclaredPart, ...] | None = param(
        None, help="those that its states are scored with; default: all that take them, with default params"
    )
    rules: tuple[DeclaredRule, ...] | None = param(
        None, help="inference rules that are tried; default: all, with default params"
    )
    states: int | None = param(None, minimum=0, help="golden: the number of ranks")
    counts: tuple[DeclaredCount, ...] = param((), help="golden: how many states have a value")
    plays: tuple[DeclaredPlay, ...] = param((), help="golden: transcripts of play")
    samples: int | None = param(None, minimum=1, help="how many states each law looks at")
    orbit: str | None = param(
        None, help="'module:function', (generator, state) -> the states that a symmetry makes equal to it"
    )
    repeats: str | None = param(None, help="why the space lists content several times, if so")
    invariant: tuple[str, ...] = param((), help="metrics that symmetries leave as they are")


@attrs.frozen
class Conformance:
    """The declarations for one domain."""

    domain: str = param(help="the domain")
    capabilities: tuple[str, ...] = param((), help="laws that must apply")
    spaces: tuple[DeclaredSpace, ...] = param((), help="small spaces")

    def joined(self, other: Conformance) -> Conformance:
        """Join two declarations, because a plugin may declare spaces for its parts of another's domain."""
        return Conformance(
            self.domain, (*self.capabilities, *other.capabilities), (*self.spaces, *other.spaces)
        )


def read(path: Path) -> Conformance:
    """Read the declaration in a file. Raises PluginError, ParamsError or UnknownNameError."""
    text = documents.read_text(path, "declaration", PluginError)
    table = documents.parse_toml(text, str(path), PluginError)
    for space in table.get("spaces", ()):
        if isinstance(space, dict) and isinstance(space.get("params"), dict):
            space["params"] = {key: _found(value, path.parent) for key, value in space["params"].items()}
    return structure(Conformance, table, path.name)


def _found(value: Any, folder: Path) -> Any:
    """Replace '{here}' in a param by the folder of the declaration, for files beside it."""
    return value.replace("{here}", str(folder)) if isinstance(value, str) else value


def declared(domain: str, distribution: str | None = None) -> Conformance:
    """Merge the declarations of the active plugins for a domain, or of those of one distribution."""
    found = Conformance(domain)
    for path in _files(distribution):
        own = read(path)
        if own.domain == domain:
            found = found.joined(own)
    return found


def _files(distribution: str | None) -> Iterator[Path]:
    points = [
        point
        for point in active_entry_points()
        if distribution is None or (point.dist is not None and point.dist.name == distribution)
    ]
    for package in dict.fromkeys(point.module.partition(".")[0] for point in points):
        spec = importlib.util.find_spec(package)
        if spec is None:
            continue
        origin = [Path(spec.origin).parent] if spec.origin else []
        folders = map(Path, spec.submodule_search_locations) if spec.submodule_search_locations else origin
        for folder in folders:
            if (folder / FILE).is_file():
                yield folder / FILE
