"""Constrains the next draft of a job by what MATLAB's build reports show as missing."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.simulink.matlab.build_report import (
    absent_blocks,
    findings_of,
    lost_products,
)
from grounded_builder.domains.simulink.resolve.target import FORBIDDEN_PRODUCTS
from grounded_builder.storage.jobs import Job

_MOST_SAID = 20


def constraints_after_failures(job: Job) -> dict[str, Any]:
    """Returns the constraints of the next draft, which forbid tools missing in the installation."""
    constraints = dict(job.order["constraints"])
    reports = [attempt["report"] for attempt in job.attempts if "report" in attempt]
    absent = [path for report in reports for path in absent_blocks(report)]
    messages = [finding.message for report in reports for finding in findings_of(report)]
    forbidden = constraints.get("forbid") or []
    if absent:
        constraints["forbid"] = list(dict.fromkeys([*forbidden, *absent]))
    if lost := [lost_product for report in reports for lost_product in lost_products(report)]:
        before = constraints.get(FORBIDDEN_PRODUCTS.name) or []
        constraints[FORBIDDEN_PRODUCTS.name] = list(dict.fromkeys([*before, *lost]))
    if messages:
        constraints["matlab_said"] = list(dict.fromkeys(messages))[:_MOST_SAID]
    return constraints
