"""The parts that a plugin's hooks register: collected, checked, and compared with those of other plugins."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import Any, TypeAlias

import attrs
import pluggy

from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.domain import CommandInfo, Domain, KindInfo
from epcg_core.domain.kinds import KINDS, Kind, open_kind
from epcg_core.plugins import API_VERSION, hookspecs
from epcg_core.plugins.faces import FACES
from epcg_core.plugins.validation import check_descriptor

Identity: TypeAlias = "tuple[type, tuple[str, ...]]"
"""The key of a part, the same for two parts that are one: the kind of descriptor, and names."""


CORE = frozenset(kind.plural for kind in KINDS)
"""The plurals of the core's kinds, of which the names of their hooks are made."""


@attrs.frozen(eq=False)
class LoadedPlugin:
    """A plugin's module, and where it comes from."""

    name: str
    module: object
    distribution: str
    version: str
    note: str = ""
    """The fault of its installation; empty if there is none."""


@attrs.frozen(eq=False)
class Claim:
    """The parts that a plugin wants to register."""

    plugin: LoadedPlugin
    parts: Sequence[tuple[Kind, Any]]

    @cached_property
    def identities(self) -> frozenset[Identity]:
        return frozenset((kind.info, kind.identity(info)) for kind, info in self.parts)

    def precedence(self, domain: str) -> tuple[bool, bool]:
        """Return a key that is lowest for the owner of a domain among the plugins that register it.

        That is the one of the distribution 'epcg-DOMAIN', else the one whose entry point is called DOMAIN.
        """
        return self._distribution != _normalized(f"epcg-{domain}"), self.plugin.name != domain

    @property
    def is_face(self) -> bool:
        """Whether it is that of one of EPCG's own faces, which no other plugin pushes out."""
        return self.plugin.name in FACES and self._distribution == f"epcg-{self.plugin.name}"

    @property
    def _distribution(self) -> str:
        return _normalized(self.plugin.distribution)


