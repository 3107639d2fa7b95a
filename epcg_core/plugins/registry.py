"""Discovery of plugins, and the registry of their parts.

Nothing is loaded at import time. `EPCG_PLUGINS` is an allow-list of entry-point names, separated by commas;
empty means none. A plugin that does not import, has another API version, misspells a hook or registers
something malformed is reported (`epcg domains`) and never breaks the others. Of plugins that register a part
of the same name, the owner of its domain stays in use (see `Registry.add_plugins`).
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import attrs

from epcg_core.base import documents
from epcg_core.base.errors import (
    PLUGIN_EXCEPTIONS,
    EpcgError,
    OutOfMemoryError,
    PluginError,
    UnknownNameError,
    format_exception,
    place_of,
    whereabouts,
)
from epcg_core.base.guests import hosting, visit
from epcg_core.base.params import structure
from epcg_core.domain import (
    CORE_SELECTION_RULES,
    DomainInfo,
    EditorInfo,
    EntropyScorerInfo,
    EvaluatorInfo,
    ExecutorInfo,
    FormatInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    KindInfo,
    MethodInfo,
    Metric,
    PolicyInfo,
    RendererInfo,
    SearchInfo,
    SelectionRuleInfo,
    TablesInfo,
    modules_of,
    resolve,
)
from epcg_core.domain.kinds import KINDS, Kind
from epcg_core.domain.lazy import is_usable
from epcg_core.plugins import scripts
from epcg_core.plugins.claims import Claim, Kinds, LoadedPlugin, collected, kinds_added
from epcg_core.plugins.entry_points import active_entry_points, allowed, installed_entry_points
from epcg_core.plugins.faces import face_of
from epcg_core.plugins.installed import name_and_version, version

WITHOUT_FILE = "notebook"
"""The name of the plugin of what was registered by code without a file; its version is 0."""
_CORE_PARTS = "epcg_core.plugins.builtin"
Info = TypeVar("Info")


@attrs.frozen
class PluginReport:
    """One plugin as `epcg domains` lists it."""

    name: str
    distribution: str
    version: str
    problem: str = ""
    """Why the plugin is not in use; empty if it works."""
    error: BaseException | None = attrs.field(default=None, eq=False, repr=False)
    """The exception behind the problem."""
    note: str = ""
    """Domains that it has parts for, and that no plugin in use has; what its installation lacks; or ''."""


class Registry:
    """Everything that the core and the active plugins registered."""

    def __init__(self) -> None:
        self.reports: list[PluginReport] = []
        self.kinds = Kinds()
        self._found = defaultdict[type, dict[tuple[str, ...], Any]](dict)
        self._origin: dict[int, str] = {}
        self._by_package: dict[str, str] | None = None

    def all(self, info: type[Info], domain: str | None = None) -> list[Info]:
        """Return every descriptor of a kind, by name, optionally of one domain only."""
        found = self._found[info]
        return [found[key] for key in sorted(found) if domain is None or key[0] == domain]

    def usable(self, info: type[Info], domain: str | None = None) -> list[Info]:
        """Return those of `all` whose params can be imported; `epcg domains` says why others cannot."""
        return [part for part in self.all(info, domain) if is_usable(part)]

    def domain(self, name: str, where: str = "") -> DomainInfo:
        try:
            return self._named(DomainInfo, "domain", None, name, where)
        except UnknownNameError:
            reason = self.why_not_in_use(name)
            if reason is None:
                raise
            raise PluginError(f"{where + ': ' if where else ''}{reason}") from self.load_error(name)

    def generator(self, domain: str, name: str, where: str = "") -> GeneratorInfo:
        self.domain(domain, "domain" if where == "generator" else where)  # keys of a query
        return self._named(GeneratorInfo, "generator", domain, name, where)

    def editor(self, domain: str) -> EditorInfo:
        """Return a domain's editor. Raises PluginError if it has none."""
        self.domain(domain)
        found: EditorInfo | None = self._found[EditorInfo].get((domain,))
        if found is None:
            raise PluginError(
                f"The domain {domain} has no editor, so its contents cannot be edited by hand: a plugin adds "
                "one by `epcg_register_editors`."
            )
        return found

    def evaluator(self, domain: str, name: str, where: str = "") -> EvaluatorInfo:
        self.domain(domain, where)
        return self._named(EvaluatorInfo, "evaluator", domain, name, where)

    def metric(self, domain: str, name: str) -> Metric | None:
        """Return a metric of a domain's evaluators; None if none has that name."""
        infos = self.all(EvaluatorInfo, domain)
        return next((metric for info in infos for metric in info.metrics if metric.name == name), None)

    def metrics(self, info: EvaluatorInfo, params: Any) -> tuple[Metric, ...]:
        """Return the metrics of an evaluator: those that it always has, and those that its params ask for."""
        if info.adds is None:
            return info.metrics
        with self.attribute_errors_to(info):
            return (*info.metrics, *resolve(info.adds)(params, self))

    def metrics_of(self, domain: str, evaluator: str, params: Mapping[str, Any]) -> tuple[Metric, ...]:
        """Return the metrics of an evaluator with recorded params. Raises an EpcgError if it is gone."""
        info = self.evaluator(domain, evaluator)
        return self.metrics(info, structure(info.params, params, evaluator))

    def search(self, name: str, where: str = "") -> SearchInfo:
        return self._named(SearchInfo, "search", None, name, where)

    def inference_rule(self, domain: str, name: str, where: str = "") -> InferenceRuleInfo:
        self.domain(domain, where)
        return self._named(InferenceRuleInfo, "inference rule", domain, name, where)

    def policy(self, name: str, where: str = "") -> PolicyInfo:
        return self._named(PolicyInfo, "policy", None, name, where)

    def entropy_scorer(self, name: str, where: str = "") -> EntropyScorerInfo:
        return self._named(EntropyScorerInfo, "entropy scorer", None, name, where)

    def executor(self, name: str, where: str = "") -> ExecutorInfo:
        return self._named(ExecutorInfo, "executor", None, name, where)

    def tables(self, name: str, where: str = "") -> TablesInfo:
        return self._named(TablesInfo, "set of tables", None, name, where)

    def method(self, of: str, name: str) -> MethodInfo | None:
        """Return a method that a plugin adds to the objects of a kind; None if none does."""
        found: MethodInfo | None = self._found[MethodInfo].get((of, name))
        return found

    def format(self, domain: str, name: str, where: str = "") -> FormatInfo:
        self.domain(domain, where)
        return self._named(FormatInfo, "format", domain, name, where)

    def named_path(self, text: str) -> Path | None:
        """Return the path that a text is, also of a file that is missing; None for any other text.

        A path leads to something, or ends like the files of a registered format, or like another text file.
        """
        found = (ending for info in self.all(FormatInfo) for ending in info.endings)
        return documents.named_path(text, found)

    def renderer(self, domain: str, format: str, name: str = "") -> RendererInfo | None:
        """Return the renderer of a name, or the domain's own, which has none; None if there is none.

        Raises UnknownNameError if another renderer is asked for by name than there is.
        """
        found: RendererInfo | None = self._found[RendererInfo].get((domain, format, name))
        if found is None and name:
            known = [key[2] for key in self._found[RendererInfo] if key[:2] == (domain, format) and key[2]]
            raise self.unknown(f"{format} renderer", name, known, domain)
        return found

    def selection_rule(self, name: str, where: str = "") -> SelectionRuleInfo | None:
        """Return a plugin's rule by its name; None for one of the core."""
        if name in CORE_SELECTION_RULES:
            return None
        found: dict[tuple[str, ...], SelectionRuleInfo] = self._found[SelectionRuleInfo]
        if (name,) not in found:
            raise self.unknown("rule", name, [*CORE_SELECTION_RULES, *(key[0] for key in found)], where)
        return found[name,]

    def _named(self, info: type[Info], kind: str, domain: str | None, name: str, where: str) -> Info:
        found = self._found[info]
        key = (name,) if domain is None else (domain, name)
        if key not in found:
            known = [k[-1] for k in found if domain is None or k[0] == domain]
            raise self.unknown(kind, name, known, where)
        thing: Info = found[key]
        return thing

    def unknown(self, kind: str, name: str, known: Iterable[str], where: str = "") -> UnknownNameError:
        """Return an error for an unknown part, which names plugins that might have it, but are not in use."""
        broken = [report.name for report in self.reports if report.problem]
        note = self.missing(kind, name) or ""
        if broken and not note:
            are = "The plugin {} is" if len(broken) == 1 else "The plugins {} are"
            note = (
                f"{are.format(' and '.join(broken))} installed, but could not be loaded; see `epcg domains`."
            )
        return UnknownNameError(kind, name, known, where, note)

    def missing(self, kind: str, name: str) -> str | None:
        """Return a sentence that says which face has a part, and why it is not in use; None for others."""
        face = face_of(kind, name)
        if face is None:
            return None
        reason = self.why_not_in_use(face)
        if reason is not None:
            return f"It cannot be used: {reason}"
        return f"It is in epcg-{face}, which is not installed: pip install epcg-{face}."

    def version_of(self, info: object) -> str:
        """Return 'distribution version' of the plugin that registered `info`.

        Raises PluginError if there is none.
        """
        if id(info) not in self._origin:
            raise PluginError(f"{info!r} is used, but no plugin registered it.")
        return self._origin[id(info)]

    def distribution_of(self, info: object) -> str:
        """Return the distribution that registered `info`; '' if none did."""
        return self._origin.get(id(info), "").rpartition(" ")[0]

    def is_of_file(self, info: object) -> bool:
        """Return whether a file registered `info`: a plugin or a script, no notebook."""
        return self._origin.get(id(info)) != f"script-{WITHOUT_FILE} 0"

    def modules_that_compute(self, distribution: str) -> tuple[str, ...]:
        """Return the modules behind those parts of a distribution that make values."""
        return tuple(sorted({
            module
            for kind in KINDS
            if kind.computes
            for info in self._found[kind.info].values()
            if self.distribution_of(info) == distribution
            for module in modules_of(info)
        }))  # fmt: skip

    def plugins_by_package(self) -> Mapping[str, str]:
        """Return 'distribution version' of the plugins by the top packages of their parts' code."""
        if self._by_package is None:
            found: dict[str, str] = {}
            for infos in self._found.values():
                for info in infos.values():
                    for module in sorted(modules_of(info)):
                        found.setdefault(module.partition(".")[0], self._origin[id(info)])
            self._by_package = found
        return self._by_package

    def plugin(self, name: str, where: str = "") -> PluginReport:
        """Return a plugin in use. Raises UnknownNameError, or PluginError for one that is not in use."""
        found = {report.name: report for report in self.reports if not report.problem}
        if name not in found:
            reason = self.why_not_in_use(name)
            if reason is not None:
                raise PluginError(reason) from self.load_error(name)
            raise UnknownNameError("plugin", name, found, where)
        return found[name]

    def described(self, info: object) -> str:
        """Describe a part: 'generator numbers:range (plugin epcg-toy 1.0)'."""
        kind = self.kinds.of(info)
        origin = self._origin.get(id(info))
        name = ":".join(filter(None, kind.identity(info)))
        return f"{kind.name} {name}{f' (plugin {origin})' if origin else ''}"

    @contextmanager
    def attribute_errors_to(self, info: object) -> Iterator[None]:
        """Turn any exception of a part into an EpcgError that names the part."""
        try:
            with visit():
                yield
        except EpcgError:
            raise
        except MemoryError as error:
            raise OutOfMemoryError(f"The {self.described(info)} ran out of memory.") from error
        except PLUGIN_EXCEPTIONS as error:
            failure = PluginError(f"The {self.described(info)} raised {format_exception(error)}.")
            if note := whereabouts(error):
                failure.add_note(note)
            raise failure from error

    def why_not_in_use(self, name: str) -> str | None:
        """Return why an installed plugin is not in use; None if it is in use or not installed."""
        for report in self.reports:
            if report.name == name and report.problem:
                return (
                    f"the plugin {name} is installed, but could not be loaded: {report.problem.rstrip('.')}; "
                    "see `epcg domains`."
                )
        names = allowed()
        installed = {e.name for e in installed_entry_points()}
        if names is not None and name in installed - names:
            off = f"the plugin {name} is installed, but EPCG_PLUGINS or --no-plugins switches it off"
            return f"{off}: leave that out, or name the plugin there."
        return None

    def load_error(self, name: str) -> BaseException | None:
        """Return the exception that keeps an installed plugin out of use; None if there is none."""
        return next((report.error for report in self.reports if report.name == name), None)

    def add_plugin(self, name: str, module: object, distribution: str, version: str) -> None:
        """Add one plugin (see `add_plugins`)."""
        self.add_plugins([LoadedPlugin(name, module, distribution, version)])

    def remove_plugin(self, distribution: str) -> None:
        """Forget what a distribution registered, so that it can register again."""
        for found in self._found.values():
            for identity, info in list(found.items()):
                if self.distribution_of(info) == distribution:
                    del found[identity]
                    if isinstance(info, KindInfo):
                        self.kinds.remove(info)
        self.reports = [report for report in self.reports if report.distribution != distribution]
        self._by_package = None

    def add_plugins(self, plugins: Sequence[LoadedPlugin]) -> None:
        """Call every hook of some plugins; register all parts of each, or none and report the plugin.

        If several plugins register a part of the same name, one of them stays: the owner of its domain, else
        the first. A plugin whose part is of a domain that no plugin registers is left out, too.
        """
        claims, problems = list[Claim](), dict[int, BaseException]()
        self._add_kinds(plugins)
        for plugin in plugins:
            try:
                claims.append(Claim(plugin, self._with_edited(collected(plugin, self.kinds))))
            except PLUGIN_EXCEPTIONS as error:  # a plugin may raise anything; it is reported, not passed on
                problems[id(plugin)] = error
        while refused := self._refused(claims):
            problems |= {id(claim.plugin): error for claim, error in refused}
            claims = [claim for claim in claims if id(claim.plugin) not in problems]
        for claim in claims:
            for kind, info in claim.parts:
                self._found[kind.info][kind.identity(info)] = info
                self._origin[id(info)] = f"{claim.plugin.distribution} {claim.plugin.version}"
        self._assemble(
            info.name for claim in claims for _, info in claim.parts if isinstance(info, DomainInfo)
        )
        self._by_package = None
        domains = {name for (name,) in self._found[DomainInfo]}
        waiting = {
            id(claim.plugin): {getattr(info, "domain", "") for _, info in claim.parts} - {"", *domains}
            for claim in claims
        }
        for plugin in plugins:
            self.report(plugin, problems.get(id(plugin)), waiting.get(id(plugin), ()))

    def _add_kinds(self, plugins: Sequence[LoadedPlugin]) -> None:
        """Add the kinds of parts that plugins bring, so that any of them may register such parts."""
        for plugin in plugins:
            with suppress(*PLUGIN_EXCEPTIONS):  # `collected` looks at each again, and reports what is wrong
                for info in kinds_added(plugin):
                    self.kinds.add(info)

    def _assemble(self, domains: Iterable[str]) -> None:
        """Give domains the core's parts for content of several items; a domain's own part of a name stays."""
        core = importlib.import_module(_CORE_PARTS)
        origin = f"epcg-core {version('epcg-core')}"
        for part in (part for domain in domains for part in core.assembling_of(domain)):
            kind = self.kinds.of(part)
            if self._found[kind.info].setdefault(kind.identity(part), part) is part:
                self._origin[id(part)] = origin

    def report(
        self, plugin: LoadedPlugin, error: BaseException | None, waiting: Collection[str] = ()
    ) -> None:
        """Report that a plugin is in use, or that `error` keeps it out; `waiting` are domains it lacks."""
        problem = "" if error is None else format_exception(error)
        if error is not None and not isinstance(error, EpcgError):
            problem += place_of(error)
        lacks = f"has parts for {', '.join(sorted(waiting))}, which no plugin in use has" if waiting else ""
        note = "; ".join(filter(None, (lacks, plugin.note)))
        self.reports.append(
            PluginReport(plugin.name, plugin.distribution, plugin.version, problem, error, note)
        )

    def _with_edited(self, parts: list[tuple[Kind, Any]]) -> list[tuple[Kind, Any]]:
        """Add the generators of editors, and pictures where there are none; both are the core's."""
        core = importlib.import_module(_CORE_PARTS)
        drawn = {info.domain for _, info in parts if isinstance(info, RendererInfo) and info.format == "svg"}
        edited: list[Any] = []
        for _, info in parts:
            if isinstance(info, EditorInfo):
                drawing = [] if info.domain in drawn else [core.renderer_of(info)]
                edited += [*core.generators_of(info), *drawing]
        return [*parts, *((self.kinds.of(part), part) for part in edited)]

    def _refused(self, claims: Sequence[Claim]) -> list[tuple[Claim, PluginError]]:
        """Return claims that cannot be admitted, with the reason: at least one if there is any.

        A claim that gives way to one that gives way itself may be admissible without that, so it is left for
        the next round.
        """
        lost = {}
        for claim in claims:
            found = self._loss(claim, claims)
            if found is not None:
                lost[claim] = found
        final = [claim for claim, (winner, _) in lost.items() if winner not in lost]
        return [(claim, lost[claim][1]) for claim in final or list(lost)[-1:]]

    def _loss(self, claim: Claim, claims: Sequence[Claim]) -> tuple[Claim | None, PluginError] | None:
        """Return the claim that this one gives way to, if any, and a sentence; None if it is admissible."""
        domains = {name for (name,) in self._found[DomainInfo]}
        domains |= {name[0] for other in claims for of, name in other.identities if of is DomainInfo}
        for kind, info in claim.parts:
            identity = kind.identity(info)
            label = ":".join(filter(None, identity))
            registered = self._found[kind.info].get(identity)
            if registered is not None:
                return None, _taken(label, kind, self._origin[id(registered)])
            domain = identity[0] if kind.info is DomainInfo or hasattr(info, "domain") else None
            rivals = [other for other in claims if (kind.info, identity) in other.identities]
            winner = min(rivals, key=lambda other: self._order(other, domain, claims))
            if winner is not claim:
                return winner, _taken(label, kind, f"{winner.plugin.distribution} {winner.plugin.version}")
            if getattr(info, "domain", "") and info.domain not in domains:
                named = UnknownNameError("domain", info.domain, domains)
                if named.nearest or not domains:  # otherwise its plugin may be switched off
                    return None, PluginError(f"The {kind.name} '{label}': {named}")
        return None

    def _order(self, claim: Claim, domain: str | None, claims: Sequence[Claim]) -> tuple[bool, bool, int]:
        owner = None if domain is None else self._owner(domain, claims)
        return claim is not owner, not claim.is_face, claims.index(claim)

    def _owner(self, domain: str, claims: Sequence[Claim]) -> Claim | None:
        """Return the claim that owns a domain; None if none of them registers it."""
        rivals = [claim for claim in claims if (DomainInfo, (domain,)) in claim.identities]
        return min(rivals, key=lambda claim: claim.precedence(domain), default=None)


