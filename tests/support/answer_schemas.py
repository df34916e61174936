"""Checks each answer of a server against the schema that the server publishes for its route."""

from __future__ import annotations

import json
import re
from functools import cache
from http import HTTPStatus
from typing import Any

import httpx
import schemathesis
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
)

from grounded_builder.interfaces.http.client_capabilities import _CLIENT as CLIENT
from grounded_builder.interfaces.http.client_capabilities import _FORM as FORM
from grounded_builder.interfaces.http.openapi import document

_PARAMETER = re.compile(r"\{(\w+)")
_CHECKS = [content_type_conformance, response_schema_conformance]


@cache
def read_published_schema() -> Any:
    """Returns the schema of the server's whole interface."""
    return schemathesis.openapi.from_dict(json.loads(document()))


def check_answer(response: httpx.Response) -> None:
    """Fails if an answer does not have its published shape; used as response hook of httpx."""
    operation = read_published_schema().find_operation_by_path(
        response.request.method.lower(), response.request.url.path
    )
    if operation is None or response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return
    # Clients that cannot read a status get errors as answers, in the shape that docs/api.md states.
    agent = response.request.headers.get("user-agent", "")
    form = response.request.headers.get("content-type", "").startswith(FORM)
    if form or CLIENT in agent or not hasattr(response.request, "_content"):
        return
    response.read()
    names = _PARAMETER.findall(operation.path)
    case = operation.Case(path_parameters=dict.fromkeys(names, "any"))
    case.validate_response(response, checks=_CHECKS)