def _normalized(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


class Kinds:
    """The kinds of the core, and those of plugins."""

    def __init__(self) -> None:
        self._others: dict[str, Kind] = {}

    def add(self, info: KindInfo) -> None:
        """Add a kind, unless there is one of its hook, which `collected` says. Raises as `open_kind` does."""
        if info.plural not in CORE.union(self._others):
            self._others[info.plural] = open_kind(info)

    def remove(self, info: KindInfo) -> None:
        """Forget a kind, because its plugin registers again."""
        self._others.pop(info.plural, None)

    @property
    def hooks(self) -> list[str]:
        """The names of all hooks."""
        return [kind.hook for kind in (*KINDS, *self._others.values())]

    def named(self, plural: str) -> Kind | None:
        """Return a kind that a plugin adds; None if none does."""
        return self._others.get(plural)

    def of_plugins(self) -> list[Kind]:
        """Return the kinds that plugins add, by their plurals."""
        return [self._others[plural] for plural in sorted(self._others)]

    def of(self, info: object) -> Kind:
        """Return the kind of a descriptor. Raises PluginError if it is none."""
        for kind in (*KINDS, *self._others.values()):
            if isinstance(info, kind.info):
                return kind
        raise PluginError(
            f"{info!r} is not a descriptor of a part, such as Domain(...) or EvaluatorInfo(...)."
        )


def kinds_added(plugin: LoadedPlugin) -> list[KindInfo]:
    """Return the kinds that a plugin adds. They have to be known before parts of them are collected."""
    found: list[KindInfo] = []
    hook = getattr(plugin.module, "epcg_register_kinds", None)
    if hook is not None:
        hook(found.append)
    return [info for info in found if isinstance(info, KindInfo)]


def collected(plugin: LoadedPlugin, kinds: Kinds) -> list[tuple[Kind, Any]]:
    """Call the hooks of a plugin, and check what they register."""
    pending: list[tuple[Kind, Any]] = []
    _check_api_version(plugin.module)
    manager = _manager()
    _check_hook_names(plugin.module, kinds)
    manager.register(plugin.module, plugin.name)
    try:
        for kind in KINDS:
            getattr(manager.hook, kind.hook)(register=_collector(kind, pending, kinds))
    finally:
        manager.unregister(plugin.module)
    for kind in kinds.of_plugins():
        hook = getattr(plugin.module, kind.hook, None)
        if hook is not None:
            hook(partial(_collect_fields, kind, pending))
    _check_once(pending)
    return pending


def _collect_fields(kind: Kind, pending: list[tuple[Kind, Any]], /, *parts: Any, **fields: Any) -> None:
    """Collect a part of a kind that a plugin adds: a descriptor, or its fields."""
    if parts and (fields or len(parts) > 1 or not isinstance(parts[0], kind.info)):
        raise PluginError(f"{kind.hook} takes one {kind.info.__name__}, or its fields as keywords.")
    try:
        info = parts[0] if parts else kind.info(**fields)
    except TypeError as error:
        raise PluginError(f"{kind.hook}: {str(error).partition('() ')[2] or error}.") from error
    check_descriptor(kind.name, info)
    pending.append((kind, info))


@cache
def _manager() -> pluggy.PluginManager:
    """Return what knows the hooks, and one plugin at a time."""
    manager = pluggy.PluginManager("epcg")
    manager.add_hookspecs(hookspecs)
    return manager


def _collector(kind: Kind, pending: list[tuple[Kind, Any]], kinds: Kinds) -> Callable[[Any], None]:
    def register(info: Any) -> None:
        if not isinstance(info, kind.info):
            raise PluginError(f"{kind.hook} takes {kind.info.__name__}, not {type(info).__name__}.")
        for part in (info, *info.parts()) if isinstance(info, Domain) else (info,):
            own = kinds.of(part)
            check_descriptor(own.name, part)
            if isinstance(part, KindInfo):
                open_kind(part)
                if part.plural in CORE:
                    raise PluginError(f"The core has {part.plural}: choose another plural for '{part.name}'.")
            _check_domain_named(own, part)
            pending.append((own, part))
        for plural, parts in (info.others if isinstance(info, Domain) else {}).items():
            if (other := kinds.named(plural)) is not None:
                for fields in parts:
                    _collect_fields(other, pending, **fields)

    return register


def _check_domain_named(kind: Kind, info: object) -> None:
    if getattr(info, "domain", None) == "" and not isinstance(info, CommandInfo):
        raise PluginError(
            f"The {kind.name} {kind.identity(info)[-1]} names no domain: write domain=..., or put it into a "
            "Domain that epcg_register_domains registers."
        )


def _check_once(pending: list[tuple[Kind, Any]]) -> None:
    seen = set()
    for kind, info in pending:
        identity = (kind.hook, kind.identity(info))
        if identity in seen:
            raise PluginError(f"it registers {':'.join(filter(None, kind.identity(info)))} twice.")
        seen.add(identity)


def _check_api_version(module: object) -> None:
    declared = getattr(module, "EPCG_API_VERSION", None)
    if declared is None:
        raise PluginError(
            f"EPCG_API_VERSION is missing: write EPCG_API_VERSION = {API_VERSION} into the plugin's module, "
            "the version of the plugin API that it is written for."
        )
    if not isinstance(declared, int):
        raise PluginError(f"EPCG_API_VERSION is {declared!r}: write the number, as in EPCG_API_VERSION = 1.")
    if declared != API_VERSION:
        raise PluginError(
            f"it was written for plugin API {declared}, this is EPCG with API {API_VERSION}: install a "
            "version of the plugin that declares EPCG_API_VERSION = "
            f"{API_VERSION}."
        )


def _check_hook_names(module: object, kinds: Kinds) -> None:
    known = kinds.hooks
    for name, thing in inspect.getmembers(module, inspect.isroutine):
        ours = name.startswith("epcg_register") or hasattr(thing, "epcg_impl")
        if ours and name not in known and not getattr(thing, "epcg_impl", {}).get("optionalhook"):
            note = "A hook for another plugin's kind of part is marked @hookimpl(optionalhook=True)."
            raise UnknownNameError("hook", name, known, note=note)
        if name in known and not hasattr(thing, "epcg_impl"):
            raise PluginError(f"{name} lacks the decorator @epcg_core.hookimpl, so it would never be called.")
