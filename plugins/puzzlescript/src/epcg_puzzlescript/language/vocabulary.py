"""The names of a game: its objects, its legend, its layers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, TypeAlias

import attrs

from epcg_puzzlescript.language.legend import Definition, LegendReader
from epcg_puzzlescript.language.objects import SIDE, ObjectReader, Sketch, Word
from epcg_puzzlescript.language.problems import Problems, quoted
from epcg_puzzlescript.language.sections import Line

__all__ = ["SIDE", "Entry", "GameObject", "Layer", "Vocabulary", "read_layers"]

BACKGROUND = "background"
_PART = re.compile(r"\w+|\S")
Kind: TypeAlias = Literal["object", "and", "or", "nothing"]


@attrs.frozen
class GameObject:
    """An object of a game."""

    name: str
    """In small letters."""
    number: int
    """Its place in the order of the collision layers: the bit that stands for it."""
    layer: int
    colours: tuple[str, ...] = ()
    """'#rrggbb', or '' for transparent."""
    picture: tuple[str, ...] = ()
    """Five strings of five characters, '0' to '9' or '.'; none if the object fills its cell."""


@attrs.frozen
class Entry:
    """The meaning of a name in rules and conditions."""

    kind: Kind
    """'nothing' if none of its names is defined."""
    members: tuple[int, ...]
    """Numbers of objects, in the order written: of one that an 'or' has several times the last place counts.
    An object in no layer counts as the first of the first."""
    mask: int
    """The members as bits."""
    layers: tuple[int, ...]
    """The layers of the members, each once."""
    parts: tuple[str, ...] = ()
    """The members of an 'and' by name; a property among them counts as any of its objects."""
    unknown: tuple[str, ...] = ()
    """Names among its members that are not defined."""


@attrs.frozen
class Layer:
    """A line of the section COLLISIONLAYERS."""

    line: Line
    names: tuple[Word, ...]


def read_layers(lines: Iterable[Line], problems: Problems) -> list[Layer]:
    """Return the names of each line of the section COLLISIONLAYERS."""
    found = []
    for line in lines:
        if line.blank:
            continue
        names = []
        for part in _PART.finditer(line.lower):
            if part[0].isalnum() or part[0][0] == "_" or len(part[0]) > 1:
                names.append(Word(part[0], part.start() + 1))
            elif part[0] != ",":
                problems.add(
                    line.number, part.start() + 1, f"Found {quoted(part[0])} among the names of a layer, "
                    f"which "
                    "is ignored; a name of letters and digits, or ',' was expected.",
                )  # fmt: skip
        found.append(Layer(line, tuple(names)))
    return found


class Vocabulary:
    """All names of a game, resolved.

    Args:
        objects: the objects that were read.
        legend: the definitions that were read.
        layers: the lines of the layers.
        known_until: the line of the header SOUNDS: rules and conditions know the names defined above it.
        problems: takes the faults.

    Attributes:
        objects: the objects by number.
        layers: the numbers of the objects of each layer.
        entries: what each name stands for in rules and conditions: of several definitions the last counts,
            another name before a property.
        names: a name in `entries` for each object by its number: its own, unless the legend gives it away.
        glyphs: the objects as bits that each name puts into a cell of a map, where the first definition
            counts. Names that cannot stand in a map are absent.
        signs: the names that maps may have, even if they stand for nothing.
        homeless: the names of the objects in no layer.
        shared: the line of the last layer that the background shares by its name; 0 if there is none.
    """

    def __init__(
        self,
        objects: ObjectReader,
        legend: LegendReader,
        layers: Iterable[Layer],
        known_until: int,
        known_from: int,
        problems: Problems,
    ) -> None:
        self._problems = problems
        self._sketches: Mapping[str, Sketch] = objects.found
        self._definitions = legend.definitions
        self._legend = legend
        self._known_until, self._known_from = known_until, known_from
        lines = list(layers)
        self._last = self._last_definitions()
        self._placed(lines)
        self.objects = self._objects()
        self.entries = self._entries()
        self.names = self._names()
        self.glyphs = self._glyphs()
        self.signs = {*self._sketches, *(d.name for d in self._definitions if d.kind != "or")}

    def defines(self, name: str) -> bool:
        """Return whether the text defines a name, even if none of its objects has a layer."""
        return self._legend.defines(name)

    def knows(self, name: str) -> bool:
        """Return whether rules and conditions know a name."""
        return name in self._known

    def is_known_in(self, line: int) -> bool:
        """Return whether the names that rules and conditions know are known in a line: below SOUNDS."""
        return line > self._known_from > 0

    def object_entry(self, name: str) -> Entry | None:
        """Return the entry of an object by its name, whatever the legend makes of it; None without one."""
        return self._meaning(name) if name in self._number else None

    def first_of(self, name: str) -> int:
        """Return the number of the first object that a name stands for, as its line has them."""
        target = self._target(name) if name not in self._number else name
        first = target.first if isinstance(target, Definition) else target
        return self._number.get(first, 0) if first is not None else 0

    def layers_beside(self, name: str) -> int:
        """Return how many objects of a property lie elsewhere than in the layer of the first one."""
        target = self._target(name)
        members = target.members if isinstance(target, Definition) and target.kind == "or" else ()
        layer = self._layer(target.first) if isinstance(target, Definition) else None
        return sum(member in self._sketches and self._layer(member) != layer for member in members)

    def _layer(self, name: str) -> int | None:
        """Return the layer of an object by its name; None if it has none."""
        return self.objects[self._number[name]].layer if name in self._number else None

    def is_property(self, name: str) -> bool:
        """Return whether the last definition of a name joins others by 'or'."""
        target = self._target(name)
        return isinstance(target, Definition) and target.kind == "or"

    def mask_of_all(self, name: str) -> tuple[int, bool]:
        """Return the objects of all that a name stands for, as bits, and whether an 'and' is among it.

        An object counts, and of its definitions in the legend the last of each kind.
        """
        found, whole = 0, False
        if name in self._sketches:
            found = 1 << self._number.get(name, 0)
        last = {d.kind: d for d in self._definitions if d.name == name}
        for definition in last.values():
            target = definition if definition.kind != "same" else self._target(definition.members[0])
            entry = self._meaning(target)
            found, whole = found | entry.mask, whole or entry.kind == "and"
        return found, whole

    def line_of(self, name: str) -> int:
        """Return the line that defines a name of `entries`; of several the last."""
        definition = self._last.get(name)
        return definition.line if definition is not None else self._sketches[name].line

    def is_homeless(self, name: str) -> bool:
        """Return whether a name stands for one object, or a property of objects, in no layer."""
        target = self._target(name)
        names = (target,) if isinstance(target, str) else target.members if target else ()
        return bool(names) and names[0] not in self._number

    def part(self, name: str) -> str:
        """Return the name for rules of a member of an 'and'."""
        if name in self._number:
            return self.names[self._number[name]]
        return self.names[0] if name in self._sketches else name

    def layer_mask(self, layer: int) -> int:
        """Return the objects of a layer as bits."""
        return sum(1 << number for number in self.layers[layer])

    def _last_definitions(self) -> dict[str, Definition]:
        """Return the definition of each name that counts in rules."""
        found: dict[str, Definition] = {}
        for definition in self._definitions:
            before = found.get(definition.name)
            if before is None or definition.kind != "or" or before.kind == "or":
                found[definition.name] = definition
        self._known = {name for name, sketch in self._sketches.items() if sketch.line < self._known_until} | {
            definition.name for definition in self._definitions if definition.line < self._known_until
        }
        return {
            name: definition for name, definition in found.items()
            if definition.kind != "or" or name not in self._sketches
        }  # fmt: skip

    def _target(self, name: str) -> Definition | str | None:
        """Return the object or the list of several names that a name stands for; None if it is unknown."""
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            definition = self._last.get(name)
            if definition is None:
                return name if name in self._sketches else None
            if definition.kind != "same":
                return definition
            name = definition.members[0]
        return name if name in self._sketches else None

    def _placed(self, layers: Iterable[Layer]) -> None:
        """Put the objects into layers; of an object listed twice the last place counts."""
        found: list[dict[str, None]] = []
        where: dict[str, int] = {}
        listed: dict[str, set[int]] = {}
        self.shared = 0
        self._layer_lines: list[int] = []
        for layer in layers:
            here: dict[str, None] = {}
            written: set[str] = set()
            for word in layer.names:
                if word.text in written:
                    self._tell(layer.line.number, word, "stands in the layer more than once.", 0, 1)
                written.add(word.text)
                self._check_background(layer, word, bool(here), written)
                members = self._members(layer, word)
                if any(listed.get(member, set()) - {len(found)} for member in members):
                    self._tell(layer.line.number, word, "is in two layers; the last one counts.", 0, 1)
                for member in members:
                    if where.get(member, len(found)) != len(found):
                        found[where[member]].pop(member, None)
                    listed.setdefault(member, set()).add(len(found))
                    where[member] = len(found)
                    here.pop(member, None)
                    here[member] = None
            found.append(here)
            self._layer_lines.append(layer.line.number)
        self.homeless = tuple(name for name in self._sketches if name not in where)
        if not where:
            return self._numbered(found)
        for name in self.homeless:
            self._problems.add(
                self._sketches[name].line, 1,
                f"The object {quoted(name)} is in no collision layer; add it to one. Maps leave it out, "
                f"and in "
                "rules it counts as the first object of the first layer.",
            )  # fmt: skip
        return self._numbered(found)

    def _check_background(self, layer: Layer, word: Word, filled: bool, written: Collection[str]) -> None:
        """Tell a background that shares the line of a layer."""
        if filled if word.text == BACKGROUND else BACKGROUND in written:
            self.shared = layer.line.number
            self._problems.add(
                layer.line.number, word.column, f"{quoted(BACKGROUND)} shares its layer: where another "
                "object of it stands there is no background. Give the background a layer of its own.",
            )  # fmt: skip

    def _tell(
        self, line: int, word: Word, rest: str, errors: int = 1, warnings: int = 0, plays: bool = False
    ) -> None:
        self._problems.add(
            line, word.column, f"{quoted(word.text)} {rest}", errors=errors, warnings=warnings,
            effect="word" if plays else "none",
        )  # fmt: skip

    def _members(self, layer: Layer, word: Word) -> tuple[str, ...]:
        target = word.text if word.text in self._sketches else self._target(word.text)
        if isinstance(target, str):
            return (target,)
        expected = "an object or a property was expected."
        if target is None:
            self._tell(layer.line.number, word, f"is not defined; {expected}", plays=True)
            return ()
        if target.kind == "and":
            self._tell(
                layer.line.number, word, f"stands for several objects at once ('and'); {expected}", plays=True
            )
            return ()
        for name in target.unknown:
            if not self.defines(name):
                self._tell(layer.line.number, word, f"has the member {quoted(name)}, which is not defined.")
        return target.members

    def _numbered(self, placed: list[dict[str, None]]) -> None:
        self._number: dict[str, int] = {}
        layers = []
        for names in placed:
            first = len(self._number)
            self._number.update((name, first + index) for index, name in enumerate(names))
            layers.append(tuple(range(first, len(self._number))))
        self.layers = tuple(layers)

    def _objects(self) -> tuple[GameObject, ...]:
        layer_of = {number: layer for layer, numbers in enumerate(self.layers) for number in numbers}
        return tuple(
            GameObject(
                name, number, layer_of[number], self._sketches[name].colours, self._sketches[name].square
            )
            for name, number in self._number.items()
        )  # fmt: skip

    def layer_line(self, layer: int) -> int:
        """Return the line of a layer."""
        return self._layer_lines[layer]

    def _entry(self, name: str) -> Entry:
        """Return what a name that is defined stands for in rules."""
        target = self._target(name)
        if target is None:
            return Entry("nothing", (), 0, (), (), (self._missing(name),))
        return self._meaning(target)

    def _meaning(self, target: Definition | str | None) -> Entry:
        """Return what an object, or the list of several names, stands for in rules."""
        if target is None:
            return Entry("nothing", (), 0, (), ())
        if isinstance(target, str):
            return self._of_numbers("object", (self._number.get(target, 0),))
        unknown = tuple(name for name in target.unknown if not self.defines(name))
        numbers = [
            number
            for member in target.members
            for number in (
                (self._number.get(member, 0),) if member in self._sketches else self._entry(member).members
            )
        ]
        if not numbers:
            return Entry("nothing", (), 0, (), (), unknown)
        if target.kind == "and":
            return self._of_numbers("and", tuple(dict.fromkeys(numbers)), target.members, unknown)
        return self._of_numbers("or", tuple(dict.fromkeys(numbers)), (), unknown)

    def _missing(self, name: str) -> str:
        """Return the name at the end of a row of other names, which is not defined."""
        seen: set[str] = set()
        while name in self._last and name not in seen:
            seen.add(name)
            name = self._last[name].members[0]
        return name

    def _of_numbers(
        self, kind: Kind, numbers: tuple[int, ...], parts: tuple[str, ...] = (), unknown: tuple[str, ...] = ()
    ) -> Entry:
        mask = 0
        for number in numbers:
            mask |= 1 << number
        layers = tuple(dict.fromkeys(self.objects[number].layer for number in numbers))
        return Entry(kind, numbers, mask, layers, parts, unknown)

    def _entries(self) -> dict[str, Entry]:
        if not self.objects:
            return {}
        entries = {name: self._entry(name) for name in (*self._sketches, *self._last)}
        meant = {*self._sketches, *(other.name for other in self._definitions if other.kind == "same")}
        for definition in self._definitions:
            if definition.kind == "and":
                self._check_order(definition)
                if definition.name not in meant:  # otherwise maps take another definition
                    self._check_aggregate(definition)
                meant.add(definition.name)
        self._check_kinds()
        return entries

    def _check_kinds(self) -> None:
        """Tell objects of an 'or' that an 'and' defines again, and the reverse."""
        targets = {
            name: target for name in self._last if isinstance(target := self._target(name), Definition)
        }
        for name, target in targets.items():
            for member in target.members:
                other = targets.get(member)
                if other is not None and other.kind != target.kind and member in self._sketches:
                    self._problems.add(
                        self._last[member].line, self._last[member].column, f"{quoted(member)} is a member "
                        f"of {quoted(name)}, and is defined here by an {other.kind!r}; take another name.",
                        effect="none",
                    )  # fmt: skip

    def _names(self) -> tuple[str, ...]:
        names = []
        for thing in self.objects:
            name = thing.name
            if self.entries[name].mask != 1 << thing.number:
                name = f"{name} (object)"
                self.entries[name] = self._of_numbers("object", (thing.number,))
            names.append(name)
        return tuple(names)

    def _check_order(self, definition: Definition) -> None:
        """Tell a member of an 'and' that is defined below it."""
        for name in definition.unknown:
            if self.defines(name):
                self._problems.add(
                    definition.line, definition.column, f"In the line of {quoted(definition.name)}: "
                    f"{quoted(name)} is defined below it; exchange the lines.", fatal=True,
                )  # fmt: skip

    def _check_aggregate(self, definition: Definition) -> None:
        """Tell an 'and' whose members cannot lie in one cell, or lie in no layer."""
        used: dict[int, str] = {}
        for member, count in Counter(definition.members).items():
            if member not in self._sketches:
                continue
            if count > 1 and member in self._number:
                self._problems.add(
                    definition.line, definition.column, f"{quoted(member)} is {count} times in "
                    f"{quoted(definition.name)}, and cannot lie in a cell twice.", errors=count - 1,
                    effect="none",
                )  # fmt: skip
            if member not in self._number:
                self._problems.add(
                    definition.line, definition.column, f"In the line of {quoted(definition.name)}: "
                    f"{quoted(member)} is in no collision layer.",
                )  # fmt: skip
                continue
            layer = self.objects[self._number[member]].layer
            if layer in used:
                self._problems.add(
                    definition.line, definition.column, f"The members {quoted(used[layer])} and "
                    f"{quoted(member)} of {quoted(definition.name)} cannot lie in one cell: they are of one "
                    "layer. Maps take the first.",
                )  # fmt: skip
            used.setdefault(layer, member)

    def _glyphs(self) -> dict[str, int]:
        """Return what each name puts into a cell of a map."""
        first: dict[str, Definition] = {}
        for kind in ("same", "and"):
            for definition in self._definitions:
                if definition.kind == kind:
                    first.setdefault(definition.name, definition)
        glyphs: dict[str, int] = {}
        for name in (*self._sketches, *first):
            found = self._in_map(name, first)
            if found is not None:
                glyphs[name] = found
        return glyphs

    def _in_map(self, name: str, first: Mapping[str, Definition]) -> int | None:
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            if name in self._sketches:
                return 1 << self._number[name] if name in self._number else 0
            definition = first.get(name)
            if definition is None:
                return None
            if definition.kind == "and":
                return self._together(definition)
            name = definition.members[0]
        return None

    def _together(self, definition: Definition) -> int | None:
        """Return the objects that an 'and' puts into a cell: of each layer the first."""
        if definition.unknown or any(member not in self._sketches for member in definition.members):
            return None
        taken: dict[int, int] = {}
        for member in definition.members:
            if member in self._number:
                number = self._number[member]
                taken.setdefault(self.objects[number].layer, 1 << number)
        return sum(taken.values())
