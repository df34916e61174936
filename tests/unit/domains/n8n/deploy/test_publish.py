"""n8n's refusals to publish, word for word, become diagnostics at the nodes they name."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.publish import refusal

ARTIFACT: dict[str, Any] = {
    "nodes": [
        {"name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2},
        {"name": 'A "quoted": name', "type": "n8n-nodes-base.slack", "typeVersion": 2.2},
        {"name": "Set", "type": "n8n-nodes-base.set", "typeVersion": 99},
    ]
}


def parse_refusal(
    refusal_text: str, kind: Any = "refused"
) -> list[tuple[tuple[Any, ...], str | None, str]]:
    error = N8nError(kind, "n8n refused it", refusal_text, 400)
    return [
        (diagnostic.at, diagnostic.node, diagnostic.message)
        for diagnostic in refusal(error, ARTIFACT)
    ]


def test_issues_are_reported_one_by_one() -> None:
    """A list of issues a node becomes one diagnostic an issue, at its node."""
    text = (
        "Cannot publish workflow: 2 nodes have configuration issues:\n\n"
        'Node "A "quoted": name":\n  - Missing required credential: slackApi\n'
        "  - Missing or invalid required parameters: channelId\n\n"
        'Node "Set":\n  - Missing or invalid required parameters: url'
    )
    assert parse_refusal(text) == [
        (
            ("nodes", 1),
            'A "quoted": name',
            'n8n refuses to publish "A "quoted": name": Missing required credential: slackApi',
        ),
        (
            ("nodes", 1),
            'A "quoted": name',
            (
                'n8n refuses to publish "A "quoted": name": '
                "Missing or invalid required parameters: channelId"
            ),
        ),
        (
            ("nodes", 2),
            "Set",
            'n8n refuses to publish "Set": Missing or invalid required parameters: url',
        ),
    ]


@pytest.mark.parametrize(
    ("refusal_text", "index"),
    [
        ("Unrecognized node type: n8n-nodes-base.slack", 1),
        (
            (
                'Node type "set" is not available in version 99. Available versions: 1, 2. '
                "Use the latest version 3.5."
            ),
            2,
        ),
        (
            (
                'Cannot publish workflow: Node "Set" references workflow 7 ("Other") which is not '
                "published. Please publish all referenced sub-workflows first."
            ),
            2,
        ),
    ],
)
def test_a_named_type_or_reference_is_found(refusal_text: str, index: int) -> None:
    """A message that names a type or a node in its text is reported at that node."""
    assert [at for at, _, _ in parse_refusal(refusal_text)] == [("nodes", index)]


@pytest.mark.parametrize(
    "refusal_text",
    [
        "Workflow cannot be activated because it has no trigger node.",
        "There is a conflict with one of the webhooks.",
        "Something nobody has seen before",
    ],
)
def test_other_words_are_reported_whole(refusal_text: str) -> None:
    """A refusal that names no node is reported unchanged, for the workflow."""
    ((at, node, message),) = parse_refusal(refusal_text, "conflict")
    assert (at, node) == ((), None)
    assert refusal_text in message


def test_a_refusal_without_words_is_reported_all_the_same() -> None:
    """An empty message gives the call instead."""
    assert parse_refusal("") == [((), None, "n8n refused it")]
