"""Specifications of runs: the exact space, search and inputs.

A run covers exactly one ranked space. A `RunSpec` holds everything that its results depend on, so its
identity (a digest) tells whether the same run has been made before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

import attrs

from epcg_core.base.errors import (
    PLUGIN_EXCEPTIONS,
    EpcgError,
    PluginError,
    QueryError,
    UnknownNameError,
    format_exception,
)
from epcg_core.base.params import canonical_json, optional_key, plain, structure, toml_text
from epcg_core.chunks.objective import Objective
from epcg_core.domain import Metric, Omission, Reading, resolve, warn_of_unknown_attributes
from epcg_core.plugins.registry import Registry
from epcg_core.plugins.sources import Sources, sources_of
from epcg_core.plugins.unfiled import code_of
from epcg_core.query.query import RangeParams, evaluator_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_RECORDED_RANK = 2**63 - 1
_LONGEST_VALUE = 30
_DIGEST = re.compile(r"[0-9a-f]{64}")


@attrs.frozen
class PartSpec:
    """A part of a domain with all its params, as JSON-like data."""

    name: str
    params: dict[str, Any]
    alias: str = optional_key("as", "")
    """The name of an evaluator among several of one kind (see `PartRef.alias`)."""

    def role(self, need: str) -> str:
        """Return the role of an input that an evaluator of this alias reads."""
        return f"{self.alias}:{need}" if self.alias else need


CanonicalRanks = Callable[["NDArray[np.int64]"], "NDArray[np.int64]"]
"""A function from (n,) ranks to the first ranks of their symmetry classes, (n,) int64."""


@attrs.frozen
class SpaceSpec:
    """A ranked space: a generator with its params. Its `name` rebuilds it anywhere."""

    domain: str
    generator: PartSpec
    version: int = 1
    """The version of the generator, which tells what its ranks mean."""

    @property
    def name(self) -> str:
        """'domain:generator?key=value&...', keys sorted; 'domain:generator@2?...' from version 2 on."""
        texts = {
            key: value if isinstance(value, str) else canonical_json(value)
            for key, value in sorted(self.generator.params.items())
        }
        query = f"?{urlencode(texts, quote_via=quote)}" if texts else ""
        version = f"@{self.version}" if self.version > 1 else ""
        return f"{self.domain}:{self.generator.name}{version}{query}"


@attrs.frozen
class FilterSpec:
    """A filter that admits the ranks whose value in the input 'filter' lies in min .. max."""

    metric: str
    min: float | None
    max: float | None


@attrs.frozen(eq=False)
class InputSpec:
    """A metric of another run that a run reads."""

    role: str
    run: RunSpec
    metric: str
    required: bool = True
    """Whether the run cannot start without it; other inputs are used if they are recorded."""
    kind: Literal["bits", "values", "best"] = "bits"
    """The kind of table: whether the metric holds, by rank; its values, by rank; or its best value."""
    last: bool = False
    """If runs follow `run` (see `RunSequenceSearch`), the last of them is read."""


@attrs.frozen(eq=False)
class RunSpec:
    """One run: a space, its search and its metrics."""

    space: SpaceSpec
    search: PartSpec
    evaluators: tuple[PartSpec, ...]
    metrics: tuple[Metric, ...]
    start: int
    stop: int
    max_rank: int
    versions: tuple[str, ...]
    """'distribution version' of every plugin involved."""
    modules: tuple[str, ...] = ()
    """The modules that define the parts involved (see `epcg_core.plugins.sources`)."""
    without_file: tuple[tuple[str, str], ...] = ()
    """(name, digest) of each part whose code has no file (see `epcg_core.plugins.unfiled`)."""
    filter: FilterSpec | None = None
    inputs: tuple[InputSpec, ...] = ()
    layer: int | None = None
    on_error: str = "stop"
    candidate_timeout: float | None = None
    """Seconds after which a candidate is given up, with the status LIMIT."""
    objective: Objective | None = None
    """The objective, if the search prunes. Such a run records only candidates that reach the incumbent; the
    others are counted."""
    represents: int | None = None
    """Number of original states if the space is a quotient, else None."""
    omission: Omission | None = None
    """Content that the generator's params exclude from the space."""
    reading: Reading | None = None
    """How the texts were read from which the space's content comes."""
    solutions: bool = False
    """Whether the search itself finds solutions, which are then recorded and digested."""
    chooses: bool = False
    """Whether the search itself leaves ranks out, which then count as excluded (see `SelectiveSearch`)."""
    on_the_way: bool = False
    """Whether another run is the answer, so that no rows are made of this one."""
    final_metrics: tuple[Metric, ...] = ()
    """The metrics of the answer, if a later run is the answer (see `RunSequenceSearch`)."""

    @property
    def may_exclude(self) -> bool:
        """Whether ranks may be left out without a bound: by a filter, or by a search that chooses."""
        return self.filter is not None or self.chooses

    def sources(self) -> Sources:
        """Return the sources that would compute the run now: of its own parts, not of the runs it reads."""
        return sources_of(self.modules, dict(self.without_file))

    def data(self) -> dict[str, Any]:
        """Return everything that the results depend on, as JSON-like data."""
        return (
            {
                "space": self.space.name,
                "search": plain(self.search),
                "evaluators": [plain(e) for e in self.evaluators],
                "metrics": [metric.name for metric in self.metrics],
                "range": [str(self.start), str(self.stop)],
                "filter": None if self.filter is None else plain(self.filter),
                "inputs": {i.role: i.run.identity for i in self.inputs if i.required},
                "layer": self.layer,
                "versions": sorted(self.versions),
            }
            | self._limits()
            | ({} if self.objective is None else {"objective": attrs.asdict(self.objective)})
        )

    def _limits(self) -> dict[str, float]:
        return {} if self.candidate_timeout is None else {"candidate_timeout": self.candidate_timeout}

    def query_data(self) -> dict[str, Any]:
        """Return the data of a query that plans exactly this run."""
        data: dict[str, Any] = {
            "name": self.search.name,
            "domain": self.space.domain,
            "generator": plain(self.space.generator),
            "search": plain(self.search),
            "evaluators": [plain(e) for e in self.evaluators],
            "range": {"start": self.start, "stop": self.stop},
            "record": {"on_error": self.on_error} | self._limits(),
        }
        for needed in self.inputs:
            if needed.role == "filter" and self.filter is not None:
                search, evaluators = needed.run.search, needed.run.evaluators
                data["filter"] = plain(self.filter) | {
                    "search": {"name": search.name, **search.params},
                    "evaluators": [evaluator_table(plain(e)) for e in evaluators],
                }
        return data

    def recorded(self) -> dict[str, Any]:
        """Return the recorded data: `data`, and the query that plans the run."""
        return self.data() | {"query": self.query_data()}

    @cached_property
    def identity(self) -> str:
        """A digest of `data`: equal for runs that ask for the same of the same versions."""
        return hashlib.sha256(canonical_json(self.data()).encode()).hexdigest()

    @cached_property
    def request(self) -> str:
        """A digest of what is asked for, whatever versions answer it."""
        data = self.data() | {"inputs": {i.role: i.run.request for i in self.inputs if i.required}}
        del data["versions"]
        return hashlib.sha256(canonical_json(data).encode()).hexdigest()

    def title(self, registry: Registry) -> str:
        """Name the run for people: its space in words, its search and its layer on the way to another."""
        generator = self.space.generator
        words = space_in_words(registry, self.space.domain, generator.name, generator.params)
        layer = f", layer {self.layer}" if self.on_the_way else ""
        return f"{words}, {self.search.name}{layer}"


