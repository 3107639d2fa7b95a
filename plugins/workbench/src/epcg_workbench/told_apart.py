"""Tell recorded answers of one title apart, in people's words: never by their number alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, editing, files, parse_query, query_toml
from epcg_core.plugin import EpcgError, Query, Reader, RunRecord, counted, registry
from epcg_workbench.project.folder import Project

MOST_COMPARED = 1_000
"""Contents of a project that are compared with the one that a question is about."""


def told_apart(
    reader: Reader, titles: Mapping[int, str], folder: Path, of: Callable[[Query], str]
) -> dict[int, str]:
    """Say of runs in what they differ from others of the same title: 'single changes, level 3 of game.txt'.

    Args:
        reader: of the database.
        titles: the title of each run.
        folder: the folder of the project, whose files say which level a question is about.
        of: says of a query which contents it is about: 'all single changes'.

    Returns:
        The words of each run that shares its title. It is said what they are about, about which content, how
        many they tried, and when they began: as much of it as differs, up to where all differ.
    """
    same: dict[str, list[int]] = defaultdict(list)
    for run, title in titles.items():
        same[title].append(run)
    found: dict[int, str] = {}
    for runs in same.values():
        if len(runs) > 1:
            records = [reader.run(run) for run in runs]
            found |= dict(zip(runs, _Facts(reader, folder, of).differing(records), strict=True))
    return found


@attrs.frozen
class _Facts:
    """What can be said of a run."""

    reader: Reader
    folder: Path
    of: Callable[[Query], str]

    def differing(self, records: list[RunRecord]) -> list[str]:
        """Return in words, for each run, the facts in which the runs differ."""
        told: list[list[str]] = [[] for _ in records]
        for fact in (self._about, self._content, self._count, self._begun, self._number):
            if len(set(map(tuple, told))) == len(told):
                break
            values = [fact(record) for record in records]
            if len(set(values)) > 1:
                for words, value in zip(told, values, strict=True):
                    words += [value] if value else []
        return [", ".join(words) for words in told]

    def _about(self, record: RunRecord) -> str:
        named = self.reader.query_of(record.id)
        with suppress(*PLUGIN_EXCEPTIONS):
            if named is not None:
                return self.of(parse_query(query_toml(*named))).removeprefix("all ")
        return ""

    def _content(self, record: RunRecord) -> str:
        """Say which content of which file a run is about; '' if it is about none that is there now."""
        content = record.spec["query"]["generator"]["params"].get("content")
        if not isinstance(content, str):
            return ""
        left, project = MOST_COMPARED, Project(self.folder)
        for listed in project.files():
            if listed.is_database or listed.name.endswith(".toml"):
                continue
            with suppress(EpcgError, OSError):
                text = project.read(listed.name).text
                kind = next(files.kinds_of(Path(listed.name), text, record.domain), None)
                contents = (
                    [] if kind is None else [p for p in kind.format.read(text).pieces if p.kind == "content"]
                )
                for number, piece in enumerate(contents[:left], 1):
                    if self._is_same(record.domain, piece.text, content):
                        word = registry().domain(record.domain).content_word[0]
                        return f"{word} {number} of {listed.name}"
                left -= len(contents)
        return ""

    @staticmethod
    def _is_same(domain: str, text: str, content: str) -> bool:
        with suppress(*PLUGIN_EXCEPTIONS):
            return text == content or editing.open_document(domain, text).text == content
        return False

    def _count(self, record: RunRecord) -> str:
        return counted(record.candidates, *registry().domain(record.domain).content_word)

    def _begun(self, record: RunRecord) -> str:
        when = datetime.fromisoformat(record.created_at).astimezone()
        return f"{when.day} {when:%B %Y, %H:%M}"

    def _number(self, record: RunRecord) -> str:
        return f"run {record.id}"
