"""The metrics of the evaluators. Light."""

from __future__ import annotations

from epcg_core.plugin import Metric

STEP_WORDS = (
    "without notes", "one instance of a rule", "two instances of rules", "an assumption",
    "an assumption, refuted by two instances",
)  # fmt: skip
"""The kinds of steps, from the easiest, as `hardest_step` numbers them."""

SOLUTIONS = Metric(
    "solutions", direction="min", unit="solutions", at_least=0, headline=2,
    description="solutions, up to the limit at which counting stops",
    sentence="{} solution[s]",
)  # fmt: skip
FAIR = Metric(
    "fair", "bool", headline=1, title="has exactly one solution",
    description="whether the puzzle has exactly one solution",
)  # fmt: skip
CLUES = Metric(
    "clues", direction="min", unit="clues", at_least=0, headline=3, description="clues that are given",
    sentence="{} clue[s]",
)  # fmt: skip
REGIONS = Metric("regions", unit="regions", at_least=0, description="regions of the board")
WALLS = Metric("walls", unit="walls", at_least=0, description="walls on the board")
MINIMAL = Metric(
    "minimal", "bool", title="no clue can go",
    description="whether the puzzle is fair, and without any one of its clues it is not",
    none="not fair",
)  # fmt: skip
SPARE = Metric(
    "spare_clues", direction="min", unit="clues", at_least=0, title="clues that can go",
    sentence="{} clue[s] that can go",
    description="clues without which, one at a time, the puzzle stays fair", none="not fair",
)  # fmt: skip
SOLVED = Metric(
    "solved_by_steps", "bool", headline=5, title="solved by these steps",
    description="whether the steps lead to a solution, with no guess",
)  # fmt: skip
HARDEST = Metric(
    "hardest_step", unit="", at_least=0, at_most=4, headline=4, title="hardest step",
    description="the hardest kind of step that is needed: 0 without notes, 1 one instance of a rule, 2 two, "
    "3 an assumption, 4 an assumption that steps of two instances refute",
    none="not solved by these steps", sentence="hardest step: {}", words=STEP_WORDS,
)  # fmt: skip
ROUNDS = Metric(
    "rounds", unit="rounds", at_least=0, title="rounds of steps",
    sentence="{} round[s] of steps",
    description="rounds, in each of which all exclusions of the easiest kind that has any are made",
    none="not solved by these steps",
)  # fmt: skip
NARROWEST = Metric(
    "narrowest_round", direction="min", unit="exclusions", at_least=0, title="fewest ways to go on",
    sentence="at least {} way[s] to go on",
    description="the exclusions that are open in the round that has fewest", none="no round is made",
)  # fmt: skip
WIDEST = Metric(
    "widest_round", unit="exclusions", at_least=0, title="most ways to go on",
    sentence="at most {} way[s] to go on",
    description="the exclusions that are open in the round that has most", none="no round is made",
)  # fmt: skip
HARD_ROUNDS = Metric(
    "hard_rounds", unit="rounds", at_least=0, title="rounds of the hardest kind",
    sentence="{} round[s] of the hardest kind",
    description="the rounds that need a step of the hardest kind", none="not solved by these steps",
)  # fmt: skip
EXCLUDED = Metric(
    "excluded_marks", unit="exclusions", at_least=0, title="marks that steps exclude",
    description="pairs of a site and a mark that the steps exclude, in all rounds together",
)  # fmt: skip

COUNTED = (FAIR, SOLUTIONS)
STEPS = (SOLVED, HARDEST, ROUNDS, NARROWEST, WIDEST, HARD_ROUNDS, EXCLUDED)
FACTS = (CLUES, REGIONS, WALLS)
NEEDED = (MINIMAL, SPARE)
