"""The fields that n8n's own nodes output, by what their code does with their parameters.

The facts are those of n8n-nodes-base and @n8n/n8n-nodes-langchain 2.41. A node of which nothing is
certain is not described.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grounded_builder.domains.n8n.analysis.shapes import Shape, add_fields
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedNode

_BASE = "n8n-nodes-base."
_LANGCHAIN = "@n8n/n8n-nodes-langchain."
LOOP = f"{_BASE}splitInBatches"
_SET = f"{_BASE}set"
_MERGE = f"{_BASE}merge"

# They output the items that they receive, or some of them.
PASSING_ON = frozenset(
    f"{_BASE}{name}"
    for name in (
        *("filter", "if", "limit", "noOp", "removeDuplicates", "respondToWebhook", "sort"),
        *("splitInBatches", "switch"),
    )
) | {f"{_LANGCHAIN}textClassifier"}
# One run of them starts with one item.
STARTS_WITH_ONE_ITEM = frozenset(
    {
        f"{_BASE}errorTrigger",
        f"{_BASE}formTrigger",
        f"{_BASE}githubTrigger",
        f"{_BASE}scheduleTrigger",
        f"{_BASE}telegramTrigger",
        f"{_BASE}webhook",
        f"{_LANGCHAIN}chatTrigger",
    }
)

Given = Mapping[str, Any]
Transfer = Callable[[Shape | None], Shape | None]


def _closed(*names: str) -> Shape:
    return Shape(dict.fromkeys(names))


def _opened(*names: str) -> Shape:
    return Shape(dict.fromkeys(names), is_open=True)


def pass_on(received: Shape | None) -> Shape | None:
    """Returns the shape of the items that a node receives."""
    return received


def output_of(bound: ResolvedNode) -> Transfer | None:
    """Returns how the items of a node follow from those that it receives, None if unknown.

    The result is cached on the node.
    """
    if "output" not in bound.memo:
        bound.memo["output"] = _read_output(bound)
    known: Transfer | None = bound.memo["output"]
    return known


def _read_output(bound: ResolvedNode) -> Transfer | None:
    if not isinstance(bound.spec, NodeSpec):
        return None
    given = filled_parameters(bound).full
    if given.get("operation") == "sendAndWait":
        return _give(_read_answer(given, bound))
    tool = bound.node.tool or ""
    if tool in PASSING_ON:
        return pass_on
    if tool in _FIXED:
        return _FIXED[tool]
    if tool in _BY_PARAMETERS:
        return _BY_PARAMETERS[tool](given)
    reader = _BY_VERSION.get(tool)
    return reader(given, bound) if reader is not None else None


def _give(shape: Shape | None) -> Transfer | None:
    """Returns the transfer of a node whose output does not depend on its input."""
    return None if shape is None else lambda _: shape


def _add(names: Iterable[Any] | None) -> Transfer | None:
    """Returns the transfer of a node that keeps the fields of its input and adds some."""
    known = _read_names(names)
    return None if known is None else lambda received: add_fields(received, dict.fromkeys(known))


def _read_names(names: Iterable[Any] | None) -> list[str] | None:
    """Returns names of fields, None if one is an expression or empty."""
    known = None if names is None else list(names)
    if known is None or not all(isinstance(n, str) and n[:1] not in ("", "=") for n in known):
        return None
    return known


def _first_parts(names: Iterable[str]) -> list[str]:
    return [re.split(r"[.\[]", name, maxsplit=1)[0] for name in names]


def _list_at(given: Any, *route: str) -> list[Any] | None:
    for key in route:
        if not isinstance(given, Mapping):
            return None
        given = given.get(key)
    return given if isinstance(given, list) else None


def _options(given: Given) -> Given:
    options = given.get("options")
    return options if isinstance(options, Mapping) else {}


def _entry_names(items: Any, key: str = "name") -> list[Any] | None:
    if not isinstance(items, list):
        return None
    return [item.get(key) if isinstance(item, Mapping) else None for item in items]


def _read_set(given: Given, bound: ResolvedNode) -> Transfer | None:
    version = bound.version or 0
    options = given.get("options")
    if not isinstance(options, Mapping):
        return None
    names = _set_names(given, version)
    known = _read_names(names)
    if known is None:
        return None
    if options.get("dotNotation") is not False and given.get("mode") != "raw":
        known = _first_parts(known)
    if version < 3:
        keeps = given.get("keepOnlySet") is not True
    elif version < 3.3:
        keeps = given.get("include") != "none"
    else:
        keeps = given.get("includeOtherFields") is not False
    return _add(known) if keeps else _give(_closed(*known))


def _set_names(given: Given, version: float) -> list[Any] | None:
    if version < 3:
        values = given.get("values")
        if not isinstance(values, Mapping):
            return None
        of_types = [_entry_names(items) for items in values.values()]
        return None if None in of_types else [name for names in of_types for name in names or ()]
    if given.get("mode") == "raw":
        return _json_names(given.get("jsonOutput"))
    if version < 3.3:
        return _entry_names(_list_at(given, "fields", "values") or [])
    assignments = given.get("assignments")
    return (
        _entry_names(assignments.get("assignments")) if isinstance(assignments, Mapping) else None
    )


def _json_names(text: Any) -> list[Any] | None:
    """Returns the keys of an object written as JSON, in which expressions may be values."""
    if not isinstance(text, str):
        return list(text) if isinstance(text, Mapping) else None
    if text.startswith("="):
        first, *rest = text[1:].split("{{")
        text = first + "".join("0" + chunk.partition("}}")[2] for chunk in rest)
    try:
        written = json.loads(text)
    except ValueError:
        return None
    return list(written) if isinstance(written, dict) else None


def _read_webhook(given: Given) -> Transfer | None:
    method = given.get("httpMethod")
    sends_body = isinstance(method, str) and method.upper() in ("POST", "PUT", "PATCH", "DELETE")
    is_get = isinstance(method, str) and method.upper() in ("GET", "HEAD")
    names = ("headers", "params", "query", "body", "webhookUrl", "executionMode", "jwtPayload")
    payload = "body" if sends_body else "query" if is_get else ""
    return _give(Shape(dict.fromkeys(names), payload=payload))


def _form_names(given: Given, version: float) -> list[Any] | None:
    """Returns the names of a form's fields; Form/utils: getFieldIdentifier, prepareFormFields."""
    if given.get("defineForm") == "json":
        try:
            entries = json.loads(str(given.get("jsonOutput")))
        except ValueError:
            return None
    else:
        entries = _list_at(given, "formFields", "values")
    if not isinstance(entries, list):
        return None
    names: list[Any] = []
    for entry in entries:
        if not isinstance(entry, Mapping):
            return None
        label, name = entry.get("fieldLabel"), entry.get("fieldName")
        if entry.get("fieldType") == "html":
            names += [item for item in (label, name, entry.get("elementName")) if item]
        elif entry.get("fieldType") == "hiddenField":
            names.append(name)
        else:
            names.append(name if version >= 2.4 and name else label or name)
    return names


