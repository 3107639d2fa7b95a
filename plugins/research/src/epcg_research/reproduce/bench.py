"""Answers to the questions of published results, from recorded runs; those that are absent are made."""

from __future__ import annotations

import csv
import gzip
import importlib
import re
import shlex
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.inside import ask_sql as ask_sql
from epcg_core.plugin import (
    Coordinator,
    EpcgError,
    Options,
    PluginError,
    Query,
    RunRecord,
    Store,
    documents,
)
from epcg_research.reproduce.printed import RowAnswer
from epcg_research.reproduce.tables import Ask, Computed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from epcg_research.statistics import Estimate, Method

LoadQuery = Callable[[str, Sequence[str]], Query]
"""(name of a shipped query, changes) -> the query."""


class NotAtHandError(EpcgError):
    """A file or a library that a row needs is not here; the message says how to get it."""


class NoDataError(NotAtHandError):
    """A file that is not shipped is not in the folder."""


class Bench:
    """Computes what rows ask for. A context manager; worker processes are kept from question to question.

    `location` is the database, `data` the folder of files that are not shipped, `load` gives queries by name.
    """

    def __init__(self, location: str, load: LoadQuery, data: Path | None, options: Options) -> None:
        self._load = load
        self._data = data
        self._answered: dict[Ask, tuple[RunRecord, ...]] = {}
        self._used: dict[int, RunRecord] = {}
        self._closing = ExitStack()
        self.store = self._closing.enter_context(Store.open(location, write=True))
        self._reading = self._closing.enter_context(Store.open(location))
        self.coordinator = self._closing.enter_context(Coordinator(self.store, options))
        with self._reading.reader() as reader:
            self._before = {run.id for run in reader.runs() if run.done}

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._closing.__exit__(*exception)

    def answer(self, query: str, settings: Sequence[str] = ()) -> RunRecord:
        """Find or make the finished run that answers a query with changes, as `epcg run --set` takes them.

        Raises NotAtHandError if the run needs a missing file, RunInterruptedError if it stopped.
        """
        question = Ask(query, tuple(settings))
        if question not in self._answered:
            asked = self._load(query, self._changes(question))
            self._answered[question] = self.coordinator.answer(asked).runs
        runs = self._answered[question]
        for run in runs:
            self._used[run.id] = run
        return runs[-1]

    def note(self, run_id: int) -> None:
        """Note the use of a run that `coordinator` made directly."""
        with self._reading.reader() as reader:
            self._used[run_id] = reader.run(run_id)

    def rows(self, sql: str, run: RunRecord | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT, in which `:run` is the number of `run`."""
        with self._reading.reader() as reader:
            return list(ask_sql(reader.connection, with_run(sql, run)))

    def value(self, sql: str, run: RunRecord | None = None) -> RowAnswer:
        """Return the single value of a SELECT. Raises PluginError if it does not give exactly one."""
        found = self.rows(sql, run)
        if len(found) != 1 or len(found[0]) != 1 or found[0][0] is None:
            raise PluginError(
                f"A row's SELECT must give one value, not {_shape(found)}: {with_run(sql, run)}"
            )
        value: RowAnswer = found[0][0]
        return value

    def file(self, name: str) -> Path:
        """Find a file or folder that is not shipped. Raises NoDataError."""
        if self._data is None:
            raise NoDataError(f"it reads {name}, which is not shipped: name its folder with --data")
        path = self._data / name
        if not path.exists():
            raise NoDataError(f"it reads {name}, which is not in the folder {self._data}")
        return path

    def json(self, name: str) -> Any:
        """Read a JSON document that is not shipped, gzipped or not. Raises NoDataError and EpcgError."""
        path = self.file(name)
        return documents.parse_json(self._text(path), str(path))

    def table(self, name: str, columns: Sequence[str]) -> list[dict[str, str]]:
        """Read a CSV table that is not shipped, gzipped or not: a dictionary for each row.

        Args:
            name: the file, in the folder of data.
            columns: the columns that it must have.

        Returns:
            The rows, by the names of the header.

        Raises:
            NoDataError: if the file is not there.
            EpcgError: if a column is missing, or a row has another number of cells.
        """
        path = self.file(name)
        rows = list(csv.reader(self._text(path).splitlines()))
        header = rows[0] if rows else []
        missing = [column for column in columns if column not in header]
        if missing:
            raise EpcgError(
                f"{path}: the header has no column '{missing[0]}': it must name {', '.join(columns)}."
            )
        for number, row in enumerate(rows[1:], 2):
            if row and len(row) != len(header):
                raise EpcgError(
                    f"{path}, line {number} has {len(row)} cells, and the header names {len(header)} columns."
                )
        return [dict(zip(header, row, strict=True)) for row in rows[1:] if row]

    def _text(self, path: Path) -> str:
        if path.suffix != ".gz":
            return documents.read_text(path, "file")
        try:
            return gzip.decompress(documents.read_bytes(path, "file")).decode("utf-8-sig")
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise EpcgError(f"{path} is not gzipped text: {error}.") from None

    def require(self, module: str, extra: str) -> None:
        """Raise NotAtHandError if a library is missing, naming the extra to install."""
        try:
            importlib.import_module(module)
        except ImportError:
            raise NotAtHandError(f"it needs {module}: pip install '{extra}'") from None

    def save_figure(self, path: Path, draw: Callable[[Axes], None]) -> None:
        """Draw a plot into a file. Raises PluginError without matplotlib."""
        from epcg_research.figures import save_figure

        save_figure(path, draw)

    def correlation(self, x: Sequence[float], y: Sequence[float], method: Method = "pearson") -> Estimated:
        """Correlate two measures of the same things, with intervals by formula and by bootstrap.

        Args:
            x: the values of one measure.
            y: those of the other, in the same order.
            method: 'pearson', 'spearman' or 'kendall'.

        Returns:
            The coefficient and p, each with n; the coefficient with both intervals.

        Raises:
            NotAtHandError: if scipy is missing.
            EpcgError: if the numbers determine no correlation.
        """
        self.require("scipy.stats", "epcg-research[statistics]")
        from epcg_research import statistics

        found = statistics.correlation(x, y, method)
        drawn = statistics.bootstrap(x, [y], "puzzles", method=method)
        return _estimated(found, drawn)

    def difference(
        self, y: Sequence[float], first: Sequence[float], second: Sequence[float], method: Method = "pearson"
    ) -> Estimated:
        """Subtract the correlations of two measures with one response, with intervals as `correlation`.

        Args:
            y: the response.
            first: the values of one measure.
            second: those of the other.
            method: 'pearson', 'spearman' or 'kendall'.

        Returns:
            The first correlation minus the second, without p.

        Raises:
            NotAtHandError: if scipy is missing.
            EpcgError: if the numbers determine no correlation.
        """
        self.require("scipy.stats", "epcg-research[statistics]")
        from epcg_research import statistics

        found = statistics.difference(y, first, second, method)
        drawn = statistics.bootstrap(first, [y], "puzzles", other=second, method=method)
        return _estimated(found, drawn)

    def in_words(self, question: Ask) -> str:
        """Write the question as a command."""
        changes = "".join(f" --set {shlex.quote(change)}" for change in question.set)
        return f"epcg run {question.query}{changes}"

    def _changes(self, question: Ask) -> list[str]:
        found = []
        for change in question.set:
            for name in re.findall(r"\{data\}/([^\"']+)", change):
                change = change.replace(f"{{data}}/{name}", str(self.file(name).resolve()))
            found.append(change)
        return found

    def begin(self) -> None:
        """Begin to note which runs are used."""
        self._used.clear()

    def used(self) -> tuple[RunRecord, ...]:
        """Return the runs used since `begin`, in order."""
        return tuple(self._used.values())

    def computed(self) -> tuple[int, ...]:
        """Return those of them that were computed by this bench."""
        return tuple(run for run in self._used if run not in self._before)


@attrs.frozen
class Estimated:
    """A statistic as rows show it."""

    value: Computed
    """With n and its intervals."""
    p: Computed | None
    """With n; None where there is no test."""


def _estimated(found: Estimate, drawn: Estimate) -> Estimated:
    if found.value is None:
        raise EpcgError(found.note)
    intervals = [
        f"{each.low:.3f} to {each.high:.3f} ({how})"
        for each, how in ((found, "formula"), (drawn, "bootstrap"))
        if each.low is not None and each.high is not None
    ]
    n = f"n = {found.n:,}"
    detail = "; 95 %: ".join([n, ", ".join(intervals)]) if intervals else n
    return Estimated(Computed(found.value, detail), None if found.p is None else Computed(found.p, n))


def with_run(sql: str, run: RunRecord | None) -> str:
    """Insert the number of its run into a SELECT."""
    return sql if run is None else re.sub(r":run\b", str(run.id), sql)


def _shape(found: Sequence[tuple[Any, ...]]) -> str:
    if len(found) == 1 and len(found[0]) == 1:
        return "NULL"
    return f"{len(found)} rows of {len(found[0])}" if found else "no row"
