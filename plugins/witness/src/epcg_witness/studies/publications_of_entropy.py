"""The published numbers about the entropy of panels, and the questions that give ours. Light."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

from epcg_core.plugin import (
    Ask,
    Exact,
    OutOfReach,
    Plot,
    Published,
    Rounded,
    Row,
    Significant,
    Table,
    of_metric,
)
from epcg_witness.params import PUBLISHED_RULES

Set: TypeAlias = Literal["triangles", "other"]
Response: TypeAlias = Literal["votes", "rate"]

EMPTY = (
    (1, "none", (2.0, 1.0, 0.0, 2.0, 1.0)),
    (1, "published", (0.0, 0.0, 0.0, 1.0, 0.0)),
    (2, "reach-goal", (0.0, 0.0, 0.0, 3.0, 0.0)),
    (3, "none", (6.0, 0.926303533, 5.0, 6.0, 1.551233617)),
    (3, "published", (3.584962501, 0.0, 0.0, 5.0, 0.021766229)),
    (4, "reach-goal", (6.169925001, 0.0, 1.0, 7.0, 0.084359438)),
)
"""(side, rules, MEASURES) of empty panels (reference values)"""
MEASURES = ("muse", "remuse", "adversarial", "msi", "tsi")
CORRELATIONS = {"muse": (0.412, 1.53e-05), "remuse": (0.583, 1.02e-10), "tsi": (0.563, 5.78e-10)}
"""measure -> Pearson's r and p with the upvotes, printed in 2024"""
FIRST_CORRELATIONS = {
    "muse": (0.410, 1.10e-05, 0.380, 7.63e-05),
    "remuse": (0.570, 1.57e-10, 0.548, 2.13e-09),
}
"""measure -> r and p, printed in 2023; r and p found here with the upvotes as they are"""
COMPARED = 52
"""Puzzles of the file with published values."""
PUZZLES, FIRST_PUZZLES = 103, 104
_OTHER_SET = (
    f"the list of the paper's {FIRST_PUZZLES} panels is not published: here are the {PUZZLES} of 2024, "
    "with their votes of 2024"
)
ADDED = {
    "baseline": (),
    "along-the-path": ("along-the-path",),
    "region-completion": ("region-completion",),
    "both": ("along-the-path", "region-completion"),
}
RULES_PRINTED = {
    "triangles": (179, (0.366, 4.67e-7), (0.433, 1.40e-9), (0.252, 6.58e-4), (0.322, 1.09e-5)),
    "other": (226, (0.515, 1.03e-16), (0.494, 2.62e-15), (0.497, 1.71e-15), (0.479, 2.16e-14)),
}
"""set -> panels, and (r, p) of TSI with each of ADDED, as printed"""
RULES_FOUND = {
    "triangles": (180, (0.359, 7.42e-7), (0.437, 8.95e-10), (0.244, 9.68e-4), (0.324, 8.83e-6)),
    "other": (227, (0.502, 6.84e-16), (0.478, 2.45e-14), (0.471, 6.23e-14), (0.449, 1.10e-12)),
}
"""The same, as found here"""
PLAYERS = {
    ("separation",): (0.844, 0.844),
    ("along-the-path",): (0.720, 0.780),
    ("region-completion",): (0.449, 0.449),
    ("separation", "along-the-path"): (0.769, 0.793),
    ("separation", "region-completion"): (0.827, 0.827),
    ("along-the-path", "region-completion"): (0.739, 0.830),
    ("separation", "along-the-path", "region-completion"): (0.771, 0.821),
}
"""rules beside those of the path -> r of TSI on the 24 panels, printed and found"""
POLICY, POLICY_FOUND = 0.787, {"policy_tsi": 0.658, "policy_msi": 0.623, "difficulty": 0.615}
LEARNED = (
    ("actions that the rule forbids, uniform policy", 0.497),
    ("actions that the rule forbids, learned policy", 0.002),
    ("actions that the rule forbids, rule", 0.0),
    ("actions that the rule demands, uniform policy", 0.497),
    ("actions that the rule demands, learned policy", 0.994),
    ("actions that the rule demands, rule", 1.0),
)
"""What the policy learned of the separation rule: probabilities on average over 11,050 states, as printed"""
_CHOICE = (
    "which panels the paper took is not published; these were found by what they hold, and the votes are "
    "those of February 2024"
)
_ALONG = (
    "with these panels and votes the rows without along-the-path are equal, so the paper's program seems to "
    "read that rule otherwise here"
)
_NETWORK = (
    "the published difficulties are those of one trained network each; the printed r is not that of any of "
    "them"
)
_STATES = "which 11,050 states were looked at is not published, nor is the network"
CORPUS = (("panels", 6_920), ("solves", 592_379), ("solved", 5_147))
CORPUS_COUNTS = (
    ("panels solved by 30 people or more that are read here", "read", 4_801),
    ("of these, panels for which the measures are defined (one line, no eraser)", "defined", 3_322),
    ("of these, panels that are measured", "measured", 2_407),
)
RHO = {
    "muse": ("MUSE", 0.328, 0.431),
    "remuse": ("ReMUSE", 0.405, 0.472),
    "msi": ("MSI", 0.321, 0.425),
    "tsi": ("TSI", 0.392, 0.470),
    "few_solutions": ("baseline: minus log2 of the number of solutions", 0.158, 0.073),
    "length": ("baseline: length of the shortest solution", 0.307, 0.367),
    "size": ("baseline: cells of the panel", 0.119, 0.280),
}
"""measure -> (in words, Spearman's rho with the detrended upvotes, with upvotes per solve)"""
GAIN = {
    "remuse": (0.097, 0.105),
    "tsi": (0.085, 0.103),
    "msi": (0.013, 0.058),
}
"""measure -> by how much its rho is above that of the best baseline, the length, for both responses"""
RESPONSES: dict[Response, str] = {"votes": "detrended upvotes", "rate": "upvotes per solve"}
_OURS = "nothing is published about all panels: a result of ours"
_SETS = {
    "triangles": ("rules-triangles", "panels with triangles (at least one) and path constraints only"),
    "other": ("rules-other", "panels without triangles, with other constraints (squares, stars)"),
}


