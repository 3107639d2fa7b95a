"""Listings of what can be generated, evaluated and searched, and of plugins. Light: no numpy, no database."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import attrs

from epcg_core.api.arguments import checked
from epcg_core.api.report import Report, Table
from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError, format_exception
from epcg_core.base.params import describe
from epcg_core.domain import (
    CommandInfo,
    DomainInfo,
    EditorInfo,
    EvaluatorInfo,
    FormatInfo,
    GeneratorInfo,
    RendererInfo,
    SearchInfo,
)
from epcg_core.domain.kinds import KINDS, Kind
from epcg_core.domain.lazy import WithParams
from epcg_core.plugins.private import private_imports
from epcg_core.plugins.registry import PluginReport, Registry, registry
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.query.named import (
    load_query,
    plan_title,
    query_title,
    shipped_plans,
    shipped_queries,
    shipped_studies,
)

_WIDTH = 80
_CORE = "epcg-core"
_SHARED: dict[str, Any] = {
    kind.key: kind.info
    for kind in KINDS
    if "domain" not in kind.same and kind.info not in (DomainInfo, SearchInfo)
}
"""Kinds of parts that belong to no domain, beside searches, by their keys in JSON."""
_INDENT = 16
"""Shorter names have their text beside them."""


@attrs.frozen(repr=False)
class Domains(Report):
    """All domains, or one of them, with their parts; and the plugins."""

    data: Mapping[str, Any]
    """Everything by name, as `json` returns it."""

    def parts(self) -> Iterator[str | Table]:
        """Yield sections with a paragraph for each part."""
        yield from _all(self.data) if "domains" in self.data else _one(self.data)

    def table(self) -> Table:
        """Return a row for each domain: name, title, summary."""
        rows = self.data.get("domains", [self.data])
        columns = ("name", "title", "summary")
        return Table(columns, tuple(tuple(row[key] for key in columns) for row in rows))

    def json(self) -> dict[str, Any]:
        """Return everything by name."""
        return dict(self.data)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]


@checked
def domains(name: str | None = None) -> Domains:
    """List the domains and all other parts, as `epcg domains` does; with a name, all about one domain.

    Raises UnknownNameError if there is no such domain.
    """
    end_of_parts()
    found = registry()
    shipped = _shipped(found)
    if name is not None:
        data = _domain_data(found, found.domain(name), shipped)
        kinds = {"searches": SearchInfo, **_SHARED}
        every = {
            "generators and evaluators": sorted({info.name for info in _in_every_domain(found)}),
            **{key: [info.name for info in found.all(kind)] for key, kind in kinds.items()},
        }
        return Domains(data | {"for_every_domain": every})
    return Domains(
        {
            "domains": [_domain_data(found, domain, shipped) for domain in found.all(DomainInfo)],
            "searches": [
                _part_data(found, search) | {"proves": search.proves, "refuses": list(search.refuses)}
                for search in found.all(SearchInfo)
            ],
            **{key: [_part_data(found, info) for info in found.all(kind)] for key, kind in _SHARED.items()},
            **_of_other_kinds(found),
            "in_every_domain": [_part_data(found, info) for info in _in_every_domain(found)],
            "commands": [
                _listing(found, info) for info in found.all(CommandInfo) if info.group or not info.domain
            ],
            "unusable": _unusable(found, shipped),
            "plugins": [_plugin_data(report) for report in found.reports],
        }
    )


@attrs.frozen
class _Shipped:
    """The files that plugins ship, by name, with their domains and titles: each is read once."""

    queries: dict[str, tuple[str, str]]
    plans: dict[str, tuple[set[str], str]]
    studies: dict[str, str]


def _shipped(found: Registry) -> _Shipped:
    """Read what is shipped; a plan without queries (in SQL, say) is of the domain of its plugin's name."""
    domains = {domain.name for domain in found.all(DomainInfo)}
    queries = {name: query_title(path) for name, path in shipped_queries().items()}
    plans = {name: plan_title(path, queries) for name, path in shipped_plans().items()}
    return _Shipped(
        queries,
        {
            name: (of or ({name.partition("/")[0]} & domains if title else set()), title)
            for name, (of, title) in plans.items()
        },
        {name: plan_title(path, queries)[1] for name, path in shipped_studies().items()},
    )


def _domain_data(found: Registry, domain: DomainInfo, shipped: _Shipped) -> dict[str, Any]:
    return {
        "name": domain.name,
        "title": domain.title,
        "summary": domain.summary,
        "plugin": found.version_of(domain),
        **{
            kind.key: [
                _listing(found, info)
                for info in found.all(kind.info, domain.name)
                if not getattr(info, "group", "") and found.distribution_of(info) != _CORE
            ]
            for kind in KINDS
            if "domain" in kind.same
        },
        **_of_other_kinds(found, found.distribution_of(domain)),
        "queries": [
            {"name": name, "title": title}
            for name, (of, title) in shipped.queries.items()
            if of == domain.name
        ],
        "plans": [
            {"name": name, "title": title} for name, (of, title) in shipped.plans.items() if domain.name in of
        ],
        "studies": [
            {"name": name, "title": title}
            for name, title in shipped.studies.items()
            if name.partition("/")[0] == domain.name
        ],
    }


