"""Determines how the output fields of n8n's own nodes follow from parameters and input fields.

The facts are those of n8n-nodes-base and @n8n/n8n-nodes-langchain 2.41. A node of which nothing is
certain is not described.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.domains.n8n.analysis.output_examples import read_example
from grounded_builder.domains.n8n.analysis.shapes import Shape
from grounded_builder.domains.n8n.analysis.transfers import (
    Given,
    Transfer,
    add,
    entry_names,
    first_parts,
    give,
    json_names,
    list_at,
    make_closed_shape,
    make_open_shape,
    options_of,
    pass_on,
    read_names,
)
from grounded_builder.domains.n8n.analysis.trigger_outputs import (
    EVENTS,
    make_error,
    make_manual,
    make_repository,
    make_schedule,
    read_calendly,
    read_call,
    read_chat,
    read_form,
    read_form_names,
    read_gmail,
    read_imap,
    read_keap,
    read_leads,
    read_notion,
    read_outlook,
    read_pipedrive,
    read_strava,
    read_telegram,
    read_webhook,
)
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedNode

_BASE = "n8n-nodes-base."
_LANGCHAIN = "@n8n/n8n-nodes-langchain."
LOOP = f"{_BASE}splitInBatches"
_SET = f"{_BASE}set"
_MERGE = f"{_BASE}merge"

# These nodes output all or some of the items that they receive.
PASSING_ON = frozenset(
    f"{_BASE}{name}"
    for name in (
        *("filter", "if", "limit", "noOp", "removeDuplicates", "respondToWebhook", "sort"),
        *("splitInBatches", "switch"),
    )
) | {f"{_LANGCHAIN}textClassifier"}
# Each run of these nodes starts with one item.
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
        return give(_read_answer(given, bound))
    tool = bound.node.tool or ""
    if tool in PASSING_ON:
        return pass_on
    if tool in _FIXED:
        return _FIXED[tool]
    if tool in _BY_PARAMETERS:
        return _BY_PARAMETERS[tool](given)
    if tool in _BY_VERSION:
        return _BY_VERSION[tool](given, bound)
    return give(read_example(given, bound.spec))


def _read_set(given: Given, bound: ResolvedNode) -> Transfer | None:
    version = bound.version or 0
    options = given.get("options")
    if not isinstance(options, Mapping):
        return None
    names = _set_names(given, version)
    known = read_names(names)
    if known is None:
        return None
    if options.get("dotNotation") is not False and given.get("mode") != "raw":
        known = first_parts(known)
    if version < 3:
        keeps = given.get("keepOnlySet") is not True
    elif version < 3.3:
        keeps = given.get("include") != "none"
    else:
        keeps = given.get("includeOtherFields") is not False
    return add(known) if keeps else give(make_closed_shape(*known))


def _set_names(given: Given, version: float) -> list[Any] | None:
    if version < 3:
        values = given.get("values")
        if not isinstance(values, Mapping):
            return None
        of_types = [entry_names(items) for items in values.values()]
        return None if None in of_types else [name for names in of_types for name in names or ()]
    if given.get("mode") == "raw":
        return json_names(given.get("jsonOutput"))
    if version < 3.3:
        return entry_names(list_at(given, "fields", "values") or [])
    assignments = given.get("assignments")
    return entry_names(assignments.get("assignments")) if isinstance(assignments, Mapping) else None


def _read_form_page(given: Given, bound: ResolvedNode) -> Transfer | None:
    return pass_on if given.get("operation") == "completion" else read_form(given, bound)


def _read_answer(given: Given, bound: ResolvedNode) -> Shape | None:
    """Returns the output of a message that waits for an answer (utils/sendAndWait)."""
    kind = given.get("responseType", "approval")
    if kind == "approval":
        return Shape({"data": Shape(dict.fromkeys(("approved", "respondedAt")), is_open=True)})
    if kind == "freeText":
        return Shape({"data": Shape(dict.fromkeys(("text", "respondedAt")), is_open=True)})
    if kind == "customForm":
        known = read_names(read_form_names(given, bound.version or 0))
        inner = None if known is None else make_open_shape(*known, "respondedAt")
        return Shape({"data": inner})
    return None


def _read_request(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns what an HTTP Request outputs; HttpRequestV3."""
    if (bound.version or 0) < 3:
        return None
    response = options_of(given).get("response")
    inner = response.get("response") if isinstance(response, Mapping) else {}
    inner = inner if isinstance(inner, Mapping) else {}
    full, kind = inner.get("fullResponse", False), inner.get("responseFormat", "autodetect")
    if full is True:
        return give(
            make_closed_shape("body", str(inner.get("outputPropertyName") or "data"), *_OF_RESPONSE)
        )
    if full is not False or kind == "file":
        return None
    if kind == "text":
        named = inner.get("outputPropertyName") or "data"
        known = read_names([named])
        return give(make_closed_shape(*known, "error")) if known else None
    help_ = 'turn on "Include Response Headers and Status" (options.response.response.fullResponse)'
    return give(Shape(is_open=True, absent=dict.fromkeys(("statusCode", "statusMessage"), help_)))


