"""Decisions of people: records of play, replayed through the domain's own moves.

What counts: every move is a decision among the legal moves of the position that it was made in, those that
were taken back later, too. An undo goes back to the position before, a restart to the first one; neither is a
decision. A move after a hint in the same position is helped, and so is all after the solution was looked at:
helped moves are replayed, and not among the decisions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import (
    ACTIONS,
    PLUGIN_EXCEPTIONS,
    StoreError,
    TracedAction,
    canonical_json,
    format_state,
    max_rank_of,
    open_document,
    opened_state,
    puzzle_id,
    transition_model,
)
from epcg_core.plugin import EpcgError, Reader, UnknownNameError, find, make_generator, registry
from epcg_research.exchange.responses import table_of
from epcg_research.players.positions import Positions
from epcg_research.studies.answers import SetAside
from epcg_research.studies.reading import traces as recorded_traces

MOST_LEFT_OUT = 3
"""Reasons that are told one by one."""
LONGEST_MS = 12
"""Digits of a time."""


@attrs.frozen(eq=False)
class Puzzle:
    """A puzzle that people played."""

    id: str
    domain: str
    generator: Any
    content: Any
    positions: Positions
    document: Any
    """The content in its editor; None if the domain has none."""

    def shown(self, number: int) -> list[str]:
        """Return the moves of a position for readers: as the editor's gestures tell them, if it has any."""
        words = list(self.positions.words(number))
        make = None if self.document is None else getattr(self.document.editor, "gesture", None)
        if make is None:
            return words
        content, state = self.document.editor.content, self.positions.states[number]
        moves = self.positions.moves(number)
        return [make(content, state, m).text or text for m, text in zip(moves, words, strict=True)]

    def texts(self, number: int) -> list[set[str]]:
        """Return the texts that each move of a position may have in a record."""
        rows = (map(str, self.positions.moves(number)), self.positions.words(number), self.shown(number))
        return [set(texts) for texts in zip(*rows, strict=True)]


@attrs.frozen
class Decision:
    """A move that a person chose in a position."""

    person: str
    puzzle: int
    """Its number in the log."""
    position: int
    chosen: int
    """The number of the move."""
    way: tuple[int, ...] = attrs.field(repr=False)
    """The positions that led to this one, without it."""


@attrs.frozen
class Visit:
    """What a person did with a puzzle."""

    person: str
    puzzle: int
    decisions: tuple[Decision, ...]
    path: tuple[int, ...]
    """All positions in which the person was, in order."""
    seconds: tuple[float, ...]
    """The time in each of them until the next action, as far as it is known."""
    restarts: tuple[int, ...]
    """The positions from which the person began again."""
    undone: tuple[int, ...]
    """The positions that the person took a move back from."""
    finished: bool
    gave_up: bool
    """Whether the solution was looked at."""


@attrs.frozen(eq=False)
class Log:
    """Decisions of people in puzzles of one domain."""

    domain: str
    puzzles: tuple[Puzzle, ...]
    visits: tuple[Visit, ...]
    left_out: tuple[str, ...] = ()
    """Why records were left out, a sentence for each."""

    @property
    def decisions(self) -> list[Decision]:
        """All decisions."""
        return [decision for visit in self.visits for decision in visit.decisions]

    @property
    def people(self) -> list[str]:
        """The people with a decision, in order."""
        return sorted({visit.person for visit in self.visits if visit.decisions})

    def only(self, puzzles: Sequence[str]) -> Log:
        """Return what people did with some puzzles, by their ids. Raises StoreError if that is nothing."""
        places = {place: i for i, place in enumerate(self._places(puzzles))}
        if not places:
            raise StoreError(f"There is no record of play of {', '.join(puzzles)}.")

        def moved(visit: Visit) -> Visit:
            own = tuple(attrs.evolve(each, puzzle=places[each.puzzle]) for each in visit.decisions)
            return attrs.evolve(visit, puzzle=places[visit.puzzle], decisions=own)

        kept = tuple(moved(visit) for visit in self.visits if visit.puzzle in places)
        return Log(self.domain, tuple(self.puzzles[place] for place in places), kept, self.left_out)

    def _places(self, puzzles: Sequence[str]) -> list[int]:
        return [i for i, puzzle in enumerate(self.puzzles) if puzzle.id in puzzles]

    def sha256(self) -> str:
        """Digest the decisions: people, positions and moves."""
        rows = []
        for each in self.decisions:
            puzzle = self.puzzles[each.puzzle]
            rows.append([each.person, puzzle.id, puzzle.positions.identity(each.position), each.chosen])
        return hashlib.sha256(canonical_json(rows).encode()).hexdigest()

    def about(self) -> dict[str, Any]:
        """Return what a model of all decisions is fitted on: numbers, and their digest."""
        return {
            "people": len(self.people), "puzzles": len(self.puzzles), "decisions": len(self.decisions),
            "sha256": self.sha256(),
        }  # fmt: skip

    def told(self) -> list[str]:
        """Say what was left out, in a few sentences."""
        more = len(self.left_out) - MOST_LEFT_OUT
        return [*self.left_out[:MOST_LEFT_OUT], *([f"And {more:,} more were left out."] if more > 0 else [])]


