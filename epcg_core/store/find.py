"""The puzzle that a text names: by its id, whole or short, as RUN#RANK, by a file, or by its own text.

| a text | names |
|---|---|
| `3#17` | the candidate of rank 17 of run 3 of the database |
| `domain:generator?key=value#17` | the candidate of rank 17 of a space, anywhere |
| `domain:generator~1f2e3d4c#17` | the same by the short name of a space that the database has |
| a path | the puzzle in a file |
| any other | the puzzle that the text draws |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from epcg_core.base import documents
from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError, QueryError, format_exception, shortened
from epcg_core.domain import EditorInfo, GeneratorInfo, resolve
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import PUZZLE, parse_puzzle_id
from epcg_core.query.short_ids import is_short
from epcg_core.query.spec import SpaceSpec, make_generator, space_spec
from epcg_core.store import Reader, Store
from epcg_core.store.naming import NotReadError, rank_of, recorded, space_of
from epcg_core.store.short_ids import whole

_PLACE = re.compile(r"\b(?:line|row) (\d+)", re.IGNORECASE)
_SPACE = re.compile(r"(\w+):\w+([?~]\S+)?")
"""A puzzle's id without its rank."""
_KEYS = {"domain": "a query: `epcg run` answers it", "chapters": "a plan: `epcg curriculum build` builds it"}
"""Keys of documents other than puzzles, and what these are for."""
_REASON = 150
_ID = re.compile(r"[A-Za-z0-9_-]+:[^\s#]+#\d+")
_LIKE_ID = re.compile(r"[A-Za-z0-9_-]+:[A-Za-z0-9_-]+(\?[^\s#]*)?#[^#\n]*")
_OF_RUN = re.compile(r"(\d{1,9})#(\d{1,300})")


@contextmanager
def reading(location: str) -> Iterator[Reader | None]:
    """Open a database for reading; yield None if there is no such file."""
    if not Path(location).is_file():
        yield None
        return
    with Store.open(location) as store, store.reader() as reader:
        yield reader


def is_id(text: str) -> bool:
    """Return whether a text is a puzzle's id, whole or short, or RUN#RANK."""
    text = text.strip()
    return any((_OF_RUN.fullmatch(text), is_short(text), PUZZLE.fullmatch(text)))


def named(
    text: str, reader: Reader | None, location: str, domain: str | None = None
) -> tuple[SpaceSpec, int]:
    """Find the puzzle that a text names: RUN#RANK or a short id of a database, or as `by_text` does.

    Args:
        text: the text.
        reader: the database; None if there is none at `location`, which messages name.
        location: where the database is, or would be.
        domain: the domain of the puzzle; None for any.

    Raises:
        QueryError: if the text names no puzzle.
    """
    match = _OF_RUN.fullmatch(text.strip())
    if match is None and not is_short(text):
        return by_text(text, reader, domain)
    if reader is None:
        raise QueryError(f"There is no database {location}, so {text} names no puzzle: --db names another.")
    if match is None:
        return by_text(whole(reader, text), reader, domain)
    return space_of(reader.run(int(match[1]))), int(match[2])


def by_text(text: str, reader: Reader | None, domain: str | None = None) -> tuple[SpaceSpec, int]:
    """Find the puzzle that a text means: a puzzle's id, a file, or the text of a puzzle.

    Texts and files are read by generators: those that declare which space holds a text
    (`GeneratorInfo.finds`), those of recorded runs, and those whose params have defaults; those of a named
    domain by its editor, too, if none of its generators says what is wrong.

    Args:
        text: the text.
        reader: the database with the runs whose generators may read the text; None for no runs.
        domain: the domain of the puzzle; None for any.

    Raises:
        EpcgError: if no generator reads the text, with the reason of each domain, if generators of several
            domains do, or if an id names what there is not.
    """
    path = registry().named_path(text)
    if path is None and _ID.fullmatch(text.strip()):
        return parse_puzzle_id(registry(), text)
    if path is None and _LIKE_ID.fullmatch(text.strip()):
        raise QueryError(
            f"'{shortened(text.strip(), 200)}' looks like a puzzle's id, and what stands behind its # is not "
            "a rank: write a whole number there, counted from 0."
        )
    with suppress(EpcgError):
        return parse_puzzle_id(registry(), text)
    shown = text if path is None else documents.read_text(path, "file", QueryError)
    infos = [info for info in registry().all(GeneratorInfo) if domain in (None, info.domain)]
    reasons: dict[str, str] = {}
    found: dict[str, tuple[SpaceSpec, int]] = {}
    for way in (_declared, _default):
        for info in infos:
            if info.domain in found:
                continue
            try:
                puzzle = way(info, shown, path)
            except NotReadError:
                continue
            except PLUGIN_EXCEPTIONS as error:
                reasons.setdefault(info.domain, _told(error))
                continue
            if puzzle is not None:
                found[info.domain] = puzzle
        if not found and reader is not None:
            found = recorded(shown, reader, domain)
        if found:
            break
    if domain is not None and not found and not reasons:
        try:
            found = _edited(domain, shown)
        except PLUGIN_EXCEPTIONS as error:
            reasons[domain] = _told(error)
    if len(found) > 1:
        raise QueryError(f"Several domains read this: {', '.join(found)}. Choose one with --domain.")
    if not found:
        documents.check_not_path(text, QueryError)
        if not shown.strip():
            what = "The text" if path is None else text
            raise QueryError(f"{what} is empty: write a puzzle there, or name another file or an id.")
        raise QueryError(_refused(text, path, dict.fromkeys(sorted(info.domain for info in infos)), reasons))
    return next(iter(found.values()))


