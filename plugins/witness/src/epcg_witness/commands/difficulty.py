"""`epcg witness difficulty`: how well the measures of a file's puzzles agree with their players' votes.

After Chen, White & Sturtevant, "Entropy as a Measure of Puzzle Difficulty" (AIIDE 2023).
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from epcg_core.plugin import (
    LIMIT,
    NONE,
    STATUS_NAMES,
    VALUE,
    InferenceRuleInfo,
    candidate_timeout_option,
    output,
    registry,
    require,
    required,
    writing,
)
from epcg_witness.generators.windmill_file import WindmillFile
from epcg_witness.params import PUBLISHED_RULES, RULE_NAMES, Counting, WindmillFileParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import UnknownDifficultyError, check_difficulty
from epcg_witness.rules.panel import Panel

if TYPE_CHECKING:
    from epcg_witness.studies.correlations import Correlation
    from epcg_witness.studies.plots import Save

MEASURES = ("muse", "remuse", "adversarial", "msi", "tsi")
COLUMNS = ("solutions", "entropy_states", *MEASURES)


@attrs.frozen
class Scored:
    """A puzzle with its recorded values."""

    name: str
    upvotes: float | None
    created_ms: float | None
    scores: dict[str, Any]
    """The scores by the names of COLUMNS; empty for a puzzle that has none."""
    left_out: str
    """The reason why the puzzle is not in any correlation; empty if it is in one."""
    missing: dict[str, str] = attrs.field(factory=dict)
    """The reason why a score is missing, by the names of COLUMNS; only that correlation lacks the puzzle."""


@attrs.frozen
class Knowledge:
    """The knowledge of the player."""

    rules: tuple[str, ...]
    triangles: Counting
    """How the rule `triangle` counts edges."""

    @property
    def params(self) -> dict[str, Any]:
        """The params of the evaluator `entropy`."""
        own = {"rule_params": {"triangle": {"counting": self.triangles}}} if self.triangles != "exact" else {}
        return {"rules": list(self.rules), **own}


def command() -> click.Command:
    """Make the click command."""

    @click.command("difficulty", short_help="Measures of a file of Windmill puzzles, against their votes.")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @click.option(
        "--db", envvar="EPCG_DB", default="epcg.db", show_default=True, show_envvar=True,
        help="The database that the scores are recorded in.",
    )  # fmt: skip
    @click.option(
        "--rules", default=",".join(PUBLISHED_RULES), show_default=True, metavar="NAMES", callback=_rules,
        help="The inference rules that the player knows, of this or another plugin, separated by commas; "
        "also all, or none.",
    )  # fmt: skip
    @click.option(
        "--triangles", type=click.Choice(["exact", "published"]), default="exact", show_default=True,
        help="How the rule triangle counts edges: as defined, or as the published program of 2024 does.",
    )  # fmt: skip
    @click.option(
        "--output", "out", default="witness-difficulty", show_default=True,
        type=click.Path(file_okay=False, path_type=Path), help="The folder for the table and the plots.",
    )  # fmt: skip
    @candidate_timeout_option
    @click.option(
        "--workers", default=1, show_default=True, type=click.IntRange(1),
        help="Processes. A puzzle of 4 by 4 takes milliseconds: more than one pays for larger ones.",
    )  # fmt: skip
    @click.option("--no-plots", is_flag=True, help="Write the table only (matplotlib is not needed).")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def difficulty(
        file: Path,
        db: str,
        rules: tuple[str, ...],
        triangles: Counting,
        out: Path,
        candidate_timeout: float | None,
        workers: int,
        no_plots: bool,
        as_json: bool,
    ) -> None:
        """Measure the puzzles of FILE and correlate the measures with the players' votes.

        Pearson's r of each measure with the upvotes; these are detrended first, by ordinary least squares on
        the time when a puzzle was created, because older puzzles have had more time to be voted for.

        FILE is a JSON list of puzzles; contents are as The Windmill, a public puzzle-sharing site, stores
        them. A puzzle that cannot be read, or has no solution, is named and left out; one that lacks a
        measure (a search took too long; no inference rule knows erasers or symmetry) is left out of that
        measure's correlation, and the reason is named:

        \b
            [{"id": "a1", "contents": "CAUSABIC...", "created_ms": 1456313973981, "upvotes": 2}, ...]

        The time may also be called createUtc.
        """
        require("The correlations need", "scipy.stats", extra="epcg-witness[study]")
        if not no_plots:
            require(
                "The plots need", "matplotlib", extra="epcg-witness[plot]",
                otherwise=", or leave the plots out with --no-plots",
            )  # fmt: skip
        if triangles != "exact" and "triangle" not in rules:
            raise click.UsageError(
                "--triangles says how the rule triangle counts: name that rule in --rules."
            )
        known = Knowledge(rules, triangles)
        save = None if no_plots else required("save_figure", "`epcg witness difficulty` without --no-plots")
        _study(file, db, known, out, candidate_timeout, workers, save, as_json)

    return difficulty


def _rules(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    known = _known_rules()
    if value.strip() in ("all", "none"):
        return known if value.strip() == "all" else ()
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    for name in names:
        if name not in known:
            raise click.BadParameter(f"'{name}' is not an inference rule; there are {', '.join(known)}.")
    return tuple(dict.fromkeys(names))


def _known_rules() -> tuple[str, ...]:
    """Return the inference rules of the domain: this plugin's, then those of other plugins.

    Not `patterns`, which says nothing without patterns.
    """
    infos = registry().all(InferenceRuleInfo, "witness")
    registered = (info.name for info in infos if info.name != "patterns")
    return tuple(dict.fromkeys((*RULE_NAMES, *registered)))


def _study(
    file: Path,
    db: str,
    known: Knowledge,
    out: Path,
    candidate_timeout: float | None,
    workers: int,
    save: Save | None,
    as_json: bool,
) -> None:
    params = WindmillFileParams(str(file.resolve()))
    generator = WindmillFile(params)
    run, puzzles = _record(params, generator, db, known, candidate_timeout, workers)
    for puzzle in puzzles:
        if puzzle.left_out:
            print(f"Left out: {puzzle.left_out}", file=sys.stderr)
        else:
            for reason, names in _by_reason(puzzle.missing):
                print(f"Puzzle {puzzle.name} has no {', '.join(names)}: {reason}", file=sys.stderr)
    found = _correlations([puzzle for puzzle in puzzles if not puzzle.left_out])
    written = _write(out, puzzles)
    if save is not None:
        from epcg_witness.studies.plots import plot_all

        written += plot_all(out, found, save)
    if as_json:
        print(json.dumps(_as_data(file, run, known, puzzles, found), indent=2))
    else:
        _show(puzzles, found, known)
    print(
        f"Recorded as run {run} of {db}: see `epcg show {run} --db {shlex.quote(db)}`. Written to {out}: "
        + ", ".join(path.name for path in written),
        file=sys.stderr,
    )


def _by_reason(missing: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Return the missing scores, those with one reason together."""
    return [
        (reason, [name for name, own in missing.items() if own == reason])
        for reason in dict.fromkeys(missing.values())
    ]