def from_traces(
    reader: Reader, domain: str | None = None, only: Sequence[str] = (), study: str | None = None
) -> Log:
    """Replay the traces of play pages that have their actions one by one; those of training are left out.

    Traces may be forged, so that puzzles are built only if the database has their space, or they are named.

    Args:
        reader: the database.
        domain: the domain whose puzzles count; None for the only one.
        only: the ids of puzzles that count; none for all.
        study: the study whose people count, 'traces' for players who are in none; None for all.

    Raises:
        StoreError: if no decisions are left, or there are several domains.
    """
    there = recorded_traces(reader, study)
    traces = [trace for trace in there.counted if not only or trace.puzzle in only]
    tried = [
        trace
        for trace in there.training
        if (not only or trace.puzzle in only) and domain in (None, trace.space.partition(":")[0])
    ]
    told = SetAside(len(tried), of_studies=there.of_studies).told("trace")
    found = sorted({trace.space.partition(":")[0] for trace in traces})
    if domain is None and len(found) > 1:
        raise StoreError(f"There are traces of {' and '.join(found)}: choose one with --domain.")
    own = [trace for trace in traces if domain in (None, trace.space.partition(":")[0])]
    if not own:
        of = f" of {domain}" if domain else ""
        these = " of these puzzles" if only else ""
        raise StoreError(
            f"There are no traces of play{of}{these} here: bring some in with `epcg import traces FILE...`."
            + "".join(f" {line}" for line in told)
        )
    spaces = set(reader.connection.exec_driver_sql("SELECT name FROM space").scalars())
    replay, left_out = _Replay(), told
    for trace in own:
        who = f"Left out: player {trace.player[:12]} at {trace.puzzle}: "
        if not only and trace.space not in spaces:
            left_out.append(f"{who}no run here is over its space, so name it with --puzzle to let it count.")
            continue
        if trace.actions is None:
            left_out.append(f"{who}the page only counted the moves.")
            continue
        try:
            replay.add(trace.player, trace.puzzle, trace.actions, trace.finished, trace.seconds)
        except PLUGIN_EXCEPTIONS as error:
            left_out.append(f"{who}{_first_line(error)}")
    return replay.log(left_out)


def from_table(path: Path, reader: Reader | None, location: str, space: str | None = None) -> Log:
    """Replay a CSV table with the columns person, puzzle and move, and maybe kind and ms.

    Rows of a person and puzzle stand in the order of play. `kind` is move, undo, restart, hint or solution;
    `ms` are milliseconds with the puzzle until then.

    Args:
        path: the file.
        reader: the database that knows short ids and runs; None for none.
        location: where it is, for messages.
        space: the space whose ranks the column of puzzles has; None if it has ids.

    Raises:
        EpcgError: if a row is not what is expected; it names the line.
    """
    header, rows = table_of(path, ",")
    for name in ("person", "puzzle", "move"):
        if name not in header:
            raise UnknownNameError("column", name, header, str(path))
    records: dict[tuple[str, str], list[TracedAction]] = {}
    lines: dict[tuple[str, str], list[int]] = {}
    for line, row in rows:
        cells = {name: str(cell or "").strip() for name, cell in row.items()}
        kind, ms = cells.get("kind") or "move", cells.get("ms") or "0"
        if not cells["person"] or not cells["puzzle"]:
            raise StoreError(f"{path}, line {line}: a person and a puzzle are expected.")
        if kind not in ACTIONS or not ms.isdecimal() or len(ms) > LONGEST_MS:
            raise StoreError(
                f"{path}, line {line}: the kind is one of {', '.join(ACTIONS)}, and ms a whole number."
            )
        key = cells["person"], cells["puzzle"]
        records.setdefault(key, []).append(TracedAction(int(ms), kind, cells["move"]))
        lines.setdefault(key, []).append(line)
    if not records:
        raise StoreError(f"{path} has no rows.")
    replay, names = _Replay(), dict[str, str]()
    for (person, label), actions in records.items():
        where = f"{path}, line {lines[person, label][0]}"
        if label not in names:
            text = f"{space}#{label}" if space and label.isdecimal() else label
            try:
                found, rank = find.named(text, reader, location)
                names[label] = puzzle_id(found.name, rank)
                replay.number(names[label])
            except PLUGIN_EXCEPTIONS as error:
                raise StoreError(f"{where}: {_first_line(error)}") from error
        try:
            replay.add(person, names[label], actions)
        except _IllegalError as error:
            raise StoreError(f"{path}, line {lines[person, label][error.place]}: {error}") from error
    return replay.log([])


def _first_line(error: BaseException) -> str:
    """Return the first line of a message, as a sentence."""
    return str(error).partition("\n")[0].rstrip(" .:") + "."