def _told(error: BaseException) -> str:
    told = str(error) if isinstance(error, EpcgError) else format_exception(error)
    return " ".join(told.split())


def _refused(text: str, path: Path | None, domains: Iterable[str], reasons: Mapping[str, str]) -> str:
    """Say why no domain takes a text, by the domain that read most of it; if none did, a line for each."""
    names = list(domains)
    if path is None and (found := _SPACE.fullmatch(text.strip())) and found[1] in names and "#" not in text:
        return f"{text.strip()} is a space, not a puzzle: an id ends with a rank, as in {text.strip()}#0."
    if path is not None and (kind := _kind_of(path)):
        return f"{text} is {kind}. A puzzle is a board, a level or an id."
    first = (
        "This is neither a puzzle's id nor a file, and no generator reads it as a puzzle"
        if path is None
        else f"No generator reads {text} as a puzzle"
    )
    other = "it does not look like one of its puzzles."
    nearest = likeliest(reasons)
    listed = listed_reasons({name: reasons.get(name, other) for name in names if name != nearest})
    if len(names) == 1:
        return f"{first}: {shortened(reasons.get(names[0], other), _REASON)}"
    if nearest is not None:
        said = shortened(reasons[nearest], _REASON)
        return (
            f"{first}. Most of it was read by {nearest}: {said}\nOthers say (--domain NAME asks one):{listed}"
        )
    return f"{first}. If it is one, name its domain with --domain, and look at what that one says:{listed}"


def _kind_of(path: Path) -> str:
    """Say what a query or a plan is for; '' of other files."""
    try:
        table = documents.parse_toml(documents.read_text(path, "file", QueryError), "it")
    except EpcgError:
        return ""
    return next((kind for key, kind in _KEYS.items() if key in table), "")


def likeliest(reasons: Mapping[str, str]) -> str | None:
    """Return the domain whose reader came furthest, by lines, before its fault; None if several did."""
    places = {name: _PLACE.search(reason) for name, reason in reasons.items()}
    lines = {name: int(place[1]) for name, place in places.items() if place is not None}
    furthest = max(lines.values(), default=0)
    names = [name for name, line in lines.items() if line == furthest]
    return names[0] if furthest > 1 and len(names) == 1 else None


def listed_reasons(reasons: Mapping[str, str]) -> str:
    """Return the reasons of domains for an error message, a shortened line for each."""
    return "".join(f"\n  {name}: {shortened(reason, _REASON)}" for name, reason in reasons.items())


def _declared(info: GeneratorInfo, text: str, path: Path | None) -> tuple[SpaceSpec, int] | None:
    """Find a text in the space that a generator's descriptor names for it."""
    if info.finds is None:
        return None
    with registry().attribute_errors_to(info):
        answer = resolve(info.finds)(text, path)
    if answer is None:
        return None
    params, rank = answer
    space = space_spec(registry(), info.domain, info.name, params)
    return space, rank_of(space, text) if rank is None else rank


def _edited(domain: str, text: str) -> dict[str, tuple[SpaceSpec, int]]:
    """Find a text among the contents that the editor of a domain reads; empty if the domain has none."""
    if not registry().all(EditorInfo, domain):
        return {}
    space = space_spec(registry(), domain, "contents", {"contents": [text]})
    make_generator(registry(), space)  # which reads the text
    return {domain: (space, 0)}


def _default(info: GeneratorInfo, text: str, path: Path | None) -> tuple[SpaceSpec, int] | None:
    """Find a text in the space that a generator's default params make."""
    if info.finds is not None:
        return None
    try:
        space = space_spec(registry(), info.domain, info.name, {})
        generator = make_generator(registry(), space)
    except EpcgError as error:  # params without defaults, or that make nothing together
        raise NotReadError(str(error)) from error
    return space, rank_of(space, text, generator)
