"""Optional capabilities of generators, evaluators and transition models.

A part offers a capability by having its attributes. It may inherit the protocol; then a type checker compares
the signatures. Attributes that a domain needs for itself are private, or named in the class attribute
`domain_attributes`. Any other public attribute may be a misspelt capability, which would be ignored.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from epcg_core.domain.bounds import (
    CompiledPartialEvaluator,
    PartialEvaluator,
    PrefixSpace,
    SearchingEvaluator,
)
from epcg_core.domain.content import (
    ArrayEvaluator,
    ArrayGenerator,
    CompiledEvaluator,
    EditedContent,
    Evaluator,
    FusedEvaluator,
    Generator,
    Omission,
    Reading,
)
from epcg_core.domain.graph import ClosedGraph, DirectedGraph, PositionGraph, RankedGraph
from epcg_core.domain.layers import CompiledLayers, LayeredSpace, SizedLayers
from epcg_core.domain.play import PackedModel, TransitionModel
from epcg_core.domain.values import Evaluation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = TypeVar("State")
Action_contra = TypeVar("Action_contra", contravariant=True)
State_contra = TypeVar("State_contra", contravariant=True)
OWN = "domain_attributes"
"""The class attribute that names a domain's own public attributes."""


class Ranked(Protocol[State_contra]):
    """The capability of a generator to find a state's rank."""

    def rank(self, state: State_contra) -> int:
        """Return the rank of a state. Raises RankError if it is not one of the space."""


class Incremental(Protocol[State]):
    """The capability of a generator to go from state to state faster than by `unrank`."""

    def increment(self, state: State) -> State | None:
        """Return the state of the next rank; None after the last."""


class Symmetric(Protocol):
    """The capability of a generator to name the symmetry class of a state."""

    def canonical_rank(self, rank: int) -> int:
        """Return the lowest rank in the symmetry class of a state."""


class SymmetricByName(Symmetric, Protocol):
    """The capability of a symmetric generator to offer symmetries by name, as `distinct = ["mirror"]`."""

    @property
    def symmetries(self) -> Sequence[str]:
        """The names of the symmetries: 'mirror', 'turn'. `canonical_rank` may use some of them only."""

    def canonical_rank_by(self, names: Sequence[str]) -> Callable[[int], int]:
        """Return the function from a rank to the lowest rank of its class under some symmetries together."""


class SymmetricArrays(Symmetric, Protocol):
    """The capability of a symmetric generator to name the classes of many states at once."""

    def canonical_ranks(
        self, ranks: NDArray[np.int64], names: Sequence[str] | None = None
    ) -> NDArray[np.int64]:
        """Return `canonical_rank`, or what `canonical_rank_by(names)` gives, of (n,) ranks: (n,) int64."""


class Formatted(Protocol[State_contra]):
    """The capability of a generator to write states as text."""

    def format(self, state: State_contra) -> str:
        """Return a state as text: one line, or a drawing."""


class Openable(Protocol[State_contra]):
    """The capability of a generator whose `format` leaves out what its params say, a rule in force, say."""

    def opened(self, state: State_contra) -> str:
        """Return a state as the text with which the domain's editor opens it whole."""


class Textual(Protocol[State]):
    """The capability of a generator to write states as text, and to read them again."""

    def format(self, state: State) -> str:
        """Return a state as text that `parse` reads."""

    def parse(self, text: str) -> State:
        """Return the state of a text. Raises EpcgError, which names the place, if it is not a state's."""


class Shared(Protocol):
    """The capability of a generator to hand on what all its states share, for evaluators and renderers."""

    @property
    def setting(self) -> Any:
        """The properties that all states share: the shape of the board, say."""


class Playable(Protocol):
    """The capability of a generator whose states are played."""

    @property
    def transition_model(self) -> TransitionModel[Any, Any]:
        """The rules of play."""


class Layered(Protocol):
    """The capability of a generator whose space is a layer of retrograde analysis."""

    @property
    def layered_space(self) -> LayeredSpace:
        """The layers of which the space is the top one."""


class Prefixed(Protocol):
    """The capability of a generator whose states are sequences, for branch and bound."""

    @property
    def prefixes(self) -> PrefixSpace:
        """The states as sequences of items."""


