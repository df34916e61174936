"""Serves the HTML page that lists the routes; it loads no external resources."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
_STYLE = "body{font:15px sans-serif;max-width:60em;margin:2em auto}td{padding:.2em 1em .2em 0}"


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Return the routes with one line on each."""
    schema: dict[str, Any] = request.app.openapi()
    rows = "".join(
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(facts.get('description', ''))}</td></tr>"
        for path, methods in schema["paths"].items()
        for method, facts in methods.items()
    )
    body = (
        f"<!doctype html><title>Grounded Builder</title><style>{_STYLE}</style>"
        f"<h1>Grounded Builder {escape(schema['info']['version'])}</h1>"
        "<p>Send <code>Authorization: Bearer TOKEN</code>. "
        'The full description is <a href="/openapi.json">openapi.json</a>.</p>'
        f"<table>{rows}</table>"
    )
    return HTMLResponse(body, headers=_HEADERS)
