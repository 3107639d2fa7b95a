"""The contracts: what a domain contributes, and what the core hands to it.

A *generator* produces every piece of content by its rank, an *evaluator* scores states, a *transition
model* says how a puzzle is played, a *layered space* is solved from the bottom by retrograde analysis.
All are structural (typed Protocols): a plugin inherits nothing. What is registered are frozen descriptors
with a lazy factory, so that listing the domains runs none of their heavy code.

Parts meet in arrays. A generator may offer `states_block` and `states_at` (one packed array of states), an
evaluator `evaluate_states` (one array per metric and a status per candidate). `epcg_core.search.blocks`
supplies the array forms of plain parts, so plain Python and compiled kernels live behind one interface.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import attrs

from epcg_core.errors import PluginError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = TypeVar("State")
Action = TypeVar("Action")
State_co = TypeVar("State_co", covariant=True)
State_contra = TypeVar("State_contra", contravariant=True)
Partial = TypeVar("Partial")

Value: TypeAlias = "int | float | bool"
Lazy: TypeAlias = "str | Callable[..., Any]"
"""A callable, or 'module:attribute' that is imported when it is first called."""


def resolve(lazy: Lazy) -> Callable[..., Any]:
    """The callable behind `lazy`. Raises PluginError where the module or the attribute is missing."""
    if not isinstance(lazy, str):
        return lazy
    module, _, attribute = lazy.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise PluginError(f"'{lazy}' cannot be loaded: {error}.") from error
    if not callable(found):
        raise PluginError(f"'{lazy}' is not callable.")
    return found  # type: ignore[no-any-return]


# --- metrics and their values ---------------------------------------------------------------------------

VALUE, NONE, LIMIT, ERROR = 0, 1, 2, 3
"""The status of a candidate: it has values; there is none (no solution, say); a limit was reached; the
evaluator raised."""
STATUS_NAMES = ("value", "none", "limit", "error")


@attrs.frozen
class Metric:
    """One number that an evaluator gives to a candidate."""

    name: str
    kind: Literal["int", "real", "bool"] = "int"
    direction: Literal["max", "min"] = "max"
    """Which end is better, for `top` and `best`."""
    unit: str = ""
    description: str = ""
    always: bool = attrs.field(default=False, kw_only=True)
    """The metric has a value for candidates of status NONE and LIMIT too (an effort, say)."""


class LimitReachedError(Exception):
    """Raised by a plain evaluator that gives up on a candidate: its status becomes LIMIT."""


@attrs.frozen(eq=False)
class Bits:
    """`count` booleans, eight a byte, the lowest bit first (numpy's bitorder="little")."""

    data: NDArray[np.uint8]
    """(ceil(count / 8),); bits past `count` are 0."""
    count: int


@attrs.frozen(eq=False)
class Evaluation:
    """What an evaluator returns for an array of n states."""

    values: Sequence[NDArray[Any] | Bits]
    """One (n,) array per metric, in the evaluator's order; int, float or bool; or Bits for a bool metric."""
    status: NDArray[np.uint8] | None = None
    """(n,) VALUE, NONE or LIMIT per candidate; (metrics, n) where metrics differ; None: all have values."""


# --- parts ---------------------------------------------------------------------------------------------


class Generator(Protocol[State_co]):
    """All the content of a kind, by rank.

    Optional capabilities, found by their names: `rank(state)`, `increment(state)` (the state of the next
    rank, or None at the end), `canonical_rank(rank)` (the lowest rank of the states that a symmetry makes
    equal), `parse(text)` and `format(state)`, `states_block(start, count)` and `states_at(ranks)` (packed
    arrays), `setting` (what all states share, for evaluators and renderers), `transition_model`,
    `layered_space`, `prefixes` (a `PrefixSpace`) and `represents` (of how many original states the space, a
    quotient of them, is made; an exact int).
    """

    @property
    def max_rank(self) -> int:
        """The number of states: ranks are 0 .. max_rank - 1. An exact Python int of any size."""

    def unrank(self, rank: int) -> State_co: ...


@runtime_checkable
class ArrayGenerator(Protocol):
    """The array capability of a generator. States are packed as the domain likes; the first axis counts."""

    def states_block(self, start: int, count: int) -> NDArray[Any]:
        """The states of ranks start .. start + count - 1."""

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[Any]:
        """The states of (n,) increasing ranks."""


class Evaluator(Protocol[State_contra]):
    """Scores states. `evaluate` returns one value per metric, or None when the state has none."""

    @property
    def metrics(self) -> Sequence[Metric]: ...

    def evaluate(self, state: State_contra) -> Sequence[Value] | None: ...


@runtime_checkable
class ArrayEvaluator(Protocol):
    """The array capability of an evaluator: scores a packed array of n states."""

    def evaluate_states(self, states: NDArray[Any]) -> Evaluation: ...


@runtime_checkable
class FusedEvaluator(Protocol):
    """The rare case where making and scoring states in one kernel wins: scores ranks start .. + count - 1."""

    def evaluate_block(self, start: int, count: int) -> Evaluation: ...


class TransitionModel(Protocol[State, Action]):
    """How a puzzle is played."""

    def actions(self, state: State) -> Iterable[Action]: ...

    def apply(self, state: State, action: Action) -> State: ...

    def is_goal(self, state: State) -> bool: ...

    def key(self, state: State) -> Hashable:
        """Equal for states that are the same position."""


class LayeredSpace(Protocol):
    """A generator's space seen as the top of a stack of layers, each solved from the one below.

    Every action leads from a layer to the next lower one, so a layer's states are solved by looking their
    successors up (Sturtevant & Ota 2018, Algorithm 5). The layers are generators of the same name with
    other params. Optional, for speed: `working_tables` and `solve_block` (see `CompiledLayers`).
    """

    @property
    def layers(self) -> range:
        """The layers' numbers, lowest first; the last is the generator's own."""

    def params(self, layer: int) -> Any:
        """The params of the generator whose ranks are the states of `layer`."""


@runtime_checkable
class CompiledLayers(Protocol):
    """The compiled capability of a layered space."""

    def working_tables(
        self, layer: int, lower: Mapping[str, Bits], allocate: Callable[[str, int], NDArray[np.uint64]]
    ) -> None:
        """Prepare the table of the layer below for solving `layer`.

        `lower` holds the metrics `solvable` and `unique` of the layer below, by rank (empty for the lowest
        layer). `allocate(name, words)` makes a zeroed array that all workers will see read-only.
        """

    def solve_block(
        self, layer: int, tables: Mapping[str, NDArray[np.uint64]], start: int, count: int, uniqueness: str
    ) -> tuple[Bits, Bits]:
        """(solvable, unique) of ranks start .. start + count - 1 of `layer`."""

    def block_size(self, layer: int) -> int:
        """About how many ranks one call should solve: less than a second's work."""


# --- branch and bound --------------------------------------------------------------------------------------

BOUND, INFEASIBLE = 0, 1
"""Why ranks were pruned: none of them can reach the incumbent; none of them has a value at all."""
PRUNING_REASONS = ("bound", "infeasible")


class PrefixSpace(Protocol):
    """A generator's states as tuples of items, chosen one after the other; a generator's `prefixes`.

    Ranks are lexicographic: the states that begin with the same items have neighbouring ranks, so whatever
    holds for all completions of a prefix holds for one range of ranks. `epcg_core.combinatorics.prefixes`
    has those of the usual spaces.
    """

    @property
    def length(self) -> int:
        """How many items a state has."""

    def items(self, rank: int) -> Sequence[int]:
        """The items of the state of `rank`."""

    def following(self, prefix: tuple[int, ...]) -> Sequence[int]:
        """The items that may come after `prefix`, ascending, in the order of their ranks."""

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        """The lowest rank of the states that begin with `prefix`."""

    def completions(self, prefix: tuple[int, ...]) -> int:
        """How many states begin with `prefix`: ranks first_rank(prefix) .. + completions(prefix) - 1."""


@runtime_checkable
class PartialEvaluator(Protocol[Partial]):
    """An evaluator that also bounds what is not complete yet (Sturtevant & Ota 2018, Algorithm 6).

    The capability of an `Evaluator` whose first metric is the objective: its direction says what is better.
    A partial is whatever the evaluator wants to know of the items chosen so far; it is never changed.
    """

    def empty(self) -> Partial:
        """The partial without items."""

    def extend(self, partial: Partial, item: int) -> Partial:
        """The partial with one item more."""

    def bound(self, partial: Partial) -> Value | None:
        """Admissible: no completion's value is better. None where no completion has a value."""

    def value(self, complete: Partial) -> Value | None:
        """The objective of a partial that has all its items, as `evaluate` gives it; None: it has none."""


@attrs.frozen
class Incumbent:
    """What a candidate must reach: the best value known, and up to which rank an equal value counts."""

    value: Value | None
    """None: nothing is known, any value will do."""
    ties_to: int
    """An equal value reaches the incumbent at ranks up to this one; later ones must be better."""
    fixed: bool
    """All that reach it are reported. Otherwise the search improves: what reaches it takes its place, so that
    what comes later must be better than that."""
    sign: int = 1
    """1 where larger values are better, -1 where smaller ones are."""

    def reached_by(self, value: Value, rank: int) -> bool:
        """Whether a candidate of this value and rank reaches the incumbent."""
        if self.value is None:
            return True
        return self.sign * value > self.sign * self.value or (value == self.value and rank <= self.ties_to)

    def excludes(self, bound: Value, start: int) -> bool:
        """Whether no candidate from rank `start` on, whose values this bound limits, reaches it."""
        return not self.reached_by(bound, start)


@attrs.frozen(eq=False)
class Prunings:
    """Ranges of ranks that were not evaluated, increasing and without overlap, and why."""

    start: NDArray[np.int64]
    """(n,) first ranks."""
    count: NDArray[np.int64]
    """(n,) how many ranks each covers."""
    bound: NDArray[np.float64]
    """(n,) an admissible bound of all values in the range; NaN where the reason is INFEASIBLE."""
    reason: NDArray[np.uint8]
    """(n,) BOUND or INFEASIBLE."""


@attrs.frozen(eq=False)
class SearchedBlock:
    """What a search found in a block of ranks: every rank is either evaluated or pruned."""

    evaluated: int
    """How many complete candidates were evaluated, those without a value included."""
    ranks: NDArray[np.int64]
    """(n,) increasing: the evaluated candidates that reached the incumbent of their moment."""
    values: NDArray[Any]
    """(n,) their values."""
    prunings: Prunings


@runtime_checkable
class CompiledPartialEvaluator(Protocol):
    """The compiled capability of a `PartialEvaluator`: branch and bound over a block of ranks in one kernel.

    It may prune more or less than the plain search, but finds the same. Every pruning between two evaluated
    ranks becomes a row of the record, so a handful of ranks between them is better evaluated than pruned.
    `epcg_core.search.pruning_kernels` merges prunings on the way.
    """

    def search_block(self, start: int, count: int, incumbent: Incumbent) -> SearchedBlock:
        """Search the ranks start .. start + count - 1."""


# --- descriptors that plugins register --------------------------------------------------------------------


@attrs.frozen
class DomainInfo:
    """A kind of content."""

    name: str
    title: str
    summary: str


@attrs.frozen(kw_only=True)
class GeneratorInfo:
    """A generator: `factory(params)` makes it; `params` is an attrs class (see `epcg_core.params`)."""

    name: str
    domain: str
    summary: str
    params: type
    factory: Lazy


@attrs.frozen
class TableNeed:
    """A recorded metric of another space that an evaluator can use, by rank."""

    role: str
    """The name under which the factory receives it."""
    generator: str
    params: Any
    search: str
    search_params: Mapping[str, Any]
    metric: str
    required: bool = False
    """Compute it first where it is not recorded; otherwise the evaluator goes without."""


@attrs.frozen(kw_only=True)
class EvaluatorInfo:
    """An evaluator: `factory(params, generator, tables)` makes it.

    `generator` is the one whose states will be scored, `tables` maps the roles of `needs` to Bits.
    """

    name: str
    domain: str
    summary: str
    params: type
    metrics: tuple[Metric, ...]
    factory: Lazy
    needs: Lazy | None = None
    """(params, generator) -> sequence of TableNeed."""


@attrs.frozen(kw_only=True)
class SearchInfo:
    """A way to cover a space: `factory(registry)` makes a `epcg_core.search.plan.Search`."""

    name: str
    summary: str
    params: type
    factory: Lazy


@attrs.frozen(kw_only=True)
class RendererInfo:
    """`factory(generator)` makes a function: state -> text in `format`."""

    domain: str
    format: Literal["svg", "text"]
    factory: Lazy


@attrs.frozen(kw_only=True)
class InferenceRuleInfo:
    """`factory(params, generator)` makes a rule: (state, action) -> MUST, CANNOT or UNKNOWN."""

    name: str
    domain: str
    summary: str
    params: type
    factory: Lazy


@attrs.frozen(kw_only=True)
class PolicyInfo:
    """`factory(params)` makes a player's policy: (state, actions) -> probabilities."""

    name: str
    summary: str
    params: type
    factory: Lazy


@attrs.frozen(kw_only=True)
class EntropyScorerInfo:
    """`factory(params)` makes a measure of a puzzle's difficulty over a transition model."""

    name: str
    summary: str
    params: type
    factory: Lazy


@attrs.frozen(kw_only=True)
class PublicationInfo:
    """Published results to reproduce: `factory()` gives their rows."""

    name: str
    title: str
    factory: Lazy


@attrs.frozen(kw_only=True)
class CommandInfo:
    """A click command of the domain, shown as `epcg <domain> <name>`; `factory()` returns it."""

    name: str
    domain: str
    summary: str
    factory: Lazy


@attrs.frozen
class NoParams:
    """For parts without parameters."""