def _taken(label: str, kind: Kind, owner: str) -> PluginError:
    choose = "give it a name of its own, name='...'" if kind.info is RendererInfo else "choose another name"
    return PluginError(f"{label} is registered already, by {owner}: {choose}.")


@cache
def registry() -> Registry:
    """Return the registry of this process, filled at the first call."""
    found = Registry()
    core = importlib.import_module(_CORE_PARTS)
    found.add_plugin("core", core, "epcg-core", version("epcg-core"))
    loaded = []
    for entry_point in active_entry_points():
        distribution, number = name_and_version(entry_point.dist) if entry_point.dist else ("?", "?")
        note = getattr(entry_point.dist, "note", "")  # of an `IncompleteDistribution`
        plugin = LoadedPlugin(entry_point.name, None, distribution, number, note)
        try:
            with hosting(), visit():
                loaded.append(attrs.evolve(plugin, module=entry_point.load()))
        except PLUGIN_EXCEPTIONS as error:  # an import may raise anything
            found.report(plugin, error)
    found.add_plugins(loaded)
    found.reports[1:] = sorted(found.reports[1:], key=lambda report: report.name)
    for path in scripts.registered():
        _load_registered(path, found)
    return found


def _load_registered(path: Path, found: Registry) -> None:
    try:
        scripts.load(path, found)
    except PLUGIN_EXCEPTIONS as error:
        found.report(LoadedPlugin(path.stem, None, f"script-{path.stem}", "?"), error)
