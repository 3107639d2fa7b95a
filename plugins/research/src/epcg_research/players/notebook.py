"""Player models as Python objects that display themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import Table
from epcg_core.inside import checked_methods
from epcg_core.plugin import Store, writing
from epcg_research.players import panels, shown
from epcg_research.players.decisions import Log, from_traces, open_puzzle
from epcg_research.players.files import Fitted
from epcg_research.players.fitting import Ask, fit
from epcg_research.players.models import Softmax
from epcg_research.players.sights import Sights, sights
from epcg_research.players.validation import Held, Validation, validate
from epcg_research.statistics import need_statistics

if TYPE_CHECKING:
    from epcg_core import Database


@checked_methods
@attrs.frozen
class PlayerModel:
    """A model of how people choose their moves, fitted to all decisions of a log."""

    fitted: Fitted
    """The model, and what it was fitted on."""
    ask: Ask = attrs.field(repr=False)
    log: Log = attrs.field(repr=False)

    @property
    def weights(self) -> Table:
        """The weights of a softmax with their errors; no rows for other models."""
        model = self.fitted.model
        rows = shown.rows_of_weights(model) if isinstance(model, Softmax) else ()
        return Table(shown.WEIGHTS, tuple(map(tuple, rows)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was fitted to what, how, and what is assumed."""
        return tuple(shown.lines_of_fit(self.log, self.fitted.model, None, self.ask.penalty))

    def validate(self, held_out: Held = "people", *, folds: int = 5, seed: int = 0) -> Validated:
        """Compare the loss with that of a uniform player, over people or puzzles that are held out.

        Args:
            held_out: what is held out.
            folds: in how many parts, one after the other.
            seed: of the parts and of the bootstrap.

        Raises:
            EpcgError: if there is only one person, or one puzzle.
        """
        found = validate(self.log, [self.ask], held_out, folds, seed)
        rows = tuple(map(tuple, shown.rows_of_losses(found)))
        notes = tuple(shown.lines_of_fit(self.log, self.fitted.model, found, self.ask.penalty))
        return Validated(Table(shown.LOSSES, rows), notes, found)

    def save(self, path: str | Path) -> dict[str, str]:
        """Write the model to a file; return the `policy_params` that name it in a query."""
        with writing(path):
            Path(path).write_text(self.fitted.text(), encoding="utf-8")
        return {"model": str(path), "sha256": self.fitted.sha256}

    def _repr_html_(self) -> str:
        return _page(self.weights._repr_html_() if len(self.weights) else "", self.notes)


@attrs.frozen
class Validated:
    """The loss of models for people, or in puzzles, that were held out."""

    table: Table
    notes: tuple[str, ...]
    data: Validation = attrs.field(repr=False)

    def _repr_html_(self) -> str:
        return _page(self.table._repr_html_(), self.notes)


@attrs.frozen
class WherePeopleGoWrong:
    """Where people go wrong in a puzzle; it shows itself as a picture with a table."""

    table: Table
    notes: tuple[str, ...]
    data: Sights = attrs.field(repr=False)
    log: Log = attrs.field(repr=False)

    def svg(self) -> str:
        """Draw the positions. Raises EpcgError if the domain draws no positions of play."""
        return panels.draw(self.log.puzzles[0], self.data)

    def _repr_html_(self) -> str:
        return _page(self.svg() + self.table._repr_html_(), self.notes)


def _page(inside: str, notes: Sequence[str]) -> str:
    return inside + "".join(f"<p>{escape(note)}</p>" for note in notes)


def fit_player(
    database: Database,
    model: str,
    domain: str | None,
    puzzles: Sequence[str],
    how: Mapping[str, Any],
    study: str | None = None,
) -> PlayerModel:
    """Fit a model to the traces of a database.

    Args:
        database: the database.
        model: the kind of model.
        domain: the domain; None for the only one.
        puzzles: what names the puzzles that count; none for all.
        how: the other parts of an `Ask`.
        study: whose people count; None for all players.
    """
    need_statistics("Player models need")
    with Store.open(database.location) as store, store.reader() as reader:
        ids = [open_puzzle(text, reader, str(database.location)).id for text in puzzles]
        log = from_traces(reader, domain, ids, study)
    ask = Ask(model, **how)
    made = Fitted.of(log.domain, log.puzzles[0].generator, fit(log, ask), ask.about(log))
    return PlayerModel(made, ask, log)


def look(database: Database, puzzle: str, most: int, study: str | None = None) -> WherePeopleGoWrong:
    """Find where people of a study, or all players, go wrong in a puzzle of a database."""
    need_statistics("Wilson's intervals need")
    with Store.open(database.location) as store, store.reader() as reader:
        own = open_puzzle(puzzle, reader, str(database.location)).id
        log = from_traces(reader, None, [own], study)
    found = sights(log, 0, most)
    table = Table(shown.SIGHTS, tuple(map(tuple, shown.rows_of_sights(found))))
    return WherePeopleGoWrong(table, tuple(shown.lines_of_sights(found, log)), found, log)
