"""Narrow what the next draft of a job may use, by what its attempts came to."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.simulink.matlab.build_report import (
    absent_blocks,
    findings_of,
    lost_products,
)
from grounded_builder.storage.jobs import Job

_MOST_SAID = 20


def constraints_after_failures(job: Job) -> dict[str, Any]:
    """The constraints of the next draft: without what the installation turned out not to have."""
    constraints = dict(job.order["constraints"])
    reports = [attempt["report"] for attempt in job.attempts if "report" in attempt]
    absent = [path for report in reports for path in absent_blocks(report)]
    results = [finding.message for report in reports for finding in findings_of(report)]
    forbidden = constraints.get("forbid") or []
    if absent:
        constraints["forbid"] = list(dict.fromkeys([*forbidden, *absent]))
    if lost := [lost_product for report in reports for lost_product in lost_products(report)]:
        before = constraints.get("forbid_products") or []
        constraints["forbid_products"] = list(dict.fromkeys([*before, *lost]))
    if results:
        constraints["matlab_said"] = list(dict.fromkeys(results))[:_MOST_SAID]
    return constraints
