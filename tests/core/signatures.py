"""Whether a call that fits one signature fits another, parameter by parameter.

Signatures are lines as `tests.core.surface` records them: 'module.name(a: 'int', b=1) -> 'str''.
"""

from __future__ import annotations

import ast
import re

WIDER = {
    "list": {"MutableSequence", "Sequence", "Collection", "Iterable"},
    "tuple": {"Sequence", "Collection", "Iterable"},
    "dict": {"MutableMapping", "Mapping"},
    "set": {"AbstractSet", "Collection", "Iterable"},
    "frozenset": {"AbstractSet", "Collection", "Iterable"},
    "Sequence": {"Collection", "Iterable"},
    "Collection": {"Iterable"},
    "Iterator": {"Iterable"},
    "int": {"float"},
    "Answer": {"Run"},
}
"""Types, and what may stand in their place because it takes more."""


def fits(before: str, now: str) -> bool:
    """Whether all that worked with the recorded signature works with that of now.

    There may be new arguments with defaults, wider types of arguments, and narrower types of results. A
    default may come, but not go or change, because calls that rely on it would mean something else.
    """
    old, new = _parsed(before), _parsed(now)
    if old is None or new is None:
        return before == now
    if old.returns is not None and not _takes(new.returns, old.returns):
        return False
    return _fits(old.args, new.args)


def _fits(old: ast.arguments, new: ast.arguments) -> bool:
    pairs = _pairs(old, new)
    if not all(_takes(one.annotation, other.annotation) for one, other in pairs):
        return False
    defaults, now = _defaults(old), _defaults(new)
    if any(one.arg in defaults and defaults[one.arg] != now.get(other.arg) for one, other in pairs):
        return False
    used = {other.arg for _, other in pairs}
    unused = {each.arg for each in (*new.posonlyargs, *new.args, *new.kwonlyargs)} - used
    many = len(old.posonlyargs) + len(old.args) + len(old.kwonlyargs)
    has_rest = all(
        getattr(new, kind) is not None for kind in ("vararg", "kwarg") if getattr(old, kind) is not None
    )
    return len(used) == many and unused <= set(now) and has_rest


def _pairs(old: ast.arguments, new: ast.arguments) -> list[tuple[ast.arg, ast.arg]]:
    """Each argument beside the one that gets its value now, as far as there is one."""
    places, named = [*new.posonlyargs, *new.args], {each.arg: each for each in (*new.args, *new.kwonlyargs)}
    found = list(zip(old.posonlyargs, places, strict=False))
    for each, now in zip(old.args, places[len(old.posonlyargs) :], strict=False):
        if each.arg == now.arg and now.arg in named:
            found.append((each, now))
    return found + [(each, named[each.arg]) for each in old.kwonlyargs if each.arg in named]


def _parsed(line: str) -> ast.FunctionDef | None:
    """The signature of a recorded line, or None if the line has none."""
    _, bracket, rest = line.partition("(")
    if not bracket:
        return None
    written = re.sub(r"<[^<>]*>", lambda found: repr(found[0]), rest)
    found = ast.parse(f"def f({written}: ...").body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


def _defaults(arguments: ast.arguments) -> dict[str, str]:
    """What an argument is if it is left out."""
    places = [*arguments.posonlyargs, *arguments.args]
    by_place = zip(places[len(places) - len(arguments.defaults) :], arguments.defaults, strict=True)
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {each.arg: ast.unparse(value) for each, value in (*by_place, *by_name) if value is not None}


def _takes(narrow: ast.expr | None, wide: ast.expr | None) -> bool:
    """Whether a place of the second type takes all values of the first."""
    if wide is None:
        return True
    wider = _members(wide)
    if wider & {"Any", "object"}:
        return True
    if narrow is None:
        return False
    return all(each in wider or _widened(each, wider) for each in _members(narrow))


def _widened(each: str, wider: set[str]) -> bool:
    """Whether a wider type of the same contents is among some."""
    name, bracket, of = each.partition("[")
    return any(f"{other}{bracket}{of}" in wider for other in WIDER.get(name, ()))


def _members(annotation: ast.expr) -> set[str]:
    """The types of a union, as they are written; the values of a literal each for itself."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return _members(ast.parse(annotation.value, mode="eval").body)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _members(annotation.left) | _members(annotation.right)
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Literal":
        of = annotation.slice
        return {f"Literal[{ast.unparse(each)}]" for each in (of.elts if isinstance(of, ast.Tuple) else [of])}
    return {ast.unparse(annotation)}