def _correlations(used: Sequence[Scored]) -> list[Correlation]:
    """Correlate each measure with the votes of the puzzles that have it.

    Raises EpcgError if no measure has enough puzzles.
    """
    from epcg_witness.studies.correlations import FEWEST, correlations

    having = {name: [p for p in used if p.scores.get(name) is not None] for name in MEASURES}
    enough = {name: own for name, own in having.items() if len(own) >= FEWEST}
    for name in having.keys() - enough.keys() if enough else ():
        print(f"{name}: {len(having[name])} puzzles have it; a correlation needs {FEWEST}.", file=sys.stderr)
    return [
        found
        for name, own in (enough or having).items()
        for found in correlations(
            {name: [p.scores[name] for p in own]},
            [float(p.upvotes or 0) for p in own],
            [float(p.created_ms or 0) for p in own],
        )
    ]


def _record(
    params: WindmillFileParams,
    generator: WindmillFile,
    db: str,
    known: Knowledge,
    candidate_timeout: float | None,
    workers: int,
) -> tuple[int, list[Scored]]:
    """Record the scores of all puzzles, or find them recorded: the run's number, and the puzzles."""
    from epcg_core.plugin import Options, Store, execute, from_data, plain

    query = from_data({
        "name": "witness-difficulty",
        "title": "Puzzle entropy of a file of Windmill puzzles",
        "domain": "witness",
        "generator": {"name": "windmill_file", "params": plain(params)},
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [
            {"name": "solutions", "params": {}},
            {"name": "entropy", "params": known.params},
        ],
        "record": {"rows": "all", "on_error": "record"}
        | ({} if candidate_timeout is None else {"candidate_timeout": candidate_timeout}),
    })  # fmt: skip
    options = Options(executor=None if workers == 1 else "processes", workers=workers)
    ranks = range(generator.max_rank)
    with Store.open(db, write=True) as store:
        run = execute(query, store, options).goal
        with store.reader() as reader:
            scores = reader.scores_at(run.id, ranks)
            statuses = [{name: reader.status_at(run.id, rank, name) for name in COLUMNS} for rank in ranks]
    return run.id, [
        _scored(generator, rank, found, status)
        for rank, found, status in zip(ranks, scores, statuses, strict=True)
    ]


