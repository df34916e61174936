"""Let an artifact through to n8n: with a receipt for its very bytes, or compiled here and now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import list_approved
from grounded_builder.compiler.pipeline import Compilation, compile_draft, compile_with_fixes
from grounded_builder.compiler.receipt import (
    Receipt,
    ReceiptClaims,
    Signer,
    artifact_hash,
    make_receipt,
    verify_receipt,
)
from grounded_builder.diagnostics import (
    Diagnostic,
    Verdict,
    new_diagnostic,
    sorted_unique,
    verdict_of,
)
from grounded_builder.domains.n8n.deploy.attach_credentials import WANTS, attach
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.artifact import CORRECTED
from grounded_builder.resolve.diagnose import ReferenceCatalogs


@dataclass(frozen=True, slots=True)
class Guard:
    """What an artifact is held against.

    ``setting.credentials`` are those of the instance, ``instance`` names this
    installation in receipts, which last ``lifetime_s`` seconds. ``policies`` are the hashes of
    its other policies.
    """

    registry: Registry
    setting: CompileOptions
    signer: Signer
    instance: str
    lifetime_s: int
    references: ReferenceCatalogs = tuple
    policies: frozenset[str] = frozenset()

    @property
    def terms(self) -> ReceiptClaims:
        """What a receipt of now binds to."""
        policy = self.setting.policy.hash
        return ReceiptClaims(self.registry.fingerprint, policy, self.instance, self.policies)


@dataclass(frozen=True, slots=True)
class Admission:
    """What may be sent to n8n, with the receipt for it; no artifact: refused."""

    artifact: Mapping[str, Any] | None
    receipt: Receipt | None
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]


def admit_draft(draft: Any, guard: Guard, *, now: float) -> Admission:
    """Compiles a draft, attach credentials and sign what came of it; ``now`` is Unix seconds."""
    compilation = compile_with_fixes(draft, N8N, guard.registry, guard.setting, guard.references)
    if compilation.artifact is None:
        diagnostics = (*compilation.corrections, *compilation.diagnostics)
        return Admission(None, None, "wrong", sorted_unique(diagnostics))
    if compilation.plan is not None:
        compilation = _told_of_artifact(compilation, guard)
    return _equipped(compilation.artifact or {}, compilation, guard, None, now)


def admit_artifact(
    artifact: Mapping[str, Any], receipt: Any, guard: Guard, *, now: float
) -> Admission:
    """Checks the receipt of an artifact; a changed catalog means judging it anew.

    An artifact with a valid receipt is judged too: for what is missing on the instance, and because
    a receipt is no reason to send what is known to be wrong by now.
    """
    checked = verify_receipt(receipt, artifact, guard.terms, guard.signer, now=now)
    results = () if checked.diagnostic is None else (checked.diagnostic,)
    if checked.outcome not in ("valid", "changed-catalog"):
        return Admission(None, None, "wrong", results)
    compilation = compile_draft(artifact, N8N, guard.registry, guard.setting, guard.references)
    if compilation.artifact is None:
        return Admission(None, None, "wrong", sorted_unique((*results, *compilation.diagnostics)))
    if checked.outcome == "changed-catalog":
        message = f"judged anew: {checked.reason}"
        compilation = replace(compilation, corrections=(new_diagnostic(CORRECTED, (), message),))
        return _equipped(compilation.artifact or {}, compilation, guard, None, now)
    return _equipped(artifact, compilation, guard, receipt, now)


def key_of(content: Any, target: str | None = None) -> str:
    """Returns the idempotency key of content that comes without one: equal content, equal key."""
    text = json.dumps([content, target], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def _told_of_artifact(compilation: Compilation, guard: Guard) -> Compilation:
    """Returns a plan's compilation with what is said of its artifact placed in the artifact itself.

    Credentials are attached where the findings point; what only the plan shows stays.
    """
    native = compile_draft(
        compilation.artifact, N8N, guard.registry, guard.setting, guard.references
    )
    diagnostics = {(d.code, d.message) for d in native.diagnostics}
    only_of_plan = (d for d in compilation.diagnostics if (d.code, d.message) not in diagnostics)
    results = (*compilation.corrections, *only_of_plan)
    return replace(compilation, diagnostics=native.diagnostics, corrections=results)


def _equipped(
    artifact: Mapping[str, Any],
    compilation: Compilation,
    guard: Guard,
    receipt: Receipt | None,
    now: float,
) -> Admission:
    """Attaches, judge what that changed, and sign unless the receipt still fits."""
    attached = attach(artifact, compilation.diagnostics, guard.setting.credentials)
    corrections = (*compilation.corrections, *attached.notes)
    if artifact_hash(attached.artifact) != artifact_hash(artifact):
        compilation = compile_draft(
            attached.artifact, N8N, guard.registry, guard.setting, guard.references
        )
        receipt = None
    asked = {(question.at, question.token) for question in attached.questions}
    remaining = (
        d for d in compilation.diagnostics if (d.at, d.token) not in asked or d.rule not in WANTS
    )
    diagnostics = sorted_unique((*corrections, *remaining, *attached.questions))
    verdict = verdict_of(diagnostics)
    if verdict == "wrong":
        return Admission(None, None, verdict, diagnostics)
    approvals = list_approved(diagnostics)
    if receipt is None or approvals:
        receipt = make_receipt(
            attached.artifact,
            verdict,
            guard.terms,
            guard.signer,
            now=now,
            lifetime_s=guard.lifetime_s,
            approvals=approvals,
        )
    return Admission(attached.artifact, receipt, verdict, diagnostics)
