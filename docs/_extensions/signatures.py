"""Signatures and sources as the code has them: attrs classes with fields, protocols without constructor."""

from __future__ import annotations

import typing
from inspect import Parameter, Signature
from pkgutil import resolve_name
from typing import Any

import attrs
from sphinx.application import Sphinx


class Written:
    """Something whose repr is a given text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature_of(cls: type) -> str:
    """The arguments of an attrs class: types as they are written, defaults as values or as calls."""
    found = []
    for field in attrs.fields(cls):
        if not field.init:
            continue
        default: Any = field.default
        if default is attrs.NOTHING:
            default = Parameter.empty
        elif isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = Written(f"{default.factory.__name__}()")
        elif callable(default) and hasattr(default, "__qualname__"):
            default = Written(default.__qualname__)
        kind = Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD
        written = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", field.type)
        annotation = Parameter.empty if written is None else Written(str(written))
        found.append(Parameter(field.alias or field.name, kind, default=default, annotation=annotation))
    return str(Signature(sorted(found, key=lambda parameter: parameter.kind)))


def process(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Replace the signature of the constructor of an attrs class."""
    owner, _, attribute = name.rpartition(".")
    if attribute != "__init__":
        return None
    cls = resolve_name(owner)
    return (signature_of(cls), None) if attrs.has(cls) else None


def skip(app: Sphinx, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out the constructor that `typing` gives to each protocol."""
    made = getattr(typing, "_no_init_or_replace_init", None)
    return True if name == "__init__" and made is not None and thing is made else None


def source(app: Sphinx, module: str, name: str) -> str | None:
    """Look for the source of what Python itself defines where it is documented: there is none elsewhere."""
    try:
        thing = resolve_name(f"{module}.{name}")
    except (AttributeError, ImportError):
        return None
    return module if getattr(thing, "__module__", "") == "builtins" else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the handlers known."""
    app.connect("autodoc-process-signature", process)
    app.connect("autodoc-skip-member", skip)
    app.connect("viewcode-follow-imported", source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