def _of_other_kinds(found: Registry, distribution: str | None = None) -> dict[str, list[dict[str, str]]]:
    """Return the parts of kinds that plugins add, perhaps of one distribution only, by the kinds' keys."""
    return {
        kind.key: [
            {"name": info.name, "summary": getattr(info, "title", "") or getattr(info, "summary", "")}
            for info in found.all(kind.info)
            if distribution in (None, found.distribution_of(info))
        ]
        for kind in found.kinds.of_plugins()
    }


def _in_every_domain(found: Registry) -> list[GeneratorInfo | EvaluatorInfo]:
    """Return the core's generators and evaluators of domains, each once."""
    every: list[GeneratorInfo | EvaluatorInfo] = [*found.all(GeneratorInfo), *found.all(EvaluatorInfo)]
    return list({info.name: info for info in every if found.distribution_of(info) == _CORE}.values())


def _listing(found: Registry, info: Any) -> Any:
    """Return what is listed of a part of a domain: its name at least."""
    if isinstance(info, RendererInfo):
        return f"{info.format} {info.name}".rstrip()
    if isinstance(info, FormatInfo):
        return info.name
    if isinstance(info, EditorInfo):
        return info.summary
    if isinstance(info, CommandInfo):
        return {"name": " ".join(filter(None, (info.group, info.name))), "summary": info.summary}
    data = _part_data(found, info)
    if isinstance(info, EvaluatorInfo):
        data["metrics"] = [attrs.asdict(metric, filter=_shown) for metric in info.metrics]
    return data


def _part_data(found: Registry, info: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"name": info.name, "summary": info.summary, "params": []}
    if not isinstance(info, WithParams):
        return data
    try:
        data["params"] = [
            {"key": key, "allowed": allowed, "help": help} for key, allowed, help in describe(info.params)
        ]
    except PLUGIN_EXCEPTIONS as error:  # annotations that cannot be resolved, say: the rest is listed
        data["problem"] = f"the {found.described(info)}: its params cannot be read: {format_exception(error)}"
    return data


def _shown(field: attrs.Attribute[Any], value: Any) -> bool:
    """Leave out what matters to the recording of a metric only."""
    return field.name not in ("always", "sentence") and bool(field.eq)


def _unusable(found: Registry, shipped: _Shipped) -> list[dict[str, str]]:
    """Return shipped queries and plans that belong to no domain in use, with the reason."""
    domains = {domain.name for domain in found.all(DomainInfo)}
    reasons = {
        f"query {name}": _problem(partial(_planned, found), name)
        for name, (domain, _) in shipped.queries.items()
        if domain not in domains
    } | {
        f"plan {name}": _problem(_load_plan, name)
        for name, (of, _) in shipped.plans.items()
        if not of & domains
    }
    return [{"name": name, "problem": problem} for name, problem in reasons.items() if problem]


def _planned(found: Registry, name: str) -> None:
    query = load_query(name)
    found.generator(query.domain, query.generator.name)


def _load_plan(name: str) -> None:
    from epcg_core.curriculum.plan import load_plan  # here: a listing without such a plan stays light

    load_plan(name)


def _problem(load: Callable[[str], object], name: str) -> str:
    """Return the error of reading a file; '' if there is none."""
    try:
        load(name)
    except EpcgError as error:
        return str(error)
    return ""


def _plugin_data(report: PluginReport) -> dict[str, Any]:
    private = private_imports(report.name)
    return attrs.asdict(report, filter=_listed) | ({"private": private} if private else {})


def _listed(field: attrs.Attribute[Any], value: Any) -> bool:
    """Leave out the exception behind a plugin's problem, which `--debug` shows, and an empty note."""
    return field.name != "error" and (field.name != "note" or bool(value))


def _titled(kind: Kind) -> str:
    """Return the title of a list of parts of a kind that a plugin adds."""
    return f"{kind.plural.capitalize()} ({kind.usage})" if kind.usage else kind.plural.capitalize()


