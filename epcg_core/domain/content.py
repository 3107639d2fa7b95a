"""Content by rank, and what scores it: generators, evaluators, edits."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import attrs

from epcg_core.domain.values import Evaluation, Metric, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


State_co = TypeVar("State_co", covariant=True)
State_contra = TypeVar("State_contra", contravariant=True)


class Generator(Protocol[State_co]):
    """All content of a kind, by rank.

    Optional methods are the capabilities of `epcg_core.domain.capabilities`; `epcg check` reports misspelt
    ones.
    """

    @property
    def max_rank(self) -> int:
        """The number of states: ranks are 0 .. max_rank - 1. An exact Python int of any size."""

    def unrank(self, rank: int) -> State_co:
        """Return the state of a rank, 0 .. max_rank - 1; always an equal one, which is never changed."""


@attrs.frozen
class Omission:
    """Content that a generator's params exclude from its space.

    A run over the whole of such a space is semi-exhaustive.
    """

    count: int
    of: int
    what: str
    """The omitted content, in the plural: 'panels'."""

    def __str__(self) -> str:
        return f"{self.count:,} of {self.of:,} {self.what}"


_MOST_SAID = 5
"""Texts of which is said what was not read."""


_PROVEN = "proven"
_NO_SOLUTION = "no solution"


def _texts(found: Sequence[str]) -> tuple[str, ...]:
    return tuple(found)


@attrs.frozen
class Reading:
    """How the texts were read from which the content of a space comes, and what searches leave out of it.

    No answer about content that was read or searched in part is called proven: `meaning` says what it is
    about.
    """

    sha256: str
    """A digest of what was read."""
    unread: str = ""
    """In words, what was not read as it is written: '2 rules left out: lines 64, 80'; '' if all was."""
    unsearched: tuple[str, ...] = attrs.field(default=(), converter=_texts, repr=False)
    """The things that searches leave out though they could change an answer, as they follow 'without'."""

    def __str__(self) -> str:
        """Return 'as read (2 rules left out), without undo'; '' if answers are about all."""
        parts = [f"as read ({self.unread})"] if self.unread else []
        if self.unsearched:
            parts.append(f"without {' and '.join(self.unsearched)}")
        return ", ".join(parts)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The limits of what answers are about, in whole sentences; none if they are about all."""
        found = []
        if self.unread:
            found.append(
                f"Not read as it is written: {self.unread}. All answers are about the content as read."
            )
        if self.unsearched:
            found.append(f"Searches leave out {' and '.join(self.unsearched)}.")
        return tuple(found)

    def data(self) -> dict[str, Any]:
        """Return the reading as it is recorded: without the key 'unsearched' if nothing is left out."""
        found = {"sha256": self.sha256, "unread": self.unread}
        return found | ({"unsearched": list(self.unsearched)} if self.unsearched else {})

    @classmethod
    def together(cls, readings: Sequence[Reading], names: Sequence[str] = ()) -> Reading:
        """Return how several texts were read, each with a name or without."""
        if len(readings) == 1:
            return readings[0]
        digests = "".join(sorted({reading.sha256 for reading in readings}))
        prefixes = [f"{name}: " for name in names] or [""] * len(readings)
        said = dict.fromkeys(
            f"{prefix}{reading.unread}"
            for reading, prefix in zip(readings, prefixes, strict=True)
            if reading.unread
        )
        shown = list(said)[:_MOST_SAID]
        if len(said) > len(shown):
            shown.append(f"and so are {len(said) - len(shown)} other texts")
        without: dict[str, list[str]] = {}
        for place, reading in enumerate(readings):
            for each in reading.unsearched:
                without.setdefault(each, []).extend(names[place : place + 1])
        unsearched = [
            f"{each} ({', '.join([*own[:_MOST_SAID], *['others'] * (len(own) > _MOST_SAID)])})"
            if own
            else each
            for each, own in without.items()
        ]
        return cls(hashlib.sha256(digests.encode()).hexdigest(), "; ".join(shown), tuple(unsearched))

    def proven(self, said: str, tried: str = "") -> str:
        """Return what an answer says for which everything was tried that was read and is searched.

        All faces take their words here, and no other place builds them: 'no solution (proven)' if that is
        all there is, else 'no solution, as read (2 rules left out)', or 'no solution, without undo'.

        Args:
            said: the answer: 'no solution'.
            tried: what was tried, in words: '28 positions'.
        """
        about = str(self)
        if about:
            return f"{said}{f' ({tried})' if tried else ''}, {about}"
        return f"{said} ({_PROVEN}: {tried})" if tried else f"{said} ({_PROVEN})"

    def meaning_of_none(self, metric: Metric) -> str:
        """Return what it means that a metric has no value."""
        left_out = tuple(each for each in self.unsearched if each not in metric.covers)
        return attrs.evolve(self, unsearched=left_out).meaning(metric.none or "no value")

    def meaning(self, said: str) -> str:
        """Return the meaning of a value or status, which is proven if it says so and `proven` does, too."""
        bare = said.removesuffix(f" ({_PROVEN})")
        about = str(self)
        return self.proven(bare) if bare != said else f"{bare}, {about}" if about else bare