def space_in_words(registry: Registry, domain: str, generator: str, params: Mapping[str, Any]) -> str:
    """Write a space for titles, as in 'Numbers range: size 100'.

    Digests, empty values and switches that are off are left out, and long strings are cut.
    """
    with suppress(EpcgError):  # the plugin is missing
        domain = registry.domain(domain).title
    told = {
        key: _told(value)
        for key, value in sorted(params.items())
        if value not in (None, False, "", [], {}) and not _DIGEST.fullmatch(str(value))
    }
    texts = [
        f"{key} {text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + '…'}"
        for key, text in told.items()
    ]
    return f"{domain} {generator}" + (f": {', '.join(texts)}" if texts else "")


def _told(value: Any) -> str:
    if isinstance(value, Mapping) and {"space", "ranks"} <= set(value):  # a library
        return f"of {len(value['ranks']):,} from {value['space'].partition('?')[0]}"
    if isinstance(value, list | tuple) and value and all(isinstance(each, Mapping) for each in value):
        return ", ".join(map(_told, value))
    return (toml_text(value) if isinstance(value, Mapping | list) else str(value)).partition("\n")[0]


def identity_of(recorded: Mapping[str, Any]) -> str:
    """Return the identity of a run that `recorded` describes (see `RunSpec.recorded`)."""
    data = {key: value for key, value in recorded.items() if key != "query"}
    return hashlib.sha256(canonical_json(data).encode()).hexdigest()


def space_spec(registry: Registry, domain: str, name: str, params: Mapping[str, Any] | Any) -> SpaceSpec:
    """Specify the space of a generator; `params` is a TOML table or the generator's params object."""
    info = registry.generator(domain, name, "generator")
    own = params if isinstance(params, info.params) else structure(info.params, params, "generator")
    return SpaceSpec(domain, PartSpec(name, plain(own)), info.version)


def version_in(space: str) -> int:
    """Return the generator's version in the name of a space."""
    found = re.match(r"[^?#@]*@(\d{1,9})", space)
    return int(found[1]) if found else 1


def check_version(registry: Registry, space: SpaceSpec) -> None:
    """Raise QueryError if the ranks of a space mean other states to the generator in use."""
    info = registry.generator(space.domain, space.generator.name)
    if info.version != space.version:
        raise QueryError(
            f"{space.name} is of version {space.version} of its generator, and in use is version "
            f"{info.version}, whose ranks mean other states: install the plugin as it was then."
        )


