"""Studies as Python objects that display themselves: `database.study()`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core import Table
from epcg_core.inside import checked, checked_methods
from epcg_core.plugin import Store
from epcg_research.figures import Paper, Plot
from epcg_research.statistics import Adjustment, Average, Method, Resampled
from epcg_research.studies import course_shown, shown
from epcg_research.studies.analysis import (
    Beside,
    Correlated,
    Halves,
    How,
    People,
    compare,
    correlate,
    halves,
    one_measure,
)
from epcg_research.studies.answers import Answers, By
from epcg_research.studies.course import Engaged, Learned, Places, engaged, learned
from epcg_research.studies.factors import Factors, asked_factors
from epcg_research.studies.factors_shown import FACTORS, lines_of_factors, rows_of_factors
from epcg_research.studies.measures import measures
from epcg_research.studies.plots import study_drawing
from epcg_research.studies.reading import asked

if TYPE_CHECKING:
    from epcg_core import Database
    from epcg_research.players.notebook import PlayerModel, WherePeopleGoWrong


@checked_methods
@attrs.frozen
class Findings:
    """A table of findings, with lines that say method, number and assumptions."""

    table: Table
    notes: tuple[str, ...]
    data: Correlated | Beside | tuple[Halves, ...] | Learned | Engaged | Factors = attrs.field(repr=False)
    """All numbers, with the reason for each that is missing."""

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Convert the table to a DataFrame. Raises EpcgError if neither library is installed."""
        return self.table.frame(library)

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"{self.table._repr_html_()}{notes}"


