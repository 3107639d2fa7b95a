"""The one exception family: every message is a sentence that a designer understands and can act on."""

from __future__ import annotations

import difflib
import errno
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

LONGEST_MESSAGE = 3000
"""Characters of a message; what is left out of a longer one, such as a quoted input, is its middle."""
LONGEST_WORD = 400
"""Characters of a word of a message: a name from outside must not fill it. Paths are seldom longer."""
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


class EpcgError(Exception):
    """Something the user can mend. The command line prints the message, without a traceback, and exits 1."""

    exit_code = 1

    def __init__(self, *args: object) -> None:
        super().__init__(*(bounded(arg) if isinstance(arg, str) else arg for arg in args))


def bounded(message: str) -> str:
    """Return a message without the middle of long words, such as names from a file, and of the whole."""
    words = _LONG_WORD.sub(lambda found: shortened(found[0], LONGEST_WORD), message)
    return shortened(words, LONGEST_MESSAGE)


def shortened(text: str, most: int) -> str:
    """Return a string of at most `most` characters: the beginning and the end of a longer one."""
    half = (most - 5) // 2
    return text if len(text) <= most else f"{text[:half]} ... {text[-half:]}"


class PluginError(EpcgError):
    """A plugin cannot be used: it does not import, has another API version, or is malformed."""

    package: str = ""
    """The top package of the code at fault, if that is not where the exception came up."""


_MOST_LISTED = 30
"""Names of one message."""


class UnknownNameError(EpcgError):
    """A name (domain, generator, evaluator, metric, key) that is not registered.

    The message names the nearest valid name and lists the others; `note` is its last sentence.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "", note: str = "") -> None:
        choices = sorted(set(known))
        near = difflib.get_close_matches(name[:100], choices, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        listing = f" Known: {_listed(name, choices)}." if choices else f" There is no {kind} at all."
        super().__init__(
            f"{where + ': ' if where else ''}unknown {kind} '{shortened(name, 200)}'.{hint}{listing}"
            f"{' ' if note else ''}{note}"
        )
        self.name = name
        self.nearest = near[0] if near else None


def _listed(name: str, choices: list[str]) -> str:
    """Return the names that there are; of very many those of the same plugin, or else the nearest."""
    if len(choices) <= _MOST_LISTED:
        return ", ".join(choices)
    owner, slash, _ = name.partition("/")
    shown = [choice for choice in choices if slash and choice.startswith(f"{owner}/")][:_MOST_LISTED]
    shown = shown or sorted(difflib.get_close_matches(name[:100], choices, n=_MOST_LISTED // 2, cutoff=0))
    return f"{', '.join(shown)}, and {len(choices) - len(shown):,} others"


class ParamsError(EpcgError):
    """A parameter is unknown, ill-typed or out of its range; the message names the key."""


class RankError(EpcgError):
    """A rank lies outside its space, or a state does not belong to it."""


class QueryError(EpcgError):
    """A query file cannot be read or asks for something impossible."""


class LibraryNotMadeError(QueryError):
    """A query's library comes from a run that is not recorded; running the query makes it."""


class CurriculumError(EpcgError):
    """A plan cannot be read or asks for something impossible, or a chapter of it finds too few puzzles."""


class StoreError(EpcgError):
    """The database cannot be opened, read or written."""


class OutdatedRunError(StoreError):
    """A recorded run was computed with other sources than the present ones; the message names the choice."""


class DamagedError(StoreError):
    """The bytes of a database file are not those of an SQLite database."""


class RunInterruptedError(EpcgError):
    """A run stopped before its end; recorded values are kept and the run can be resumed."""

    exit_code = 3


class EvaluationError(RunInterruptedError):
    """An evaluator raised at one candidate; the run stops, resumable."""

    def __init__(self, message: str, rank: int | None = None) -> None:
        super().__init__(message)
        self.rank = rank
        self.recordable = True
        """Whether the search lets a run record the error and go on (`record.on_error`)."""

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.rank))


class CandidateError(EpcgError):
    """A candidate cannot be read, or is beyond what a plain part can do.

    It is recorded without a value, with this message as its reason, and the run goes on in any case.
    """


class OutOfMemoryError(RunInterruptedError):
    """Memory ran out in a unit. It says nothing about a candidate, so it is never recorded as its error."""


class UnitTimeoutError(RunInterruptedError):
    """A unit took longer than the time limit that was set; the message names it."""


class WorkerDiedError(RunInterruptedError):
    """Worker processes ended twice at the same unit, or again and again at set-up; the message says where."""


class CheckFailedError(EpcgError):
    """A verification found a difference between recorded and recomputed values."""

    exit_code = 4


class UncheckedError(EpcgError):
    """A verification is impossible here, because a plugin is missing, say; that tells nothing of the run."""

    exit_code = 5


class ConditionalError(EpcgError):
    """A verification holds if something holds that it did not check; the message names it."""

    exit_code = 6


