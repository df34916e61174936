"""Publishes a stored workflow and waits until it is live, or reports n8n's refusal by node."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.deploy.client import N8nClient, Workflow, diagnose
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.wait_until_active import wait_until_live

REFUSED_PUBLISH = Rule.wrong(
    "N8N505", "refused-publish", "ImportError", "n8n refused to publish the workflow."
)

_SHOWN_S = 10.0
_POLL_S = 0.05
_REFUSALS = ("refused", "conflict")
# n8n names a node, then lists its issues below: Node "A":\n  - issue
_NODE_ISSUES = re.compile(r'^Node "(?P<node>.*)":\n(?P<issues>(?:  - .*(?:\n|$))+)', re.MULTILINE)
_REFERENCE = re.compile(
    r'Node "(?P<node>[^"]*)" references (?P<rest>.+?)(?=; Node "|\. Please |$)', re.MULTILINE
)
_TYPE = re.compile(r"Unrecognized node type: (?P<type>\S+)")
_VERSION = re.compile(
    r'Node type "(?P<type>[^"]+)" is not available in version (?P<version>[\d.]+)'
)


@dataclass(frozen=True, slots=True)
class Published:
    """A published workflow; ``live`` is whether its triggers run, None when that cannot be checked.

    The public API does not report a trigger that fails to start: it answers "active" nevertheless.
    """

    stored: Workflow
    live: bool | None


def is_published(stored: Mapping[str, Any]) -> bool:
    """Returns whether n8n runs exactly the stored draft; n8n 1.x has no versions, only
    ``active``.
    """
    running = stored.get("activeVersionId", stored.get("versionId"))
    return stored.get("active") is True and running == stored.get("versionId")


def publish(
    client: N8nClient, stored: Workflow, artifact: Mapping[str, Any]
) -> Published | tuple[Diagnostic, ...]:
    """Publishes the stored draft; a refusal is returned as diagnostics.

    n8n 2.x answers before the triggers are registered, about 0.1 to 0.3 s later: the answer is no
    proof, so the workflow is read back and its webhooks are queried.
    """
    workflow_id, version_id = stored["id"], stored.get("versionId")
    fresh = stored.get("triggerCount") == 0
    try:
        client.activate(workflow_id, version_id if isinstance(version_id, str) else None)
    except N8nError as error:
        if error.kind not in _REFUSALS:
            raise
        return refusal(error, artifact)
    deadline = time.monotonic() + _SHOWN_S
    while not is_published(stored := client.get(workflow_id)):
        if time.monotonic() > deadline:
            message = f"n8n took the publication, but shows no sign of it after {_SHOWN_S:g} s"
            return (new_diagnostic(REFUSED_PUBLISH, (), message, help="read n8n's log"),)
        time.sleep(_POLL_S)
    return Published(stored, wait_until_live(client, stored, artifact, fresh=fresh))


def refusal(error: N8nError, artifact: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Returns n8n's refusal as diagnostics, each at the node that it names."""
    diagnostics = tuple(_parse_refusal(error.n8n_message, _routes(artifact)))
    if diagnostics:
        return diagnostics
    if not error.n8n_message:
        return (diagnose(error),)
    text = " ".join(error.n8n_message.split())
    return (
        new_diagnostic(
            REFUSED_PUBLISH,
            (),
            f"n8n refuses to publish: {text}",
            help="correct the fault that n8n names",
        ),
    )


def _parse_refusal(
    text: str, nodes: Mapping[str, tuple[Route, Mapping[str, Any]]]
) -> Iterator[Diagnostic]:
    for match in _NODE_ISSUES.finditer(text):
        for line in match["issues"].splitlines():
            yield _at(match["node"], line.removeprefix("  - ").strip(), nodes)
    for match in _REFERENCE.finditer(text):
        yield _at(match["node"], f"references {match['rest']}", nodes)
    for unknown in (_TYPE.search(text), _VERSION.search(text)):
        if unknown is None:
            continue
        short, version = unknown["type"], unknown.groupdict().get("version")
        for name, (_, node) in nodes.items():
            if _has_type(node, short, version):
                yield _at(name, " ".join(text.split()), nodes)


def _has_type(node: Mapping[str, Any], short: str, version: str | None) -> bool:
    """Returns whether a node has the type that n8n names, with its package or without and a
    version.
    """
    kind = str(node.get("type"))
    if version is None:
        return kind == short
    return kind.rpartition(".")[2] == short and float(node.get("typeVersion") or 1) == float(
        version
    )


def _at(name: str, issue: str, nodes: Mapping[str, tuple[Route, Mapping[str, Any]]]) -> Diagnostic:
    route = nodes[name][0] if name in nodes else ()
    message = f'n8n refuses to publish "{name}": {issue}'
    return new_diagnostic(
        REFUSED_PUBLISH, route, message, help="correct the fault that n8n names", node=name
    )


def _routes(artifact: Mapping[str, Any]) -> dict[str, tuple[Route, Mapping[str, Any]]]:
    return {
        str(node.get("name")): (("nodes", index), node)
        for index, node in enumerate(artifact.get("nodes", ()))
    }