def make_generator(registry: Registry, space: SpaceSpec) -> Any:
    """Make the generator of a space.

    Raises PluginError, which names it, if that fails, and QueryError if its ranks mean other states.
    """
    info = registry.generator(space.domain, space.generator.name)
    check_version(registry, space)
    params: Any = structure(info.params, space.generator.params, "generator")
    with registry.attribute_errors_to(info):
        generator = resolve(info.factory)(params)
    warn_of_unknown_attributes("generator", registry.described(info), generator)
    if not hasattr(generator, "unrank"):
        raise PluginError(f"The {registry.described(info)} has no unrank.")
    return generator


def canonical_ranks_of(
    space: SpaceSpec, generator: Any, distinct: bool | Sequence[str] = True
) -> CanonicalRanks:
    """Return the function that maps (n,) ranks to the first of their symmetry classes, (n,) int64.

    Args:
        space: the space.
        generator: its generator.
        distinct: True for the generator's own classes, or the names of symmetries.

    Raises:
        QueryError: if the space has no symmetries.
        UnknownNameError: if it does not offer one of those that are named.
    """
    canonical: Callable[[int], int] | None = getattr(generator, "canonical_rank", None)
    if canonical is None:
        raise QueryError(f"{space.name} has no symmetries, so there are no classes: leave 'distinct' out.")
    names = None if isinstance(distinct, bool) else tuple(distinct)
    if names is not None:
        offered = tuple(getattr(generator, "symmetries", ()))
        if not offered:
            raise QueryError(f"The symmetries of {space.name} have no names: write distinct = true.")
        for name in names:
            if name not in offered:
                raise UnknownNameError("symmetry", name, offered, "distinct")
    in_arrays = getattr(generator, "canonical_ranks", None)
    if in_arrays is None and names is not None:
        canonical = generator.canonical_rank_by(names)

    def canonical_ranks(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        import numpy as np

        try:
            if in_arrays is None:
                found = np.array([canonical(rank) for rank in ranks.tolist()], np.int64)
            else:
                found = np.asarray(in_arrays(ranks, names))
        except EpcgError:
            raise
        except PLUGIN_EXCEPTIONS as error:
            raise PluginError(
                f"The symmetry classes of {space.name} cannot be told: its generator raised "
                f"{format_exception(error)}."
            ) from error
        if found.shape != ranks.shape or found.dtype.kind not in "iu":
            raise PluginError(
                f"The canonical_ranks of {len(ranks)} ranks in {space.name} are of shape {found.shape} and "
                f"type {found.dtype}: they must be one whole number for each."
            )
        wrong = np.flatnonzero((found < 0) | (found > ranks))
        if len(wrong):
            raise PluginError(
                f"The canonical rank of {ranks[wrong[0]]} in {space.name} is {found[wrong[0]]}: it must be "
                "the lowest rank of the class, from 0 to the rank itself."
            )
        return found

    return canonical_ranks


def max_rank_of(registry: Registry, space: SpaceSpec, generator: Any) -> int:
    """Return a generator's number of states. Raises PluginError if that is not a valid number."""
    info = registry.generator(space.domain, space.generator.name)
    with registry.attribute_errors_to(info):
        if not hasattr(generator, "max_rank"):
            raise PluginError(f"The {registry.described(info)} has no max_rank.")
        max_rank = generator.max_rank
    if not isinstance(max_rank, Integral) or max_rank < 0:
        raise PluginError(
            f"The {registry.described(info)}: its max_rank must be a whole number of 0 or more, not "
            f"{max_rank!r}."
        )
    return int(max_rank)


def versions(registry: Registry, search: str, space: SpaceSpec, *infos: object) -> tuple[str, ...]:
    """Return each 'distribution version' behind a search, a generator and other descriptors once."""
    generator = registry.generator(space.domain, space.generator.name)
    return tuple(sorted({registry.version_of(i) for i in (registry.search(search), generator, *infos)}))


def code(
    registry: Registry, search: str, space: SpaceSpec, *infos: object
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the modules that define a search, a generator and other descriptors' parts.

    After them come (name, digest) of each part whose code has no file.
    """
    generator = registry.generator(space.domain, space.generator.name)
    modules, digests = set[str](), dict[str, str]()
    for info in (registry.search(search), generator, *infos):
        known, found = code_of(info, registry.is_of_file(info))
        modules |= known
        digests |= found
    return tuple(sorted(modules)), tuple(sorted(digests.items()))


def checked_range(limits: RangeParams, max_rank: int, space: SpaceSpec) -> tuple[int, int]:
    """Return (start, stop) of a query's range.

    Raises QueryError if the range is outside the space, or the space too large to record.
    """
    stop = max_rank if limits.stop is None else limits.stop
    if max_rank > MAX_RECORDED_RANK:
        raise QueryError(
            f"{space.name} has {max_rank:,} states, and ranks of 2^63 and more cannot be recorded: "
            "choose smaller params."
        )
    if not limits.start <= stop <= max_rank:
        raise QueryError(
            f"range: {limits.start} to {stop} is not inside the space, whose ranks are 0 to {max_rank - 1}."
        )
    return limits.start, stop
