"""The requests of the page that arranges curricula: plans as files, what they choose, and changes of them.

The plan's text is the one truth. It lies in the folder in which the workbench was started, and is written
only if it is what the page has read.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from epcg_core.inside import (
    PLUGIN_EXCEPTIONS,
    ByHand,
    Choices,
    CurriculumError,
    NotRecordedError,
    Part,
    PartRow,
    Plan,
    SelectionRow,
    choose,
    editing,
    instructions,
    named_parts,
    opened_state,
    parse_plan,
    passed_over,
    puzzle_id,
    recorded_runs,
    shipped_plans,
    shipped_queries,
    space_spec,
    told,
)
from epcg_core.plugin import (
    EditorInfo,
    EpcgError,
    QueryError,
    Store,
    UnknownNameError,
    documents,
    find,
    make_generator,
    registry,
)
from epcg_workbench.answers import measures_of_domain
from epcg_workbench.kept_texts import NAME, path_of, read, saved, stamp_of
from epcg_workbench.messages import Message, digest, number_of, plain_value, text_of, texts_of, whole_of
from epcg_workbench.plan_exports import EXPORTS
from epcg_workbench.plan_parts import met_text, part_message, short_text
from epcg_workbench.plan_texts import with_chapters, with_list
from epcg_workbench.plan_words import left_out, refused, spoken, unanswered
from epcg_workbench.project.belonging import offered_plans, own_domains
from epcg_workbench.project.chips import MOST_EXPANSIONS, chip_of
from epcg_workbench.questions import changed, changes_of

MOST_FILES = 200
"""Plans of a folder that are listed."""
MOST_REJECTED = 60
"""Rejected candidates of a part that are shown one by one."""
MOST_AT_ONCE = 50
"""Puzzles of one request for what is new in them."""
_BEGUN = """title = {title}

[[chapters]]
name = "chapter-1"
title = "Chapter 1"
measure = ""    # the first puzzle brings its measure
puzzles = []
"""
BY_HAND = ByHand()
"""The puzzles found and measured for lists by hand, as long as the process lives."""


# ---- plans as files


def plans(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the plans of the folder, and those that plugins ship."""
    folder = Path(text_of(request, "folder"))
    files = []
    for path in sorted(folder.glob("*.toml"))[:MOST_FILES]:
        with suppress(EpcgError):
            text = documents.read_text(path, "plan")
            if is_plan(path, text):
                title = documents.parse_toml(text, path.name).get("title", path.stem)
                files.append({"name": path.name, "title": str(title)})
    yield {
        "folder": str(folder.resolve()),
        "files": files,
        "shipped": offered_plans(),
        "own": own_domains(request),
        "exports": list(EXPORTS),
    }


def is_plan(path: Path, text: str) -> bool:
    """Return whether a file of the folder is a plan. Raises EpcgError if it is not TOML."""
    chapters = documents.parse_toml(text, path.name).get("chapters")
    return isinstance(chapters, list) and NAME.fullmatch(path.name) is not None


def plan(request: Mapping[str, Any]) -> Iterator[Message]:
    """Read the plan of a file `name`, or the one that `text` is; with its chapters, or what is wrong."""
    path = path_of(request)
    text = text_of(request, "text") if "text" in request else read(path)
    yield {"stamp": stamp_of(path)} | _described(text, path)


def new_plan(request: Mapping[str, Any]) -> Iterator[Message]:
    """Begin a plan `name`: an empty one with a `title`, or a copy of one that is `shipped`."""
    path = path_of(request)
    if path.exists():
        raise CurriculumError(f"There is a file '{path.name}' already: open it, or choose another name.")
    if "shipped" in request:
        known = shipped_plans()
        name = text_of(request, "shipped")
        if name not in known:
            raise UnknownNameError("plan", name, known)
        text = _at_home(documents.read_text(known[name], "plan", CurriculumError), known[name].parent)
    else:
        import tomlkit

        text = _BEGUN.format(title=tomlkit.string(text_of(request, "title") or path.stem).as_string())
    yield {"stamp": ""} | _described(text, path)


def _at_home(text: str, folder: Path) -> str:
    """Name the shipped queries of a plan by their names, so that it can be read anywhere."""
    names = {path.resolve(): name for name, path in shipped_queries().items()}
    for i, chapter in enumerate(documents.parse_toml(text, "plan", CurriculumError)["chapters"]):
        parts: list[tuple[list[str | int], Any]] = [(["chapters", i, "query"], chapter)]
        parts += [(["chapters", i, "parts", j, "query"], p) for j, p in enumerate(chapter.get("parts", ()))]
        for path, part in parts:
            name = names.get((folder / str(part.get("query", ""))).resolve())
            if name is not None:
                text = changed(text, path, name)
    return text


