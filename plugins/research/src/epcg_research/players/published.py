"""Player models among the files that `epcg verify FILE` checks: their form, and the fit itself, done again.

A model's file says what it was fitted on. With a database that has those people's play, it is fitted again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from epcg_core.inside import Check, canonical_json, make_check
from epcg_core.plugin import CheckFailedError, ConditionalError, EpcgError, Store, UncheckedError, documents
from epcg_research.players.decisions import Log, from_traces
from epcg_research.players.features import OF_THE_WAY
from epcg_research.players.files import FORMAT, MOST_BYTES, VERSION
from epcg_research.players.fitting import Ask, fit
from epcg_research.players.models import KINDS, Model, from_data, to_data

CLOSE = 5e-5
"""By which fitted numbers may differ: an optimum is found with some tolerance."""


def recognise(path: Path) -> bool:
    """Return whether a file is a JSON document that says it is a player model."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return False
        data = documents.parse_json(documents.read_text(path, "file"), "It")
    except (OSError, EpcgError):
        return False
    return isinstance(data, dict) and data.get("format") == FORMAT


def verify(path: Path, options: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
    """Check a player model; return the checks, and what none covers."""
    text = documents.read_text(path, "player model", CheckFailedError, MOST_BYTES)
    data = documents.parse_json(text, "The player model", CheckFailedError)
    checks = [make_check("form", lambda: _form(text, data))]
    if checks[0].verdict != "does not hold":
        checks.append(make_check("fit", lambda: _fit(data, options["db"])))
    return checks, ["that people did what was recorded of their play"]


def _form(text: str, data: Mapping[str, Any]) -> str:
    """Check the form, and that the numbers of decisions go together."""
    name, about, domain = data.get("model"), data.get("fitted_on"), data.get("domain")
    if data.get("version") != VERSION:
        raise UncheckedError(f"Its version {data.get('version')!r:.40} is not known here.")
    if name not in KINDS or not isinstance(about, dict) or not isinstance(domain, str):
        raise CheckFailedError('Its "model", "domain" or "fitted_on" is not what EPCG writes.')
    model = _model(data)
    if model is not None:
        head = {key: data.get(key) for key in ("format", "version", "domain", "play", "model", "fitted_on")}
        if data != head | to_data(model):
            raise CheckFailedError("It has further parts, or others than a model of its kind.")
    if text != canonical_json(dict(data)) + "\n":
        told = " Its text is not as EPCG writes it: it was edited."
    else:
        told = ""
    if name == "counts":
        chosen = sum(pair[0] for pair in data["classes"].values())
        counted = sum(times for own in data["counts"].values() for times in own.values())
        offered = sum(pair[1] for pair in data["classes"].values())
        decisions = about.get("decisions", counted)
        if not counted == chosen == decisions or offered < chosen:
            raise CheckFailedError(
                f"It was fitted on {decisions} decisions, and it counts {counted} in positions and {chosen} "
                "in classes."
            )
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return f"It is a model '{name}' of play of {domain:.60}, by which runs name it: {sha256}.{told}"


def _model(data: Mapping[str, Any]) -> Model | None:
    """Return the model; None if it needs rules, which need a puzzle. Raises CheckFailedError."""
    if data.get("rules") and data["model"] in ("rules", "softmax"):
        return None
    try:
        return from_data(str(data["model"]), data, str(data["domain"]), None)
    except EpcgError as error:
        raise CheckFailedError(f"It is not a model of its kind: {error}") from error


def _fit(data: Mapping[str, Any], location: str | None) -> str:
    """Fit the model again to the play that it says it was fitted on."""
    about = data["fitted_on"]
    sha256 = about.get("sha256")
    if not sha256:
        raise UncheckedError("It does not say what it was fitted on: it may have been written by hand.")
    if location is None:
        raise ConditionalError(
            f"It holds if it was fitted to the {about.get('decisions')!s:.20} decisions with the digest "
            f"{sha256!s:.64}: name a database that has them with --db."
        )
    log = _log(data, location)
    if log.sha256() != sha256:
        raise UncheckedError(
            f"{location} has other play than it was fitted on: its decisions have the digest {log.sha256()}."
        )
    stated = {name: about.get(name) for name in log.about()}
    if stated != log.about():
        raise CheckFailedError(f"It was fitted on {log.about()}, and says {stated}.")
    how = about.get("how")
    try:
        ask = _ask(data, how if isinstance(how, dict) else {})
    except (TypeError, ValueError) as error:
        raise CheckFailedError(f"How it was fitted cannot be read: {error}.") from error
    model = fit(log, ask)
    odd = _odd({key: data.get(key) for key in to_data(model)}, to_data(model), "")
    if odd and not isinstance(how, dict):
        raise UncheckedError("It does not say how it was fitted, and not as is usual: fit it again.")
    if odd:
        raise CheckFailedError(f"Fitted again to the same decisions, {odd}.")
    return f"Fitted again to the {len(log.decisions):,} decisions with the digest {sha256}, it is the same."


def _log(data: Mapping[str, Any], location: str) -> Log:
    puzzles = data["fitted_on"].get("of")
    only = [str(each) for each in puzzles] if isinstance(puzzles, list) else []
    with Store.open(location) as store, store.reader() as reader:
        return from_traces(reader, str(data["domain"]), only)


def _ask(data: Mapping[str, Any], how: Mapping[str, Any]) -> Ask:
    weights = data.get("weights", {})
    return Ask(
        str(data["model"]),
        tuple(map(str, data.get("rules", ()))),
        dict(data.get("rule_params", {})),
        bool(how.get("way", any(name in weights for name in OF_THE_WAY))),
        tuple(map(str, how.get("without", ()))),
        float(how.get("penalty", 1.0)),
    )


def _odd(told: Any, now: Any, where: str) -> str:
    """Say where two models differ, '' if nowhere but in the last digits."""
    if isinstance(told, dict) and isinstance(now, dict):
        for key in [*now, *told]:
            if key not in told or key not in now:
                return f"{where or 'it'} has no {key!r:.60} in one of the two"
            if odd := _odd(told[key], now[key], str(key)):
                return odd
        return ""
    if isinstance(now, float) and isinstance(told, int | float):
        return (
            "" if abs(told - now) <= CLOSE * max(1.0, abs(now)) else f"{where:.60} is {now:g}, not {told:g}"
        )
    now = list(now) if isinstance(now, tuple) else now
    return "" if told == now else f"{where:.60} is {now!r:.60}, not {told!r:.60}"
