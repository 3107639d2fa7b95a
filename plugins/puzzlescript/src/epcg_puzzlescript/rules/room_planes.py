"""Planes that lie in an array, written as loops over their words: code is as long for a large board."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_puzzlescript.rules.changes import bits_of
from epcg_puzzlescript.rules.plane_writer import PlaneWriter, Words


class RoomPlanes(PlaneWriter):
    """The primitives of `PlaneWriter` on planes in the array `room`, each by its place there.

    The words of a small plane are entries of the array, and what is computed are variables. Of larger ones,
    an expression is written for word `w`, and what is computed is a plane, too: behind those that have
    names. Then a plane has an entry that is always 0 before and behind its words, for shifts, and then one
    that is 0 if the plane is empty.
    """

    most_unrolled = 8
    """Planes of more words are worked on in loops."""
    most_named = 32
    """More planes, of which one is looked for in a cell, are worked on in a loop over a list of them."""

    def _lay_out(self, names: Sequence[str], first_listed: int) -> None:
        """Give planes their places, in this order; lists lie in `level` from `first_listed` on."""
        self._looped = self.words > self.most_unrolled
        self._size = self.words + 3 if self._looped else self.words
        self._places = {name: self._size * n + int(self._looped) for n, name in enumerate(names)}
        self._first_scratch = self._scratch = self.room = self._size * len(names) + int(self._looped)
        self._known: dict[str, str] = {}
        """For planes that were computed: the variable that is 0 if all words are."""
        self._first_listed, self._table = first_listed, list[int]()
        self._listed: dict[tuple[int, ...], int] = {}

    def _begin(self, name: str, arguments: Sequence[str]) -> None:
        super()._begin(name, arguments)
        self._scratch = self._first_scratch
        self._known.clear()

    def _place(self, name: str) -> str:
        """Return the place of a plane, as an expression."""
        return str(self._places[name])

    def _plane(self, name: str) -> Words:
        return self._plane_at(self._place(name))

    def _plane_at(self, place: str, array: str = "room") -> Words:
        if self._looped:
            return [f"{array}[{place} + w]"]
        if place.isdigit():
            return [f"{array}[{int(place) + w}]" for w in range(self.words)]
        return [f"{array}[{place} + {w}]" if w else f"{array}[{place}]" for w in range(self.words)]

    def _is_there(self, name: str) -> str:
        """Return an expression that is not 0 if a plane is not empty."""
        place = self._place(name)
        return f"room[{place} + {self.words + 1}]" if self._looped else " | ".join(self._plane(name))

    # many planes

    def _list_of(self, names: Sequence[str]) -> str:
        """Return where a list of planes lies in `level`: their number, and then their places."""
        places = tuple(self._places[name] for name in names)
        if places not in self._listed:
            self._listed[places] = self._first_listed + len(self._table)
            self._table += [len(places), *places]
        return str(self._listed[places])

    def _any(self, mask: int) -> Words:
        names = [self.object(number) for number in bits_of(mask)]
        if len(names) <= self.most_named:
            return super()._any(mask)
        place = self._list_of(names)
        found = self._new()
        plane = [f"{found}_{w}" for w in range(self.words)]
        if self._looped:
            plane = [f"room[{self._scratch} + w]"]
            self._take_scratch()
            self._each_word()
            self._depth += 1
            self._put("x = 0")
            self._put(f"for i in range(level[{place}]):")
            self._put(f"    x |= room[level[i + {place} + 1] + w]", 3)
            self._put(f"{plane[0]} = x")
            self._depth -= 1
            return plane
        for word in plane:
            self._put(f"{word} = 0")
        self._each_listed(place)
        for word, each in zip(plane, self._plane_at("listed"), strict=True):
            self._put(f"{word} |= {each}", 2)
        self._depth -= 1
        return plane

    def _each_listed(self, place: str) -> None:
        """Write the head of a loop over the planes of a list; each lies at `listed`."""
        self._put(f"for i in range(level[{place}]):")
        self._depth += 1
        self._put(f"listed = level[i + {place} + 1]")

    # words

    def _take_scratch(self) -> None:
        self._scratch += self._size
        self.room = max(self.room, self._scratch)

    def _let(self, expressions: Sequence[str]) -> Words:
        if not self._looped:
            return super()._let(expressions)
        plane = [f"room[{self._scratch} + w]"]
        self._take_scratch()
        self._assign(plane, expressions)
        return plane

    def _assign(self, plane: Words, expressions: Sequence[str]) -> None:
        if not self._looped:
            super()._assign(plane, expressions)
            return
        (word,), (expression,) = plane, expressions
        some = self._known.get(word) or self._new()
        self._put(f"{some} = 0")
        self._each_word()
        self._put(f"    x = {expression}", 1 + sum(map(expression.count, "&|<>~")))
        self._put(f"    {word} = x")
        self._put(f"    {some} |= x")
        place = word.removeprefix("room[").removesuffix(" + w]")
        if place.isdigit() and int(place) >= self._first_scratch:
            self._known[word] = some
        else:
            self._put(f"room[{place} + {self.words + 1}] = {some}")

    def _each_word(self) -> None:
        self._put(f"for w in range({self.words}):")

    def _some(self, plane: Words) -> str:
        if not self._looped:
            return super()._some(plane)
        if len(plane) == 1 and plane[0] in self._known:
            return self._known[plane[0]]
        some = self._new()
        self._put(f"{some} = 0")
        self._each_word()
        each = " | ".join(plane)
        self._put(f"    {some} |= {each}", 1 + sum(map(each.count, "&|<>~")))
        return some

    def _several(self, plane: Words) -> str:
        if not self._looped:
            return super()._several(plane)
        some, several = self._new(), self._new()
        self._put(f"{some} = 0")
        self._put(f"{several} = 0")
        self._each_word()
        self._put(f"    x = {plane[0]}")
        self._put(f"    {several} |= (x & (x - 1)) | (x if {some} else 0)", 4)
        self._put(f"    {some} |= x")
        return several

    def _lowest(self, plane: Words) -> Words:
        if not self._looped:
            return super()._lowest(plane)
        some = self._new()
        found = [f"room[{self._scratch} + w]"]
        self._take_scratch()
        self._put(f"{some} = 0")
        self._each_word()
        self._put(f"    x = {plane[0]}")
        self._put(f"    x = (x & -x) if not {some} else 0", 4)
        self._put(f"    {found[0]} = x")
        self._put(f"    {some} |= x")
        self._known[found[0]] = some
        return found

    def _shifted(self, plane: Words, direction: int) -> Words:
        if not self._looped:
            return super()._shifted(plane, direction)
        by, over = ("1", "63") if direction < 2 else ("s", "t")
        (here,) = plane
        before, after = (here.replace("w]", f"w {sign} 1]") for sign in "-+")
        if direction in (1, 3):
            return [f"({here} << {by}) | ({before} >> {over})"]
        return [f"({here} >> {by}) | ({after} << {over})"]
