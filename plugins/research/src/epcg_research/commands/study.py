"""`epcg study`: measures of puzzles, and what people did with these.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from epcg_core.inside import OpenGroup
from epcg_core.plugin import command, db_option, format_option
from epcg_research.commands.course import engagement, learning
from epcg_research.commands.paper import check_ending, paper_options
from epcg_research.commands.player import player

F = TypeVar("F", bound=Callable[..., Any])
METHODS = ["spearman", "pearson", "kendall"]
PEOPLE = ["median", "mean", "ranks"]
RESAMPLED = ["puzzles", "people", "both"]
ADJUSTMENTS = ["holm", "benjamini-hochberg", "none"]


@click.group("study", cls=OpenGroup)
def study() -> None:
    """Compare measures with what people did."""


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    def declare(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return declare


_STUDY = click.option("--study", "name", metavar="NAME", help="The data set. Default: the only one.")
_SOLVED = click.option(
    "--only-solved", is_flag=True,
    help="Leave out people who gave up; it may turn results round. Default: they would have needed longer.",
)  # fmt: skip
_RUN = click.option(
    "--run", "run_id", type=click.IntRange(1), metavar="RUN", help="Measures of this run only."
)
_METRICS = click.option("--metric", "metrics", multiple=True, help="Only this measure. Repeatable.")
_RESPONSES = click.option("--response", "responses", multiple=True, help="Only this response. Repeatable.")
_BASELINES = click.option(
    "--baseline", "baselines", multiple=True, metavar="METRIC",
    help="A measure that others are compared with, beside the usual ones. Repeatable.",
)  # fmt: skip
_METHOD = click.option(
    "--method", type=click.Choice(METHODS), default="spearman", show_default=True, help="The correlation."
)
_RESAMPLE = click.option(
    "--bootstrap", "resample", type=click.Choice(RESAMPLED),
    help="Make intervals by resampling puzzles, people, or both, instead of by formula.",
)  # fmt: skip
_ADJUST = click.option(
    "--adjust", type=click.Choice(ADJUSTMENTS), default="holm", show_default=True,
    help="How p is adjusted for the number of tests.",
)  # fmt: skip
_SEED = click.option("--seed", default=0, show_default=True, help="Of what is drawn by chance.")
_REPEAT = click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=2_000,
    show_default=True,
    help="Resamples of the bootstrap.",
)


def _people(*more: str) -> Callable[[F], F]:
    return click.option(
        "--people", type=click.Choice([*PEOPLE, *more]), default="median", show_default=True,
        help="How the answers of people to a puzzle are taken together.",
    )  # fmt: skip


@command("responses")
@db_option
@format_option
def responses(location: str, format: str) -> None:
    """List what is recorded of people: data sets, responses with units and scales, people, puzzles.

    \b
    Examples:
      epcg study responses
      epcg study responses --format json
    """
    from epcg_research.commands.work import study as work

    work.responses(location, format)


@command("correlate")
@_options(
    _STUDY, _RESPONSES, _METRICS, _RUN, _BASELINES, _METHOD, _people("mixed", "hazards"), _SOLVED, _RESAMPLE,
    _ADJUST, _REPEAT, _SEED, db_option, format_option,
)  # fmt: skip
def correlate(
    name: str | None,
    responses: Sequence[str],
    metrics: Sequence[str],
    run_id: int | None,
    baselines: Sequence[str],
    only_solved: bool,
    location: str,
    format: str,
    **how: Any,
) -> None:
    """Correlate measures with responses, by puzzle, with baselines beside.

    The answers of a puzzle's people are taken together: their median or mean, the mean of their ranks within
    people, or all of them in a mixed model, whose standardized slope is shown then, or in a
    proportional-hazards model of times with people as strata, whose hazard ratio is: below 1 if puzzles with
    more of the measure take longer. Each measure is compared
    with the baselines that are recorded: the number of solutions, the length of a solution, the size of the
    space. Below the table stand method, number and assumptions.

    \b
    Examples:
      epcg study correlate --response rating
      epcg study correlate --response seconds --metric muse --bootstrap both
      epcg study correlate --response seconds --people ranks --method kendall
      epcg study correlate --response seconds --people mixed
      epcg study correlate --response seconds --people hazards
    """
    from epcg_research.commands.work import study as work

    work.correlate(location, format, name, responses, metrics, run_id, baselines, how, only_solved)


@command("compare")
@click.argument("metric")
@click.argument("other")
@_options(
    _STUDY, click.option("--response", required=True, help="The response."), _RUN, _METHOD, _people(),
    _SOLVED, _RESAMPLE, _REPEAT, _SEED, db_option, format_option,
)  # fmt: skip
def compare(
    metric: str,
    other: str,
    name: str | None,
    response: str,
    run_id: int | None,
    only_solved: bool,
    location: str,
    format: str,
    **how: Any,
) -> None:
    """Say whether METRIC correlates more with a response than OTHER does.

    Over the puzzles that have both; the interval of the difference takes into account that the two correlate
    with each other (Zou 2007). With --bootstrap there is an interval by resampling beside it.

    \b
    Examples:
      epcg study compare muse moves --response seconds
      epcg study compare muse moves --response seconds --bootstrap both
    """
    from epcg_research.commands.work import study as work

    work.compare(location, format, name, metric, other, response, run_id, how, only_solved)


@command("pairs")
@click.option("--at", type=float, metavar="VALUE", help="Where the measure is split. Default: at its median.")
@_options(
    _STUDY, _RESPONSES, _METRICS, _RUN, _people(), _SOLVED, _ADJUST, _SEED, db_option, format_option,
)  # fmt: skip
def pairs(
    at: float | None,
    name: str | None,
    responses: Sequence[str],
    metrics: Sequence[str],
    run_id: int | None,
    only_solved: bool,
    location: str,
    format: str,
    **how: Any,
) -> None:
    """Compare responses to the puzzles above a value of a measure with those to the others.

    Within people: each one's mean response to the upper puzzles beside that to the lower ones (signed-rank
    test, matched rank-biserial correlation), and the share of people whose mean is larger (Wilson's interval,
    binomial test). Between puzzles: rank-sum test and Cliff's delta.

    \b
    Examples:
      epcg study pairs --response rating --metric muse
      epcg study pairs --response seconds --metric moves --at 5
    """
    from epcg_research.commands.work import study as work

    work.pairs(location, format, name, responses, metrics, run_id, at, how, only_solved)


@command("plot")
@click.argument("metric")
@_options(
    click.option("--response", required=True, help="The response."), _STUDY, _RUN, _METHOD, _people(),
    _SOLVED,
    click.option("--no-fit", is_flag=True, help="Without the line and its band."),
    click.option("--log", is_flag=True, help="A logarithmic vertical axis."),
    click.option("--title", default="", help="A title. Default: none, the caption says it."),
    paper_options,
    click.option(
        "--output", "target", required=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
        help="The picture: FILE.svg, FILE.png or FILE.pdf, with fonts embedded.",
    ),
    db_option,
)  # fmt: skip
def plot(
    metric: str,
    response: str,
    name: str | None,
    run_id: int | None,
    only_solved: bool,
    target: Path,
    location: str,
    **how: Any,
) -> None:
    """Draw a response over METRIC: a point for each puzzle with the 95 % interval of its people, and a
    straight line with the band of its mean. The caption has the correlation, n, and what is assumed.

    \b
    Examples:
      epcg study plot muse --response seconds --output figure.svg
      epcg study plot muse --response seconds --people ranks --columns 1 --caption --output figure-4.pdf
    """
    check_ending(target)
    from epcg_research.commands.work import study as work

    work.plot(location, name, metric, response, run_id, target, how, only_solved)


@click.group("power", cls=OpenGroup)
def power() -> None:
    """Say how often a study would find what there is, by simulation."""


_ALPHA = click.option(
    "--alpha", default=0.05, show_default=True, help="p below which a study finds something."
)
_STUDIES = click.option(
    "--repetitions", type=click.IntRange(1), default=1_000, show_default=True, help="Simulated studies."
)


@command("correlation")
@click.option("--puzzles", required=True, type=int, help="Puzzles in the study.")
@click.option(
    "--people", "persons", required=True, type=int, help="People, each of whom answers all puzzles."
)
@click.option("--rho", required=True, type=float,
              help="The true correlation of the measure with how hard puzzles are.")  # fmt: skip
@click.option("--noise", default=1.0, show_default=True,
              help="How far people's answers scatter, in units of how far puzzles differ.")  # fmt: skip
@_options(_METHOD, _ALPHA, _STUDIES, _SEED, format_option)
def correlation(puzzles: int, persons: int, rho: float, noise: float, format: str, **more: Any) -> None:
    """Say how often a study of so many puzzles and people finds a correlation.

    \b
    Examples:
      epcg study power correlation --puzzles 25 --people 40 --rho 0.5
      epcg study power correlation --puzzles 60 --people 10 --rho 0.3 --noise 2 --method kendall
    """
    from epcg_research.commands.work import study as work

    work.power_of_correlation(format, puzzles, persons, rho, noise, more)


@command("pairs")
@click.option("--pairs", "pairs", required=True, type=int, help="Choices of one of two, one a person.")
@click.option("--share", required=True, type=float, help="How often the one is truly preferred.")
@_options(_ALPHA, _STUDIES, _SEED, format_option)
def preference(pairs: int, share: float, format: str, **more: Any) -> None:
    """Say how often a study of so many choices finds that one of two is preferred.

    \b
    Examples:
      epcg study power pairs --pairs 40 --share 0.7
    """
    from epcg_research.commands.work import study as work

    work.power_of_preference(format, pairs, share, more)


@command("choices")
@click.option("--of", "label", metavar="LABEL", help="Ask for the puzzle that is this in its set: variant.")
@click.option("--metric", help="Ask for the puzzle in which this measure is higher.")
@click.option("--question", "questions", multiple=True, help="Only this question. Repeatable.")
@_options(_STUDY, _RUN, _ADJUST, db_option, format_option)
def choices(
    label: str | None,
    metric: str | None,
    questions: Sequence[str],
    name: str | None,
    run_id: int | None,
    adjust: str,
    location: str,
    format: str,
) -> None:
    """Say how often people chose one of two puzzles: with --of the one that is this in its set, with --metric
    the one in which a measure is higher, without either the one that was played first.

    The share of all choices has Wilson's interval, and p by the binomial test if each person chose once. Else
    p is that of the signed-rank test beside it, of how often each person chose the one and the other. It
    gives both orders of play the same weight; 'orders balanced' is the share if they were as frequent.
    Answers without a difference do not count.

    \b
    Examples:
      epcg study choices --of variant
      epcg study choices --metric muse --question harder
      epcg study choices
    """
    from epcg_research.commands.work import study as work

    if label is not None and metric is not None:
        raise click.UsageError("--of and --metric ask for different puzzles: give one of them.")
    work.choices(location, format, name, questions, label, metric, run_id, adjust)


@command("conditions")
@click.option("--by", type=click.Choice(["group", "condition", "label"]), default="group", show_default=True,
              help="Groups of people, conditions of sets, or what puzzles are in their sets.")  # fmt: skip
@_options(_STUDY, _RESPONSES, _SOLVED, _ADJUST, db_option, format_option)
def conditions(
    by: str,
    name: str | None,
    responses: Sequence[str],
    only_solved: bool,
    adjust: str,
    location: str,
    format: str,
) -> None:
    """Compare responses between groups, conditions or labels of a study.

    A person counts once, with the mean of the person's answers under a condition. Groups are compared between
    people (rank-sum test, Cliff's delta), conditions and labels within people (signed-rank test, matched
    rank-biserial correlation).

    \b
    Examples:
      epcg study conditions --response difficulty
      epcg study conditions --by label --response seconds
    """
    from epcg_research.commands.work import study as work

    work.conditions(location, format, name, responses, by, adjust, only_solved)


@command("factors")
@click.option("--by", type=click.Choice(["label", "condition"]), default="label", show_default=True,
              help="The two kinds of puzzle: what they are in their sets, or conditions.")  # fmt: skip
@click.option("--of", "label", metavar="LABEL", help="Ask choices: of the puzzle that is this in its set.")
@click.option("--question", "questions", multiple=True, help="Of choices, only this question. Repeatable.")
@click.option("--about", multiple=True, metavar="QUESTION",
              help="A question about people as a factor. Repeatable; default: all that can be.")  # fmt: skip
@click.option("--no-people", is_flag=True, help="Without factors of people.")
@_options(_STUDY, _RESPONSES, _SOLVED, _ADJUST, db_option, format_option)
def factors(
    by: str,
    label: str | None,
    questions: Sequence[str],
    about: Sequence[str],
    no_people: bool,
    name: str | None,
    responses: Sequence[str],
    only_solved: bool,
    adjust: str,
    location: str,
    format: str,
) -> None:
    """Ask which factors go with what people answer to two kinds of puzzle, all responses together: which of
    the two it is, the order within the set, the place of the set, and what people are.

    A multivariate test (Pillai's trace) of each person's differences between the two kinds, and of the means
    of both; below it stands each response alone. With --of it asks choices instead, all questions together.

    \b
    Examples:
      epcg study factors --response fun --response hard
      epcg study factors --of variant --about age
    """
    from epcg_research.commands.work import study as work

    if label is not None and (responses or by != "label" or only_solved):
        raise click.UsageError("--of asks choices: --response, --by and --only-solved are of responses.")
    if label is None and questions:
        raise click.UsageError("--question belongs to --of, which asks choices.")
    if no_people and about:
        raise click.UsageError("--about and --no-people say opposite things: give one of them.")
    asked = None if not about else tuple(about)
    work.factors(
        location, format, name, by, label, questions or responses, () if no_people else asked, only_solved,
        adjust,
    )  # fmt: skip


@command("traces")
@_options(_RUN, _METRICS)
@click.option("--plot", "drawn", type=click.Path(path_type=Path), metavar="FILE",
              help="Draw the puzzles too: one measure against what players did.")  # fmt: skip
@click.option("--against", default="seconds", show_default=True,
              type=click.Choice(["seconds", "moves", "undos", "restarts", "hints", "rating"]),
              help="With --plot: what players did.")  # fmt: skip
@db_option
@format_option
def traces(
    run_id: int | None,
    metrics: Sequence[str],
    drawn: Path | None,
    against: str,
    location: str,
    format: str,
) -> None:
    """Correlate measures with traces of play: time, moves, undos, restarts, hints, rating.

    It is `epcg study correlate --study traces`, with a picture: by puzzle, Spearman's rank correlation of the
    measure with the median over the puzzle's players. Who gave up would have needed longer, and more moves.
    Of traces of the same player and puzzle, the one that was imported last counts. Traces of people of a
    study belong to that study. Players often play the same puzzles, so many players of few puzzles make no
    narrow interval.

    \b
    Examples:
      epcg study traces
      epcg study traces --run 4 --metric muse --plot muse.svg
      epcg study traces --format csv > correlations.csv
    """
    from epcg_research.commands.work import study as work

    if drawn is not None:
        check_ending(drawn)
    work.traces(location, format, run_id, metrics, drawn, against)


for _command in (
    responses, correlate, compare, pairs, choices, conditions, factors, learning, engagement, plot, power,
    traces, player,
):  # fmt: skip
    study.add_command(_command)
power.add_command(correlation)
power.add_command(preference)
