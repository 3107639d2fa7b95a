"""Ask how a study goes on, for `epcg study learning` and `engagement`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epcg_core import Note, Table
from epcg_core.inside import write_report
from epcg_core.plugin import Store
from epcg_research import figures, statistics
from epcg_research.commands.paper import say_drawn
from epcg_research.commands.work.sections import Sectioned, sectioned
from epcg_research.studies import course_shown as shown
from epcg_research.studies.answers import Answers
from epcg_research.studies.course import Places, engaged, learned
from epcg_research.studies.reading import asked


def _read(
    location: str, name: str | None, by: Any, only_solved: bool = False
) -> tuple[Answers, Places | None]:
    with Store.open(location) as store, store.reader() as reader:
        answers = asked(reader, name, only_solved)
    return answers, None if by is None else answers.under(by)


def learning(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    by: str | None,
    adjust: Any,
    drawn: Path | None,
    only_solved: bool,
) -> None:
    """Print responses at each place of the order, and their trends."""
    statistics.need_statistics("Studies need")
    answers, places = _read(location, name, by, only_solved)
    found = learned(answers, places, responses, adjust)
    sections: tuple[str | Table, ...] = (
        Table.of(shown.PLACES, list(shown.rows_of_places(found))),
        Note("Whether it rises or falls over the order:"),
        Table.of(shown.TRENDS, list(shown.rows_of_trends(found))),
        *map(Note, shown.lines_of_learned(found, adjust)),
    )
    write_report(Sectioned(found, sections), format)
    if drawn is not None:
        _draw(shown.learned_drawing(answers, found, adjust), drawn)


def engagement(location: str, format: str, name: str | None, by: str | None, drawn: Path | None) -> None:
    """Print how many people still play at each place of the order."""
    statistics.need_statistics("Studies need")
    answers, places = _read(location, name, by)
    found = engaged(answers, places)
    write_report(
        sectioned(found, shown.STAYS, shown.rows_of_stays(found), shown.lines_of_engaged(found)), format
    )
    if drawn is not None:
        _draw(shown.engaged_drawing(found), drawn)


def _draw(picture: Any, target: Path) -> None:
    figures.require_matplotlib()
    picture.save(target)
    say_drawn(target, picture.caption, False)
