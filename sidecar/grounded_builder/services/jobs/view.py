"""Formats a job as JSON: its state, its draft, and the result of each attempt."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.build.script import UnsafeValueError
from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.verify import write_checked_package
from grounded_builder.domains.simulink.draw import draw
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.services.jobs.open_result import openings_of
from grounded_builder.storage.jobs import Job

LONGEST_PICTURE = 500_000
_MOST_FOUND = 50


def job_json(job: Job) -> dict[str, Any]:
    """Returns a job as clients see it; the fields are the same in every state."""
    artifact = artifact_of(job) or {}
    last = job.attempts[-1] if job.attempts else {}
    return {
        "id": job.id,
        "state": job.state,
        "environment": job.environment,
        "request": request_of(job),
        "lease": job.lease if job.state == "leased" and job.lease else "",
        "attempt": len(job.attempts) + 1,
        "summary": str(job.answer.get("summary") or ""),
        "problem": job.problem or "",
        "run": str(job.answer.get("session") or ""),
        "rounds": int(job.answer.get("rounds") or 0),
        "script": str(artifact.get("script") or ""),
        "file": str(artifact.get("file") or ""),
        "options": json.dumps(job.order["options"]),
        "diagnostics": _diagnostics(job, last),
        "report": last.get("report") or {},
        "attempts": [_attempt(number, attempt) for number, attempt in enumerate(job.attempts, 1)],
        "picture": "",
        "slx": "",
        "verified": any(opening["verified"] for opening in openings_of(job)),
        "openings": list(openings_of(job)),
        "created": job.created_at,
    }


def line_of(job: Job) -> dict[str, Any]:
    """Returns a job as an entry of a list."""
    return {
        "id": job.id,
        "state": job.state,
        "environment": job.environment,
        "request": request_of(job),
        "holder": (job.holder or "") if job.state == "leased" else "",
        "attempts": len(job.attempts),
        "problem": job.problem or "",
        "created": job.created_at,
        "changed": job.changed_at,
    }


def artifact_of(job: Job) -> Mapping[str, Any] | None:
    """Returns the compiled artifact, None without one."""
    artifact = job.answer.get("artifact")
    return artifact if isinstance(artifact, dict) else None


def request_of(job: Job) -> str:
    """Returns the request without secrets, or the goal of a plan."""
    plan = job.order["plan"]
    goal = plan.get("goal") if isinstance(plan, dict) else None
    return str(without_secrets(str(job.order["request"] or goal or "build this plan")))


def picture_of(job: Job) -> str:
    """Returns an SVG of the compiled model; empty without a model, or where it is too long."""
    artifact = artifact_of(job)
    if artifact is None or "model" not in artifact:
        return ""
    picture = draw(artifact["model"], None)
    return picture if len(picture) <= LONGEST_PICTURE else ""


def slx_of(job: Job, domain: Domain, registry: Registry, options: CompileOptions) -> str:
    """Returns the compiled model as a ``.slx`` in base64; empty where it cannot be read back."""
    artifact = artifact_of(job)
    if artifact is None:
        return ""
    file = str(artifact.get("file") or "model.m").removesuffix(".m") + ".slx"
    try:
        package = write_checked_package(artifact, file, domain, registry, options)
    except (UnwritableError, UnsafeValueError):
        return ""
    return base64.b64encode(package.raw).decode()


def _diagnostics(job: Job, last: Mapping[str, Any]) -> list[Any]:
    """Returns why the last attempt failed, or why drafting failed after it."""
    attempted, drafted = last.get("diagnostics") or [], job.answer.get("diagnostics") or []
    if artifact_of(job) is None:
        return [*attempted, *drafted]
    return list(attempted or drafted)


def _attempt(number: int, attempt: Mapping[str, Any]) -> dict[str, Any]:
    report = attempt.get("report") or {}
    return {
        "number": number,
        "worker": str(attempt.get("worker") or ""),
        "lease": str(attempt.get("lease") or ""),
        "silent": bool(attempt.get("silent")),
        "started": str(attempt.get("started") or ""),
        "ended": str(attempt.get("at") or ""),
        "run": str(attempt.get("run") or ""),
        "ok": "report" in attempt and not attempt.get("diagnostics"),
        "model": str(report.get("model") or ""),
        "errors": _count(report.get("errors")),
        "differences": _count(report.get("differences")),
        "diagnostics": list(attempt.get("diagnostics") or ())[:_MOST_FOUND],
    }


def _count(value: Any) -> int:
    """Returns the length of a list; MATLAB writes a list of one as its only element."""
    return len(value) if isinstance(value, list) else int(isinstance(value, dict) and bool(value))
