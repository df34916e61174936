"""Chooses the answer to each HTTP request of a rehearsed workflow, without asking a service.

In this order: a token, a reply of a model, a spreadsheet, a file, and an object made
from n8n's output schema of the node and from the fields that the workflow reads of its items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.answers.chat_models import MOST_TOOLS, answer_model
from grounded_builder.domains.n8n.rehearsal.answers.examples import example_of
from grounded_builder.domains.n8n.rehearsal.answers.forms import (
    AnswerForms,
    key_of,
    list_named_fields,
)
from grounded_builder.domains.n8n.rehearsal.answers.graphql import answer_graphql
from grounded_builder.domains.n8n.rehearsal.answers.lists import wrap_items
from grounded_builder.domains.n8n.rehearsal.answers.memory import (
    Memory,
    echo,
    with_id,
    wrap_in_envelope,
)
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.answers.services import answer_service, wrap_item
from grounded_builder.domains.n8n.rehearsal.answers.spreadsheets import Spreadsheets
from grounded_builder.domains.n8n.rehearsal.answers.table_schemas import answer_schema
from grounded_builder.domains.n8n.rehearsal.answers.uploads import answer_upload
from grounded_builder.domains.n8n.rehearsal.exchange import (
    Answer,
    Request,
    Turn,
    exact_answer,
    fault_answer,
    json_answer,
)
from grounded_builder.domains.n8n.rehearsal.invented_credentials import INVENTED
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue
from grounded_builder.domains.n8n.rehearsal.senders import find_mark
from grounded_builder.domains.n8n.rehearsal.servers.tables import list_tables
from grounded_builder.domains.n8n.rehearsal.variants import WantedValue
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.domains.n8n.trial.choose_samples import Ask
from grounded_builder.domains.n8n.trial.expected_fields import Shape, read_shapes
from grounded_builder.ir.graph import ResolvedNode

_TOKEN_S = 3_600
_HTTP_REQUESTS = ("httpRequest", "httpRequestTool", "toolHttpRequest")
_LIST_OPERATION = re.compile(r"(?:get|list)(?:All|Many)|list|search|history|query", re.IGNORECASE)
# A node that still asks does not read the end of the list in the answer.
_MAX_PAGES = 20
_ITEMS = 2
_AS_LIST = "as a list, which its code expects"
_WRITES = ("POST", "PUT", "PATCH")


@dataclass(frozen=True, slots=True)
class KnownOutputs:
    """What is known of the answers that nodes expect.

    ``ask`` returns n8n's output schema of a node, ``list_fields`` the fields in which the code of a
    node type looks for items, ``forms`` are what failures of earlier runs told. ``values`` are
    those that objects of answers have in this run, ``filled`` those of open parameters;
    ``most_tools`` is how many tools a model calls.
    """

    ask: Ask
    list_fields: Callable[[str], Collection[str]]
    forms: AnswerForms
    values: Sequence[WantedValue] = ()
    most_tools: int = MOST_TOOLS
    filled: Sequence[FilledValue] = ()


class Answers:
    """The answers for one run of a workflow.

    ``owners`` names the node that has a credential, by the mark in the secrets of the credential.
    """

    def __init__(self, order: CopyOrder, owners: Mapping[str, str], known: KnownOutputs) -> None:
        self._forms = known.forms
        self._list_fields = known.list_fields
        self._resolved = order.resolved
        self._faults = order.faults
        self._given = order.answers
        self._owners = owners
        self._ask = known.ask
        self._values = known.values
        self._most_tools = known.most_tools
        self._filled = known.filled
        self._memory = Memory()
        self._schemas: dict[str, Mapping[str, Any] | None] = {}

    def name_sender(self, request: Request) -> str | None:
        """Returns the node whose credential signed the request, None without such a secret."""
        mark = find_mark(request, self._owners)
        return None if mark is None else self._owners[mark]

    def prepare(self, protocol: str, url: str) -> Turn:
        """Returns what the server of another protocol is told when a node sends something."""
        mark = find_mark(Request("", url, {}, b"", 0), self._owners)
        fault = self._faults.get(self._owners.get(mark or "", ""))
        return Turn(fault or "", self._contents.get(protocol, {}))

    def answer(self, request: Request) -> Answer:
        """Returns the answer to a request."""
        mark = find_mark(request, self._owners)
        if request.method == "POST" and b"grant_type" in request.body:
            return _token(mark or INVENTED)
        sender = self._owners.get(mark or "") or self._guess_sender(request)
        fault = self._faults.get(sender or "")
        if fault is not None:
            return fault_answer(fault)
        given = self._given.get(sender or "")
        if given is not None:
            return exact_answer(given)
        question = Question(request, sender)
        return (
            answer_model(question, self._most_tools)
            or self._spreadsheets.answer(question)
            or answer_schema(question, self._resolved)
            or answer_upload(question)
            or answer_service(question)
            or self._answer_graphql(question)
            or self._answer_by_schema(question)
        )

    def _guess_sender(self, request: Request) -> str | None:
        """Returns the node whose service or literal URL has the host of the request."""
        host = request.host
        for name, bound in self._resolved.by_name.items():
            url = bound.node.params.get("url")
            if isinstance(url, str) and _is_http_request(bound):
                if host and host in url.lower():
                    return name
            elif (service := _service_of(bound)) and service in host.replace("-", ""):
                return name
        return None

    def _answer_graphql(self, question: Question) -> Answer | None:
        content = answer_graphql(question, self._memory.next_number)
        if content is None:
            return None
        shape = self._shapes.get(question.sender or "")
        read = example_of(_schema_of_shape(shape), 1) if shape and shape.fields else {}
        return json_answer(_merge(content, read), "the fields that the request selects")

    def _answer_by_schema(self, question: Question) -> Answer:
        request, name = question.request, question.sender or ""
        schema = self._schema_of(name)
        shape = self._shapes.get(name)
        source = f'n8n\'s output schema of "{name}"' if schema else "the fields that are read"
        bound = self._resolved.by_name.get(name)
        is_free = bound is None or _is_http_request(bound)
        is_list = key_of(request) in self._forms.lists
        if is_list and request.method not in _WRITES:
            items = [self._object_of(schema, shape) for _ in range(_ITEMS)]
            listed = [
                self._with_values(name, item) for item in self._end_list(question, items) or ()
            ]
            return json_answer(listed, f"{source}, {_AS_LIST}")
        if not is_free and bound is not None and _asks_for_list(bound, question):
            items = [self._object_of(schema, shape) for _ in range(_ITEMS)]
            ended = self._end_list(question, items)
            if ended is None:
                return json_answer({"message": "no further page"}, "the end of a list", 404)
            read = self._list_fields(bound.node.tool or "")
            listed = [self._with_values(name, item) for item in ended]
            return json_answer(wrap_items(question, listed, read), source)
        value = self._object_of(schema, shape)
        if question.path_id:
            value = with_id(value, question.path_id)
            value = {**value, **self._memory.recall(question.path_id)}
        if request.method in _WRITES:
            value = echo(value, question.fields)
            if schema is None:
                value = {**question.fields, **value}
            value = wrap_in_envelope(value, question.fields)
            self._memory.keep(value)
        value = self._with_values(name, value)
        for field in self._forms.list_fields(request):
            value[field] = [self._object_of(None, None) for _ in range(_ITEMS)]
        if is_list:
            return json_answer([value], f"{source}, {_AS_LIST}")
        return json_answer(wrap_item(question, value), source)

    def _with_values(self, name: str, item: dict[str, Any]) -> dict[str, Any]:
        for wanted in self._values:
            item = wanted.write(item) if wanted.node == name else item
        return item

    def _end_list(self, question: Question, items: list[dict[str, Any]]) -> list[Any] | None:
        """Returns the items of this page: none behind the first, None where none ends the list."""
        list_name = key_of(question.request)
        later = self._memory.count_later_pages(list_name, question.page)
        return None if later > _MAX_PAGES else [] if later else items

    def _object_of(self, schema: Mapping[str, Any] | None, shape: Shape | None) -> dict[str, Any]:
        """Returns an object of the schema with the fields that the workflow reads."""
        number = self._memory.next_number()
        value = example_of(schema, number) if schema is not None else None
        item = value[0] if isinstance(value, list) and value else value
        read = example_of(_schema_of_shape(shape), number) if shape and shape.fields else {}
        result: dict[str, Any] = _merge(item if isinstance(item, dict) else {}, read)
        return result or {"id": number}

    def _schema_of(self, name: str) -> Mapping[str, Any] | None:
        if name not in self._schemas:
            bound = self._resolved.by_name.get(name)
            route = _schema_route(bound) if bound is not None else ()
            self._schemas[name] = self._ask(*route) if route else None
        return self._schemas[name]

    @cached_property
    def _contents(self) -> Mapping[str, Mapping[str, Any]]:
        """The content of the servers of other protocols."""
        return {"postgres": {"tables": list_tables(self._resolved, self._shapes)}}

    @cached_property
    def _spreadsheets(self) -> Spreadsheets:
        return Spreadsheets(self._resolved, self._shapes, self._filled)

    @cached_property
    def _shapes(self) -> Mapping[str, Shape]:
        """The fields that the workflow reads of the items of each node."""
        shapes = read_shapes(self._resolved, frozenset(self._resolved.by_name))
        for shape in shapes.values():
            list_named_fields(shape, self._forms.names)
        return shapes


def _token(mark: str) -> Answer:
    content = {
        "access_token": f"{mark}-access-token",
        "refresh_token": f"{mark}-refresh-token",
        "token_type": "Bearer",
        "expires_in": _TOKEN_S,
    }
    return json_answer(content, "a token")


def _is_http_request(bound: ResolvedNode) -> bool:
    return (bound.node.tool or "").rpartition(".")[2] in _HTTP_REQUESTS


def _service_of(bound: ResolvedNode) -> str:
    name = (bound.node.tool or "").rpartition(".")[2].casefold()
    for word in ("google", "microsoft", "aws", "tool", "trigger"):
        name = name.replace(word, "")
    return name


def _asks_for_list(bound: ResolvedNode, question: Question) -> bool:
    """Returns whether the answer is a list: the operation lists, and no single object is asked."""
    operation = filled_parameters(bound).full.get("operation")
    lists = isinstance(operation, str) and _LIST_OPERATION.match(operation) is not None
    return lists and not question.path_id


def _schema_route(bound: ResolvedNode) -> tuple[str, ...]:
    if not isinstance(bound.spec, NodeSpec) or bound.version is None:
        return ()
    params = filled_parameters(bound).full
    named = [params.get(key) for key in ("resource", "operation")]
    operation = [text for text in named if isinstance(text, str) and text and text[0] != "="]
    return (bound.spec.id, f"{bound.version:g}", *(operation or ["output"]))


def _schema_of_shape(shape: Shape) -> Mapping[str, Any]:
    """Returns the JSON schema of the values with this shape."""
    if shape.item is not None or shape.kind == "list":
        return {"type": "array", "items": _schema_of_shape(shape.item or Shape())}
    if shape.fields:
        fields = {name: _schema_of_shape(field) for name, field in shape.fields.items()}
        return {"type": "object", "properties": fields}
    formats = {"dateTime": {"type": "string", "format": "date-time"}, "json": {"const": "{}"}}
    kinds = {"number": "number", "boolean": "boolean", "object": "object"}
    return formats.get(shape.kind) or {"type": kinds.get(shape.kind, "string")}


def _merge(first: Any, second: Any) -> Any:
    """Returns both values merged; the first takes precedence, but a plain one yields to fields."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        both = {key: _merge(value, second[key]) for key, value in first.items() if key in second}
        return {**second, **first, **both}
    if isinstance(first, list) and isinstance(second, list) and first and second:
        return [_merge(value, second[0]) for value in first]
    is_plain = not isinstance(first, Mapping | list) or not first
    return second if is_plain and isinstance(second, Mapping | list) else first