class _IllegalError(EpcgError):
    """A record has a move that there is not."""

    def __init__(self, place: int, told: str) -> None:
        super().__init__(told)
        self.place = place

    def __reduce__(self) -> tuple[type[_IllegalError], tuple[int, str]]:
        return type(self), (self.place, str(self))


class _Replay:
    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._puzzles: list[Puzzle] = []
        self._visits: list[Visit] = []
        self._texts: dict[tuple[int, int], list[set[str]]] = {}

    def add(
        self,
        person: str,
        puzzle: str,
        actions: Sequence[TracedAction],
        finished: bool | None = None,
        seconds: float | None = None,
    ) -> None:
        """Replay a record. Raises EpcgError if its puzzle is not there, or a move is not legal."""
        number = self.number(puzzle)
        positions = self._puzzles[number].positions
        stack, path, times = [0], [0], list[float]()
        decisions, restarts, undone = list[Decision](), list[int](), list[int]()
        last_ms, helped, gave_up = 0, False, False
        for place, (ms, kind, text) in enumerate(actions):
            here = stack[-1]
            if kind in ("hint", "solution"):
                helped, gave_up = True, gave_up or kind == "solution"
                continue
            times.append((ms - last_ms) / 1000)
            last_ms = ms
            if kind == "move":
                chosen = self._chosen(number, here, text, place)
                if not (helped or gave_up):
                    decisions.append(Decision(person, number, here, chosen, tuple(stack[:-1])))
                stack.append(positions.targets(here)[chosen])
            elif kind == "undo":
                undone.append(here)
                stack = stack[:-1] or stack
            else:
                restarts.append(here)
                stack = [0]
            path.append(stack[-1])
            helped = False
        times.append(max(0.0, seconds - last_ms / 1000) if seconds is not None else 0.0)
        solved = positions.goals[path[-1]] if finished is None else finished
        self._visits.append(
            Visit(person, number, tuple(decisions), tuple(path), tuple(times), tuple(restarts), tuple(undone),
                  solved, gave_up)
        )  # fmt: skip

    def _chosen(self, puzzle: int, number: int, text: str, place: int) -> int:
        """Return the number of the move that a text names. Raises _IllegalError."""
        key = puzzle, number
        if key not in self._texts:
            self._texts[key] = self._puzzles[puzzle].texts(number)
        found = [i for i, texts in enumerate(self._texts[key]) if text in texts]
        if len(found) == 1:
            return found[0]
        legal = self._puzzles[puzzle].positions.words(number)
        others = ", ".join(repr(each) for each in legal[:6]) + (" and others" if len(legal) > 6 else "")
        raise _IllegalError(
            place,
            f"action {place + 1}, {text[:60]!r}, is not a legal move there: the legal ones are "
            f"{others or 'none, as the puzzle is solved or stuck'}."
        )  # fmt: skip

    def number(self, puzzle: str) -> int:
        """Return the number of a puzzle, which is opened. Raises EpcgError."""
        number = self._numbers.get(puzzle)
        if number is None:
            found = open_puzzle(puzzle)
            if self._puzzles and found.domain != self._puzzles[0].domain:
                raise StoreError(
                    f"{puzzle} is a puzzle of {found.domain}, and others are of {self._puzzles[0].domain}: "
                    "a model is of one domain."
                )
            number = self._numbers[puzzle] = len(self._puzzles)
            self._puzzles.append(found)
        return number

    def log(self, left_out: Sequence[str]) -> Log:
        """Return what was replayed. Raises StoreError if there are no decisions."""
        if not any(visit.decisions for visit in self._visits):
            reason = (
                f" {left_out[0]}" if left_out else " Hints were taken before all moves, or there are none."
            )
            raise StoreError(f"There are no decisions of people.{reason}")
        return Log(self._puzzles[0].domain, tuple(self._puzzles), tuple(self._visits), tuple(left_out))


def open_puzzle(puzzle: str, reader: Reader | None = None, location: str = "") -> Puzzle:
    """Return a puzzle with its positions.

    Args:
        puzzle: its id, or what else names a puzzle.
        reader: the database that knows short ids and runs; None for none.
        location: where it is, for messages.

    Raises:
        EpcgError: if there is no such puzzle, or it cannot be played.
    """
    space, rank = find.named(puzzle, reader, location)
    known = registry()
    generator = make_generator(known, space)
    if not 0 <= rank < (size := max_rank_of(known, space, generator)):
        raise StoreError(f"{space.name} has ranks 0 to {size - 1}, not {rank}.")
    content = generator.unrank(rank)
    model = transition_model(generator)
    document = None
    with suppress(*PLUGIN_EXCEPTIONS):  # the domain has no editor, or it does not open this content
        document = open_document(space.domain, opened_state(generator, content))
    positions = Positions(model, model.initial(content), format_state(generator, content))
    return Puzzle(puzzle_id(space.name, rank), space.domain, generator, content, positions, document)