PLUGIN_EXCEPTIONS = (Exception, SystemExit)
"""Exceptions of a plugin's part; SystemExit too, because it must not end the process."""


def format_exception(error: BaseException) -> str:
    """Format an exception as 'RuntimeError: message', or as its name if the message is empty."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def whereabouts(error: BaseException, plugin: str = "", packages: Mapping[str, str] | None = None) -> str:
    """Return a sentence about the place of a plugin's exception, for a note; '' if nothing is known.

    `packages` maps top packages to plugins; `plugin` is named if the code at fault lies in none of them.
    """
    told = getattr(error, "package", "")
    place = "" if told else place_of(error).strip(" ()")
    plugin = (packages or {}).get(package_of(error), plugin)
    parts = [*([place] if place else []), *([f"of the plugin {plugin}"] if plugin else [])]
    return f"The code at fault is {' '.join(parts)}." if parts else ""


_NOT_PLUGINS = frozenset({"epcg_core", "numpy", "numba", "attr", "click"}) | sys.stdlib_module_names
"""Packages whose code is never the place of a plugin's mistake."""


def place_of(error: BaseException) -> str:
    """Return the place in a plugin's code at which an exception came up: ' (rules.py:12)'; '' if none."""
    found = _trace_of(error)
    return f" ({Path(found.tb_frame.f_code.co_filename).name}:{found.tb_lineno})" if found else ""


def package_of(error: BaseException) -> str:
    """Return the top package of the code at which an exception came up; '' if it is not a plugin's."""
    found = _trace_of(error)
    return getattr(error, "package", "") or (_package(found) if found else "")


def _trace_of(error: BaseException) -> TracebackType | None:
    """Return the innermost entry of an exception's traceback that is not in `_NOT_PLUGINS`."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if _package(trace) not in _NOT_PLUGINS:
            found = trace
        trace = trace.tb_next
    return found


def _package(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]


def _function(thing: object) -> Any:
    """Return the function behind a callable, a functools.partial too."""
    function = getattr(thing, "func", thing)
    return function if hasattr(function, "__qualname__") else type(function).__call__


def fault_of(thing: object, message: str) -> PluginError:
    """Return an error about what a callable of a plugin answered."""
    error = PluginError(message)
    error.package = str(_function(thing).__module__).partition(".")[0]
    return error


def name_and_place(thing: object) -> str:
    """Describe a callable by its name and the place of its code: 'epcg_words.rules.never (rules.py:12)'."""
    function = _function(thing)
    code = getattr(function, "__code__", None)
    place = f" ({Path(code.co_filename).name}:{code.co_firstlineno})" if code is not None else ""
    return f"{function.__module__}.{function.__qualname__}{place}"


def require(who: str, *libraries: str, extra: str, otherwise: str = "") -> None:
    """Raise PluginError if an optional library is missing, naming the extra to install.

    The message begins with `who`, such as 'Plots need', and ends with the alternative `otherwise`.
    """
    missing: dict[str, ImportError] = {}
    for library in libraries:
        try:
            importlib.import_module(library)
        except ImportError as error:
            missing.setdefault(library.partition(".")[0].replace("_", "-"), error)
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise PluginError(
            f"{who} {' and '.join(missing)}, which {are} not installed: pip install '{extra}'{otherwise}."
        ) from next(iter(missing.values()))


_NEXT = {
    errno.EACCES: "Its rights do not allow it: change them, or name another place",
    errno.EPERM: "Its rights do not allow it: change them, or name another place",
    errno.EROFS: "Its disk can only be read: name another place",
    errno.EISDIR: "It is a folder: name a file in it",
    errno.ENAMETOOLONG: "Name it shorter",
    errno.ENOSPC: "Make room on its disk, or name another place",
    errno.EDQUOT: "Make room on its disk, or name another place",
}
"""Sentences that say what to do after an error of the system about a file, by its number."""


def told_of_file(place: Path | str, error: OSError, what: str = "") -> str:
    """Return sentences about an error of the system: the file, what is wrong with it, and what to do.

    Args:
        place: the file or the folder that was asked for.
        error: the error.
        what: what failed, such as "cannot be written"; '' leaves it out.
    """
    folder, said = Path(place).parent, f" {what}" if what else ""
    if error.errno in (errno.ENOENT, errno.ENOTDIR) and not folder.is_dir():
        there = "is not a folder" if folder.exists() else "does not exist"
        return f"{place}{said}: its folder {folder} {there}. Make it, or name another place."
    following = _NEXT.get(error.errno or 0)
    return f"{place}{said}: {error.strerror or error}.{f' {following}.' if following else ''}"


@contextmanager
def writing(place: Path | str) -> Iterator[None]:
    """Turn an OSError while writing a file or a folder into an EpcgError."""
    try:
        yield
    except OSError as error:
        raise EpcgError(told_of_file(place, error, "cannot be written")) from error