_OF_RESPONSE = ("headers", "statusCode", "statusMessage", "error")


def _read_aggregate(given: Given) -> Transfer | None:
    if given.get("aggregate") == "aggregateAllItemData":
        known = read_names([given.get("destinationFieldName")])
        return give(make_closed_shape(*known)) if known else None
    entries = list_at(given, "fieldsToAggregate", "fieldToAggregate")
    if not entries or not all(isinstance(entry, Mapping) for entry in entries):
        return None
    has_dots = not options_of(given).get("disableDotNotation")
    names: list[Any] = []
    for entry in entries:
        source = entry.get("fieldToAggregate")
        last = source.split(".")[-1] if isinstance(source, str) and has_dots else source
        names.append(entry.get("outputFieldName") or last)
    known = read_names(names)
    return (
        None
        if known is None
        else give(make_closed_shape(*(first_parts(known) if has_dots else known)))
    )


def _read_split(given: Given) -> Transfer | None:
    """Returns the output of Split Out; the fields of single elements are unknown."""
    written, include = given.get("fieldToSplitOut"), given.get("include")
    if not isinstance(written, str) or written.startswith("="):
        return None
    sources = [part.strip().removeprefix("$json.") for part in written.split(",")]
    destination = options_of(given).get("destinationFieldName")
    renamed = [part.strip() for part in str(destination or "").split(",") if part.strip()]
    known = read_names(renamed or sources)
    if known is None or "$binary" in known or include == "selectedOtherFields":
        return None
    if include == "noOtherFields":
        return give(make_closed_shape(*known)) if renamed or len(sources) > 1 else None
    return add(known)


def _read_summary(given: Given) -> Transfer | None:
    """Returns what Summarize gives; Transform/Summarize/utils: AggregationDisplayNames."""
    entries = list_at(given, "fieldsToSummarize", "values")
    split = given.get("fieldsToSplitBy")
    if not entries or not isinstance(split, str) or split.startswith("="):
        return None
    names = [part.strip() for part in split.split(",") if part.strip()]
    if names and options_of(given).get("outputFormat") == "singleItem":
        return None
    for entry in entries:
        if not isinstance(entry, Mapping):
            return None
        prefix = _SUMMARIES.get(str(entry.get("aggregation")))
        source = read_names([entry.get("field")])
        if prefix is None or source is None:
            return None
        names.append(prefix + source[0])
    clean = (re.sub(r"[ .]", "_", re.sub(r"[\]\[\"]", "", name)) for name in names)
    return give(make_closed_shape(*names, *clean))


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
    """Returns the output of Merge: the fields of its inputs, unless it renames or computes them."""
    clash = options_of(given).get("clashHandling")
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
    if options_of(given).get("includeInputFields"):
        return add([given.get("outputFieldName")])
    known = read_names([given.get("outputFieldName")])
    return give(make_closed_shape(*known)) if known else None


def _read_html(given: Given) -> Transfer | None:
    operation = given.get("operation")
    if operation == "generateHtmlTemplate":
        return give(make_closed_shape("html"))
    if operation == "convertToHtmlTable":
        return give(make_closed_shape("table"))
    known = read_names(entry_names(list_at(given, "extractionValues", "values"), "key"))
    return give(make_closed_shape(*known)) if known else None


