"""The function `epcg.patterns`: all local patterns that never fail in a run's space, as inference rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from epcg_core import EpcgError, Note, Report, Table
from epcg_core.inside import (
    PATTERNS,
    Pattern,
    PatternPlace,
    PatternView,
    checked,
    format_pattern,
    location_of,
    make_rules,
    make_scorer,
    shortened,
)
from epcg_core.plugin import (
    InferenceRuleInfo,
    LimitReachedError,
    Reader,
    RunRecord,
    StateSpace,
    Store,
    UnknownNameError,
    columns,
    find,
    make_generator,
    registry,
)
from epcg_research.patterns.page import page_of
from epcg_research.patterns.search import Found, failures, ranked, sets_of_places, sound_patterns
from epcg_research.patterns.windows import Collector, Windows, windows_of_positions

MOST_PUZZLES = 2_000
"""Puzzles whose positions are walked through if nothing is said; more are drawn evenly."""
MOST_SETS = 20_000
"""Sets of places that are tried."""


@attrs.frozen
class Told:
    """A pattern that never fails, as it is told.

    Args:
        text: its line, which the rule `patterns` reads.
        pattern: the same by numbers.
        says: how often it is right and says something.
        adds: how often it does where none of those before it does.
        share: the share of all that can be concluded, together with those before it.
        failures: in how many different windows of the other run it fails; None without another run.
        bits: by how much it lowers the entropy of the measured puzzles, on average; None if not measured.
    """

    text: str
    pattern: Pattern
    says: int
    adds: int
    share: float
    failures: int | None = None
    bits: float | None = None


@attrs.frozen(repr=False)
class FoundPatterns(Report):
    """The patterns that never fail in a run's space, the one that says most first."""

    run: int
    space: str
    places: tuple[PatternPlace, ...]
    conclusions: tuple[str, ...]
    target: tuple[float, float]
    looked_at: tuple[str, ...]
    """The names of the places that patterns may ask about."""
    most: int
    """The most conditions of a pattern."""
    puzzles: int | None
    """The puzzles whose positions were walked through; None if all solutions of the boards were looked at."""
    of: int
    """The puzzles of the space, or those for which the condition holds."""
    where: str
    """The condition; '' for all puzzles."""
    too_large: int
    windows: int
    different: int
    """Different windows, images counted each."""
    sound: int
    """All patterns that never fail, and of which no condition can go; images count once."""
    can_be_concluded: int
    patterns: tuple[Told, ...]
    other: int | None
    """The run on whose space the patterns were tried, too."""
    rules: tuple[str, ...]
    """The rules that the player knew beside, where entropy was measured."""
    measured: int
    """The puzzles whose entropy was measured."""

    @property
    def whole(self) -> bool:
        """Whether every puzzle was looked at, of the space or of those for which the condition holds."""
        return self.puzzles is None or (self.puzzles == self.of and not self.too_large)

    def parts(self) -> Iterator[str | Table]:
        """Yield what was looked at, the patterns, and how they are used."""
        looked = "all solutions of its boards" if self.puzzles is None else f"{self.puzzles:,} puzzles"
        yield (
            f"Run {self.run}, {shortened(self.space)}: {self.windows:,} windows of {looked}, "
            f"{self.different:,} of them different. All patterns of up to {self.most} of "
            f"{len(self.looked_at)} places were tried; {self.sound:,} never fail, and no condition of them "
            "can go."
        )
        if self.whole and self.where:
            yield (
                f"Every window of the {self.of:,} puzzles with {self.where} was looked at, so they are rules "
                "for these; of the others nothing is known."
            )
        elif self.whole:
            yield "Every window of the space was looked at, so they are rules for all of its puzzles."
        else:
            left = self.of - (self.puzzles or 0)
            yield Note(
                f"{left:,} of {self.of:,} puzzles were not looked at, so a pattern may fail there: it is "
                "a rule for the others only."
            )
        yield self.table()
        if self.other is not None and any(own.failures for own in self.patterns):
            yield Note(f"Those that fail in run {self.other} are no rule for its puzzles.")
        if self.measured:
            known = f"who knows {', '.join(self.rules)}" if self.rules else "who knows no rule"
            yield (
                f"bits: what MUSE falls by, for a player {known}, on average over {self.measured} puzzles, "
                "if the pattern is known, too."
            )

    def table(self) -> Table:
        """Return a row for each pattern."""
        names = ["", "pattern", "says", "adds", "share"]
        names += [f"fails in {self.other}"] if self.other is not None else []
        names += ["bits"] if self.measured else []
        rows: list[list[Any]] = []
        for number, own in enumerate(self.patterns, 1):
            row: list[Any] = [number, own.text, own.says, own.adds, f"{100 * own.share:.1f} %"]
            row += [own.failures] if self.other is not None else []
            row += [None if own.bits is None else round(own.bits, 4)] if self.measured else []
            rows.append(row)
        return Table.of(tuple(names), rows)

    def json(self) -> dict[str, Any]:
        """Return all numbers, and the patterns as lines."""
        found = attrs.asdict(self, recurse=False)
        found["places"] = [own._asdict() for own in self.places]
        found["patterns"] = [
            attrs.asdict(own, filter=lambda field, _: field.name != "pattern") for own in self.patterns
        ]
        return found | {"whole": self.whole}

    def page(self) -> str:
        """Return a page with a picture of each pattern, as HTML."""
        return page_of(self)