def unsolved_in_words(meaning: str) -> str:
    """Say of puzzles that they cannot be solved: 'cannot be solved, without undo'.

    Args:
        meaning: what it means that a metric has no value, as `Reading.meaning_of_none` says it.

    Returns:
        The words, without whether it is proven; '' if it means something else.
    """
    said = meaning.removesuffix(f" ({_PROVEN})")
    about = said.removeprefix(_NO_SOLUTION)
    is_so = said != about and (not about or about.startswith((", as read", ", without ")))
    return f"cannot be solved{about}" if is_so else ""


WHOLE = Reading("")
"""The reading of content that comes from no text, or of a text about which its domain says nothing."""


@runtime_checkable
class ArrayGenerator(Protocol):
    """The array capability of a generator. Each domain packs its states; the first axis counts states."""

    def states_block(self, start: int, count: int) -> NDArray[Any]:
        """Return the states of ranks start .. start + count - 1."""

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[Any]:
        """Return the states of (n,) increasing ranks."""


class Evaluator(Protocol[State_contra]):
    """Scores states.

    `evaluate` returns one value per metric, None for a metric without a value; or None alone if the state has
    no values at all. It is the definition, in plain Python: `epcg verify` computes values again by it, and
    the first unit of every run is compared with it. If it runs compiled code, the evaluator is a
    `CompiledEvaluator`, which says what the plain form is.

    An evaluator that learns from one state for the next may offer `fresh() -> Evaluator`, which returns one
    without that memory for comparison in `epcg verify`.
    """

    @property
    def metrics(self) -> Sequence[Metric]:
        """The metrics, in the order of the values; the same as in the `EvaluatorInfo`."""

    def evaluate(self, state: State_contra) -> Sequence[Value | None] | None:
        """Return one value per metric of a state, None for a missing one; None alone if all are missing.

        Raises LimitReachedError if it gives up on the state, and CandidateError for a state that it cannot
        measure; both are recorded.
        """


@runtime_checkable
class ArrayEvaluator(Protocol):
    """The array capability of an evaluator: scores a packed array of n states."""

    def evaluate_states(self, states: NDArray[Any]) -> Evaluation:
        """Return what `evaluate` returns for each of n states, n >= 0: one (n,) array per metric."""


@runtime_checkable
class CompiledEvaluator(Protocol):
    """An evaluator whose `evaluate` runs compiled code."""

    def plain(self) -> Evaluator[Any] | None:
        """Return an evaluator of the same metrics in plain Python, without memory; None if there is none."""


@runtime_checkable
class FusedEvaluator(Protocol):
    """An evaluator that makes and scores the states of a rank range in one kernel, if that is faster."""

    def evaluate_block(self, start: int, count: int) -> Evaluation:
        """Return what `evaluate` returns for the states of ranks start .. start + count - 1."""


class GameData(Protocol[State_contra]):
    """Content as data that a game can load, in the form that `epcg curriculum schema` prints.

    Columns and rows count from 1 at the top left.
    """

    def layout(self, state: State_contra) -> Mapping[str, Any]:
        """Return `grid`, `columns`, `rows`, `items`, and `rules` if it needs any.

        Each item has a `kind`, and `cells` or `points` where it lies.
        """

    def moves(self, state: State_contra, actions: Sequence[str] | None) -> Sequence[Mapping[str, Any]] | None:
        """Return the moves of a solution, each with a `kind`; None if none is found.

        `actions` are those of a recorded solution, if there is one.
        """


@attrs.frozen
class Edit:
    """One elementary change of a content."""

    place: Hashable
    """The edited place; a variant has at most one edit per place."""
    description: str
    """A description for readers: '(8, 12) ground to spikes'."""
    change: Mapping[str, Any]
    """For machines, as JSON: {"x": 8, "y": 12, "from": "ground", "to": "spikes"}."""


@runtime_checkable
class EditedContent(Protocol[State_co]):
    """The capability of a generator of the edits of one content (see `epcg_core.combinatorics.edits`)."""

    @property
    def original(self) -> State_co:
        """The content that is edited."""

    @property
    def edits(self) -> Sequence[Edit]:
        """The elementary edits."""

    def edits_of(self, rank: int) -> tuple[int, ...]:
        """Return which of `edits` make the variant of `rank`, ascending."""


def format_state(generator: Any, state: Any) -> str:
    """Format a state with the generator's `format`, else with `str`."""
    own = getattr(generator, "format", None)
    return str(own(state)) if own is not None else str(state)


def opened_state(generator: Any, state: Any) -> str:
    """Return a state as the text that the domain's editor opens, with all that the generator's params say."""
    own = getattr(generator, "opened", None)
    return format_state(generator, state) if own is None else str(own(state))