def entropy() -> tuple[Table, ...]:
    """Return the tables of the 2023 paper."""
    return (
        _puzzles(("muse", "remuse", "adversarial", "solutions")),
        _first_correlations(),
        _empty_panels(("muse", "remuse", "adversarial")),
    )


def information() -> tuple[Table, ...]:
    """Return the tables of the 2024 paper."""
    return (
        _puzzles(("tsi",)),
        _correlations(),
        _rules("triangles"),
        _rules("other"),
        _players(),
        _learned(),
        _empty_panels(("msi", "tsi")),
    )


def windmill() -> tuple[Table, ...]:
    """Return what all panels of The Windmill say."""
    return (_corpus(), *map(_all_panels, RESPONSES))


def different(printed: Published, found: Published, value: float, reason: str) -> dict[str, object]:
    """Return the fields of a row: what is found and why, if the printed number does not admit it."""
    if printed.admits(value):
        return {"published": printed}
    return {"published": printed, "found": found, "reason": reason}


def _puzzles(measures: tuple[str, ...]) -> Table:
    from epcg_witness.studies import computed

    rules = ", ".join(PUBLISHED_RULES)
    how = f"evaluators solutions and entropy of {computed.ENTROPY_FILE}, rules {rules}"
    return Table(
        name="puzzles",
        title=f"Published puzzles of The Windmill whose measures are as published, of {COMPARED}",
        rows=[
            Row(
                label=f"{measure}: equal to 4 decimals",
                published=Exact(COMPARED),
                compute=partial(computed.agree, measure=measure),
                how=how,
                needs_data=True,
                quick=True,
            )
            for measure in measures
        ],
    )


