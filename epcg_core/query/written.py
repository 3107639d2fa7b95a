"""Queries as the texts of query files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epcg_core.base.params import plain, toml_text
from epcg_core.query.query import SelectParams


def query_toml(name: str, data: Mapping[str, Any]) -> str:
    """Write a query as TOML, without what is usual.

    Args:
        name: its name, which stands for a missing title.
        data: the data of `Query.resolved`.

    Returns:
        The text of a query file.
    """
    head = {
        "title": data.get("title") or name,
        "description": data.get("description"),
        "domain": data["domain"],
    }
    lines = [f"{key} = {toml_text(value)}" for key, value in head.items() if value]

    def table(header: str, params: Mapping[str, Any]) -> None:
        lines.extend(["", header, *(f"{k} = {toml_text(v)}" for k, v in params.items() if v is not None)])

    def part(ref: Mapping[str, Any]) -> dict[str, Any]:
        own = {"name": ref["name"], **present(ref.get("params", {}))}
        return own | ({"as": ref["as"]} if ref.get("as") else {})

    table("[generator]", part(data["generator"]))
    if data.get("search") and part(data["search"]) != {"name": "exhaustive"}:
        table("[search]", part(data["search"]))
    for each in data.get("evaluators", ()):
        table("[[evaluators]]", part(each))
    for key in ("range", "filter"):
        if data.get(key) and present(data[key]) not in ({}, {"start": 0}):
            table(f"[{key}]", present(data[key]))
    for each in data.get("select", ()):
        usual = plain(SelectParams(each["metric"]))
        table("[[select]]", {k: v for k, v in present(each).items() if k == "metric" or usual.get(k) != v})
    return "\n".join([*lines, ""])


def present(value: Any) -> Any:
    """Return data without keys that have no value, because TOML has no null."""
    if isinstance(value, Mapping):
        return {key: present(each) for key, each in value.items() if each is not None}
    return [present(each) for each in value] if isinstance(value, list | tuple) else value