def _read_form(given: Given, bound: ResolvedNode) -> Transfer | None:
    known = _read_names(_form_names(given, bound.version or 0))
    if known is None:
        return None
    more = ("submittedAt", "formMode", "formQueryParameters", "headers", "user")
    return _give(_closed(*known, *more))


def _read_form_page(given: Given, bound: ResolvedNode) -> Transfer | None:
    return pass_on if given.get("operation") == "completion" else _read_form(given, bound)


def _read_answer(given: Given, bound: ResolvedNode) -> Shape | None:
    """Returns what a message gives that waits for an answer; utils/sendAndWait."""
    kind = given.get("responseType", "approval")
    if kind == "approval":
        return Shape({"data": Shape(dict.fromkeys(("approved", "respondedAt")), is_open=True)})
    if kind == "freeText":
        return Shape({"data": Shape(dict.fromkeys(("text", "respondedAt")), is_open=True)})
    if kind == "customForm":
        known = _read_names(_form_names(given, bound.version or 0))
        inner = None if known is None else _opened(*known, "respondedAt")
        return Shape({"data": inner})
    return None


def _make_schedule() -> Transfer | None:
    return _give(
        _closed(
            *("timestamp", "Readable date", "Readable time", "Day of week", "Year", "Month"),
            *("Day of month", "Hour", "Minute", "Second", "Timezone"),
        )
    )