def _first_correlations() -> Table:
    from epcg_witness.studies import computed

    rows = []
    for measure, (r, p, own_r, own_p) in FIRST_CORRELATIONS.items():
        row = partial(
            Row,
            how=f"epcg witness difficulty {computed.ENTROPY_FILE}, the upvotes as they are",
            needs_data=True,
            reason=_OTHER_SET,
            quick=True,
        )
        rows += [
            row(
                label=f"{measure}: r",
                published=Rounded(r, 3),
                compute=partial(computed.correlation, measure=measure, trend=True),
                found=Rounded(own_r, 3),
            ),
            row(
                label=f"{measure}: p",
                published=Significant(p, 3),
                compute=partial(computed.p_value, measure=measure, trend=True),
                found=Significant(own_p, 3),
            ),
        ]
    return Table(
        name="correlations",
        title=f"Pearson's r of the measures and the number of upvotes (simple linear regression), "
        f"{FIRST_PUZZLES} panels of 4 by 4 with separation and path constraints only",
        rows=(*rows, _votes(FIRST_PUZZLES)),
        plot=Plot(title="Measures and votes", draw=partial(computed.draw, measure="remuse")),
    )


def _correlations() -> Table:
    from epcg_witness.studies import computed

    how = f"epcg witness difficulty {computed.ENTROPY_FILE}"
    row = partial(Row, how=how, needs_data=True, quick=True)
    rows = []
    for measure, (r, p) in CORRELATIONS.items():
        rows += [
            row(
                label=f"{measure}: r",
                published=Rounded(r, 3),
                compute=partial(computed.correlation, measure=measure),
            ),
            row(
                label=f"{measure}: p",
                published=Significant(p, 3),
                compute=partial(computed.p_value, measure=measure),
            ),
        ]
    return Table(
        name="correlations",
        printed="Experiment on algorithms",
        title=f"Pearson's r of difficulty and upvotes (detrended), {PUZZLES} panels of 4 by 4 with "
        "separation and path constraints only",
        rows=(*rows, _votes(PUZZLES)),
        plot=Plot(title="Measures and votes", draw=partial(computed.draw, measure="tsi")),
    )


def _votes(puzzles: int) -> Row:
    return Row(
        label="votes of the players",
        published=None,
        out_of_reach=OutOfReach("user study", f"the votes on the {puzzles} panels are read, not collected"),
    )


def _rules(which: Set) -> Table:
    from epcg_witness.studies import corpus, experiments

    name, words = _SETS[which]
    (panels, *printed), (own_panels, *found) = RULES_PRINTED[which], RULES_FOUND[which]
    row = partial(
        Row,
        how=f"epcg_witness.studies.corpus.published_set of {corpus.CORPUS_FILE}, evaluator entropy",
        needs_data=True,
        reason=_CHOICE,
        quick=True,
    )
    rows = [
        row(
            label="panels",
            published=Exact(panels),
            compute=partial(experiments.panels, which=which),
            found=Exact(own_panels),
        )
    ]
    for (rules, added), (r, p), (own_r, own_p) in zip(ADDED.items(), printed, found, strict=True):
        compute = partial(experiments.rules_correlation, which=which, added=added)
        rows += [
            row(
                label=f"TSI, {rules}: r",
                published=Rounded(r, 3),
                compute=partial(compute, p=False),
                found=Rounded(own_r, 3),
            ),
            row(
                label=f"TSI, {rules}: p",
                published=Significant(p, 3),
                compute=partial(compute, p=True),
                found=Significant(own_p, 3),
            ),
        ]
    return Table(
        name=name,
        printed="Experiment on rules",
        title=f"Pearson's r of TSI and upvotes (detrended), {panels} {words}, of 4 by 4, published before "
        "29 November 2021",
        rows=rows,
    )


def _players() -> Table:
    from epcg_witness.studies import computed, experiments

    rows = []
    for rules, (printed, found) in PLAYERS.items():
        fields = different(Rounded(printed, 3), Rounded(found, 3), found, _ALONG)
        rows.append(
            Row(
                label=f"TSI, {' and '.join(rules)}: r",
                compute=partial(experiments.player_correlation, rules=rules),
                how=f"evaluator entropy of 24 panels of {computed.ENTROPY_FILE}",
                needs_data=True,
                quick=True,
                **fields,  # type: ignore[arg-type]
            )
        )
    for file, columns in experiments.POLICY_FILES.items():
        rows += [
            Row(
                label=f"learned policy ({column} of {file}): r",
                published=Rounded(POLICY, 3),
                compute=partial(experiments.policy_correlation, file=file, column=column),
                how=f"windmill/{file}",
                found=Rounded(POLICY_FOUND[column], 3),
                reason=_NETWORK,
                needs_data=True,
                quick=True,
            )
            for column in columns
        ]
    return Table(
        name="player-models",
        printed="Experiment on player models",
        title="Pearson's r of TSI and upvotes (detrended), 24 panels with two colours of squares only",
        rows=rows,
    )


