"""Admits a draft or signed artifact for import: compiles, verifies, adds credentials and signs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
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
    """The data that an artifact is checked against.

    ``options.credentials`` are those of the instance, ``instance`` names this installation in
    receipts, which last ``lifetime_s`` seconds. ``policies`` are the hashes of its other policies.
    """

    registry: Registry
    options: CompileOptions
    signer: Signer
    instance: str
    lifetime_s: int
    references: ReferenceCatalogs = tuple
    policies: frozenset[str] = frozenset()

    @property
    def terms(self) -> ReceiptClaims:
        """The terms of receipts signed now."""
        policy = self.options.policy.hash
        return ReceiptClaims(self.registry.fingerprint, policy, self.instance, self.policies)


@dataclass(frozen=True, slots=True)
class Admission:
    """The artifact to send to n8n, with its receipt; without an artifact it is refused."""

    artifact: Mapping[str, Any] | None
    receipt: Receipt | None
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]


def admit_draft(draft: Any, guard: Guard, *, now: float) -> Admission:
    """Compiles a draft, attaches credentials and signs the artifact; ``now`` is in Unix seconds."""
    compilation = compile_with_fixes(draft, N8N, guard.registry, guard.options, guard.references)
    if compilation.artifact is None:
        diagnostics = (*compilation.corrections, *compilation.diagnostics)
        return Admission(None, None, "wrong", sorted_unique(diagnostics))
    if compilation.plan is not None:
        compilation = _place_in_artifact(compilation, guard)
    return _attach_and_sign(compilation.artifact or {}, compilation, guard, None, now)


def admit_artifact(
    artifact: Mapping[str, Any], receipt: Any, guard: Guard, *, now: float
) -> Admission:
    """Checks the receipt of an artifact, compiling it again where the catalog has changed.

    An artifact with a valid receipt is compiled too, to find what is missing on the instance and
    faults that are known only now.
    """
    checked = verify_receipt(receipt, artifact, guard.terms, guard.signer, now=now)
    receipt_findings = () if checked.diagnostic is None else (checked.diagnostic,)
    if checked.outcome not in ("valid", "changed-catalog"):
        return Admission(None, None, "wrong", receipt_findings)
    compilation = compile_draft(artifact, N8N, guard.registry, guard.options, guard.references)
    if compilation.artifact is None:
        return Admission(
            None, None, "wrong", sorted_unique((*receipt_findings, *compilation.diagnostics))
        )
    if checked.outcome == "changed-catalog":
        message = f"judged anew: {checked.reason}"
        compilation = replace(compilation, corrections=(new_diagnostic(CORRECTED, (), message),))
        return _attach_and_sign(compilation.artifact or {}, compilation, guard, None, now)
    return _attach_and_sign(artifact, compilation, guard, receipt, now)


def admit_changed(
    compilation: Compilation, admission: Admission, guard: Guard, *, now: float
) -> Admission:
    """Returns an admission for a changed artifact, signed anew; the same artifact keeps its
    receipt.
    """
    artifact = compilation.artifact
    diagnostics = sorted_unique((*compilation.corrections, *compilation.diagnostics))
    verdict = verdict_of(diagnostics)
    if artifact is None or verdict == "wrong":
        return Admission(None, None, "wrong", diagnostics)
    receipt = admission.receipt
    if artifact_hash(artifact) != artifact_hash(admission.artifact or {}):
        receipt = _sign(artifact, verdict, diagnostics, guard, now)
    return Admission(artifact, receipt, verdict, diagnostics)


def key_of(content: Any, target: str | None = None) -> str:
    """Returns the idempotency key of content without one: equal content gives an equal key."""
    text = json.dumps([content, target], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def _place_in_artifact(compilation: Compilation, guard: Guard) -> Compilation:
    """Returns a plan's compilation with the findings about its artifact placed in the artifact.

    Credentials are attached at these places; findings that only the plan has stay.
    """
    native = compile_draft(
        compilation.artifact, N8N, guard.registry, guard.options, guard.references
    )
    diagnostics = {(d.code, d.message) for d in native.diagnostics}
    only_of_plan = (d for d in compilation.diagnostics if (d.code, d.message) not in diagnostics)
    corrections = (*compilation.corrections, *only_of_plan)
    return replace(compilation, diagnostics=native.diagnostics, corrections=corrections)


def _attach_and_sign(
    artifact: Mapping[str, Any],
    compilation: Compilation,
    guard: Guard,
    receipt: Receipt | None,
    now: float,
) -> Admission:
    """Attaches credentials, compiles the result, and signs unless the receipt still fits."""
    attached = attach(artifact, compilation.diagnostics, guard.options.credentials)
    corrections = (*compilation.corrections, *attached.notes)
    if artifact_hash(attached.artifact) != artifact_hash(artifact):
        compilation = compile_draft(
            attached.artifact, N8N, guard.registry, guard.options, guard.references
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
    if receipt is None or list_approved(diagnostics):
        receipt = _sign(attached.artifact, verdict, diagnostics, guard, now)
    return Admission(attached.artifact, receipt, verdict, diagnostics)


def _sign(
    artifact: Mapping[str, Any],
    verdict: Verdict,
    diagnostics: Iterable[Diagnostic],
    guard: Guard,
    now: float,
) -> Receipt:
    return make_receipt(
        artifact,
        verdict,
        guard.terms,
        guard.signer,
        now=now,
        lifetime_s=guard.lifetime_s,
        approvals=list_approved(diagnostics),
    )
