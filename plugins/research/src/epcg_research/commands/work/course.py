"""Ask how a study goes on, for `epcg study learning` and `engagement`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import say, write, write_json
from epcg_core.plugin import Store
from epcg_research import figures, statistics
from epcg_research.commands.paper import say_drawn
from epcg_research.commands.work.study import cells
from epcg_research.studies import answers as data, course_shown as shown
from epcg_research.studies.answers import Answers
from epcg_research.studies.conditions import placed
from epcg_research.studies.course import Places, engaged, learned


def _read(location: str, name: str | None, by: Any) -> tuple[Answers, Places | None]:
    with Store.open(location) as store, store.reader() as reader:
        answers = data.named(reader, name).with_solved()
        return answers, None if by is None else placed(reader, answers.study, by)


def learning(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    by: str | None,
    adjust: Any,
    drawn: Path | None,
) -> None:
    """Print responses at each place of the order, and their trends."""
    statistics.need_statistics("Studies need")
    answers, places = _read(location, name, by)
    found = learned(answers, places, responses, adjust)
    if format == "json":
        write_json(attrs.asdict(found))
    else:
        write(format, shown.PLACES, cells(shown.PLACES, shown.rows_of_places(found), format))
    if format == "table":
        say("Whether it rises or falls over the order:")
        write("table", shown.TRENDS, cells(shown.TRENDS, shown.rows_of_trends(found), format))
        for line in shown.lines_of_learned(found, adjust):
            say(line)
    if drawn is not None:
        figures.require_matplotlib()
        picture = shown.learned_drawing(answers, found, adjust)
        picture.save(drawn)
        say_drawn(drawn, picture.caption, False)


def engagement(location: str, format: str, name: str | None, by: str | None, drawn: Path | None) -> None:
    """Print how many people still play at each place of the order."""
    statistics.need_statistics("Studies need")
    answers, places = _read(location, name, by)
    found = engaged(answers, places)
    if format == "json":
        write_json(attrs.asdict(found))
    else:
        write(format, shown.STAYS, cells(shown.STAYS, shown.rows_of_stays(found), format))
    if format == "table":
        for line in shown.lines_of_engaged(found):
            say(line)
    if drawn is not None:
        figures.require_matplotlib()
        picture = shown.engaged_drawing(found)
        picture.save(drawn)
        say_drawn(drawn, picture.caption, False)