def _read_chat(given: Given) -> Transfer | None:
    if given.get("public") is True and given.get("mode") == "webhook":
        return None
    return _give(_closed("sessionId", "action", "chatInput", "files", "metadata", "user"))


def _read_telegram(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns an update, which has one field named like its kind."""
    declared = bound.spec.variant.get("parameters", ())
    kinds = [
        option.get("value")
        for parameter in declared
        if parameter.get("name") == "updates"
        for option in parameter.get("options") or ()
    ]
    known = _read_names(kind for kind in kinds if kind != "*")
    if not known:
        return None
    chosen = given.get("updates")
    fields: dict[str, Shape | None] = dict.fromkeys([*known, "update_id"])
    person = _opened("first_name", "last_name", "username", "language_code", "is_bot")
    message = {
        **dict.fromkeys(("message_id", "date", "text", "caption", "photo", "document", "voice")),
        "chat": _opened("id"),
        "from": person,
    }
    if isinstance(chosen, list) and len(chosen) == 1 and chosen[0] in fields:
        kind = chosen[0]
        if kind in ("message", "edited_message", "channel_post", "edited_channel_post"):
            fields[kind] = Shape(message, is_open=True)
    # The items of a download have the update and, in some versions, the file.
    return _give(Shape(fields))


def _make_repository() -> Transfer | None:
    return _give(Shape(dict.fromkeys(("body", "headers", "query")), payload="body"))


def _make_error() -> Transfer | None:
    error = _opened("message", "stack", "name", "description", "node")
    names = ("id", "url", "retryOf", "lastNodeExecuted", "mode", "executionContext")
    execution = Shape({**dict.fromkeys(names), "error": error}, is_open=True)
    workflow = _opened("id", "name")
    return _give(Shape({"execution": execution, "workflow": workflow, "trigger": None}))


def _make_manual() -> Transfer | None:
    return _give(_closed())


def _read_call(given: Given) -> Transfer | None:
    """Returns the declared inputs of a called workflow."""
    source = given.get("inputSource")
    if source == "workflowInputs":
        names = _entry_names(_list_at(given, "workflowInputs", "values"))
    elif source == "jsonExample":
        names = _json_names(given.get("jsonExample"))
    else:
        return None
    known = _read_names(names)
    return _give(_closed(*known)) if known else None


def _read_gmail(given: Given) -> Transfer | None:
    if given.get("simple") is not True:
        return None
    names = ("id", "threadId", "labels", "labelIds", "snippet", "payload", "sizeEstimate")
    headers = ("From", "To", "Cc", "Bcc", "Subject", "historyId", "internalDate")
    return _give(_closed(*names, *headers))


def _read_request(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns what an HTTP Request outputs; HttpRequestV3."""
    if (bound.version or 0) < 3:
        return None
    response = _options(given).get("response")
    inner = response.get("response") if isinstance(response, Mapping) else {}
    inner = inner if isinstance(inner, Mapping) else {}
    full, kind = inner.get("fullResponse", False), inner.get("responseFormat", "autodetect")
    if full is True:
        return _give(_closed("body", str(inner.get("outputPropertyName") or "data"), *_OF_RESPONSE))
    if full is not False or kind == "file":
        return None
    if kind == "text":
        named = inner.get("outputPropertyName") or "data"
        known = _read_names([named])
        return _give(_closed(*known, "error")) if known else None
    help_ = 'turn on "Include Response Headers and Status" (options.response.response.fullResponse)'
    return _give(Shape(is_open=True, absent=dict.fromkeys(("statusCode", "statusMessage"), help_)))


_OF_RESPONSE = ("headers", "statusCode", "statusMessage", "error")


def _read_aggregate(given: Given) -> Transfer | None:
    if given.get("aggregate") == "aggregateAllItemData":
        known = _read_names([given.get("destinationFieldName")])
        return _give(_closed(*known)) if known else None
    entries = _list_at(given, "fieldsToAggregate", "fieldToAggregate")
    if not entries or not all(isinstance(entry, Mapping) for entry in entries):
        return None
    has_dots = not _options(given).get("disableDotNotation")
    names: list[Any] = []
    for entry in entries:
        source = entry.get("fieldToAggregate")
        last = source.split(".")[-1] if isinstance(source, str) and has_dots else source
        names.append(entry.get("outputFieldName") or last)
    known = _read_names(names)
    return None if known is None else _give(_closed(*(_first_parts(known) if has_dots else known)))


def _read_split(given: Given) -> Transfer | None:
    """Returns what Split Out gives; the fields of single elements are not known."""
    written, include = given.get("fieldToSplitOut"), given.get("include")
    if not isinstance(written, str) or written.startswith("="):
        return None
    sources = [part.strip().removeprefix("$json.") for part in written.split(",")]
    destination = _options(given).get("destinationFieldName")
    renamed = [part.strip() for part in str(destination or "").split(",") if part.strip()]
    known = _read_names(renamed or sources)
    if known is None or "$binary" in known or include == "selectedOtherFields":
        return None
    if include == "noOtherFields":
        return _give(_closed(*known)) if renamed or len(sources) > 1 else None
    return _add(known)


def _read_summary(given: Given) -> Transfer | None:
    """Returns what Summarize gives; Transform/Summarize/utils: AggregationDisplayNames."""
    entries = _list_at(given, "fieldsToSummarize", "values")
    split = given.get("fieldsToSplitBy")
    if not entries or not isinstance(split, str) or split.startswith("="):
        return None
    names = [part.strip() for part in split.split(",") if part.strip()]
    if names and _options(given).get("outputFormat") == "singleItem":
        return None
    for entry in entries:
        if not isinstance(entry, Mapping):
            return None
        prefix = _SUMMARIES.get(str(entry.get("aggregation")))
        source = _read_names([entry.get("field")])
        if prefix is None or source is None:
            return None
        names.append(prefix + source[0])
    clean = (re.sub(r"[ .]", "_", re.sub(r"[\]\[\"]", "", name)) for name in names)
    return _give(_closed(*names, *clean))


_SUMMARIES = {
    "append": "appended_",
    "average": "average_",
    "concatenate": "concatenated_",
    "count": "count_",
    "countUnique": "unique_count_",
    "max": "max_",
    "min": "min_",
    "sum": "sum_",
}


def _read_merge(given: Given) -> Transfer | None:
    """Returns what Merge gives: fields of its inputs, unless it renames or computes them."""
    clash = _options(given).get("clashHandling")
    values = clash.get("values") if isinstance(clash, Mapping) else None
    resolved = values.get("resolveClash") if isinstance(values, Mapping) else None
    if given.get("mode") == "combineBySql" or resolved == "addSuffix":
        return None
    if given.get("mode") == "combine" and "combinationMode" in given:
        return None
    return pass_on


def _read_date(given: Given, bound: ResolvedNode) -> Transfer | None:
    if (bound.version or 0) < 2:
        return None
    if _options(given).get("includeInputFields"):
        return _add([given.get("outputFieldName")])
    known = _read_names([given.get("outputFieldName")])
    return _give(_closed(*known)) if known else None


def _read_html(given: Given) -> Transfer | None:
    operation = given.get("operation")
    if operation == "generateHtmlTemplate":
        return _give(_closed("html"))
    if operation == "convertToHtmlTable":
        return _give(_closed("table"))
    known = _read_names(_entry_names(_list_at(given, "extractionValues", "values"), "key"))
    return _give(_closed(*known)) if known else None


def _read_crypto(given: Given) -> Transfer | None:
    known = _read_names([given.get("dataPropertyName")])
    return _add(_first_parts(known)) if known else None


def _read_renaming(given: Given) -> Transfer | None:
    more = given.get("additionalOptions")
    if isinstance(more, Mapping) and more.get("regexReplacement"):
        return None
    known = _read_names(_entry_names(_list_at(given, "keys", "key"), "newKey"))
    return None if known is None else _add(_first_parts(known))


def _read_wait(given: Given) -> Transfer | None:
    return pass_on if given.get("resume") in ("timeInterval", "specificTime") else None


def _read_agent(_given: Given, bound: ResolvedNode) -> Transfer | None:
    if (bound.version or 0) < 1.6:
        return None
    return _give(_closed("output", "intermediateSteps"))


def _read_chain(given: Given, bound: ResolvedNode) -> Transfer | None:
    version = bound.version or 0
    if given.get("hasOutputParser"):
        return _give(_closed("output", "data")) if version >= 1.9 else None
    return _give(_closed("text", "data")) if version >= 1.5 else None


def _make_extractor() -> Transfer | None:
    return _give(_closed("output"))


def _read_sheet(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns what an appended row gives: the values as written; Sheet/v2 append.operation."""
    if given.get("operation") != "append" or given.get("resource") != "sheet":
        return None
    columns = given.get("columns")
    if (bound.version or 0) < 4 or not isinstance(columns, Mapping):
        return None
    if columns.get("mappingMode") == "autoMapInputData":
        return pass_on
    values = columns.get("value")
    known = _read_names(values) if isinstance(values, Mapping) and values else None
    return _give(_closed(*known)) if known else None


_FIXED: Mapping[str, Transfer | None] = {
    f"{_BASE}errorTrigger": _make_error(),
    f"{_BASE}githubTrigger": _make_repository(),
    f"{_BASE}manualTrigger": _make_manual(),
    f"{_BASE}scheduleTrigger": _make_schedule(),
    f"{_LANGCHAIN}informationExtractor": _make_extractor(),
}
_BY_PARAMETERS: Mapping[str, Callable[[Given], Transfer | None]] = {
    _MERGE: _read_merge,
    f"{_BASE}aggregate": _read_aggregate,
    f"{_BASE}crypto": _read_crypto,
    f"{_BASE}executeWorkflowTrigger": _read_call,
    f"{_BASE}gmailTrigger": _read_gmail,
    f"{_BASE}html": _read_html,
    f"{_BASE}renameKeys": _read_renaming,
    f"{_BASE}splitOut": _read_split,
    f"{_BASE}summarize": _read_summary,
    f"{_BASE}wait": _read_wait,
    f"{_BASE}webhook": _read_webhook,
    f"{_LANGCHAIN}chatTrigger": _read_chat,
}
_BY_VERSION: Mapping[str, Callable[[Given, ResolvedNode], Transfer | None]] = {
    _SET: _read_set,
    f"{_BASE}dateTime": _read_date,
    f"{_BASE}form": _read_form_page,
    f"{_BASE}formTrigger": _read_form,
    f"{_BASE}googleSheets": _read_sheet,
    f"{_BASE}httpRequest": _read_request,
    f"{_BASE}telegramTrigger": _read_telegram,
    f"{_LANGCHAIN}agent": _read_agent,
    f"{_LANGCHAIN}chainLlm": _read_chain,
}
