"""Chooses the answer to each HTTP request of a rehearsed workflow, without asking a service.

A request for a token is answered with a token. Every other one is answered with a value of n8n's
own output schema of the node that probably sent it, and with an empty object where there is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorClient
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, Request
from grounded_builder.domains.n8n.trial.choose_samples import example
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

_JSON = {"content-type": "application/json"}
_TOKEN = {"access_token": "invented-access-token", "token_type": "Bearer", "expires_in": 3_600}


class Answers:
    """The answers for one run of a workflow."""

    def __init__(self, resolved: ResolvedGraph, client: EditorClient) -> None:
        self._resolved = resolved
        self._client = client

    def answer(self, request: Request) -> Answer:
        """Returns the answer to a request."""
        if request.method == "POST" and b"grant_type" in request.body:
            return _json_answer(_TOKEN, "a token")
        for name, value in self._examples.items():
            service = _service_of(self._resolved.by_name[name])
            if service and service in request.host.replace("-", ""):
                return _json_answer(value, f'n8n\'s output schema of "{name}"')
        return _json_answer({}, "nothing that is known")

    @cached_property
    def _examples(self) -> Mapping[str, Any]:
        """Examples of the outputs of the nodes, by their names."""
        examples: dict[str, Any] = {}
        for name, bound in self._resolved.by_name.items():
            route = _schema_route(bound)
            schema = self._client.get_output_schema(*route) if route else None
            if schema is not None:
                examples[name] = example(schema)
        return examples


def _json_answer(value: Any, source: str) -> Answer:
    return Answer(200, json.dumps(value).encode(), source, _JSON)


def _service_of(bound: ResolvedNode) -> str:
    name = (bound.node.tool or "").rpartition(".")[2].casefold()
    for word in ("google", "microsoft", "aws", "tool", "trigger"):
        name = name.replace(word, "")
    return name


def _schema_route(bound: ResolvedNode) -> tuple[str, ...]:
    if not isinstance(bound.spec, NodeSpec) or bound.version is None:
        return ()
    params = filled_parameters(bound).full
    named = [params.get(key) for key in ("resource", "operation")]
    operation = [text for text in named if isinstance(text, str) and text and text[0] != "="]
    return (bound.spec.id, f"{bound.version:g}", *(operation or ["output"]))
