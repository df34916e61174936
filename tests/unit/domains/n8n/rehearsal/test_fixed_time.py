"""The clock of expressions and JavaScript is replaced, and nothing else of a node."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.fixed_time import fix_time
from tests.unit.domains.n8n.drafts import STEP, node, registry, workflow

_AT = "2026-03-01T09:00:00.000+00:00"
_LUXON = f'DateTime.fromISO("{_AT}")'
_DATE = f'{{{{ new Date("{_AT}") }}}}'


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("={{ $now }}", f"={{{{ {_LUXON}.setZone($now.zone) }}}}"),
        (
            "=a {{ $today.plus(1) }} b {{ new Date() }}",
            f'=a {{{{ {_LUXON}.setZone($now.zone).startOf("day").plus(1) }}}} b {_DATE}',
        ),
        ("={{ Date.now() }}", f'={{{{ Date.parse("{_AT}") }}}}'),
        ("={{ DateTime.utc() }}", f"={{{{ {_LUXON}.toUTC() }}}}"),
        ("={{ '$now' + $json.$now + my$now }}", None),
        ("={{ new Date(0) }}", None),
        ("$now and {{ $now }}", None),
    ],
)
def test_only_the_clock_is_replaced(text: str, fixed: str | None) -> None:
    """Names in texts, members and dates that are given stay as they are."""
    source = node("A", STEP, {"text": text, "rows": [{"at": text}]})
    graph = N8N.reading.read(workflow([source])).graph
    assert graph is not None
    resolved, _ = resolve_graph(graph, N8N, registry(), tuple)
    bound = resolved.by_name["A"]
    moment = datetime(2026, 3, 1, 9, tzinfo=UTC)
    made = fix_time(bound, bound.node.source, moment)
    wanted = text if fixed is None else fixed
    assert made["parameters"] == {"text": wanted, "rows": [{"at": wanted}]}
    assert bound.node.source["parameters"]["text"] == text
    assert fix_time(bound, bound.node.source, None) is bound.node.source
