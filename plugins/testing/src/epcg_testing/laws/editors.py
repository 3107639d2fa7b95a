"""Editors: palettes and sites that can be told apart, marks that do what they say, play that is shown."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, actions_of, empty_marks, space_spec
from epcg_core.plugin import (
    ERASE,
    EditorInfo,
    EpcgError,
    Gesture,
    Point,
    Scene,
    Site,
    format_exception,
    make_generator,
    registry,
    resolve,
)
from epcg_testing.report import Laws
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Subject
from epcg_testing.violations import Broken, Case, Cases, Skip, require, require_type, short

LAWS = Laws()

_EXAMPLES = 3
"""Examples of an editor that the laws look at, besides a new content."""
_PUTS = 250
"""Pairs of a site and a mark that are tried on each content."""
_POSITIONS = 25
_NONSENSE = ("", "\x00", "no content at all, of any domain {[<", "9" * 50)


@attrs.define(eq=False)
class Opened:
    """An editor that is opened at a content."""

    where: str
    info: EditorInfo
    text: str

    @cached_property
    def editor(self) -> Any:
        return resolve(self.info.factory)(self.text)

    @property
    def content(self) -> Any:
        return self.editor.content

    @cached_property
    def scene(self) -> Scene:
        found: Scene = self.editor.scene(self.content)
        return found

    def puts(self) -> Iterator[tuple[Site, str, Any]]:
        """Yield (site, mark, the content after it is put) for some pairs that the editor does not refuse."""
        pairs = [
            (site, mark.name)
            for site in self.scene.sites
            for mark in self.editor.palette
            if site.kind in mark.kinds
        ]
        if len(pairs) > _PUTS:
            pairs = random.Random(len(pairs)).sample(pairs, _PUTS)
        for site, mark in pairs:
            found = self.put(self.content, site.id, mark)
            if found is not None:
                yield site, mark, found

    def put(self, content: Any, site: str, mark: str) -> Any:
        """Return the content after a mark is put; None if the editor refuses it by a sentence."""
        try:
            return self.editor.put(content, site, mark)
        except EpcgError as error:
            if not str(error).strip():
                raise Broken(
                    f"the sentence by which {_put(site, mark)} is refused", "a sentence", "none"
                ) from None
            return None

    def shown(self, content: Any) -> Mapping[str, tuple[str, ...]]:
        """Return the marks of the sites that have any."""
        return _shown(self.editor.scene(content))


Check = Callable[[Opened], None]


def _law(name: str, statement: str, hint: str, capability: str = "") -> Callable[[Check], Check]:
    """Add a law that is checked for each content that an editor opens."""

    def add(check: Check) -> Check:
        @LAWS.whole(name, statement, hint)
        def cases(subject: Subject) -> Cases:
            for opened in _opened(subject):
                if isinstance(opened, Skip):
                    yield opened
                elif capability and not hasattr(opened.editor, capability):
                    yield Skip(opened.where, f"the editor offers no {capability}")
                else:
                    yield Case.once(opened.where, lambda own=opened: check(own))  # type: ignore[misc]

        return check

    return add


def _texts(info: EditorInfo) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "a new content", lambda: resolve(info.new)(*info.size)
    if info.examples is not None:
        examples = resolve(info.examples)()
        for title in islice(examples, _EXAMPLES):
            yield f"the example '{title}'", lambda own=title: examples[own]  # type: ignore[misc]


def _opened(subject: Subject) -> Iterator[Opened | Skip]:
    infos = subject.parts(EditorInfo)
    if not infos:
        yield Skip(subject.name, "no editor is registered")
    for info in infos:
        try:
            for title, make in _texts(info):
                opened = Opened(f"the editor of {subject.name}, {title}", info, make())
                opened.editor  # noqa: B018  (what cannot be opened is skipped)
                yield opened
        except PLUGIN_EXCEPTIONS as error:  # the law editors-open tells it
            yield Skip(subject.name, f"it cannot be opened: {short(format_exception(error))}")


@LAWS.whole(
    "editors-open",
    "an editor opens a new content and the examples, and refuses other texts by an EpcgError",
    "new(*size) and examples() give texts that factory reads; for others raise EpcgError with the place.",
)
def editors_open(subject: Subject) -> Cases:
    infos = subject.parts(EditorInfo)
    if not infos:
        yield Skip(subject.name, "no editor is registered")
    for info in infos:
        where = f"the editor of {subject.name}"
        yield Case.once(where, lambda own=info: _opens(own))  # type: ignore[misc]


def _opens(info: EditorInfo) -> None:
    make = resolve(info.factory)
    for title, text in _texts(info):
        found = text()
        require_type(f"the text of {title}", str, found)
        editor = make(found)
        require(f"parse of the text of {title}", snapshot(editor.content), snapshot(editor.parse(found)))
        for nonsense in _NONSENSE:
            for what, read in (("the factory", make), ("parse", editor.parse)):
                try:
                    read(nonsense)
                except EpcgError:
                    continue
                raise Broken(f"{what}, given the text {nonsense!r}", "an EpcgError", "a content")


@LAWS.whole(
    "joined-contents-open",
    "contents that are joined make one that the editor opens, and one content alone stays what it is",
    "joins(texts) must return the text of one content, and the same for a single text as its editor writes.",
)
def joined_contents_open(subject: Subject) -> Cases:
    for opened in _opened(subject):
        if isinstance(opened, Skip):
            yield opened
        elif opened.info.joins is None:
            yield Skip(opened.where, "the editor joins no contents")
        else:
            yield Case.once(opened.where, lambda own=opened: _joins(own))  # type: ignore[misc]


def _joins(opened: Opened) -> None:
    joins, make = resolve(opened.info.joins), resolve(opened.info.factory)  # type: ignore[arg-type]
    text = opened.editor.format(opened.content)
    alone = make(joins([text]))
    require("the text of one content, joined with none", text, alone.format(alone.content))
    for count in (2, 3):
        try:
            found = joins([text] * count)
        except EpcgError as error:  # some contents cannot stand beside themselves
            require("the sentence of the refusal", True, bool(str(error).strip()))
            continue
        require_type(f"{count} contents, joined", str, found)
        require(f"{count} contents, joined once more", found, joins([text] * count))
        editor = make(found)
        again = editor.format(editor.content)
        require(
            "what the editor reads of its own text", snapshot(editor.content), snapshot(editor.parse(again))
        )


@_law(
    "editors-read-what-they-write",
    "parse(format(content)) is the content, also after a change",
    "format must write all that a content is; what is derived from it is derived in put as in parse.",
)
def _round_trip(opened: Opened) -> None:
    editor = opened.editor
    for site, mark, content in _with_original(opened):
        text = editor.format(content)
        require_type("format(content)", str, text)
        after = f" after {_put(site, mark)}" if site else ""
        require(
            f"parse(format(content)){after}, the text being {text!r}",
            snapshot(content),
            snapshot(editor.parse(text)),
        )
        if editor.parse(text) != content or hash(editor.parse(text)) != hash(content):
            raise Broken(f"parse(format(content)){after}", "an equal content of the same hash", "another")


@_law(
    "palettes-are-clear",
    "the names and the keys of a palette are distinct, and `turned` names a mark of it",
    "give each mark its own name and, if it has one, its own key.",
)
def _palette(opened: Opened) -> None:
    palette = opened.editor.palette
    names = [mark.name for mark in palette]
    require("the names of the palette that stand there twice, or for nothing", [], _twice(names, ERASE))
    require(
        "the keys of the palette that stand there twice",
        [],
        _twice([mark.key for mark in palette if mark.key]),
    )
    lost = [mark.turned for mark in palette if mark.turned and mark.turned not in names]
    require("the names in `turned` that the palette does not have", [], lost)


@_law(
    "sites-are-places",
    "sites have ids of their own, lie apart, and are the same for all contents; marks lie on them",
    "number sites from their columns and rows; a cell's middle lies in no other cell.",
)
def _sites(opened: Opened) -> None:
    sites = opened.scene.sites
    require("the ids of sites that stand there twice", [], _twice([site.id for site in sites]))
    places = Counter(_place(site) for site in sites)
    require("sites that lie where another lies", [], [site.id for site in sites if places[_place(site)] > 1])
    cells = [site for site in sites if site.kind == "cell"]
    for one in cells:
        over = [other.id for other in cells if other is not one and _inside(_middle(one), other.points)]
        require(f"sites over the middle of {one.id}", [], over)
    for site, mark, content in _with_original(opened, 10):
        scene = opened.editor.scene(content)
        if scene.sites != sites:
            raise Broken(f"the sites of the scene after {_put(site, mark)}", "the same", "others")
        known = {site.id: site.kind for site in sites}
        require("marks on unknown sites", [], sorted(set(scene.marks) - set(known)))
        kinds = {mark.name: mark.kinds for mark in opened.editor.palette}
        wrong = [
            f"{mark} on {place}"
            for place, marks in scene.marks.items()
            for mark in marks
            if known[place] not in kinds.get(mark, (known[place],))
        ]
        require("marks on sites of a kind that they cannot lie on", [], wrong)


@_law(
    "put-changes-its-site",
    "after a mark is put, its site shows it; put twice it is the same as once; the content before is left",
    "make a new content; what cannot be put is refused by an EpcgError, and what lies there already is kept.",
)
def _puts(opened: Opened) -> None:
    before = snapshot(opened.content)
    tried = 0
    for site, mark, content in opened.puts():
        tried += 1
        require(f"the content from which {_put(site, mark)} was tried", before, snapshot(opened.content))
        shown = opened.shown(content).get(site.id, ())
        whole = next((each.shows for each in opened.editor.palette if each.name == mark), None)
        if mark not in shown if whole is None else sorted(shown) != sorted(whole):
            raise Broken(
                f"the marks on {site.id} after {_put(site, mark)}",
                f"{mark} among them" if whole is None else list(whole),
                list(shown),
            )
        again = opened.put(content, site.id, mark)
        require(f"the content after {_put(site, mark)} twice", snapshot(content), snapshot(again))
    if not tried:
        raise Broken("the marks that can be put on some site", "one at least", "none")


@_law(
    "erase-empties",
    "emptying a site leaves nothing there but what empty sites show, or is refused by a sentence",
    "put(content, site, '') takes away all but the marks in `empty`; raise EpcgError if it cannot.",
)
def _erases(opened: Opened) -> None:
    for site in opened.scene.sites:
        content = opened.put(opened.content, site.id, ERASE)
        if content is not None:
            left = list(opened.shown(content).get(site.id, ()))
            floor = sorted(empty_marks(opened.editor, site.kind))
            require(f"the marks on {site.id} after it is emptied", floor, left)


@_law(
    "play-is-shown",
    "the first position of play looks like the content, and every position has the content's sites",
    "draw both by the same function; what play never changes is drawn in positions, too.",
    "position_scene",
)
def _play(opened: Opened) -> None:
    for number, position in enumerate(_positions(opened)):
        scene = opened.editor.position_scene(opened.content, position)
        if scene.sites != opened.scene.sites:
            raise Broken("the sites of a position's scene", "those of the content", "others")
        if number == 0:
            require("the marks of the first position", dict(_shown(opened.scene)), dict(_shown(scene)))


@_law(
    "gestures-differ",
    "the actions of a position have gestures of their own, which touch sites that exist",
    "touch what moves, then where it goes; name the sites by their ids.",
    "gesture",
)
def _gestures(opened: Opened) -> None:
    model = opened.editor.transition_model
    known = {site.id for site in opened.scene.sites}
    for position in _positions(opened):
        actions = actions_of(model, position)
        gestures: list[Gesture] = [
            opened.editor.gesture(opened.content, position, action) for action in actions
        ]
        touched = [gesture.sites for gesture in gestures if gesture.sites]
        require("sites that are touched in the same way for two actions", [], _twice(touched))
        # A key may mean an action of each thing that can be touched first: a ball is chosen, and then flies.
        keys = [(key, *gesture.sites[:1]) for gesture in gestures for key in gesture.keys]
        require("keys that mean two actions", [], _twice(keys))
        if not all(gesture.sites or gesture.keys for gesture in gestures):
            raise Broken("the gestures of a position", "sites or keys for each action", gestures)
        require(
            "touched sites that do not exist",
            [],
            sorted({place for sites in touched for place in sites} - known),
        )


@_law(
    "images-play-alike",
    "images are contents of the editor, a content is an image of its images, and all of them play alike",
    "give only images under which no rule changes, each as `parse` would read it, and with each its inverse.",
    "images",
)
def _images(opened: Opened) -> None:
    editor, own = opened.editor, None
    for image in editor.images(opened.content):
        text = editor.format(image)
        require(
            f"parse(format(image)), the text being {text!r}", snapshot(image), snapshot(editor.parse(text))
        )
        if image != opened.content and all(back != opened.content for back in editor.images(image)):
            raise Broken("the images of an image", "the content among them", "others")
        own = _layers(opened, opened.content) if own is None else own
        require(
            f"positions, goals and actions at each distance from the start of the image {text!r}",
            own,
            _layers(opened, image),
        )


def _layers(opened: Opened, content: Any) -> list[tuple[int, int, list[int]]] | None:
    """Return (positions, goals, how many actions they have) of each distance from the start, up to a bound.

    None if play is not defined for a content.
    """
    model: Any = getattr(opened.editor, "transition_model", None)
    if model is None:
        return None
    try:
        first = model.initial(content)
    except EpcgError:
        return None
    found: list[tuple[int, int, list[int]]] = []
    layer, seen = [first], {model.key(first)}
    while layer and len(seen) <= _POSITIONS:
        goals = [model.is_goal(position) for position in layer]
        actions = [
            [] if goal else list(model.actions(position)) for position, goal in zip(layer, goals, strict=True)
        ]
        found.append((len(layer), sum(goals), sorted(map(len, actions))))
        following: dict[Any, Any] = {}
        for position, some in zip(layer, actions, strict=True):
            for action in some:
                after = model.apply(position, action)
                following.setdefault(model.key(after), after)
        layer = [after for key, after in following.items() if key not in seen]
        seen |= following.keys()
    return found


@_law(
    "resizing-keeps-what-fits",
    "a board made larger shows the same where it was, and is the same again when made smaller",
    "keep everything by its column and row, counted from the upper left.",
    "resized",
)
def _resizes(opened: Opened) -> None:
    columns, rows = opened.info.size
    make = resolve(opened.info.factory)
    editor = make(resolve(opened.info.new)(columns, rows))
    for wide, high in ((columns + 1, rows), (columns, rows + 1)):
        try:
            larger = make(editor.resized(editor.content, wide, high))
        except EpcgError:  # there is no such board
            continue
        shown = larger.scene(larger.content)
        for site, marks in _shown(editor.scene(editor.content)).items():
            require(f"the marks on {site} of a board of {wide} by {high}", marks, _shown(shown).get(site, ()))
        back = larger.resized(larger.content, columns, rows)
        require("the text of the board, larger and smaller again", editor.format(editor.content), back)


@_law(
    "questions-hold-the-content",
    "the questions of a content are read and measured, and a space that ranks states has the content",
    "name the generator with all of its params, the content too, and evaluators that score what it makes.",
    "questions",
)
def _asked(opened: Opened) -> None:
    domain = opened.info.domain
    for question in opened.editor.questions(opened.content):
        table = dict(question.query)
        name = table.pop("name")
        generator: Any = make_generator(registry(), space_spec(registry(), domain, name, table))
        scored = [each for each in question.measures if registry().evaluator(domain, each).scores(name)]
        require(f"the measures of '{question.title}' that score '{name}'", list(question.measures), scored)
        if hasattr(generator, "rank"):
            rank = generator.rank(opened.content)
            found = generator.unrank(rank)
            require(f"the state of the content's rank {rank}", snapshot(opened.content), snapshot(found))


def _positions(opened: Opened) -> Iterator[Any]:
    """Yield some positions, the first one first; none if play is not defined for the content."""
    model = opened.editor.transition_model
    try:
        first = model.initial(opened.content)
    except EpcgError:
        return
    seen, waiting = {model.key(first)}, [first]
    for position in waiting:
        yield position
        actions = actions_of(model, position)[:3]
        for action in actions:
            after = model.apply(position, action)
            if len(waiting) < _POSITIONS and model.key(after) not in seen:
                seen.add(model.key(after))
                waiting.append(after)


def _with_original(opened: Opened, most: int = _PUTS) -> Iterator[tuple[Site | None, str, Any]]:
    yield None, "", opened.content
    yield from islice(opened.puts(), most)


def _shown(scene: Scene) -> Mapping[str, tuple[str, ...]]:
    return {site: tuple(sorted(marks)) for site, marks in sorted(scene.marks.items()) if marks}


def _put(site: Site | str | None, mark: str) -> str:
    where = site.id if isinstance(site, Site) else site
    return f"{mark!r} is put on {where}" if mark else f"{where} is emptied"


def _twice(names: list[Any], *none: Any) -> list[Any]:
    return [name for name, times in Counter(names).items() if times > 1 or name in none]


def _place(site: Site) -> tuple[str, frozenset[Point]]:
    return site.kind, frozenset(site.points)


def _middle(site: Site) -> Point:
    xs, ys = zip(*site.points, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _inside(point: Point, corners: tuple[Point, ...]) -> bool:
    """Return whether a ray from a point crosses the sides of a polygon an odd number of times."""
    (x, y), found = point, False
    for (a, b), (c, d) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (b > y) != (d > y) and x < a + (y - b) * (c - a) / (d - b):
            found = not found
    return found
