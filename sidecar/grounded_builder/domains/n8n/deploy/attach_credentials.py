"""Attaches to nodes the only fitting stored credential, and reports where several fit.

n8n gives a reference without an id to any credential of its type (measured on 2.41.1), so every
reference is sent with an id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.credentials import (
    MISSING_CREDENTIAL,
    MISSING_STORED_CREDENTIAL,
)
from grounded_builder.ir.options import StoredCredential
from grounded_builder.ir.rules.artifact import CORRECTED

SEVERAL_CREDENTIALS = Rule.incomplete(
    "N8N507", "several-credentials", "MissingCredential", "Several credentials match."
)

WANTS = (MISSING_CREDENTIAL, MISSING_STORED_CREDENTIAL)


@dataclass(frozen=True, slots=True)
class Attached:
    """An artifact with credentials, the attached ones, and the nodes where a person must choose."""

    artifact: Mapping[str, Any]
    notes: tuple[Diagnostic, ...]
    questions: tuple[Diagnostic, ...]


def attach(
    artifact: Mapping[str, Any],
    diagnostics: Iterable[Diagnostic],
    credentials: tuple[StoredCredential, ...] | None,
) -> Attached:
    """Attaches to each missing or absent credential the only one that fits; reports a choice of
    several.

    Reads the findings N8N303 and N8N306; ``None`` for credentials that could not be listed attaches
    nothing.
    """
    nodes = [dict(node) for node in artifact["nodes"]]
    notes: list[Diagnostic] = []
    questions: list[Diagnostic] = []
    for finding in diagnostics:
        index = _node_of(finding, len(nodes))
        if index is None or credentials is None:
            continue
        fitting = _filter_credentials(finding, nodes[index], credentials)
        if len(fitting) == 1:
            notes.append(_attach(nodes[index], index, fitting[0]))
        elif fitting:
            questions.append(_question(finding, nodes[index], fitting))
    for node in nodes:
        if isinstance(node.get("credentials"), dict):
            node["credentials"] = {
                kind: _reference(value) for kind, value in node["credentials"].items()
            }
    return Attached({**artifact, "nodes": nodes}, tuple(notes), tuple(questions))


def _node_of(finding: Diagnostic, count: int) -> int | None:
    if finding.rule not in WANTS:
        return None
    route = finding.at
    if "parameters" in route:
        return None  # the finding is about a node of a workflow inside this one
    index = route[route.index("nodes") + 1] if "nodes" in route[:-1] else None
    return index if isinstance(index, int) and index < count else None


def _filter_credentials(
    finding: Diagnostic, node: Mapping[str, Any], credentials: tuple[StoredCredential, ...]
) -> list[StoredCredential]:
    """Returns the credentials of an accepted type, only those with the requested name if there are
    any.
    """
    accepted = _accepted_types(finding)
    fitting = [credential for credential in credentials if credential.type in accepted]
    present = node.get("credentials")
    wanted = {
        value.get("name")
        for kind, value in (present.items() if isinstance(present, dict) else ())
        if kind in accepted and isinstance(value, dict)
    }
    named = [credential for credential in fitting if credential.name in wanted]
    return named if len(named) == 1 else fitting


def _accepted_types(finding: Diagnostic) -> frozenset[str]:
    """Returns the accepted types: the one at the finding's place, or those it names."""
    last = finding.at[-1] if "credentials" in finding.at[:-1] else None
    return frozenset((last,) if isinstance(last, str) else finding.alternatives)


def _attach(node: dict[str, Any], index: int, credential: StoredCredential) -> Diagnostic:
    present = node.get("credentials")
    present_credentials = present if isinstance(present, dict) else {}
    node["credentials"] = {
        **present_credentials,
        credential.type: {"id": credential.id, "name": credential.name},
    }
    at: Route = ("nodes", index, "credentials", credential.type)
    name = str(node.get("name"))
    message = (
        f'"{name}" uses "{credential.name}", the only credential of type {credential.type} here'
    )
    return new_diagnostic(CORRECTED, at, message, node=name, token=credential.name)


def _question(
    finding: Diagnostic, node: Mapping[str, Any], fitting: list[StoredCredential]
) -> Diagnostic:
    name = str(node.get("name"))
    listed = ", ".join(
        f'"{credential.name}" ({credential.type}, {credential.id})' for credential in fitting[:10]
    )
    return new_diagnostic(
        SEVERAL_CREDENTIALS,
        finding.at,
        f'"{name}" could use any of {len(fitting)} credentials: {listed}',
        help="write the id and name of one of them into the node's credentials",
        node=name,
        token=finding.token,
        alternatives=[credential.id for credential in fitting],
    )


def _reference(value: Any) -> Any:
    if isinstance(value, str):
        return {"id": None, "name": value}
    if isinstance(value, dict) and not value.get("id"):
        return {**value, "id": None, "name": str(value.get("name") or "")}
    return value