class Covering(Protocol):
    """The capability of a generator whose states are partial covers, for the search exact_cover."""

    @property
    def partial_covers(self) -> Any:
        """The partial covers by rank (see `epcg_core.search.exact_cover.problem`)."""


class Connected(Protocol):
    """The capability of a generator whose ranks are a graph, for breadth-first search."""

    @property
    def ranked_graph(self) -> RankedGraph:
        """The edges between ranks."""


class Positioned(Protocol):
    """The capability of a generator whose states are among the positions of a graph, for components."""

    @property
    def position_graph(self) -> PositionGraph:
        """The positions, and the edges between them."""


class Closed(Protocol):
    """The capability of a generator whose ranks go by something that no action changes, for components."""

    @property
    def closed_graph(self) -> ClosedGraph:
        """The positions in parts that no action leaves."""


class Started(Protocol):
    """The capability of a generator to name the ranks at which breadth-first search by play begins."""

    @property
    def starts(self) -> Sequence[int]:
        """The ranks at depth 0, unless the query names others."""


class Quotient(Protocol):
    """The capability of a generator whose states stand for several original ones."""

    @property
    def represents(self) -> int:
        """The number of original states, an exact Python int."""


class Partial(Protocol):
    """The capability of a generator whose params exclude content from its space."""

    @property
    def omission(self) -> Omission | None:
        """The content that is left out; None if these params leave out none."""


class Written(Protocol):
    """The capability of a generator to say how the texts were read from which its content comes."""

    @property
    def reading(self) -> Reading:
        """How they were read."""


class Related(Protocol):
    """The capability of a generator to say that its states differ in little.

    Evaluators may then keep what they learn from one state for others.
    """

    @property
    def related(self) -> bool:
        """Whether the states differ in a few places only."""


@runtime_checkable
class CompiledEntropy(Protocol):
    """The compiled capability of a generator: the same numbers as the plain evaluator, from packed states."""

    def compiled_entropy(
        self, params: Any, measures: Sequence[str]
    ) -> Callable[[NDArray[Any]], Evaluation] | None:
        """Return a function from packed states to one array per measure and the visited states.

        As in the plain form, the status of a candidate is NONE for those measures that are infinite, and
        LIMIT for all metrics if there are more than `params.limit` states. The answer is None if these
        params (a third party's rule, a policy) or measures are not compiled.
        """


class Forgetful(Protocol):
    """The capability of an evaluator that learns from state to state to start afresh."""

    def fresh(self) -> Evaluator[Any]:
        """Return an evaluator that has learned nothing, for comparison in `epcg verify`."""


class Packable(Protocol):
    """The capability of a transition model whose positions fit into 64-bit words."""

    def packed(self, content: Any) -> PackedModel[Any, Any]:
        """Return the positions of one puzzle as words."""


class Explorable(Protocol):
    """The capability of a packable transition model to be explored by its packed positions in place of it.

    Their successors are then those of `actions`, in that order, of every position but goals.
    """

    @property
    def play_identity(self) -> Hashable:
        """A value that models of this class share if they play alike."""


class Spoken(Protocol[Action_contra]):
    """The capability of a transition model to describe actions for readers."""

    def action_text(self, action: Action_contra) -> str:
        """Return an action in words; no two actions of a position have the same."""


class Reversible(Protocol):
    """The capability of a transition model to say that actions can be undone."""

    @property
    def reversible(self) -> bool:
        """Whether every action can be undone by one."""


class Retraceable(Protocol):
    """The capability of a transition model to go back where actions cannot be undone."""

    def predecessors(self, state: Any) -> Iterable[Any]:
        """Return the states from which one action leads to a state."""


class Choosing(Protocol):
    """The capability of a transition model whose player weighs only some of the possible actions."""

    @property
    def stages(self) -> Sequence[Any]:
        """The order of 'filters', 'answers' and 'choice' (see `epcg_core.difficulty.ActionChoice`)."""

    def choose(self, state: Any, actions: Sequence[Any]) -> Sequence[Any]:
        """Return the actions that are weighed."""


