"""The functions `epcg_core.import_parquet` and its relatives: what others measured, and what people did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core import EpcgError, Note, Report
from epcg_core.inside import checked, count, location_of
from epcg_core.plugin import Store

if TYPE_CHECKING:
    from epcg_core import Table


@attrs.frozen(repr=False)
class Imported(Report):
    """What was brought into a database."""

    numbers: Mapping[str, Any]
    """How much there was of each kind, as `json` returns it."""
    sentences: tuple[str, ...]

    def parts(self) -> Iterator[str | Table]:
        """Yield the sentences."""
        yield from map(Note, self.sentences)

    def json(self) -> dict[str, Any]:
        """Return the numbers."""
        return dict(self.numbers)


@checked
def import_parquet(
    run: int,
    path: str | Path,
    *,
    metrics: Sequence[str] = (),
    ranks: bool = False,
    replace: bool = False,
    db: str | Path | None = None,
) -> Imported:
    """Bring columns of a Parquet file in as metrics of a run, as `epcg import parquet` does.

    Args:
        run: the number of the run.
        path: the file, or a folder of such files.
        metrics: the columns; none for all that the run has not.
        ranks: whether the ranks in the file are those of the run's space.
        replace: whether what was imported before under the same names is replaced.
        db: the database; as for `open`.

    Raises:
        EpcgError: if there is no such run, or the file does not fit.
    """
    from epcg_research.exchange.importing import import_parquet as bring_in

    with _writing(db) as store:
        found = bring_in(store, run, Path(path), metrics, ranks=ranks, replace=replace)
    names = ", ".join(found.metrics)
    said = f"Run {run} has {names} of {count(found.candidates)} candidates, from {path}."
    numbers = {"run": run, "metrics": list(found.metrics), "candidates": found.candidates}
    return Imported(numbers, (said,))


@checked
def import_traces(*paths: str | Path, db: str | Path | None = None) -> Imported:
    """Bring in files that players saved on play pages, as `epcg import traces` does.

    Args:
        paths: the files, and folders of them.
        db: the database; as for `open`.

    Raises:
        StoreError: if a file is at fault; then nothing of any is brought in.
    """
    from epcg_research.exchange.traces import import_traces as bring_in

    with _writing(db) as store:
        found = bring_in(store, [*map(Path, paths)])
    said = [
        f"{found.new:,} new traces, {found.seen:,} that were here before, of {found.players:,} players and "
        f"{found.puzzles:,} puzzles."
    ]
    if found.unknown:
        said.append(f"{found.unknown:,} of the puzzles are of spaces that no run of {location_of(db)} has.")
    return Imported(attrs.asdict(found), tuple(said))


@checked
def import_responses(
    path: str | Path,
    *,
    puzzle: str,
    person: str,
    responses: Sequence[str] = (),
    times: Sequence[str] = (),
    finished: str | None = None,
    order: str | None = None,
    training: str | None = None,
    set: str | None = None,
    label: str | None = None,
    condition: str | None = None,
    group: str | None = None,
    about: Sequence[str] = (),
    space: str | None = None,
    labels: str | Path | None = None,
    separator: str = ",",
    study: str | None = None,
    replace: bool = False,
    db: str | Path | None = None,
) -> Imported:
    """Bring in a table of a study, with a row for each person and puzzle, as `epcg import responses` does.

    Args:
        path: the CSV or Parquet file.
        puzzle: the column of puzzles.
        person: the column of people.
        responses: numbers that people gave, as 'rating:1..5'.
        times: times with their units, as 'seconds=total[ms]'.
        finished: the column that is 1 if the person solved the puzzle.
        order: the column with the place of an answer among those of its person.
        training: the column that is 1 if the person only tried the puzzle out.
        set: the column of sets of puzzles that were compared.
        label: the column with the name of the puzzle in its set, such as 'variant'.
        condition: the column of conditions under which people played.
        group: the column with the group of the person.
        about: what is known of people, as 'age' or 'age=column'.
        space: the space whose ranks the column of puzzles has.
        labels: a CSV file with columns label and puzzle, if the column of puzzles has labels.
        separator: the character between the cells of a line.
        study: its name; None for that of the file.
        replace: whether a study of the same name is replaced.
        db: the database; as for `open`.

    Raises:
        EpcgError: if anything is wrong; then nothing is recorded.
    """
    from epcg_research.exchange.responses import Form, about_of, column_of, origin_of, read
    from epcg_research.studies.recording import save

    _check(separator)
    file, location = Path(path), location_of(db)
    columns = (*map(column_of, responses), *(column_of(text, time=True) for text in times))
    table = None if labels is None else Path(labels)
    form = Form(
        puzzle, person, columns, order, finished, separator, space, table, training, set, label, condition,
        group, about_of(about),
    )  # fmt: skip
    with Store.open(location) as store, store.reader() as reader:
        found, known = read(reader, location, file, study or file.name.partition(".")[0], form)
    with Store.open(location, write=True) as store:
        save(store, found, origin_of(file), replace, about=known)
    people, puzzles = len(found.people), len(found.puzzles)
    said = (
        f"{count(len(found.answers))} answers of {count(people)} people to {count(puzzles)} puzzles are the "
        f"study '{found.study}'."
    )
    numbers = {"study": found.study, "answers": len(found.answers), "people": people, "puzzles": puzzles}
    return Imported(numbers, (said,))


@checked
def import_study(
    *paths: str | Path,
    plan: str | Path,
    study: str | None = None,
    replace: bool = False,
    db: str | Path | None = None,
) -> Imported:
    """Bring in files that people saved on the pages of a study, as `epcg import study` does.

    Args:
        paths: the files.
        plan: the folder of the study's pages, or its study.json.
        study: its name; None for that of the plan.
        replace: whether people who are recorded already are replaced.
        db: the database; as for `open`.

    Raises:
        EpcgError: if a file is at fault; then nothing of any is brought in.
    """
    from epcg_research.exchange.results import read_plan, read_results
    from epcg_research.studies.recording import record_results

    read = read_plan(Path(plan))
    name = study or read.name
    results = read_results([*map(Path, paths)], read, name)
    with Store.open(location_of(db), write=True) as store:
        people = record_results(store, results, read, name, replace)
    early = sum(not each.complete for each in results)
    played, chosen = sum(len(r.traces) for r in results), sum(len(r.choices) for r in results)
    said = [
        f"{count(len(results))} people brought in, {count(played)} puzzles played, {count(chosen)} choices: "
        f"the study '{name}' has {count(people)} people."
    ]
    if early:
        said.append(f"{count(early)} of the files are of people who stopped before the end.")
    numbers = {"study": name, "files": len(results), "people": people, "played": played, "choices": chosen}
    return Imported(numbers | {"stopped_early": early}, tuple(said))


@checked
def import_choices(
    path: str | Path,
    *,
    person: str,
    chosen: str,
    other: str,
    question: str | None = None,
    chosen_is: str | None = None,
    other_is: str | None = None,
    space: str | None = None,
    labels: str | Path | None = None,
    separator: str = ",",
    study: str | None = None,
    replace: bool = False,
    db: str | Path | None = None,
) -> Imported:
    """Bring in choices between two puzzles, as `epcg import choices` does.

    Args:
        path: the CSV or Parquet file, with a row for each person, question and pair.
        person: the column of people.
        chosen: the column of puzzles that were chosen.
        other: the column of puzzles that were not.
        question: the column of questions; None for one, 'preferred'.
        chosen_is: the column that says what the chosen puzzle is.
        other_is: the column that says what the other one is.
        space: the space whose ranks the columns of puzzles have.
        labels: a CSV file with columns label and puzzle, if the columns of puzzles have labels.
        separator: the character between the cells of a line.
        study: its name; None for that of the file.
        replace: whether a study of the same name is replaced.
        db: the database; as for `open`.

    Raises:
        EpcgError: if anything is wrong; then nothing is recorded.
    """
    from epcg_research.exchange.responses import origin_of
    from epcg_research.exchange.votes import VoteForm, read_votes
    from epcg_research.studies.answers import Answers
    from epcg_research.studies.recording import save

    _check(separator)
    file, location = Path(path), location_of(db)
    form = VoteForm(
        person=person, chosen=chosen, other=other, question=question, chosen_is=chosen_is, other_is=other_is,
        space=space, labels=None if labels is None else Path(labels), separator=separator,
    )  # fmt: skip
    with Store.open(location) as store, store.reader() as reader:
        found = read_votes(reader, location, file, form)
    name = study or file.name.partition(".")[0]
    with Store.open(location, write=True) as store:
        save(store, Answers(name, (), ()), origin_of(file), replace, choices=found)
    people, questions = len({each.person for each in found}), len({each.question for each in found})
    said = (
        f"{count(len(found))} choices of {count(people)} people, {count(questions)} "
        f"question{'s' * (questions != 1)}: the study '{name}'."
    )
    numbers = {"study": name, "choices": len(found), "people": people, "questions": questions}
    return Imported(numbers, (said,))


def _writing(db: str | Path | None) -> Store:
    """Open a database for writing, which must be there already."""
    location = location_of(db)
    Store.open(location).close()
    return Store.open(location, write=True)


def _check(separator: str) -> None:
    if len(separator) != 1:
        raise EpcgError("separator: one character is expected; of tabs, name the file .tsv.")