def _read_crypto(given: Given) -> Transfer | None:
    known = read_names([given.get("dataPropertyName")])
    return add(first_parts(known)) if known else None


def _read_renaming(given: Given) -> Transfer | None:
    more = given.get("additionalOptions")
    if isinstance(more, Mapping) and more.get("regexReplacement"):
        return None
    known = read_names(entry_names(list_at(given, "keys", "key"), "newKey"))
    return None if known is None else add(first_parts(known))


def _read_wait(given: Given) -> Transfer | None:
    return pass_on if given.get("resume") in ("timeInterval", "specificTime") else None


def _read_agent(_given: Given, bound: ResolvedNode) -> Transfer | None:
    if (bound.version or 0) < 1.6:
        return None
    return give(make_closed_shape("output", "intermediateSteps"))


def _read_chain(given: Given, bound: ResolvedNode) -> Transfer | None:
    version = bound.version or 0
    if given.get("hasOutputParser"):
        return give(make_closed_shape("output", "data")) if version >= 1.9 else None
    return give(make_closed_shape("text", "data")) if version >= 1.5 else None


def _make_extractor() -> Transfer | None:
    return give(make_closed_shape("output"))


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
    known = read_names(values) if isinstance(values, Mapping) and values else None
    return give(make_closed_shape(*known)) if known else None


_FIXED: Mapping[str, Transfer | None] = {
    **{f"{_BASE}{name}": give(shape) for name, shape in EVENTS.items()},
    f"{_BASE}errorTrigger": make_error(),
    f"{_BASE}githubTrigger": make_repository(),
    f"{_BASE}gitlabTrigger": make_repository(),
    f"{_BASE}manualTrigger": make_manual(),
    f"{_BASE}scheduleTrigger": make_schedule(),
    f"{_LANGCHAIN}informationExtractor": _make_extractor(),
}
_BY_PARAMETERS: Mapping[str, Callable[[Given], Transfer | None]] = {
    _MERGE: _read_merge,
    f"{_BASE}aggregate": _read_aggregate,
    f"{_BASE}crypto": _read_crypto,
    f"{_BASE}executeWorkflowTrigger": read_call,
    f"{_BASE}facebookLeadAdsTrigger": read_leads,
    f"{_BASE}gmailTrigger": read_gmail,
    f"{_BASE}html": _read_html,
    f"{_BASE}keapTrigger": read_keap,
    f"{_BASE}microsoftOutlookTrigger": read_outlook,
    f"{_BASE}notionTrigger": read_notion,
    f"{_BASE}renameKeys": _read_renaming,
    f"{_BASE}splitOut": _read_split,
    f"{_BASE}stravaTrigger": read_strava,
    f"{_BASE}summarize": _read_summary,
    f"{_BASE}wait": _read_wait,
    f"{_BASE}webhook": read_webhook,
    f"{_LANGCHAIN}chatTrigger": read_chat,
}
_BY_VERSION: Mapping[str, Callable[[Given, ResolvedNode], Transfer | None]] = {
    _SET: _read_set,
    f"{_BASE}calendlyTrigger": read_calendly,
    f"{_BASE}dateTime": _read_date,
    f"{_BASE}emailReadImap": read_imap,
    f"{_BASE}form": _read_form_page,
    f"{_BASE}formTrigger": read_form,
    f"{_BASE}googleSheets": _read_sheet,
    f"{_BASE}httpRequest": _read_request,
    f"{_BASE}pipedriveTrigger": read_pipedrive,
    f"{_BASE}telegramTrigger": read_telegram,
    f"{_LANGCHAIN}agent": _read_agent,
    f"{_LANGCHAIN}chainLlm": _read_chain,
}

# Triggers that output what a service sends, by the last part of their ids.
EVENT_TRIGGERS = (
    frozenset(EVENTS)
    | {
        name.removeprefix(_BASE)
        for name in (*_BY_PARAMETERS, *_BY_VERSION)
        if name.endswith("Trigger") and name.startswith(_BASE)
    }
    - {"executeWorkflowTrigger", "formTrigger", "telegramTrigger"}
    | {"emailReadImap"}
)