class Solving(Protocol):
    """The capability of a transition model to find solutions without a search of positions."""

    def solution(self, state: Any) -> Sequence[Any] | None:
        """Return actions that lead from a state to a goal; None if there are none.

        Raises LimitReachedError if that is not known.
        """


class Explaining(Protocol):
    """The capability of a transition model to say why an action is right, as a hint for players."""

    def reason(self, state: Any) -> str:
        """Return in sentences why the first action of a solution is right here; '' if there is no reason."""


class Separable(Protocol):
    """The capability of a transition model whose positions are values of parts, each changed by itself.

    Puzzles that are solved by writing have it: a part is a cell, and its value the mark. The actions of a
    position are those of its parts, in the order of the parts; those of a part depend on its value alone.
    """

    def values(self, state: Any) -> Sequence[int]:
        """Return the value of each part."""

    def position(self, content: Any, values: Sequence[int]) -> Any:
        """Return the state of a content in which the parts have these values."""

    def goals(self, content: Any) -> Sequence[Sequence[Collection[int]]] | None:
        """Return all goals, each as the values that each part may have there; None if they are not known."""


class Abstracting(Protocol):
    """The capability of a transition model to forget things: positions that differ in them alone become one.

    What is left is an abstraction of the game: its moves are those of the game as far as they can be seen in
    it. So no distance in it is longer than the game's (see `epcg_core.search.shortest_path.abstractions`).
    """

    def things(self, content: Any) -> Sequence[str]:
        """Return the names of what can be forgotten of a content, each alone or together: 'tile 3'."""

    def forget(self, content: Any, things: Collection[str]) -> Callable[[Any], Hashable]:
        """Return the function from positions of play of a content to what is left of them."""


class Relaxing(Abstracting, Protocol):
    """The capability of an abstracting model to play what is left by itself, without knowing the whole game.

    Then what `forget` leaves of positions are positions of play of this smaller content. An action of the
    game leads there to what an action of the smaller game leads to, or changes nothing there, and goals are
    goals of it; searches check that. The model is asked for `actions` at goals of the smaller game, too,
    because they may come before those of the whole one.
    """

    def without(self, content: Any, things: Collection[str]) -> Any:
        """Return the content without some things: a content that this model plays."""


class AbstractingRows(Abstracting, Protocol):
    """The capability of an abstracting and packable model to forget things of many positions at once."""

    def forget_rows(
        self, content: Any, things: Collection[str]
    ) -> Callable[[NDArray[np.uint64]], NDArray[np.uint64]]:
        """Return the function from (n, words) rows of positions to (n, k) rows of what is left of them."""


class Featured(Protocol):
    """The capability of a transition model to say what players may look at when they choose an action."""

    def move_features(self, state: Any, action: Any) -> Mapping[str, float]:
        """Return numbers by name; a number that is missing is 0. Player models are fitted over them."""


CAPABILITIES: dict[str, tuple[type, ...]] = {
    "generator": (
        Generator, Ranked, Incremental, Symmetric, SymmetricByName, SymmetricArrays, Formatted, Openable,
        Textual, ArrayGenerator, Shared, Playable, Layered, Prefixed, Covering, Connected, Positioned,
        Closed, Started, Quotient, Partial, EditedContent, Written, Related, CompiledEntropy,
    ),
    "evaluator": (
        Evaluator, ArrayEvaluator, CompiledEvaluator, FusedEvaluator, PartialEvaluator, SearchingEvaluator,
        CompiledPartialEvaluator, Forgetful,
    ),
    "transition model": (
        TransitionModel, Packable, Explorable, Spoken, Reversible, Retraceable, Choosing, Solving,
        Explaining, Separable, Abstracting, Relaxing, AbstractingRows, Featured,
    ),
}  # fmt: skip
"""The protocols that a part of each kind can offer; the first is the one that it must offer."""

MEMBER_CAPABILITIES: dict[str, tuple[type, ...]] = {
    "prefixes": (PrefixSpace,),
    "layered_space": (LayeredSpace, CompiledLayers, SizedLayers),
    "ranked_graph": (RankedGraph, DirectedGraph),
    "position_graph": (PositionGraph,),
    "closed_graph": (ClosedGraph,),
}
"""The protocols of objects that generators offer, by the attribute; the first is the one that is needed."""


