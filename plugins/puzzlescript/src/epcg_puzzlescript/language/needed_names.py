"""The names that a game must have, Player and Background, and what is told if one is missing."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs

from epcg_puzzlescript.language.conditions import Mask
from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.rule_words import RELATIVE
from epcg_puzzlescript.language.sections import Line
from epcg_puzzlescript.language.vocabulary import BACKGROUND, Vocabulary

PLAYER = "player"
ALIKE = 0.8
"""A name so much like the missing one is taken for a slip of it."""
_SIDE = re.compile(r"[\s|\[\]]+")


def player_of(names: NeededNames, problems: Problems) -> Mask:
    """Return what takes the inputs."""
    vocabulary = names.vocabulary
    player = Mask(*vocabulary.mask_of_all(PLAYER))
    if player.bits:
        return player
    if vocabulary.defines(PLAYER):
        sentence = (
            "The player stands for nothing that is defined; an object that takes the inputs was expected."
        )
        problems.add(vocabulary.line_of(PLAYER), 1, sentence)
        return player
    place, advice = names.advice(PLAYER, names.moved())
    problems.add(*place, f"There is no player, so nothing takes the inputs: {advice}", errors=2)
    return player


def background_of(names: NeededNames, problems: Problems) -> int | None:
    """Return the number of the object that fills empty cells; None if they stay empty."""
    vocabulary, name = names.vocabulary, BACKGROUND
    entry = vocabulary.object_entry(name) or vocabulary.entries.get(name)
    if vocabulary.defines(name) and entry is not None and entry.kind == "nothing":
        problems.add(
            vocabulary.line_of(name), 1, "The background stands for nothing that is defined; an object was "
            "expected.", errors=0, fatal=not vocabulary.is_property(name),
        )  # fmt: skip
        return None
    if entry is None or entry.kind == "nothing":
        first = vocabulary.objects[0].name
        place, advice = names.advice(BACKGROUND, [first])
        problems.add(
            *place, f"There is no background, and {quoted(first)} takes its place: {advice}", errors=2
        )
        return 0
    line = vocabulary.line_of(name)
    if entry.kind == "and":
        problems.add(
            line, 1, f"The background cannot be several objects at once; '{vocabulary.objects[0].name}' "
                     f"takes "
            "its place.",
        )  # fmt: skip
        return 0
    beside = vocabulary.layers_beside(name)
    if beside:
        sentence = "The objects of the background are on several layers; one was expected."
        problems.add(line, 1, sentence, errors=beside)
    if vocabulary.is_homeless(name):
        problems.add(line, 1, "The background is in no collision layer; empty cells stay empty.", errors=0)
        return None
    layer = vocabulary.objects[vocabulary.first_of(name)].layer
    others = vocabulary.layer_mask(layer) & ~entry.mask
    if others and vocabulary.layer_line(layer) != vocabulary.shared:
        number = (others & -others).bit_length() - 1
        problems.add(
            vocabulary.layer_line(layer), 1, f"'{vocabulary.objects[number].name}' is on the layer of the "
            "background: where it stands there is no background. Give the background a layer of its own.",
            errors=0, effect="none",
        )  # fmt: skip
    return vocabulary.first_of(name)


@attrs.frozen
class NeededNames:
    """The names of a game, for what is guessed of one that is missing."""

    vocabulary: Vocabulary
    parts: Mapping[str, Sequence[Line]]
    """The lines of each section."""
    headers: Mapping[str, int]
    """The line of each section's name."""

    def moved(self) -> list[str]:
        """Return the object that most rules move at will, behind '>' on the left, or the one without a layer.

        [] if there is none.
        """
        found: Counter[str] = Counter()
        for line in self.parts["rules"]:
            words = _SIDE.split(line.lower.partition("->")[0])
            found.update(
                name for word, name in pairwise(words)
                if word in RELATIVE and self.vocabulary.object_entry(name) is not None
            )  # fmt: skip
        homeless = self.vocabulary.homeless
        return [name for name, _ in found.most_common(1)] or list(homeless[:1] if len(homeless) == 1 else ())

    def advice(self, name: str, guessed: Sequence[str]) -> tuple[tuple[int, int], str]:
        """Return where a missing name belongs, by line and column, and what to write there.

        That is the place of a name that is like it, or else the header of the legend, below which it is
        made of the objects whose names begin with it, or of those that are `guessed`.
        """
        entries = self.vocabulary.entries
        parts = [thing.name for thing in self.vocabulary.objects if thing.name.startswith(name)]
        like = [] if parts else difflib.get_close_matches(name, entries, n=1, cutoff=ALIKE)
        title = name.capitalize()
        if like and self._place(like[0])[0]:
            return self._place(like[0]), f"{quoted(like[0])} is perhaps '{title}'."
        header = "LEGEND" if "legend" in self.headers else "OBJECTS"
        made = " or ".join(self._written(each) for each in parts or guessed)
        other = f"give an object of OBJECTS the name {title}"
        if header == "OBJECTS":
            advice = f"{other}."
        else:
            line = f"'{title} = {made}'" if made else f"'{title} = ' with the name of an object"
            advice = f"write {line} below LEGEND, or {other}."
        return (self.headers.get(header.lower(), 1), 1), advice

    def _place(self, name: str) -> tuple[int, int]:
        """Return the line and column at which a name begins a line of the legend or of the objects."""
        for section in ("legend", "objects"):
            for line in self.parts[section]:
                text = line.lower.lstrip()
                if text and re.split(r"[\s=]", text, maxsplit=1)[0] == name:
                    return line.number, len(line.lower) - len(text) + 1
        return 0, 0

    def _written(self, name: str) -> str:
        """Return a name of the objects with the capitals that it has where it is made."""
        line, column = self._place(name)
        texts = {each.number: each.text for section in ("legend", "objects") for each in self.parts[section]}
        return texts[line][column - 1 : column - 1 + len(name)] if line else name
