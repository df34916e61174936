"""Formats the result of a rehearsal as JSON and as lines for people, without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.rehearsal.exchange import Exchange
from grounded_builder.domains.n8n.rehearsal.invented_credentials import INVENTED
from grounded_builder.domains.n8n.rehearsal.judge import Verdict
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, RehearsedRun
from grounded_builder.domains.n8n.rehearsal.stand_ins import describe_state
from grounded_builder.redaction.redact import without_secrets

_SHOWN_TEXT = 4_000
_SHOWN_LINE = 240
# Headers that say nothing about the workflow: n8n's HTTP library sets them.
_TECHNICAL = frozenset(
    "accept accept-encoding connection content-length host proxy-connection transfer-encoding"
    " user-agent".split()
)


def rehearsal_json(rehearsal: Rehearsal, verdicts: Sequence[Verdict]) -> Mapping[str, Any]:
    """Returns the rehearsal with the verdicts; secrets in requests are replaced."""
    return {
        "runs": [_run_json(run) for run in rehearsal.runs],
        "expectations": [_verdict_json(verdict) for verdict in verdicts],
        "never_run": [
            {"node": unreached.node, "reason": unreached.reason}
            for unreached in rehearsal.never_run
        ],
        "reached_only": [
            {"node": node, "by": kind}
            for node, kind in rehearsal.reached.items()
            if kind != "natural"
        ],
        "unserved": [
            {"node": item.node, "protocol": item.protocol, "state": item.state}
            for item in rehearsal.unserved
        ],
        "bound": rehearsal.bound,
        "filled_values": [
            {"node": filled.node, "parameter": filled.parameter, "value": filled.value}
            for filled in rehearsal.filled
        ],
    }


def rehearsal_lines(content: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines that describe a rehearsal, from its JSON."""
    for run in content["runs"]:
        why = f" ({run['reason']})" if run["reason"] else ""
        yield f'"{run["trigger"]}": {run["status"]}{why}'
        if run["refusal"]:
            yield f"  n8n does not run it: {run['refusal']}"
        for step in run["steps"]:
            items = step["items"]
            yield f'  "{step["node"]}" {items} {"item" if items == 1 else "items"}'
            yield from (
                f"    {line}"
                for exchange in step["requests"]
                for line in _render_exchange(exchange)
            )
            if step["error"]:
                yield f"    error: {step['error']}"
        if run["answer"] is not None:
            body = json.dumps(run["answer"]["body"], ensure_ascii=False)
            yield f"  the caller got {run['answer']['status']}: {body}"[:_SHOWN_LINE]
        for exchange in run["loose_requests"]:
            yield from (f"  outside any node: {line}" for line in _render_exchange(exchange))
        if run["error"] is not None and not run["error"]["node"]:
            yield f"  error: {run['error']['message']}"
    for judged in content["expectations"]:
        scenario = f"{judged['scenario']}: " if judged["scenario"] else ""
        state = "not judged" if not judged["judged"] else "met" if judged["met"] else "not met"
        miss = f": {judged['miss']}" if judged["miss"] else ""
        yield f"{state}: {scenario}{judged['expectation']}{miss}"
    for filled in content["filled_values"]:
        value = json.dumps(filled["value"])
        yield f'open value, rehearsed with {value}: {filled["parameter"]} of "{filled["node"]}"'
    for reached in content["reached_only"]:
        yield f'only reached by a run that is {reached["by"]}: "{reached["node"]}"'
    for unserved in content["unserved"]:
        effect = describe_state(unserved["state"])
        yield f'no server for {unserved["protocol"]}: "{unserved["node"]}" {effect}'
    for unreached in content["never_run"]:
        yield f'never run: "{unreached["node"]}", {unreached["reason"]}'
    if content["bound"]:
        yield f"no further runs after {content['bound']}"


def _run_json(run: RehearsedRun) -> Mapping[str, Any]:
    failure = run.execution.failure
    return {
        "trigger": run.trigger,
        "variant": run.variant.kind,
        "reason": run.variant.reason,
        "status": run.execution.status,
        "execution": run.execution.number,
        "started": run.execution.started,
        "refusal": run.refusal,
        "answer": None
        if run.answer is None
        else without_secrets(
            {
                "status": run.answer.status,
                "content_type": run.answer.content_type,
                "body": _show_content(run.answer.body, run.answer.content_type),
            }
        ),
        "error": None
        if failure is None
        else {"node": failure.node, "message": failure.message, "parameter": failure.parameter},
        "steps": [
            {
                "node": rehearsed.step.node,
                "items": rehearsed.step.count_items(),
                "ms": rehearsed.step.duration_ms,
                "error": rehearsed.step.error,
                "requests": [_exchange_json(exchange) for exchange in rehearsed.exchanges],
            }
            for rehearsed in run.steps
        ],
        "loose_requests": [_exchange_json(exchange) for exchange in run.loose],
    }


def _verdict_json(verdict: Verdict) -> Mapping[str, Any]:
    judged: Mapping[str, Any] = without_secrets(
        {
            "expectation": verdict.expectation,
            "scenario": verdict.scenario,
            "met": verdict.is_met,
            "judged": verdict.state != "unjudged",
            "miss": verdict.miss,
        }
    )
    return judged


def _exchange_json(exchange: Exchange) -> Mapping[str, Any]:
    request, answer = exchange.request, exchange.answer
    headers = {name: value for name, value in request.headers.items() if name not in _TECHNICAL}
    content: dict[str, Any] = without_secrets(
        {
            "method": request.method,
            "url": request.url,
            "headers": headers,
            "body": _show_content(request.body, request.headers.get("content-type", "")),
            "status": answer.status,
            "answer": _show_content(answer.body, answer.headers.get("content-type", "")),
            "source": answer.source,
        }
    )
    invented = {name: _name_scheme(value) for name, value in headers.items() if INVENTED in value}
    return {**content, "headers": {**content["headers"], **invented}}


def _name_scheme(value: str) -> str:
    """Returns the kind of a login without the invented secret."""
    scheme, _, secret = value.partition(" ")
    return f"{scheme} (invented)" if secret else "(invented)"


def _show_content(body: bytes, kind: str) -> Any:
    """Returns a body as JSON or text; a long or binary one is described."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return f"{len(body)} bytes of {kind or 'unknown content'}"
    if len(text) > _SHOWN_TEXT:
        return f"{text[:_SHOWN_TEXT]}... ({len(body)} bytes)"
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text


def _render_exchange(exchange: Mapping[str, Any]) -> Iterator[str]:
    yield f"{exchange['method']} {exchange['url']}"[:_SHOWN_LINE]
    if exchange["body"] is not None:
        body = exchange["body"]
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        yield f"  {text[:_SHOWN_LINE]}"
    yield f"  answered {exchange['status']} from {exchange['source']}"
