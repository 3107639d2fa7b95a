"""Discovery of plugins, and the registry of their parts.

Nothing is loaded at import time. `EPCG_PLUGINS` is an allow-list of entry-point names, separated by commas;
empty means none. A plugin that does not import, has another API version, misspells a hook or registers
something malformed is reported (`epcg domains`) and never breaks the others.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import attrs
import pluggy

from epcg_core.domain import (
    CommandInfo,
    Domain,
    DomainInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    Metric,
    PolicyInfo,
    PublicationInfo,
    RendererInfo,
    SearchInfo,
)
from epcg_core.errors import (
    PLUGIN_EXCEPTIONS,
    EpcgError,
    OutOfMemoryError,
    PluginError,
    UnknownNameError,
    format_exception,
)
from epcg_core.plugins import API_VERSION, hookspecs

ENTRY_POINTS = "epcg"
_CORE_PARTS = "epcg_core.builtin"
_RESERVED = ("rank", "status", "evaluated")
"""Columns that every run has beside its metrics."""
Info = TypeVar("Info")


def _allowed() -> set[str] | None:
    """Return the names in EPCG_PLUGINS; None if the variable is not set."""
    allowed = os.environ.get("EPCG_PLUGINS")
    return None if allowed is None else {name.strip() for name in allowed.split(",") if name.strip()}


def active_entry_points() -> list[importlib.metadata.EntryPoint]:
    """Return the entry points that the allow-list admits, by name."""
    names = _allowed()
    found = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return sorted((e for e in found if names is None or e.name in names), key=lambda e: (e.name, e.value))


def unknown_plugins() -> list[str]:
    """Return a sentence for each name in EPCG_PLUGINS without an installed plugin."""
    names = _allowed()
    if not names:
        return []
    known = {e.name for e in importlib.metadata.entry_points(group=ENTRY_POINTS)}
    return [str(UnknownNameError("plugin", name, known, "EPCG_PLUGINS")) for name in sorted(names - known)]


def source_files() -> Iterator[tuple[str, Path]]:
    """Yield (label, path) of each .py file of the core and active plugins, without importing plugins."""
    packages = {"epcg_core": None} | {e.module.partition(".")[0]: None for e in active_entry_points()}
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None:
            continue
        for folder in map(Path, spec.submodule_search_locations or ()):
            for path in sorted(folder.rglob("*.py")):
                yield f"{package}/{path.relative_to(folder).as_posix()}", path
        if spec.submodule_search_locations is None and spec.origin is not None:
            yield package, Path(spec.origin)


def sources(versions: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (file, SHA-256) of the core and of the plugins among 'distribution version'."""
    names = {version.rpartition(" ")[0] for version in versions}
    packages = {"epcg_core"} | {
        point.module.partition(".")[0]
        for point in active_entry_points()
        if point.dist is not None and point.dist.name in names
    }
    for label, path in source_files():
        if label.partition("/")[0] in packages:
            yield label, hashlib.sha256(path.read_bytes()).hexdigest()


@attrs.frozen
class PluginReport:
    """One plugin as `epcg domains` lists it."""

    name: str
    distribution: str
    version: str
    problem: str = ""
    """Why the plugin is not in use; empty if it works."""


@attrs.frozen
class _Kind:
    """One kind of contribution: its hook, its name, its descriptor and what makes two of them the same."""

    hook: str
    name: str
    info: type
    identity: Callable[[Any], tuple[str, ...]]


_BY_NAME: Callable[[Any], tuple[str, ...]] = lambda info: (info.name,)  # noqa: E731
_BY_DOMAIN: Callable[[Any], tuple[str, ...]] = lambda info: (info.domain, info.name)  # noqa: E731
_BY_FORMAT: Callable[[Any], tuple[str, ...]] = lambda info: (info.domain, info.format)  # noqa: E731

_KINDS = (
    _Kind("epcg_register_domains", "domain", DomainInfo, _BY_NAME),
    _Kind("epcg_register_generators", "generator", GeneratorInfo, _BY_DOMAIN),
    _Kind("epcg_register_evaluators", "evaluator", EvaluatorInfo, _BY_DOMAIN),
    _Kind("epcg_register_searches", "search", SearchInfo, _BY_NAME),
    _Kind("epcg_register_inference_rules", "inference rule", InferenceRuleInfo, _BY_DOMAIN),
    _Kind("epcg_register_policies", "policy", PolicyInfo, _BY_NAME),
    _Kind("epcg_register_entropy_scorers", "entropy scorer", EntropyScorerInfo, _BY_NAME),
    _Kind("epcg_register_renderers", "renderer", RendererInfo, _BY_FORMAT),
    _Kind("epcg_register_formats", "format", FormatInfo, _BY_DOMAIN),
    _Kind("epcg_register_publications", "publication", PublicationInfo, _BY_NAME),
    _Kind("epcg_register_commands", "command", CommandInfo, _BY_DOMAIN),
)