def save(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write `text` as the plan `name`, if its file is what `stamp` says, or with `force` in any case.

    Otherwise the answer is {"conflict": true} with the stamp of the file as it is.
    """
    path, text = path_of(request), text_of(request, "text")
    parsed(text, path)
    yield saved(path, text, text_of(request, "stamp"), request.get("force") is True)


def stamp(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say by a digest what the file of a plan `name` holds now; '' if there is none."""
    yield {"stamp": stamp_of(path_of(request))}


def parsed(text: str, path: Path) -> Plan:
    return parse_plan(text, where=path.name, name=path.stem, folder=path.parent)


def _described(text: str, path: Path) -> Message:
    """Describe a plan as its text has it, with the place of each part in it."""
    message: Message = {"name": path.name, "text": text, "hash": digest(text), "chapters": [], "trouble": ""}
    try:
        found = parsed(text, path)
    except EpcgError as error:
        told = str(error).replace(f"{path.parent}/", "").replace("no query file", "no question")
        return message | {"trouble": told}
    tables = documents.parse_toml(text, path.name, CurriculumError)["chapters"]
    chapters = [
        {
            "name": chapter.name,
            "title": chapter.title,
            "description": chapter.description,
            "warn": chapter.warn,
            "parts": [
                {
                    "path": ["chapters", i, "parts", j] if "parts" in table else ["chapters", i],
                    "name": part.name,
                    "source": part.described,
                    "measure": part.measure,
                    "listed": part.is_list,
                    "filled": part.fill,
                    "sourced": is_sourced(part),
                }
                | part_message(part, _table_of(table, j))
                for j, part in enumerate(chapter.parts)
            ],
        }
        for i, (chapter, table) in enumerate(zip(found.chapters, tables, strict=True))
    ]
    return message | {"title": found.title, "curriculum": found.name, "chapters": chapters}


def _table_of(chapter: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the keys of a part as its text has them, with those of its chapter."""
    parts = chapter.get("parts")
    own = {key: value for key, value in chapter.items() if key != "parts"}
    return own | dict(parts[number]) if isinstance(parts, list) else own


def is_sourced(part: Part) -> bool:
    return part.query is not None or part.run is not None or part.sql is not None


# ---- changes


def arrange(request: Mapping[str, Any]) -> Iterator[Message]:
    """Change the text of a plan, and describe it: nothing is written.

    `order` are the numbers of the chapters that stay, in their order; then `changes` are made, as in the
    request `question`; then `lists` gives parts puzzles by hand, as [path, puzzles] each.
    """
    path, text = path_of(request), text_of(request, "text")
    if "order" in request:
        order = request["order"]
        if not isinstance(order, list) or not all(type(number) is int for number in order):
            raise QueryError("The request needs 'order', a list of numbers of chapters.")
        text = with_chapters(text, order)
    for where, value in changes_of(request.get("changes", [])):
        text = changed(text, where, value)
    for where, entries in _lists(request.get("lists", [])):
        text = with_list(text, where, entries)
    described = _described(text, path)
    if not described["trouble"]:
        Choices(parsed(text, path), None, {}, BY_HAND)  # a puzzle that stands in two lists is named
    yield described


def _lists(found: Any) -> list[tuple[list[str | int], list[str]]]:
    pairs = isinstance(found, list) and all(isinstance(each, list) and len(each) == 2 for each in found)
    if not pairs or not all(
        isinstance(where, list) and isinstance(entries, list) and all(isinstance(e, str) for e in entries)
        for where, entries in found
    ):
        raise QueryError("The request needs 'lists', a list of [path, puzzles].")
    return [(where, entries) for where, entries in found]


def entry(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say how a plan names a content, `domain` and `text`, or a `puzzle`, and what it can be measured by."""
    if "puzzle" in request:
        name = text_of(request, "puzzle")
        if not find.is_id(name):
            raise QueryError(f"'{name}' is not the id of a puzzle.")
        with find.reading(text_of(request, "db")) as reader:
            space, rank = find.named(name, reader, text_of(request, "db"))
        generator = make_generator(registry(), space)
        domain, written = space.domain, puzzle_id(space.name, rank)
        text = opened_state(generator, generator.unrank(rank))
    else:
        document = editing.open_document(text_of(request, "domain"), text_of(request, "text"))
        domain, written, text = document.domain, document.text, document.text
    if "puzzle" not in request and editing.recognised(text) != [domain]:
        written = puzzle_id(space_spec(registry(), domain, "contents", {"contents": [text]}).name, 0)
    yield {"entry": written, "domain": domain, "text": text, "metrics": measures_of_domain(domain)}


def insert(request: Mapping[str, Any]) -> Iterator[Message]:
    """Put the puzzle `entry` at the end of a plan's `chapter`, or of a new one if there is no number.

    A chapter without puzzles, and a new one, take the `measure`; a new one takes the `title`, too. Nothing is
    written.
    """
    path, text, own = path_of(request), text_of(request, "text"), text_of(request, "entry")
    found = parsed(text, path)
    if request.get("chapter") is None:
        names, number = {chapter.name for chapter in found.chapters}, len(found.chapters) + 1
        while f"chapter-{number}" in names:
            number += 1
        title = text_of(request, "title") or f"Chapter {len(found.chapters) + 1}"
        table = {"name": f"chapter-{number}", "title": title, "measure": text_of(request, "measure")}
        text = changed(text, ["chapters", len(found.chapters)], table)
        where: list[str | int] = ["chapters", len(found.chapters)]
        entries = [own]
    else:
        chapter = whole_of(request, "chapter") - 1
        if chapter >= len(found.chapters):
            raise QueryError(f"The plan has no chapter {chapter + 1}.")
        last = len(found.chapters[chapter].parts) - 1
        part = found.chapters[chapter].parts[last]
        described: Any = _described(text, path)["chapters"][chapter]
        where = described["parts"][last]["path"]
        if part.fill:
            entries = [*(part.puzzles or ()), own]
            text = changed(text, [*where, "count"], part.count + 1)
        else:
            entries = [*_present(found, chapter, last, request), own]
        if entries == [own] and not part.measure:
            text = changed(text, [*where, "measure"], text_of(request, "measure"))
    text = with_list(text, where, entries)
    made = parsed(text, path)
    with choices_of(made, request) as choices:  # a puzzle that another list has, or without a value, is named
        choices.of(number_in(made, int(where[1]), int(where[3]) if len(where) > 2 else 0))
    yield _described(text, path) | {"chapter": int(where[1]) + 1}


def _present(found: Plan, chapter: int, part: int, request: Mapping[str, Any]) -> list[str]:
    """Return the puzzles of a part as it is, which its list is to keep."""
    own = found.chapters[chapter].parts[part]
    if own.is_list:
        return list(own.puzzles or ())
    number = number_in(found, chapter, part)
    with choices_of(found, request) as choices:
        for before in range(number):
            choose(choices.of(before), choices.chosen, 0)
        row = choose(choices.of(number), choices.chosen, 0)
    return [each.puzzle.puzzle for each in row.selections if each.position is not None]


def number_in(found: Plan, chapter: int, part: int) -> int:
    """Return the number of a part, counted over all chapters from 0."""
    return sum(len(each.parts) for each in found.chapters[:chapter]) + part


# ---- what a plan chooses


@contextmanager
def choices_of(found: Plan, request: Mapping[str, Any]) -> Iterator[Choices]:
    """Open the choices of a plan over the recorded runs; the database may be missing."""
    location = text_of(request, "db")
    if not Path(location).is_file():
        yield Choices(found, None, {}, BY_HAND)
        return
    with Store.open(location) as store, store.reader() as reader:
        yield Choices(found, reader, recorded_runs(found, store, reader), BY_HAND)


def choice(request: Mapping[str, Any]) -> Iterator[Message]:
    """Choose the puzzles of a plan's `text`, part by part, over the runs that are recorded; none is made.

    A part whose query has no finished run says so as `missing`, one that cannot be chosen as `trouble`.
    """
    path, text = path_of(request), text_of(request, "text")
    found = parsed(text, path)
    numbers = [(i, j) for i, chapter in enumerate(found.chapters) for j, _ in enumerate(chapter.parts)]
    ready = True
    with choices_of(found, request) as choices:
        for number, ((i, j), (where, part)) in enumerate(zip(numbers, named_parts(found), strict=True)):
            message: Message = {"hash": digest(text), "chapter": i, "part": j, "measure": part.measure}
            try:
                made = choices.of(number)
                row = choose(made, choices.chosen, MOST_REJECTED)
            except NotRecordedError:
                ready = False
                yield message | {"missing": unanswered(part)}
            except PLUGIN_EXCEPTIONS as error:
                ready = False
                yield message | {"trouble": refused(error, part, where)}
            else:
                rows = [each for each in row.selections if each.position is not None]
                entries = _entries(part, where, rows)
                domain = rows[0].puzzle.space.partition(":")[0] if rows else ""
                yield message | {
                    "rule": row.rule,
                    "source": row.source,
                    "harder": row.harder,
                    "candidates": row.candidates,
                    "met": met_text(row, part, domain),
                    "puzzles": [
                        _puzzle(each, part.measure) | {"entry": own, "hand": own in (part.puzzles or ())}
                        for each, own in zip(rows, entries, strict=True)
                    ],
                    "rejections": [
                        [left_out(rule, domain), count] for rule, count, _ in row.rejections if count
                    ],
                    "rejected": [
                        _puzzle(each, part.measure) | {"rule": each.rule} for each in _rejected(row)
                    ],
                }
    yield {"hash": digest(text), "end": True, "ready": ready}


def _entries(part: Part, where: str, rows: Sequence[SelectionRow]) -> list[str]:
    """Return the chosen puzzles as the plan names them: those of its list as written there."""
    listed = zip(BY_HAND.puzzles(part, where), part.puzzles or (), strict=True)
    written = {found.puzzle: entry for found, entry in listed}
    return [written.get(each.puzzle.puzzle, each.puzzle.puzzle) for each in rows]


def _rejected(row: PartRow) -> list[SelectionRow]:
    """Return the rejected candidates of a part, those that passed the most rules first."""
    passed = {rule: number for number, (rule, _, _) in enumerate(row.rejections)}
    rejected = (each for each in row.selections if each.position is None)
    return sorted(rejected, key=lambda each: -passed[each.rule])


def _puzzle(row: SelectionRow, measure: str) -> Message:
    domain = row.puzzle.space.partition(":")[0]
    return {
        "puzzle": row.puzzle.puzzle,
        "domain": domain,
        "editor": any(info.domain == domain for info in registry().all(EditorInfo)),
        "value": plain_value(row.value),
        "told": "" if row.value is None else told(domain, measure, row.value),
        "short": "" if row.value is None else short_text(domain, measure, row.value),
        "reason": spoken(row.reason, domain),
    }


def next_best(request: Mapping[str, Any]) -> Iterator[Message]:
    """Find the candidate of a part that could stand in for a puzzle of this `value`: the nearest in value.

    All rules of the part admit it, and it is not among the puzzles `without`.
    """
    found = parsed(text_of(request, "text"), path_of(request))
    chapter, part = whole_of(request, "chapter") - 1, whole_of(request, "part", 1) - 1
    value, without = number_of(request, "value"), set(texts_of(request, "without"))
    if chapter >= len(found.chapters) or part >= len(found.chapters[chapter].parts):
        raise QueryError(f"The plan has no part {part + 1} of chapter {chapter + 1}.")
    own, number = found.chapters[chapter].parts[part], number_in(found, chapter, part)
    if not is_sourced(own):
        raise CurriculumError(
            "There is no candidate to take instead: this part is a list by hand without a query, run or sql."
        )
    with choices_of(found, request) as choices:
        for before in range(number):
            with suppress(EpcgError):  # it chooses nothing yet
                choose(choices.of(before), choices.chosen, 0)
        others = passed_over(choices.of(number), choices.chosen)
    free = [each for each in others if each[0] not in without and math.isfinite(each[1])]
    taken = choices.chosen.contents
    for puzzle, nearest in sorted(free, key=lambda each: (abs(each[1] - value), _scattered(each[0]))):
        if BY_HAND.puzzle(puzzle, "The plan").content_sha256 not in taken:
            words = told(puzzle.partition(":")[0], own.measure, nearest)
            yield {"puzzle": puzzle, "value": nearest, "told": words, "left": len(free)}
            return
    raise CurriculumError("There is no other candidate that the rules of this part admit.")


def _scattered(puzzle: str) -> str:
    """Return a key that orders candidates of equal value arbitrarily, but always in the same way."""
    return hashlib.sha256(puzzle.encode()).hexdigest()


# ---- what is new in each puzzle


def novelties(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say of `puzzles` what can be seen in each, what must be known for it, and how many moves it takes.

    Rules are the instructions of the domain that are about the puzzle. `unsolved` says that it cannot be
    solved, in the words of an answer: 'no solution (proven)'; it is '' unless that is known.
    """
    for own in texts_of(request, "puzzles")[:MOST_AT_ONCE]:
        message: Message = {"puzzle": own, "marks": [], "rules": [], "moves": None, "unsolved": ""}
        try:
            found = BY_HAND.puzzle(own, "The plan")
            message["rules"] = [each.text for each in instructions(found.space.domain, [found.puzzle])]
            document = editing.open_document(found.space.domain, found.state)
            titles = {mark.name: mark.title or mark.name for mark in document.editor.palette}
            seen = [name for names in document.scene.marks.values() for name in names]
            message["marks"] = [titles[name] for name in titles if name in seen]
            solved = chip_of(document, MOST_EXPANSIONS)
            moves = solved.get("moves") if editing.counts_moves(document.domain) else None
            message |= {"moves": moves, "unsolved": solved.get("words", "")}
        except PLUGIN_EXCEPTIONS as error:  # what is known stays
            message["reason"] = str(error).partition("\n")[0]
        yield message


ARRANGING: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Message]]] = {
    "plans": plans,
    "plan": plan,
    "new_plan": new_plan,
    "save": save,
    "stamp": stamp,
    "arrange": arrange,
    "entry": entry,
    "insert": insert,
    "choice": choice,
    "next_best": next_best,
    "novelties": novelties,
}
"""The requests, by name."""
