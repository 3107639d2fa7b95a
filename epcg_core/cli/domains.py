"""`epcg domains`: what there is to generate, evaluate and search, and which plugins work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from epcg_core.cli import output
from epcg_core.cli.options import command, json_option
from epcg_core.domain import (
    CommandInfo,
    DomainInfo,
    EvaluatorInfo,
    GeneratorInfo,
    RendererInfo,
    SearchInfo,
)
from epcg_core.params import describe
from epcg_core.plugins.registry import Registry, registry
from epcg_core.query.named import plan_title, query_title, shipped_plans, shipped_queries

if TYPE_CHECKING:
    from epcg_core.domain import Metric


@command("domains")
@click.argument("name", required=False)
@json_option
def domains(name: str | None, as_json: bool) -> None:
    """List the domains, searches and plugins; with NAME, all about one domain: its generators and evaluators
    with their params and metrics, and the queries and plans that are shipped with it.

    A query or plan is named as `epcg run` and `epcg curriculum build` take it.

    \b
    Examples:
      epcg domains
      epcg domains NAME --json
    """
    found = registry()
    if name is None:
        data = {
            "domains": [_domain_data(found, domain) for domain in found.all(DomainInfo)],
            "searches": [_part_data(search) for search in found.all(SearchInfo)],
            "plugins": [
                {"name": r.name, "distribution": r.distribution, "version": r.version, "problem": r.problem}
                for r in found.reports
            ],
        }
        if as_json:
            output.write_json(data)
        else:
            _print_all(data)
        return
    data = _domain_data(found, found.domain(name))
    if as_json:
        output.write_json(data)
    else:
        _print_domain(data)


def _domain_data(found: Registry, domain: DomainInfo) -> dict[str, Any]:
    queries = [(name, *query_title(path)) for name, path in shipped_queries().items()]
    plans = [(name, *plan_title(path)) for name, path in shipped_plans().items()]
    return {
        "name": domain.name,
        "title": domain.title,
        "summary": domain.summary,
        "plugin": found.version_of(domain),
        "generators": [_part_data(info) for info in found.all(GeneratorInfo, domain.name)],
        "evaluators": [
            _part_data(info) | {"metrics": [_metric_data(metric) for metric in info.metrics]}
            for info in found.all(EvaluatorInfo, domain.name)
        ],
        "renderers": [info.format for info in found.all(RendererInfo, domain.name)],
        "commands": [
            {"name": info.name, "summary": info.summary} for info in found.all(CommandInfo, domain.name)
        ],
        "queries": [{"name": name, "title": title} for name, of, title in queries if of == domain.name],
        "plans": [{"name": name, "title": title} for name, of, title in plans if domain.name in of],
    }


def _part_data(info: GeneratorInfo | EvaluatorInfo | SearchInfo) -> dict[str, Any]:
    params = [{"key": key, "allowed": allowed, "help": help} for key, allowed, help in describe(info.params)]
    return {"name": info.name, "summary": info.summary, "params": params}


def _metric_data(metric: Metric) -> dict[str, str]:
    return {
        "name": metric.name,
        "kind": metric.kind,
        "direction": metric.direction,
        "unit": metric.unit,
        "description": metric.description,
    }


def _print_all(data: dict[str, Any]) -> None:
    if data["domains"]:
        output.write_table(
            ["domain", "generators", "evaluators", "what it is"],
            [
                [
                    domain["name"],
                    ", ".join(part["name"] for part in domain["generators"]),
                    ", ".join(part["name"] for part in domain["evaluators"]),
                    f"{domain['title']}: {domain['summary']}",
                ]
                for domain in data["domains"]
            ],
        )
    else:
        click.echo("There is no domain: install a plugin that has one.")
    click.echo()
    output.write_table(["search", "what it does"], [[s["name"], s["summary"]] for s in data["searches"]])
    for kind, key, what in (("query", "queries", "what it answers"), ("plan", "plans", "the curriculum")):
        titles = {one["name"]: one["title"] for domain in data["domains"] for one in domain[key]}
        if titles:
            click.echo()
            output.write_table([kind, what], [[name, title] for name, title in titles.items()])
    click.echo()
    output.write_table(
        ["plugin", "distribution", "version", "state"],
        [[p["name"], p["distribution"], p["version"], p["problem"] or "in use"] for p in data["plugins"]],
    )


def _print_domain(data: dict[str, Any]) -> None:
    click.echo(f"{data['title']}: {data['summary']} ({data['plugin']})")
    for part in data["generators"]:
        _print_part("Generator", part)
    for part in data["evaluators"]:
        _print_part("Evaluator", part)
        _indented(
            "metric",
            [[m["name"], _kind(m), m["description"]] for m in part["metrics"]],
        )
    _section("Renderers", [[name] for name in data["renderers"]])
    _section("Commands", [[f"epcg {data['name']} {c['name']}", c["summary"]] for c in data["commands"]])
    _section("Queries", [[f"epcg run {q['name']}", q["title"]] for q in data["queries"]])
    _section("Plans", [[f"epcg curriculum build {p['name']}", p["title"]] for p in data["plans"]])


def _print_part(kind: str, part: dict[str, Any]) -> None:
    click.echo(f"\n{kind} {part['name']}: {part['summary']}")
    _indented("param", [[p["key"], p["allowed"], p["help"]] for p in part["params"]])


def _kind(metric: dict[str, str]) -> str:
    unit = f" ({metric['unit']})" if metric["unit"] else ""
    return f"{metric['kind']}{unit}, best {metric['direction']}"


def _section(title: str, rows: Sequence[Sequence[str]]) -> None:
    if rows:
        click.echo(f"\n{title}")
        _indented("", rows)


def _indented(label: str, rows: Sequence[Sequence[str]]) -> None:
    """Aligned rows below a heading, each named by `label`."""
    cells = [[label, *row] if label else list(row) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(f"  {line}".rstrip())
