"""The workbench's page of votes."""

from __future__ import annotations

from html import escape
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from epcg_core.plugin import Store
from epcg_votes.record import listed


def make(workbench: Any) -> Starlette:
    """Make the page; `workbench.database` is the database that the workbench shows."""

    def page(request: Request) -> HTMLResponse:
        rows = []
        with Store.open(workbench.database) as store, store.reader() as reader:
            for run in reader.runs():
                for rank, votes, stars in listed(reader, run.id):
                    name = escape(f"{run.space}#{rank}")
                    rows.append(f"<tr><td>{name}</td><td>{votes}</td><td>{stars:.2f}</td></tr>")
        head = "<tr><th>puzzle</th><th>votes</th><th>stars</th></tr>"
        return HTMLResponse(f"<!doctype html><title>Votes</title><table>{head}{''.join(rows)}</table>")

    return Starlette(routes=[Route("/", page)])
