"""The parts that a plugin's hooks register: collected, checked, and compared with those of other plugins."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any, TypeAlias

import attrs
import pluggy

from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.domain import CommandInfo, Domain
from epcg_core.domain.kinds import KINDS, Kind
from epcg_core.plugins import API_VERSION, hookspecs
from epcg_core.plugins.faces import FACES
from epcg_core.plugins.validation import check_descriptor

Identity: TypeAlias = "tuple[type, tuple[str, ...]]"
"""The key of a part, the same for two parts that are one: the kind of descriptor, and names."""


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


def collected(plugin: LoadedPlugin) -> list[tuple[Kind, Any]]:
    """Call the hooks of a plugin, and check what they register."""
    pending: list[tuple[Kind, Any]] = []
    _check_api_version(plugin.module)
    manager = _manager()
    _check_hook_names(plugin.module)
    manager.register(plugin.module, plugin.name)
    try:
        manager.check_pending()
        for kind in KINDS:
            getattr(manager.hook, kind.hook)(register=_collector(kind, pending))
    finally:
        manager.unregister(plugin.module)
    _check_once(pending)
    return pending


@cache
def _manager() -> pluggy.PluginManager:
    """Return what knows the hooks, and one plugin at a time."""
    manager = pluggy.PluginManager("epcg")
    manager.add_hookspecs(hookspecs)
    return manager


def _collector(kind: Kind, pending: list[tuple[Kind, Any]]) -> Callable[[Any], None]:
    def register(info: Any) -> None:
        if not isinstance(info, kind.info):
            raise PluginError(f"{kind.hook} takes {kind.info.__name__}, not {type(info).__name__}.")
        for part in (info, *info.parts()) if isinstance(info, Domain) else (info,):
            own = kind_of(part)
            check_descriptor(own.name, part)
            _check_domain_named(part)
            pending.append((own, part))

    return register


def kind_of(info: object) -> Kind:
    return next(kind for kind in KINDS if isinstance(info, kind.info))


def hook_of(info: object) -> str:
    """Return the hook that takes a descriptor. Raises PluginError if none does."""
    for kind in KINDS:
        if isinstance(info, kind.info):
            return kind.hook
    raise PluginError(f"{info!r} is not a descriptor of a part, such as Domain(...) or EvaluatorInfo(...).")


def _check_domain_named(info: object) -> None:
    if getattr(info, "domain", None) == "" and not isinstance(info, CommandInfo):
        kind = kind_of(info)
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


def _check_hook_names(module: object) -> None:
    known = [kind.hook for kind in KINDS]
    for name, thing in inspect.getmembers(module, inspect.isroutine):
        if (name.startswith("epcg_register") or hasattr(thing, "epcg_impl")) and name not in known:
            raise UnknownNameError("hook", name, known)
        if name in known and not hasattr(thing, "epcg_impl"):
            raise PluginError(f"{name} lacks the decorator @epcg_core.hookimpl, so it would never be called.")