def _learned() -> Table:
    return Table(
        name="what-was-learned",
        printed="Experiment on player models",
        title="What the policy learned of the separation rule: probability of actions, mean over 11,050 "
        "states",
        rows=[Row(label=label, published=Rounded(value, 3), reason=_STATES) for label, value in LEARNED],
    )


def _corpus() -> Table:
    from epcg_witness.studies import corpus, experiments

    row = partial(Row, how=corpus.CORPUS_FILE, needs_data=True)
    words = {"panels": "panels", "solves": "solves", "solved": "panels solved by 30 people or more"}
    return Table(
        name="panels",
        title="Panels of the corpus, and how many of them are measured",
        rows=(
            *(
                row(
                    label=words[what],
                    published=Exact(number),
                    origin="page",
                    compute=partial(experiments.corpus_count, what=what),
                    quick=True,
                )
                for what, number in CORPUS
            ),
            *(
                row(
                    label=label,
                    published=None,
                    found=Exact(number),
                    reason="the others have more than 7 cells on a side, two lines, or erasers; or more than "
                    f"{experiments.MOST_PATHS:,} partial paths, or a search for solutions that takes too long"
                    if what == "measured"
                    else _OURS,
                    compute=partial(experiments.corpus_count, what=what),
                    quick=what != "measured",
                )
                for label, what, number in CORPUS_COUNTS
            ),
        ),
    )


def _all_panels(response: Response) -> Table:
    from epcg_witness.studies import corpus, experiments

    place = 1 + list(RESPONSES).index(response)
    row = partial(
        Row,
        published=None,
        how=f"evaluators entropy (rules {', '.join(experiments.RULES)}), solutions and shortest_solution of "
        f"{corpus.CORPUS_FILE}",
        needs_data=True,
        reason=_OURS,
    )
    return Table(
        name=f"all-panels-{response}",
        title=f"Spearman's rho of measures and {RESPONSES[response]}, all panels with 30 solves or more that "
        "are measured",
        rows=(
            *(
                row(
                    label=f"{words[0]}: rho",
                    compute=partial(experiments.corpus_correlation, measure=measure, response=response),
                    found=Rounded(float(words[place]), 3),
                )
                for measure, words in RHO.items()
            ),
            *(
                row(
                    label=f"{RHO[measure][0]}: rho above that of the length of the shortest solution",
                    compute=partial(
                        experiments.corpus_difference, measure=measure, baseline="length", response=response
                    ),
                    found=Rounded(values[place - 1], 3),
                )
                for measure, values in GAIN.items()
            ),
        ),
    )


def _empty_panels(measures: tuple[str, ...]) -> Table:
    rules = {"none": (), "published": PUBLISHED_RULES, "reach-goal": ("reach-goal",)}
    rows = []
    for side, known, values in EMPTY:
        names = ", ".join(f'"{name}"' for name in rules[known])
        ask = Ask(
            "witness/must_cross",
            (
                f"generator.width={side}",
                f"generator.height={side}",
                "generator.count=0",
                f'evaluators=[{{name="entropy", rules=[{names}]}}]',
                "select=[]",
            ),
        )
        rows += [
            Row(
                label=f"{side} by {side}, rules {known}: {measure}",
                published=Rounded(values[MEASURES.index(measure)], 9),
                origin="reference",
                unit="bits",
                ask=ask,
                sql=of_metric("maximum", measure),
                quick=True,
            )
            for measure in measures
        ]
    return Table(
        name="empty-panels",
        title="Measures of empty panels, by the rules that a player knows",
        candidates=len(EMPTY),
        rows=rows,
    )