class Registry:
    """Everything that the core and the active plugins registered."""

    def __init__(self) -> None:
        self.reports: list[PluginReport] = []
        self._found: dict[type, dict[tuple[str, ...], Any]] = {kind.info: {} for kind in _KINDS}
        self._origin: dict[int, str] = {}

    def all(self, info: type[Info], domain: str | None = None) -> list[Info]:
        """Return every descriptor of a kind, by name, optionally of one domain only."""
        found = self._found[info]
        return [found[key] for key in sorted(found) if domain is None or key[0] == domain]

    def domain(self, name: str, where: str = "") -> DomainInfo:
        try:
            return self._named(DomainInfo, "domain", None, name, where)
        except UnknownNameError:
            reason = self.why_not_in_use(name)
            if reason is None:
                raise
            raise PluginError(f"{where + ': ' if where else ''}{reason}") from None

    def generator(self, domain: str, name: str, where: str = "") -> GeneratorInfo:
        self.domain(domain, where)
        return self._named(GeneratorInfo, "generator", domain, name, where)

    def evaluator(self, domain: str, name: str, where: str = "") -> EvaluatorInfo:
        self.domain(domain, where)
        return self._named(EvaluatorInfo, "evaluator", domain, name, where)

    def metric(self, domain: str, name: str) -> Metric | None:
        """Return a metric of a domain's evaluators; None if none has that name."""
        infos = self.all(EvaluatorInfo, domain)
        return next((metric for info in infos for metric in info.metrics if metric.name == name), None)

    def search(self, name: str, where: str = "") -> SearchInfo:
        return self._named(SearchInfo, "search", None, name, where)

    def inference_rule(self, domain: str, name: str, where: str = "") -> InferenceRuleInfo:
        self.domain(domain, where)
        return self._named(InferenceRuleInfo, "inference rule", domain, name, where)

    def policy(self, name: str, where: str = "") -> PolicyInfo:
        return self._named(PolicyInfo, "policy", None, name, where)

    def entropy_scorer(self, name: str, where: str = "") -> EntropyScorerInfo:
        return self._named(EntropyScorerInfo, "entropy scorer", None, name, where)

    def format(self, domain: str, name: str, where: str = "") -> FormatInfo:
        self.domain(domain, where)
        return self._named(FormatInfo, "format", domain, name, where)

    def renderer(self, domain: str, format: str) -> RendererInfo | None:
        found: RendererInfo | None = self._found[RendererInfo].get((domain, format))
        return found

    def _named(self, info: type[Info], kind: str, domain: str | None, name: str, where: str) -> Info:
        found = self._found[info]
        key = (name,) if domain is None else (domain, name)
        if key not in found:
            known = [k[-1] for k in found if domain is None or k[0] == domain]
            raise UnknownNameError(kind, name, known, where)
        thing: Info = found[key]
        return thing

    def version_of(self, info: object) -> str:
        """Return 'distribution version' of the plugin that registered `info`.

        Raises PluginError if there is none.
        """
        if id(info) not in self._origin:
            raise PluginError(f"{info!r} is used, but no plugin registered it.")
        return self._origin[id(info)]

    def described(self, info: object) -> str:
        """Describe a part: 'generator numbers:range (plugin epcg-toy 1.0)'."""
        kind = _kind_of(info)
        origin = self._origin.get(id(info))
        return f"{kind.name} {':'.join(kind.identity(info))}{f' (plugin {origin})' if origin else ''}"

    @contextmanager
    def attribute_errors_to(self, info: object) -> Iterator[None]:
        """Turn any exception of a part into an EpcgError that names the part."""
        try:
            yield
        except EpcgError:
            raise
        except MemoryError as error:
            raise OutOfMemoryError(f"The {self.described(info)} ran out of memory.") from error
        except PLUGIN_EXCEPTIONS as error:
            raise PluginError(f"The {self.described(info)} raised {format_exception(error)}.") from error

    def why_not_in_use(self, name: str) -> str | None:
        """Return why an installed plugin is not in use; None if it is in use or not installed."""
        for report in self.reports:
            if report.name == name and report.problem:
                return (
                    f"the plugin {name} is installed, but could not be loaded: {report.problem.rstrip('.')}; "
                    "see `epcg domains`."
                )
        allowed = _allowed()
        installed = {e.name for e in importlib.metadata.entry_points(group=ENTRY_POINTS)}
        if allowed is not None and name in installed - allowed:
            return f"the plugin {name} is installed, but EPCG_PLUGINS or --no-plugins switches it off."
        return None

    def add_plugin(self, name: str, module: object, distribution: str, version: str) -> None:
        """Call every hook of one plugin; register all of its parts, or none and report the plugin."""
        pending: list[tuple[_Kind, Any]] = []
        try:
            _check_api_version(module)
            manager = pluggy.PluginManager("epcg")
            manager.add_hookspecs(hookspecs)
            _check_hook_names(module)
            manager.register(module, name)
            manager.check_pending()
            for kind in _KINDS:
                getattr(manager.hook, kind.hook)(register=_collector(kind, pending))
            _check_once(pending)
            for kind, info in pending:
                self._check_new(kind, info)
        except PLUGIN_EXCEPTIONS as error:  # a plugin may raise anything; it is reported, not passed on
            self.reports.append(PluginReport(name, distribution, version, format_exception(error)))
            return
        for kind, info in pending:
            self._found[kind.info][kind.identity(info)] = info
            self._origin[id(info)] = f"{distribution} {version}"
        self.reports.append(PluginReport(name, distribution, version))

    def _check_new(self, kind: _Kind, info: Any) -> None:
        earlier = self._found[kind.info].get(kind.identity(info))
        if earlier is not None:
            label = ":".join(kind.identity(info))
            raise PluginError(f"{label} is registered already, by {self._origin[id(earlier)]}.")