def _scored(
    generator: WindmillFile, rank: int, scores: dict[str, Any], statuses: Mapping[str, int | None]
) -> Scored:
    puzzle = generator.puzzles[rank]
    try:
        panel = puzzle.panel()
    except PanelError as error:
        return Scored(puzzle.name, puzzle.upvotes, puzzle.created_ms, {}, str(error))
    reason = ""
    missing = {name: _reason(panel, name, statuses[name]) for name in COLUMNS if scores.get(name) is None}
    if scores.get("solutions") == 0:
        reason, scores, missing = f"puzzle {puzzle.name}: it has no solution.", {}, {}
    elif set(MEASURES) <= missing.keys():
        reason = "; ".join(f"{', '.join(names)}: {own}" for own, names in _by_reason(missing))
        reason = f"puzzle {puzzle.name}: {reason}"
    elif puzzle.upvotes is None or puzzle.created_ms is None:
        reason = f"puzzle {puzzle.name}: the file does not say its upvotes and created_ms."
    return Scored(puzzle.name, puzzle.upvotes, puzzle.created_ms, scores, reason, missing)


def _reason(panel: Panel, name: str, status: int | None) -> str:
    """Say why a readable puzzle has no value of a metric."""
    if name != "solutions":
        try:
            check_difficulty(panel)
        except UnknownDifficultyError as error:
            return str(error)
    if status == LIMIT:
        return "its search takes too long (status 'limit')."
    if status in (None, VALUE, NONE):
        return "a player with these rules finds no solution."
    return f"its evaluation ended with the status '{STATUS_NAMES[status]}'."


def _write(folder: Path, puzzles: Sequence[Scored]) -> list[Path]:
    path = folder / "puzzles.csv"
    header = ["puzzle", "created_ms", "upvotes", *COLUMNS, "left_out"]
    rows = [
        [p.name, _plain(p.created_ms), _plain(p.upvotes), *map(p.scores.get, COLUMNS), p.left_out]
        for p in puzzles
    ]
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(f"{line}\n" for line in output.csv_lines(header, rows))
    return [path]


def _plain(value: float | None) -> float | None:
    return int(value) if value is not None and value.is_integer() else value


def _as_data(
    file: Path, run: int, known: Knowledge, puzzles: Sequence[Scored], found: Sequence[Correlation]
) -> dict[str, Any]:
    return {
        "file": str(file),
        "run": run,
        "rules": list(known.rules),
        "triangles": known.triangles,
        "correlations": [{"measure": c.measure, "puzzles": len(c.values), "r": c.r, "p": c.p} for c in found],
        "puzzles": [
            {
                "puzzle": puzzle.name,
                "upvotes": _plain(puzzle.upvotes),
                "created_ms": _plain(puzzle.created_ms),
                **{name: value for name, value in puzzle.scores.items() if value is not None},
                **({"missing": puzzle.missing} if puzzle.missing else {}),
                **({"left_out": puzzle.left_out} if puzzle.left_out else {}),
            }
            for puzzle in puzzles
        ],
    }


def _show(puzzles: Sequence[Scored], found: Sequence[Correlation], known: Knowledge) -> None:
    rows = [
        [puzzle.name, "-" if puzzle.upvotes is None else f"{puzzle.upvotes:g}", *map(_cell, _values(puzzle))]
        for puzzle in puzzles
        if puzzle.scores
    ]
    output.write_table(["puzzle", "upvotes", "solutions", "states", *MEASURES], output.labelled(rows))
    print()
    names = ", ".join(known.rules) or "no inference rule"
    counting = " (edges counted as published)" if known.triangles == "published" else ""
    print(f"Pearson's r with the detrended upvotes; the player knows {names}{counting}.")
    output.write_table(
        ["measure", "puzzles", "r", "p", "mean", "least", "most"],
        output.labelled(
            [
                c.measure,
                str(len(c.values)),
                f"{c.r:.3f}",
                f"{c.p:.2e}",
                *(f"{x:.3f}" for x in (sum(c.values) / len(c.values), min(c.values), max(c.values))),
            ]
            for c in found
        ),
    )


def _values(puzzle: Scored) -> list[Any]:
    return [puzzle.scores.get(name) for name in COLUMNS]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
