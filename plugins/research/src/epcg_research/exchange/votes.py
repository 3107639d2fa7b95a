"""Tables of choices of others: one row for each person, question and pair of puzzles."""

from __future__ import annotations

from pathlib import Path

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, StoreError
from epcg_core.plugin import Reader, UnknownNameError
from epcg_research.exchange.responses import Faults, Form, Places, table_of, text_of_cell
from epcg_research.studies.answers import Choice, Puzzle


@attrs.frozen(kw_only=True)
class VoteForm:
    """What the columns of a file of choices mean."""

    person: str
    chosen: str
    other: str
    question: str | None = None
    chosen_is: str | None = None
    other_is: str | None = None
    space: str | None = None
    labels: Path | None = None
    separator: str = ","


def read_votes(reader: Reader, location: str, path: Path, form: VoteForm) -> list[Choice]:
    """Read a file of choices.

    Args:
        reader: the database, which knows short ids and the spaces of runs.
        location: where it is, for messages.
        path: a file .csv, .tsv or .parquet.
        form: what its columns mean.

    Raises:
        EpcgError: if the file or a row is not what is expected; it names lines and columns.
    """
    if (form.chosen_is is None) != (form.other_is is None):
        raise StoreError("--chosen-is and --other-is belong together: name both columns, or none.")
    header, rows = table_of(path, form.separator)
    optional = (form.question, form.chosen_is, form.other_is)
    for column in (form.person, form.chosen, form.other, *filter(None, optional)):
        if column not in header:
            raise UnknownNameError("column", column, header, str(path))
    places = Places(
        reader, location, Form(form.chosen, form.person, (), space=form.space, labels=form.labels)
    )
    faults, found = Faults(path), list[Choice]()
    lines: dict[tuple[str, str, frozenset[Puzzle]], int] = {}
    for line, row in rows:
        before = len(faults.found)
        texts = {
            column: text_of_cell(row[column])
            for column in (form.person, form.chosen, form.other, *filter(None, optional))
        }
        for column, text in texts.items():
            if text is None:
                faults.add(line, column, "the cell is empty")
        puzzles = []
        for column in (form.chosen, form.other):
            if texts[column] is not None:
                try:
                    puzzles.append(places.find(texts[column] or ""))
                except PLUGIN_EXCEPTIONS as error:
                    faults.add(line, column, str(error).partition("\n")[0].rstrip("."))
        if len(faults.found) > before:
            continue
        if puzzles[0] == puzzles[1]:
            faults.add(line, form.other, "this is the puzzle that was chosen")
            continue
        person = texts[form.person] or ""
        question = "preferred" if form.question is None else texts[form.question] or ""
        key = person, question, frozenset(puzzles)
        if key in lines:
            what = f"{person!r} chose between these two in line {lines[key]} already: keep one of the two"
            faults.add(line, form.person, what)
            continue
        lines[key] = line
        kinds = [texts[column] or "" if column else "" for column in (form.chosen_is, form.other_is)]
        found.append(Choice(person, question, "", puzzles[0], kinds[0], puzzles[1], kinds[1]))
    faults.check()
    if not found:
        raise StoreError(f"{path} has no rows.")
    return found