@checked_methods
@attrs.frozen
class Study:
    """A data set of people, to be compared with the measures of a database."""

    database: Database = attrs.field(repr=False)
    answers: Answers = attrs.field(repr=lambda answers: f"{answers.study}, {len(answers.answers)} answers")

    def correlate(
        self,
        *responses: str,
        metrics: Sequence[str] = (),
        run: int | None = None,
        baselines: Sequence[str] = (),
        method: Method = "spearman",
        people: People = "median",
        bootstrap: Resampled | None = None,
        adjust: Adjustment = "holm",
        seed: int = 0,
    ) -> Findings:
        """Correlate measures with responses, by puzzle, as `epcg study correlate` does.

        Args:
            responses: the names of responses; none for all.
            metrics: the measures; none for all.
            run: the run whose measures count; None for all runs.
            baselines: further measures that others are compared with, in `data.beside`.
            method: the correlation.
            people: how the answers of people to a puzzle are taken together.
            bootstrap: what is resampled for intervals; None for intervals by formula.
            adjust: how p is adjusted for the number of tests.
            seed: of the bootstrap.

        Raises:
            EpcgError: if there is no such response, measure or run, or scipy or statsmodels is missing.
        """
        how = How(method, people, bootstrap, adjust, seed=seed)
        with Store.open(self.database.location) as store, store.reader() as reader:
            measured = measures(reader, self.answers, run, metrics, baselines)
        found = correlate(self.answers, measured, responses, how)
        table = Table(tuple(shown.columns_of(found)), tuple(map(tuple, shown.rows_of(found))))
        return Findings(table, tuple(shown.lines_of(found)), found)

    def compare(
        self,
        metric: str,
        other: str,
        response: str,
        *,
        run: int | None = None,
        method: Method = "spearman",
        people: Average = "median",
        bootstrap: Resampled | None = None,
        seed: int = 0,
    ) -> Findings:
        """Say whether one measure correlates more with a response than another, as `epcg study compare` does.

        Args:
            metric: the one.
            other: the other.
            response: the name of the response.
            run: the run whose measures count; None for all runs.
            method: the correlation.
            people: how the answers of people to a puzzle are taken together.
            bootstrap: what is resampled for a second interval; None for none.
            seed: of the bootstrap.

        Raises:
            EpcgError: if there is no such response, measure or run, or scipy or statsmodels is missing.
        """
        how = How(method, people, bootstrap, seed=seed)
        with Store.open(self.database.location) as store, store.reader() as reader:
            measured = measures(reader, self.answers, run, (metric, other))
        found = compare(self.answers, measured, metric, other, response, how)
        table = Table(shown.BESIDE, tuple(map(tuple, shown.rows_beside(found))))
        return Findings(table, tuple(shown.lines_beside(found, how)), found)

    def pairs(
        self,
        *responses: str,
        metrics: Sequence[str] = (),
        run: int | None = None,
        at: float | None = None,
        people: Average = "median",
        adjust: Adjustment = "holm",
        seed: int = 0,
    ) -> Findings:
        """Compare puzzles above a value of a measure with the others, as `epcg study pairs` does.

        Args:
            responses: the names of responses; none for all.
            metrics: the measures; none for all but baselines.
            run: the run whose measures count; None for all runs.
            at: the value; None for each measure's median.
            people: how the answers of people to a puzzle are taken together.
            adjust: how p is adjusted for the number of tests.
            seed: of the bootstrap.

        Raises:
            EpcgError: if there is no such response, measure or run, or scipy or statsmodels is missing.
        """
        how = How("spearman", people, adjust=adjust, seed=seed)
        with Store.open(self.database.location) as store, store.reader() as reader:
            measured = measures(reader, self.answers, run, metrics)
        found = tuple(halves(self.answers, measured, responses, at, how))
        rows = tuple(tuple(row) for each in found for row in shown.rows_of_halves(each))
        notes = tuple(shown.lines_of_halves(found, how))
        return Findings(Table(tuple(shown.columns_of_halves()), rows), notes, found)

    def factors(
        self,
        *responses: str,
        by: By = "label",
        of: str | None = None,
        about: Sequence[str] | None = None,
        adjust: Adjustment = "holm",
    ) -> Findings:
        """Say which factors go with responses, all together, as `epcg study factors` does.

        Args:
            responses: the names of responses, or the questions of choices; none for all.
            by: what the two kinds of puzzle are: labels or conditions.
            of: what was chosen, to ask choices; None to ask responses.
            about: the questions about people that are factors; None for all that can be.
            adjust: how p is adjusted.

        Raises:
            EpcgError: if there is no such response or question, there are not two kinds of puzzle, or scipy
                or statsmodels is missing.
        """
        with Store.open(self.database.location) as store, store.reader() as reader:
            solved = bool(self.answers.set_aside.given_up)
            found = asked_factors(reader, self.answers.study, by, of, responses, about, solved, adjust)
        rows = tuple(map(tuple, rows_of_factors(found)))
        return Findings(Table(FACTORS, rows), tuple(lines_of_factors(found, adjust)), found)

    def learning(self, *responses: str, by: By | None = None, adjust: Adjustment = "holm") -> Findings:
        """Say what people do at each place of the order, as `epcg study learning` does.

        Args:
            responses: the names of responses; none for all.
            by: what is told apart: groups, conditions or labels; None for nothing.
            adjust: how p of trends, which `data.trends` has, is adjusted for their number.

        Raises:
            EpcgError: if the order or a response is not known, or scipy or statsmodels is missing.
        """
        found = learned(self.answers, self._places(by), responses, adjust)
        rows = tuple(map(tuple, course_shown.rows_of_places(found)))
        notes = tuple(course_shown.lines_of_learned(found, adjust))
        return Findings(Table(course_shown.PLACES, rows), notes, found)

    def engagement(self, by: By | None = None) -> Findings:
        """Say how many of those who began still play at each place, as `epcg study engagement` does.

        Args:
            by: what is told apart: groups, conditions or labels; None for nothing.

        Raises:
            EpcgError: if the order is not known, or scipy or statsmodels is missing.
        """
        found = engaged(self.answers, self._places(by))
        rows = tuple(map(tuple, course_shown.rows_of_stays(found)))
        return Findings(Table(course_shown.STAYS, rows), tuple(course_shown.lines_of_engaged(found)), found)

    def _places(self, by: By | None) -> Places | None:
        return None if by is None else self.answers.under(by)

    def plot(
        self,
        metric: str,
        response: str,
        *,
        run: int | None = None,
        method: Method = "spearman",
        people: Average = "median",
        fit: bool = True,
        log: bool = False,
        title: str = "",
        paper: Paper | None = None,
    ) -> Plot:
        """Draw a response over a measure, as `epcg study plot` does.

        Args:
            metric: the measure.
            response: the name of the response.
            run: the run whose measure counts; None for all runs.
            method: the correlation in the caption.
            people: how the answers of people to a puzzle are taken together.
            fit: whether there is a line with its band.
            log: whether the vertical axis is logarithmic.
            title: the title; '' for none.
            paper: size and font; None for a picture on a page.

        Raises:
            EpcgError: if there is no such response, measure or run, or matplotlib or scipy is missing.
        """
        with Store.open(self.database.location) as store, store.reader() as reader:
            measured = measures(reader, self.answers, run, (metric,))
        how = How(method, people)
        measure = one_measure(measured, metric)
        drawn = study_drawing(self.answers, measure, response, how, fit=fit, log=log, title=title)
        return Plot.of(drawn, paper or Paper())

    def player_model(
        self,
        model: Literal["uniform", "rules", "counts", "softmax"] = "softmax",
        *,
        domain: str | None = None,
        puzzles: Sequence[str] = (),
        rules: Sequence[str] = (),
        way: bool = False,
        without: Sequence[str] = (),
        penalty: float = 1.0,
    ) -> PlayerModel:
        """Fit a model of how players of this study choose their moves, as `epcg study player fit` does.

        Args:
            model: the kind of model.
            domain: the domain, if there are traces of several.
            puzzles: the ids of the puzzles that count; none for all of spaces that runs are over.
            rules: inference rules, of the model 'rules' or as a feature of a softmax.
            way: whether a softmax looks at the moves before; no measure can use it then.
            without: features that are left out.
            penalty: on the squares of a softmax's weights.

        Raises:
            EpcgError: if there are no decisions, or scipy or statsmodels is missing.
        """
        from epcg_research.players.notebook import fit_player

        how = {"rules": tuple(rules), "way": way, "without": tuple(without), "penalty": penalty}
        return fit_player(self.database, model, domain, puzzles, how, self.answers.study)

    def where_people_go_wrong(self, puzzle: str, most: int = 3) -> WherePeopleGoWrong:
        """Find first wrong moves, bottlenecks and stops, as `epcg study player show` does.

        Args:
            puzzle: what names the puzzle.
            most: positions of each kind.

        Raises:
            EpcgError: if there is no record of its play, or scipy or statsmodels is missing.
        """
        from epcg_research.players.notebook import look

        return look(self.database, puzzle, most, self.answers.study)


@checked
def study(database: Database, name: str | None = None, *, only_solved: bool = False) -> Study:
    """Return what people did: traces of play, or a table that was brought in.

    Args:
        database: the database.
        name: of the data set, 'traces' or an imported one; None for the only one.
        only_solved: whether answers of people who gave up are left out.

    Raises:
        StoreError: if there is none, or several and no name.
        UnknownNameError: if there is none of that name.
    """
    with Store.open(database.location) as store, store.reader() as reader:
        return Study(database, asked(reader, name, only_solved))
