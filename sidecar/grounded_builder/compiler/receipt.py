"""Receipts: our signature that exactly these bytes were judged against exactly this catalog."""

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
    "changed-catalog": "build the artifact again; it is judged against the catalog of now",
}
_TEXTS = ("artifact", "catalog", "verdict", "policy", "instance", "key", "signature")
_APPROVALS = "approvals"
_SAFE_INTEGER = 2**53 - 1
_LARGEST = 2**1023


@dataclass(frozen=True, slots=True)
class Signer:
    """The key that signs; ``key_id`` tells keys apart without giving them away."""

    key_id: str
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, secret: bytes) -> Signer:
        """A signer with a key drawn from a secret of any length."""
        key = hashlib.sha256(b"grounded-builder receipt\n" + secret).digest()
        return cls(hashlib.sha256(b"key id\n" + key).hexdigest()[:16], key)


@dataclass(frozen=True, slots=True)
class ReceiptClaims:
    """What a receipt binds an artifact to; hashes in hex.

    ``policies`` are others of this installation, of tokens with one of their own, whose receipts
    count too: whoever checks one judges the artifact anew under the policy of now.
    """

    catalog: str
    policy: str
    instance: str
    policies: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    """What became of checking a receipt; ``reason`` is empty when it is valid."""

    outcome: Outcome
    reason: str = ""

    @property
    def diagnostic(self) -> Diagnostic | None:
        """The finding to report; None for a valid receipt."""
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
    """Sign an artifact; times are Unix seconds. A wrong artifact is never signed.

    ``approvals`` are what a person has approved in it.
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
    return {**claims, "signature": _signature(claims, signer)}


def verify_receipt(
    receipt: Any, artifact: Mapping[str, Any], terms: ReceiptClaims, signer: Signer, *, now: float
) -> ReceiptCheck:
    """Check a receipt as it was received, whatever it is."""
    if receipt is None:
        return ReceiptCheck("missing", "the artifact comes without a receipt")
    if not _in_shape(receipt):
        return ReceiptCheck("foreign", "what was sent as a receipt is none")
    claims = {name: value for name, value in receipt.items() if name != "signature"}
    if receipt["key"] != signer.key_id:
        return ReceiptCheck("foreign", "the receipt was signed with another key")
    if not hmac.compare_digest(_signature(claims, signer), receipt["signature"]):
        return ReceiptCheck("foreign", "the receipt was changed: its signature does not fit")
    if receipt["instance"] != terms.instance:
        return ReceiptCheck("foreign", "the receipt was made by another installation")
    if receipt["artifact"] != artifact_hash(artifact):
        return ReceiptCheck("foreign", "the artifact is not the one that the receipt was made for")
    if receipt["policy"] not in (terms.policy, *terms.policies):
        return ReceiptCheck("foreign", "the receipt was made under another policy")
    if now >= receipt["expires"]:
        return ReceiptCheck("expired", f"the receipt expired {now - receipt['expires']:.0f} s ago")
    if receipt["catalog"] != terms.catalog:
        was, is_now = receipt["catalog"][:12], terms.catalog[:12]
        reason = f"the artifact was judged against catalog {was}, the catalog of now is {is_now}"
        return ReceiptCheck("changed-catalog", reason)
    return ReceiptCheck("valid")


def artifact_hash(artifact: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON (RFC 8785) of an artifact, in hex.

    Whole numbers that JavaScript cannot hold exactly follow with all their digits and places:
    canonical JSON alone is the same for each and its neighbours.
    """
    canonical = canonical_json(artifact)
    inexact = [[*map(str, route), str(number)] for route, number in _inexact(artifact)]
    if inexact:
        canonical += b"\n" + rfc8785.dumps(inexact)
    return hashlib.sha256(canonical).hexdigest()


def canonical_json(value: Any) -> bytes:
    """Canonical JSON of any JSON value.

    The standard knows neither numbers that JavaScript cannot hold exactly, which count as
    the nearest it can (null, as JavaScript writes it, when that is no finite number), nor
    halves of a character, which count as their escapes.
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return rfc8785.dumps(_expressible(value))


def _inexact(value: Any) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """The whole numbers that JavaScript writes with other digits, each with its route."""
    open_ones: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while open_ones:
        route, current = open_ones.pop()
        if isinstance(current, dict):
            # Sorted as texts: the order of keys says nothing.
            open_ones += [((*route, _shown(key)), child) for key, child in sorted(current.items())]
        elif isinstance(current, list | tuple):
            open_ones += [((*route, index), child) for index, child in enumerate(current)]
        elif isinstance(current, int) and not _is_exact(current):
            yield route, current


def _is_exact(number: int) -> bool:
    """Whether JavaScript writes a whole number as it is written here."""
    if abs(number) <= _SAFE_INTEGER:
        return True
    return abs(number) < _LARGEST and int(Decimal(repr(float(number)))) == number


def _shown(key: str) -> str:
    return key.encode("utf-8", "backslashreplace").decode()


def _signature(claims: Mapping[str, Any], signer: Signer) -> str:
    return hmac.new(signer.key, canonical_json(dict(claims)), hashlib.sha256).hexdigest()


def _in_shape(receipt: Any) -> bool:
    return (
        isinstance(receipt, dict)
        and set(receipt) - {_APPROVALS} == {*_TEXTS, "expires"}
        and isinstance(receipt.get(_APPROVALS, []), list)
        and all(isinstance(name, str) for name in receipt.get(_APPROVALS, []))
        and all(isinstance(receipt[name], str) and receipt[name].isascii() for name in _TEXTS)
        and isinstance(receipt["expires"], int)
        and not isinstance(receipt["expires"], bool)
        and 0 <= receipt["expires"] <= _SAFE_INTEGER
    )


def _expressible(value: Any) -> Any:
    if isinstance(value, dict):
        return {_expressible(key): _expressible(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_expressible(child) for child in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
        value = float(value) if abs(value) < _LARGEST else math.inf
    return None if isinstance(value, float) and not math.isfinite(value) else value
