"""Settings of a workflow with words that n8n takes and does not know."""

from __future__ import annotations

import pytest

from tests.unit.domains.n8n.drafts import START, findings_of, node, workflow


def _report_zone(zone: object) -> list[tuple[str, str]]:
    draft = {**workflow([node("S", START)], []), "settings": {"timezone": zone}}
    return [
        (diagnostic.rule.kind, str(diagnostic.at[-1]))
        for diagnostic in findings_of(draft, "N8N356")
    ]


@pytest.mark.parametrize("zone", ["Berlin/Europe", "Europe/Berlinn", "CEST time", "9am"])
def test_a_zone_that_nobody_knows_is_advice(zone: str) -> None:
    """n8n takes the word, and every date of the workflow is invalid."""
    assert _report_zone(zone) == [("advice", "timezone")]


@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Berlin",
        "america/new_york",
        "UTC",
        "DEFAULT",
        "",
        "UTC+3",
        "+02:00",
        "GMT",
        "Etc/GMT-5",
    ],
)
def test_zones_that_n8n_takes_are_silent(zone: str) -> None:
    """Names in any case, offsets, and n8n's own word for the zone of the instance."""
    assert _report_zone(zone) == []
