"""Files of player models: JSON with what the model was fitted on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import StoreError, canonical_json, transition_model
from epcg_core.plugin import EpcgError, documents
from epcg_research.players.models import KINDS, Model, from_data, to_data

FORMAT, VERSION = "epcg-player", 1
MOST_BYTES = 64_000_000


@attrs.frozen
class Fitted:
    """A model with where it comes from."""

    domain: str
    """The domain whose play it was fitted on."""
    play: str
    """The transition model, 'module:Class': a model of another one says nothing here."""
    model: Model
    fitted_on: Mapping[str, Any]
    """What it was fitted on: numbers of people, puzzles and decisions, and the SHA-256 of the decisions."""

    @classmethod
    def of(cls, domain: str, generator: Any, model: Model, fitted_on: Mapping[str, Any]) -> Fitted:
        """Return a model of the play that a generator's puzzles have.

        Args:
            domain: the domain.
            generator: the generator.
            model: the model.
            fitted_on: what it was fitted on.
        """
        return cls(domain, play_of(generator), model, fitted_on)

    def text(self) -> str:
        """Return the file's text, the same for the same model."""
        data = {
            "format": FORMAT, "version": VERSION, "domain": self.domain, "play": self.play,
            "model": self.model.name, "fitted_on": dict(self.fitted_on), **to_data(self.model),
        }  # fmt: skip
        return canonical_json(data) + "\n"

    @property
    def sha256(self) -> str:
        """The digest of the file, by which a run names the model."""
        return hashlib.sha256(self.text().encode()).hexdigest()


def digest(path: str) -> str:
    """Return the SHA-256 of a model's file. Raises StoreError if it cannot be read."""
    return hashlib.sha256(_text(documents.place_of(path)).encode()).hexdigest()


def play_of(generator: Any) -> str:
    """Return the name of a generator's transition model, by which a model knows its domain."""
    found = type(transition_model(generator))
    return f"{found.__module__}:{found.__qualname__}"


def load(path: Path, generator: Any) -> Fitted:
    """Read a model for the puzzles of a generator.

    Args:
        path: the file.
        generator: the generator, which rules may look at.

    Raises:
        StoreError: if it is another kind of file, is damaged, of another version or of another domain.
    """
    where = f"The player model '{path}'"
    data = documents.parse_json(_text(path), where, StoreError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StoreError(
            f'{where}: this is not a player model; its "format" would be "{FORMAT}": make one with '
            "`epcg study player fit`."
        )
    if data.get("version") != VERSION:
        shown = repr(data.get("version"))[:40]
        raise StoreError(f"{where}: version {shown} is not known, only {VERSION}: fit it again.")
    name, fitted_on = data.get("model"), data.get("fitted_on")
    domain, play = data.get("domain"), data.get("play")
    if name not in KINDS:
        raise StoreError(f'{where}: "model" is {str(name)[:40]!r}, and not one of {", ".join(KINDS)}.')
    if not isinstance(domain, str) or not isinstance(play, str) or not isinstance(fitted_on, dict):
        raise StoreError(f'{where}: "domain", "play" or "fitted_on" is missing: fit it again.')
    if play != play_of(generator):
        raise StoreError(
            f"{where} was fitted on play of {domain[:60]} ({play[:80]}), and these puzzles are played by "
            f"{play_of(generator)}: choose another model."
        )
    try:
        return Fitted(domain, play, from_data(name, data, domain, generator), fitted_on)
    except EpcgError as error:
        raise StoreError(f"{where}: {error}") from error


def _text(path: Path) -> str:
    return documents.read_text(path, "player model", StoreError, MOST_BYTES)