def _collector(kind: _Kind, pending: list[tuple[_Kind, Any]]) -> Callable[[Any], None]:
    def register(info: Any) -> None:
        if not isinstance(info, kind.info):
            raise PluginError(f"{kind.hook} takes {kind.info.__name__}, not {type(info).__name__}.")
        for part in (info, *info.parts()) if isinstance(info, Domain) else (info,):
            _check_domain_named(part)
            _check_metric_names(part)
            pending.append((_kind_of(part), part))

    return register


def _kind_of(info: object) -> _Kind:
    return next(kind for kind in _KINDS if isinstance(info, kind.info))


def _check_domain_named(info: object) -> None:
    if getattr(info, "domain", None) == "":
        kind = _kind_of(info)
        raise PluginError(
            f"The {kind.name} {kind.identity(info)[-1]} names no domain: write domain=..., or put it into a "
            "Domain that epcg_register_domains registers."
        )


def _check_metric_names(info: object) -> None:
    if not isinstance(info, EvaluatorInfo):
        return
    for metric in info.metrics:
        if metric.name in _RESERVED or not metric.name.isidentifier():
            raise PluginError(
                f"The evaluator {info.domain}:{info.name} cannot call a metric '{metric.name}': choose "
                f"letters, digits and underscores, and none of {', '.join(_RESERVED)}."
            )


def _check_once(pending: list[tuple[_Kind, Any]]) -> None:
    seen = set()
    for kind, info in pending:
        identity = (kind.hook, kind.identity(info))
        if identity in seen:
            raise PluginError(f"it registers {':'.join(kind.identity(info))} twice.")
        seen.add(identity)


def _check_api_version(module: object) -> None:
    declared = getattr(module, "EPCG_API_VERSION", None)
    if declared is None:
        raise PluginError(
            f"EPCG_API_VERSION is missing: write EPCG_API_VERSION = {API_VERSION} into the plugin's module, "
            "the version of the plugin API that it is written for."
        )
    if declared != API_VERSION:
        raise PluginError(
            f"it was written for plugin API {declared}, this is EPCG with API {API_VERSION}: install a "
            "version of the plugin that declares EPCG_API_VERSION = "
            f"{API_VERSION}."
        )


def _check_hook_names(module: object) -> None:
    known = [kind.hook for kind in _KINDS]
    for name, thing in inspect.getmembers(module, inspect.isroutine):
        if (name.startswith("epcg_register") or hasattr(thing, "epcg_impl")) and name not in known:
            raise UnknownNameError("hook", name, known)
        if name in known and not hasattr(thing, "epcg_impl"):
            raise PluginError(f"{name} lacks the decorator @epcg_core.hookimpl, so it would never be called.")


@cache
def registry() -> Registry:
    """Return the registry of this process, filled at the first call."""
    found = Registry()
    core = importlib.import_module(_CORE_PARTS)
    found.add_plugin("core", core, "epcg-core", importlib.metadata.version("epcg-core"))
    for entry_point in active_entry_points():
        distribution = entry_point.dist.name if entry_point.dist else "?"
        version = entry_point.dist.version if entry_point.dist else "?"
        try:
            module = entry_point.load()
        except PLUGIN_EXCEPTIONS as error:  # an import may raise anything
            found.reports.append(
                PluginReport(entry_point.name, distribution, version, format_exception(error))
            )
            continue
        found.add_plugin(entry_point.name, module, distribution, version)
    return found
