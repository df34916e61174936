"""Signs and verifies receipts for checked artifacts, and hashes artifacts by canonical JSON."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

import rfc8785

from grounded_builder.diagnostics import Diagnostic, Rule, Verdict, new_diagnostic

MISSING_RECEIPT = Rule.wrong(
    "GB501", "missing-receipt", "ReceiptError", "The artifact has no receipt."
)
FOREIGN_RECEIPT = Rule.wrong(
    "GB502", "foreign-receipt", "ReceiptError", "The receipt is not for this artifact."
)
EXPIRED_RECEIPT = Rule.wrong("GB503", "expired-receipt", "ReceiptError", "The receipt has expired.")
CHANGED_CATALOG = Rule.wrong(
    "GB504", "changed-catalog", "ReceiptError", "The catalog has changed since the build."
)

Outcome = Literal["valid", "missing", "foreign", "expired", "changed-catalog"]
Receipt = dict[str, Any]

_RULES: dict[str, Rule] = {
    "missing": MISSING_RECEIPT,
    "foreign": FOREIGN_RECEIPT,
    "expired": EXPIRED_RECEIPT,
    "changed-catalog": CHANGED_CATALOG,
}
_HELP: dict[str, str] = {
    "missing": "build the artifact first and send the receipt that comes with it",
    "foreign": "build the artifact again and send it unchanged, with its own receipt",
    "expired": "build the artifact again; it gets a new receipt",
    "changed-catalog": "build the artifact again; it is checked against the current catalog",
}
_TEXT_KEYS = ("artifact", "catalog", "verdict", "policy", "instance", "key", "signature")
_APPROVALS = "approvals"
_SAFE_INTEGER = 2**53 - 1
_LARGEST = 2**1023


@dataclass(frozen=True, slots=True)
class Signer:
    """The signing key; ``key_id`` identifies the key without revealing it."""

    key_id: str
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, secret: bytes) -> Signer:
        """Returns a signer with a key derived from a secret of any length."""
        key = hashlib.sha256(b"grounded-builder receipt\n" + secret).digest()
        return cls(hashlib.sha256(b"key id\n" + key).hexdigest()[:16], key)


@dataclass(frozen=True, slots=True)
class ReceiptClaims:
    """The facts that a receipt binds an artifact to; hashes in hex.

    ``policies`` are other policies of this installation, those of tokens, whose receipts are valid
    too: the artifact is checked again under the current policy.
    """

    catalog: str
    policy: str
    instance: str
    policies: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    """The result of checking a receipt; ``reason`` is empty if it is valid."""

    outcome: Outcome
    reason: str = ""

    @property
    def diagnostic(self) -> Diagnostic | None:
        """The finding to report, None for a valid receipt."""
        if self.outcome == "valid":
            return None
        return new_diagnostic(_RULES[self.outcome], (), self.reason, help=_HELP[self.outcome])


def make_receipt(
    artifact: Mapping[str, Any],
    verdict: Verdict,
    terms: ReceiptClaims,
    signer: Signer,
    *,
    now: float,
    lifetime_s: int,
    approvals: Sequence[str] = (),
) -> Receipt:
    """Returns a signed receipt; times are Unix seconds.

    ``approvals`` are those of the artifact. Raises ValueError for a wrong artifact.
    """
    if verdict == "wrong":
        raise ValueError("a wrong artifact gets no receipt")
    claims: Receipt = {
        "artifact": artifact_hash(artifact),
        "catalog": terms.catalog,
        "verdict": verdict,
        "policy": terms.policy,
        "instance": terms.instance,
        "key": signer.key_id,
        "expires": int(now) + lifetime_s,
    }
    claims |= {_APPROVALS: list(approvals)} if approvals else {}
    return {**claims, "signature": _sign(claims, signer)}


def verify_receipt(
    receipt: Any, artifact: Mapping[str, Any], terms: ReceiptClaims, signer: Signer, *, now: float
) -> ReceiptCheck:
    """Checks a receipt as received, which can be any value."""
    if receipt is None:
        return ReceiptCheck("missing", "the artifact has no receipt")
    if not _is_receipt(receipt):
        return ReceiptCheck("foreign", "the value sent as a receipt is not a receipt")
    claims = {name: value for name, value in receipt.items() if name != "signature"}
    if receipt["key"] != signer.key_id:
        return ReceiptCheck("foreign", "the receipt was signed with another key")
    if not hmac.compare_digest(_sign(claims, signer), receipt["signature"]):
        return ReceiptCheck("foreign", "the receipt was changed: its signature does not match")
    if receipt["instance"] != terms.instance:
        return ReceiptCheck("foreign", "the receipt was made by another installation")
    if receipt["artifact"] != artifact_hash(artifact):
        return ReceiptCheck("foreign", "the artifact is not the one that the receipt was made for")
    if receipt["policy"] not in (terms.policy, *terms.policies):
        return ReceiptCheck("foreign", "the receipt was made under another policy")
    if now >= receipt["expires"]:
        return ReceiptCheck("expired", f"the receipt expired {now - receipt['expires']:.0f} s ago")
    if receipt["catalog"] != terms.catalog:
        built, current = receipt["catalog"][:12], terms.catalog[:12]
        reason = f"the artifact was checked against catalog {built}, now it is {current}"
        return ReceiptCheck("changed-catalog", reason)
    return ReceiptCheck("valid")


def artifact_hash(artifact: Mapping[str, Any]) -> str:
    """Returns the SHA-256 over the canonical JSON (RFC 8785) of an artifact, in hex.

    Whole numbers that JavaScript cannot hold exactly are appended with their digits and routes:
    canonical JSON is the same for such a number and its neighbours.
    """
    canonical = canonical_json(artifact)
    inexact = [[*map(str, route), str(number)] for route, number in _iter_inexact(artifact)]
    if inexact:
        canonical += b"\n" + rfc8785.dumps(inexact)
    return hashlib.sha256(canonical).hexdigest()


def canonical_json(value: Any) -> bytes:
    """Returns the canonical JSON of any JSON value.

    The standard does not cover numbers that JavaScript cannot hold exactly; the nearest number
    stands for them, or null if that is not finite. Nor does it cover unpaired surrogates; their
    escapes stand for them.
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return rfc8785.dumps(_make_expressible(value))