def members_of(protocol: type) -> frozenset[str]:
    """Return the public attributes of a protocol, those of its bases too."""
    return frozenset(
        name
        for base in protocol.__mro__
        if base.__module__.startswith("epcg_core.")
        for name in {*vars(base), *vars(base).get("__annotations__", {})}
        if not name.startswith("_")
    )


def capability_names(kind: str) -> frozenset[str]:
    """Return the attributes of all capabilities of a kind of part, a key of `CAPABILITIES`."""
    return frozenset().union(*map(members_of, CAPABILITIES[kind]))


def missing_members(protocols: Sequence[type], part: object) -> list[str]:
    """Return sentences about attributes without which an object is not what it seems to be.

    Args:
        protocols: What it must be, and then what it can be.
        part: The object.

    Returns:
        A sentence if the first protocol is incomplete, and those of `incomplete_capabilities`.
    """
    needed = protocols[0]
    lacks = sorted(name for name in members_of(needed) if not hasattr(part, name))
    first = f"{type(part).__name__} has no {', '.join(lacks)} (see {needed.__name__})."
    return [*([first] if lacks else []), *incomplete_capabilities(protocols, part)]


def incomplete_capabilities(protocols: Sequence[type], part: object) -> list[str]:
    """Return a sentence for each optional attribute that is useless without others.

    Arguments as of `missing_members`.
    """
    needed, *more = (members_of(protocol) for protocol in protocols)
    has = {name for members in more for name in members if _offers(part, name)}
    useful = needed.union(*(members for members in more if members <= has))
    sentences = []
    for attribute in sorted(has - useful):
        lacks, protocol = min(
            (sorted(members - has), protocol.__name__)
            for protocol, members in zip(protocols[1:], more, strict=True)
            if attribute in members
        )
        sentences.append(
            f"{type(part).__name__} has '{attribute}' without {', '.join(lacks)}, so it is ignored (see "
            f"{protocol})."
        )
    return sentences


def _offers(part: object, name: str) -> bool:
    """Return whether a part has an attribute; a `cached_property` is not asked, as it may import a lot."""
    return isinstance(getattr(type(part), name, None), cached_property) or hasattr(part, name)


def unknown_attributes(kind: str, part: object) -> Iterator[tuple[str, str | None]]:
    """Yield public attributes of a part that are neither capabilities nor declared as the domain's own.

    Args:
        kind: A key of `CAPABILITIES`.
        part: The part.

    Yields:
        The name of the attribute, and the nearest capability's; None if none is near.
    """
    known = capability_names(kind)
    own = {name for base in type(part).__mro__ for name in vars(base).get(OWN, ())}
    classes = [vars(base) for base in type(part).__mro__ if base.__module__ != "builtins"]
    named = {name for attributes in (*classes, getattr(part, "__dict__", {})) for name in attributes}
    public = {name for name in named if not name.startswith("_")}
    for name in sorted(public - known - own - {OWN}):
        near = difflib.get_close_matches(name, sorted(known), 1)
        yield name, near[0] if near else None


_warned: set[type] = set()


def warn_of_unknown_attributes(kind: str, described: str, part: object) -> None:
    """Warn, once a class, of capabilities of a part that may be misspelt, or that are incomplete.

    Args:
        kind: A key of `CAPABILITIES`.
        described: The part in a sentence: 'generator numbers:range (plugin epcg-toy 1.0)'.
        part: The part.
    """
    if type(part) in _warned:
        return
    _warned.add(type(part))
    for sentence in incomplete_capabilities(CAPABILITIES[kind], part):
        warnings.warn(f"The {described}: {sentence}", stacklevel=2)
    for name, near in unknown_attributes(kind, part):
        meant = f" Did you mean '{near}'?" if near else ""
        warnings.warn(
            f"The {described} has the public attribute '{name}', which is not a capability, so it is "
            f"ignored.{meant} `{OWN}` declares a domain's own attributes.",
            stacklevel=2,
        )
