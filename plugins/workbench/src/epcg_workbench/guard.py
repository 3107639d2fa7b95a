"""Who may ask the workbench: its own pages, at its own address, with the user's token.

Browsers send cookies to every port of a machine, so the cookie bears the name of this server and holds a key
that only reads. What changes something carries the token in a header: the page takes it from its address and
keeps it where only this port's pages can read it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from epcg_workbench.places import is_page

ASGI = Callable[..., Awaitable[None]]
TOKEN_HEADER = "x-epcg-token"
COOKIE_SECONDS = 400 * 24 * 60 * 60
"""How long a browser keeps the cookie: as long as browsers allow, so that an address that was kept opens."""
WITHOUT_TOKEN = "The token is missing or wrong: open the address that `epcg workbench` printed."
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
EXPORT_HEADERS = {
    **HEADERS,
    "content-security-policy": "sandbox allow-scripts allow-downloads allow-modals; frame-ancestors 'none'",
}
"""A page that was exported has a policy of its own; it cannot read the workbench's pages, nor its storage."""
DATA_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
"""Datasette's pages have scripts and styles within them."""


class Guard:
    """Refuses requests to another host, from another origin, or without the token."""

    def __init__(self, app: ASGI, token: str, hosts: frozenset[str]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    @property
    def _key(self) -> str:
        """The value of the cookie: it lets pages and data be read, and does not tell the token."""
        return hashlib.sha256(f"cookie {self._token}".encode()).hexdigest()

    @property
    def _cookie(self) -> str:
        """The name of the cookie, which no server at another port has."""
        return f"epcg_workbench_{max(self._hosts, default='').rpartition(':')[2]}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope)
        reason = self._reason(request)
        if reason:
            await PlainTextResponse(reason, 403, headers=HEADERS)(scope, receive, send)
            return
        if is_page(request.url.path) and request.query_params.get("token"):
            let_in = Response()
            let_in.set_cookie(
                self._cookie, self._key, max_age=COOKIE_SECONDS, httponly=True, samesite="strict"
            )
            cookie = {"set-cookie": let_in.headers["set-cookie"]}
            await WithHeaders(self._app, cookie)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _reason(self, request: Request) -> str:
        headers: Headers = request.headers
        host = headers.get("host", "")
        if host not in self._hosts:
            return "This workbench answers only at the address that it printed."
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self._hosts:
            return "This request came from another page, so it is refused."
        offered = headers.get(TOKEN_HEADER, "")
        if is_page(request.url.path):
            offered = request.query_params.get("token") or offered
        known = _same(offered, self._token)
        if not offered and request.method in ("GET", "HEAD"):
            known = _same(request.cookies.get(self._cookie, ""), self._key)
        return "" if known else WITHOUT_TOKEN


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


class WithHeaders:
    """Adds headers to what an application answers, if it has none of these names."""

    def __init__(self, app: ASGI, headers: Mapping[str, str]) -> None:
        self._app, self._headers = app, headers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                names = {name.lower() for name, _ in own}
                every = [(name.encode(), value.encode()) for name, value in self._headers.items()]
                message = {**message, "headers": own + [each for each in every if each[0] not in names]}
            await send(message)

        await self._app(scope, receive, sending)