def _iter_inexact(value: Any) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yields the whole numbers that JavaScript writes with other digits, with their routes."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while pending:
        route, current = pending.pop()
        if isinstance(current, dict):
            # Sorted as texts, since the order of keys has no meaning.
            pending += [
                ((*route, _escape_key(key)), child) for key, child in sorted(current.items())
            ]
        elif isinstance(current, list | tuple):
            pending += [((*route, index), child) for index, child in enumerate(current)]
        elif isinstance(current, int) and not _is_exact(current):
            yield route, current


def _is_exact(number: int) -> bool:
    """Returns whether JavaScript writes a whole number with the same digits."""
    if abs(number) <= _SAFE_INTEGER:
        return True
    return abs(number) < _LARGEST and int(Decimal(repr(float(number)))) == number


def _escape_key(key: str) -> str:
    return key.encode("utf-8", "backslashreplace").decode()


def _sign(claims: Mapping[str, Any], signer: Signer) -> str:
    return hmac.new(signer.key, canonical_json(dict(claims)), hashlib.sha256).hexdigest()


def _is_receipt(receipt: Any) -> bool:
    return (
        isinstance(receipt, dict)
        and set(receipt) - {_APPROVALS} == {*_TEXT_KEYS, "expires"}
        and isinstance(receipt.get(_APPROVALS, []), list)
        and all(isinstance(name, str) for name in receipt.get(_APPROVALS, []))
        and all(isinstance(receipt[name], str) and receipt[name].isascii() for name in _TEXT_KEYS)
        and isinstance(receipt["expires"], int)
        and not isinstance(receipt["expires"], bool)
        and 0 <= receipt["expires"] <= _SAFE_INTEGER
    )


def _make_expressible(value: Any) -> Any:
    if isinstance(value, dict):
        return {_make_expressible(key): _make_expressible(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_make_expressible(child) for child in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
        value = float(value) if abs(value) < _LARGEST else math.inf
    return None if isinstance(value, float) and not math.isfinite(value) else value
