"""The protocol of a credential type is known by its port, or by its name where it has none."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.rehearsal.servers.protocols import find_protocol


@pytest.mark.parametrize(
    ("kind", "fields", "protocol"),
    [
        ("kafka", [{"name": "brokers", "placeholder": "kafka1:9092"}], "kafka"),
        ("mqtt", [{"name": "host"}, {"name": "port", "default": 1883}], "mqtt"),
        ("homeAssistantApi", [{"name": "host"}, {"name": "port", "default": 8123}], ""),
    ],
)
def test_a_protocol_is_that_of_the_standard_port(
    kind: str, fields: list[dict[str, object]], protocol: str
) -> None:
    """A port that is nobody's, or none, means HTTP; an unknown type has no protocol."""
    assert find_protocol(kind, {kind: {"name": kind, "properties": fields}}) == protocol
    assert find_protocol(kind, {}) == ""