@checked
def patterns(
    run: int,
    *,
    conditions: int = 3,
    places: Sequence[str] = (),
    most: int = 20,
    where: str | None = None,
    puzzles: int | None = None,
    limit: int = 20_000,
    check: int | None = None,
    measure: int = 0,
    rules: Sequence[str] = (),
    db: str | Path | None = None,
    tell: Callable[[str, int, int | None], None] = lambda what, done, of: None,
) -> FoundPatterns:
    """Find all local patterns that never fail in a run's space, as `epcg patterns` does.

    Args:
        run: the number of a run of a domain that offers the rule `patterns`.
        conditions: the most conditions of a pattern, 1 to 8.
        places: only places whose names begin with one of these; none for all.
        most: how many patterns are listed, those first that add most.
        where: an SQL condition over rank and all metrics of the run: only these puzzles are looked at.
        puzzles: the puzzles whose positions are walked through, drawn evenly; None for all, up to 2,000.
        limit: the positions of a puzzle; one with more is left out.
        check: another run of the same domain, on whose space the patterns are tried, too.
        measure: the puzzles on which entropy is measured with and without each pattern; 0 for none.
        rules: the inference rules that the player knows beside.
        db: the database; as for `open`.
        tell: is told what is done, how much of it, and of how much.

    Raises:
        EpcgError: the run is not there, its domain has no view of windows, or the search is too large.
    """
    if not 1 <= conditions <= 8:
        raise EpcgError(f"conditions: a pattern has 1 to 8 conditions, not {conditions}.")
    location = location_of(db)
    with Store.open(location) as store, store.reader() as reader:
        record, generator, view = _view(reader, location, run)
        names = [own[0] for own in view.places]
        chosen = [n for n, name in enumerate(names) if not places or name.startswith(tuple(places))]
        if not chosen:
            raise UnknownNameError("place", places[0], names, "places")
        if sets_of_places(len(chosen), conditions) > MOST_SETS:
            raise EpcgError(
                f"{sets_of_places(len(chosen), conditions):,} sets of up to {conditions} of {len(chosen)} "
                f"places would be tried, and at most {MOST_SETS:,} are: ask for fewer conditions, or for "
                "some of the places."
            )
        ranks = _ranks(reader, record, generator, where)
        with registry().attribute_errors_to(_of(record)):
            windows, looked = _windows(view, generator, ranks, puzzles, limit, tell, where)
        sets = sets_of_places(len(chosen), conditions)
        sound = sound_patterns(windows, conditions, chosen, lambda done: tell("sets of places", done, sets))
        found = list(ranked(view, windows, sound, most))
        others: list[int | None] = [None] * len(found)
        if check is not None:
            others = list(_checked(reader, location, check, view, found, puzzles, limit, tell))
        bits: list[float | None] = [None] * len(found)
        measured = 0
        if measure:
            bits, measured = _bits(record.domain, generator, view, ranks, found, measure, rules, limit, tell)
    images = len(view.images)
    total = int(windows.right.sum()) // images
    lines, before = [], 0
    for own, fails, lower in zip(found, others, bits, strict=True):
        before += own.adds
        text = format_pattern(view, own.pattern)
        share = before / images / total if total else 0.0
        lines.append(Told(text, own.pattern, own.says // images, own.adds // images, share, fails, lower))
    firsts = {min(own.under(image) for image in view.images) for own in sound}
    return FoundPatterns(
        run, record.space, tuple(PatternPlace(*own) for own in view.places), tuple(view.conclusions),
        view.target, tuple(names[n] for n in chosen), conditions, looked, len(ranks), where or "",
        windows.too_large,
        windows.windows, len(windows.rows), len(firsts), total, tuple(lines), check, tuple(rules), measured,
    )  # fmt: skip


def _view(reader: Reader, location: str, run: int) -> tuple[RunRecord, Any, PatternView]:
    """Return a run, its generator, and its domain's view of windows. Raises EpcgError."""
    record = reader.run(run)
    space, _ = find.named(f"{run}#0", reader, location)
    generator = make_generator(registry(), space)
    try:
        (rule,) = make_rules(generator, record.domain, [PATTERNS])
    except UnknownNameError as error:
        raise EpcgError(
            f"The domain {record.domain} does not say what stands around a move: it has no inference rule "
            f"'{PATTERNS}' (see the guide to plugins)."
        ) from error
    view: PatternView = rule.view  # type: ignore[union-attr]
    return record, generator, view


def _of(record: RunRecord) -> InferenceRuleInfo:
    """Return the rule of a run's domain, to which exceptions of its view are attributed."""
    return registry().inference_rule(record.domain, PATTERNS, "rules")


def _ranks(reader: Reader, record: RunRecord, generator: Any, where: str | None) -> Sequence[int]:
    """Return the ranks of the puzzles that are looked at. Raises EpcgError if there are none."""
    if where is None:
        return range(generator.max_rank)
    if not record.done or record.kept_values != "all":
        raise EpcgError(
            f"where: run {record.id} does not record the values of all candidates, so it is not known for "
            'which the condition holds: leave it out, or name a finished run with record.values = "all".'
        )
    parts = [part.ranks for part in columns(reader, record.id, (), where=where)]
    found: list[int] = np.concatenate(parts).tolist() if parts else []
    if not found:
        raise EpcgError(f"where: the condition holds for no candidate of run {record.id}.")
    return found


def _windows(
    view: Any,
    generator: Any,
    ranks: Sequence[int],
    puzzles: int | None,
    limit: int,
    tell: Callable[[str, int, int | None], None],
    where: str | None = None,
) -> tuple[Windows, int | None]:
    """Return the windows of a space, and how many puzzles were walked through; None if all solutions were."""
    samples = getattr(view, "samples", None)
    if samples is not None and where is None and puzzles is None:
        collector = Collector(view)
        for part in samples():
            collector.add(*part)
            tell("windows", collector.windows, None)
        return collector.all(0), None
    if samples is not None:
        raise EpcgError(
            "The windows of this domain are those of all solutions of its boards, whatever puzzles there "
            "are: leave out the condition and the number of puzzles."
        )
    chosen = evenly(ranks, MOST_PUZZLES if puzzles is None else puzzles)
    contents = (generator.unrank(rank) for rank in chosen)
    found = windows_of_positions(view, contents, limit, lambda done: tell("puzzles", done, len(chosen)))
    if not found.windows and found.too_large:
        raise EpcgError(
            f"No position could be looked at: of {len(chosen):,} puzzles {found.too_large:,} have more than "
            f"{limit:,} positions. Allow more (limit)."
        )
    if not found.windows:
        raise EpcgError("No action of these puzzles has a window, so there is nothing to find.")
    return found, found.puzzles


def evenly(ranks: Sequence[int], most: int) -> list[int]:
    """Return at most so many of some ranks, as far from each other as they can be."""
    if len(ranks) <= most:
        return list(ranks)
    return [ranks[at * len(ranks) // most] for at in range(most)]


def _checked(
    reader: Reader,
    location: str,
    run: int,
    view: PatternView,
    found: Sequence[Found],
    puzzles: int | None,
    limit: int,
    tell: Callable[[str, int, int | None], None],
) -> Iterator[int]:
    """Yield in how many windows of another run each pattern fails."""
    record, generator, other = _view(reader, location, run)
    with registry().attribute_errors_to(_of(record)):
        windows, _ = _windows(other, generator, range(generator.max_rank), puzzles, limit, tell)
    names = [own[0] for own in other.places]
    for own in found:
        # the same names may have other numbers in the other view
        conclusion = view.conclusions[own.pattern.conclusion]
        conditions = []
        for at, value in own.pattern.conditions:
            name, values = view.places[at][0], view.places[at][4]
            if name not in names or values[value] not in other.places[names.index(name)][4]:
                break
            there = names.index(name)
            conditions.append((there, other.places[there][4].index(values[value])))
        else:
            if conclusion in other.conclusions:
                again = Pattern(list(other.conclusions).index(conclusion), tuple(sorted(conditions)))
                yield failures(other, windows, again)
                continue
        yield 0  # what the pattern asks for does not occur there


def _bits(
    domain: str,
    generator: Any,
    view: PatternView,
    ranks: Sequence[int],
    found: Sequence[Found],
    most: int,
    known: Sequence[str],
    limit: int,
    tell: Callable[[str, int, int | None], None],
) -> tuple[list[float | None], int]:
    """Return by how much each pattern lowers MUSE on average, and over how many puzzles."""
    scorer = make_scorer("muse")

    def muse(puzzle: Any, texts: Sequence[str]) -> float:
        names = (*known, PATTERNS) if texts else tuple(known)
        params = {PATTERNS: {"patterns": list(texts)}} if texts else {}
        rules = make_rules(generator, domain, names, params)
        return scorer(StateSpace(view.transition_model, puzzle, rules, limit=limit)).value

    sums, measured = [0.0] * len(found), 0
    lines = [format_pattern(view, own.pattern) for own in found]
    chosen = evenly(ranks, most)
    for done, rank in enumerate(chosen, 1):
        puzzle = generator.unrank(rank)
        try:
            without = muse(puzzle, ())
            values = [muse(puzzle, (line,)) for line in lines] if isfinite(without) else []
        except LimitReachedError:
            continue
        if values:
            measured += 1
            sums = [own + without - value for own, value in zip(sums, values, strict=True)]
        tell("puzzles measured", done, len(chosen))
    return [own / measured if measured else None for own in sums], measured