def _all(data: Mapping[str, Any]) -> Iterator[str]:
    if not data["domains"]:
        yield "There is no domain: install a plugin that has one.\n"
    yield _section("Domains (epcg domains NAME shows one)")
    for domain in data["domains"]:
        yield _entry(domain["name"], f"{domain['title']}: {domain['summary']}")
        for kind in ("generators", "evaluators", "inference_rules"):
            if domain[kind] or kind != "inference_rules":
                names = ", ".join(part["name"] for part in domain[kind])
                yield _paragraph(f"{kind.replace('_', ' ')}: {names}", "    ")
            for part in domain[kind]:
                if "problem" in part:
                    yield _paragraph(part["problem"], "    ")
    yield _section("Searches")
    for search in data["searches"]:
        yield _entry(search["name"], search["summary"])
        yield _paragraph(f"proves: {search['proves'] or 'nothing; it is not exhaustive'}", "    ")
        if search["refuses"]:
            yield _paragraph(f"takes no {', '.join(search['refuses'])}", "    ")
    titles = {key: key.replace("_", " ").capitalize() for key in (*_SHARED, "in_every_domain", "commands")}
    titles |= {kind.key: _titled(kind) for kind in registry().kinds.of_plugins()}
    for key, title in titles.items():
        if data[key]:
            yield _section(title)
            for part in data[key]:
                yield _entry(part["name"], part["summary"])
                if "problem" in part:
                    yield _paragraph(part["problem"], "    ")
                for param in part.get("params", ()) if key == "in_every_domain" else ():
                    yield _paragraph(f"{param['key']}: {param['help']}", "    ")
    for title, key in (
        ("Queries (epcg run NAME)", "queries"),
        ("Plans (epcg curriculum build NAME)", "plans"),
        ("Studies (epcg study site NAME)", "studies"),
    ):
        named = {one["name"]: one["title"] for domain in data["domains"] for one in domain[key]}
        if named:
            yield _section(title)
            for name, about in named.items():
                yield _entry(name, about)
    if data["unusable"]:
        yield _section("Queries and plans that cannot be used")
        for one in data["unusable"]:
            yield _entry(one["name"], one["problem"])
    yield _section("Plugins")
    for plugin in data["plugins"]:
        about = f"{plugin['distribution']} {plugin['version']}, {plugin['problem'] or 'in use'}"
        about += f"; {plugin['note']}" if "note" in plugin else ""
        if "private" in plugin:
            about += (
                f"; it imports private modules, which may change in any release: "
                f"{', '.join(plugin['private'])}; epcg_core.plugin has what plugins need"
            )
        yield _entry(plugin["name"], about)


def _one(data: Mapping[str, Any]) -> Iterator[str]:
    yield _paragraph(f"{data['title']}: {data['summary']} ({data['plugin']})", "")
    for kind in ("generator", "evaluator", "inference rule"):
        for part in data[f"{kind.replace(' ', '_')}s"]:
            yield _section(f"{kind} {part['name']}")
            yield _paragraph(part["summary"], "  ")
            if "problem" in part:
                yield _paragraph(part["problem"], "  ")
            for param in part["params"]:
                yield _entry(param["key"], f"{param['allowed']}: {param['help']}")
            for metric in part.get("metrics", ()):
                yield _entry(
                    f"metric {metric['name']}",
                    ": ".join(filter(None, (_kind(metric), metric["description"]))),
                )
    if data["formats"]:
        yield _section(f"Formats of others (epcg convert): {', '.join(data['formats'])}")
    if data["editors"]:
        yield _section(f"Editor (epcg workbench): {', '.join(data['editors'])}")
    if data["renderers"]:
        yield _section(f"Renderers: {', '.join(data['renderers'])}")
    for title, entries in (
        ("Commands", [(f"epcg {data['name']} {c['name']}", c["summary"]) for c in data["commands"]]),
        *(
            (_titled(kind), [(part["name"], part["summary"]) for part in data[kind.key]])
            for kind in registry().kinds.of_plugins()
        ),
        ("Queries", [(f"epcg run {q['name']}", q["title"]) for q in data["queries"]]),
        ("Plans", [(f"epcg curriculum build {p['name']}", p["title"]) for p in data["plans"]]),
        ("Studies", [(f"epcg study site {p['name']}", p["title"]) for p in data["studies"]]),
    ):
        if entries:
            yield _section(title)
            for name, about in entries:
                yield _entry(name, about)

    yield _section("For every domain (epcg domains)")
    for key, names in data["for_every_domain"].items():
        if names:
            yield _paragraph(f"{key.replace('_', ' ')}: {', '.join(names)}", "  ")


def _kind(metric: dict[str, str]) -> str:
    unit = f" ({metric['unit']})" if metric["unit"] else ""
    return f"{metric['kind']}{unit}, best {metric['direction']}"


def _section(title: str) -> str:
    return f"\n{title}"


def _entry(name: str, about: str) -> str:
    """Return a name and, beside it or below it, its description."""
    first, above = f"  {name}  ".ljust(_INDENT), ""
    if len(first) > _INDENT:
        above, first = f"  {name}\n", " " * 4
    return above + _paragraph(about, first, " " * max(4, len(first)))


def _paragraph(text: str, first: str, rest: str | None = None) -> str:
    wrapper = textwrap.TextWrapper(
        _WIDTH, initial_indent=first, subsequent_indent=first + "  " if rest is None else rest,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return wrapper.fill(text) or first.rstrip()
