from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.compiler.receipt import (
    Receipt,
    ReceiptClaims,
    Signer,
    artifact_hash,
    canonical_json,
    make_receipt,
    verify_receipt,
)
from tests.support import catalogs

SIGNER = Signer.of(b"secret")
TERMS = ReceiptClaims(catalog="c" * 64, policy="p" * 64, instance="here")
NOW = 1_700_000_000.5

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _receipt(**changes: Any) -> Receipt:
    made = make_receipt(catalogs.workflow(), "ok", TERMS, SIGNER, now=NOW, lifetime_s=60)
    return {**made, **changes}


def _code(receipt: Any, terms: ReceiptClaims = TERMS, now: float = NOW) -> str | None:
    checked = verify_receipt(receipt, catalogs.workflow(), terms, SIGNER, now=now)
    diagnostic = checked.diagnostic
    assert (diagnostic is None) == (checked.outcome == "valid")
    return None if diagnostic is None else diagnostic.code


def test_a_fresh_receipt_is_valid_until_its_time() -> None:
    """A receipt holds from when it was made until just before it expires."""
    assert _code(_receipt()) is None
    assert _code(_receipt(), now=NOW + 59) is None
    assert _code(_receipt(), now=NOW + 60) == "GB503"


@pytest.mark.parametrize(
    "junk", ["", "x", 7, [], {}, {"signature": "x"}, {**_receipt(), "more": "x"}, {"artifact": 1}]
)
def test_malformed_receipt_is_foreign(junk: Any) -> None:
    """An absent receipt is missing, a malformed one is foreign, and none raises an exception."""
    assert _code(None) == "GB501"
    assert _code(junk) == "GB502"


@pytest.mark.parametrize("name", list(_receipt()))
def test_no_field_can_be_changed(name: str) -> None:
    """A change of any single field is noticed."""
    original = _receipt()[name]
    changed = original + 1_000 if isinstance(original, int) else "0" * len(original)
    assert _code(_receipt(**{name: changed})) == "GB502"
    assert _code(_receipt(**{name: None})) == "GB502"
    assert _code(_receipt(**{name: "é"})) == "GB502"


def test_each_term_is_bound() -> None:
    """Another catalog asks for a new judgement; another policy, installation or key is foreign."""
    assert _code(_receipt(), replace(TERMS, catalog="d" * 64)) == "GB504"
    assert _code(_receipt(), replace(TERMS, policy="d" * 64)) == "GB502"
    assert _code(_receipt(), replace(TERMS, instance="there")) == "GB502"
    stranger = Signer.of(b"another")
    made = make_receipt(catalogs.workflow(), "ok", TERMS, stranger, now=NOW, lifetime_s=60)
    assert _code(made) == "GB502"
    assert _code({**made, "key": SIGNER.key_id}) == "GB502"


def test_the_artifact_is_bound_to_the_byte() -> None:
    """A receipt is for one artifact, whatever the order of its keys."""
    turned = dict(reversed(catalogs.workflow().items()))
    assert verify_receipt(_receipt(), turned, TERMS, SIGNER, now=NOW).outcome == "valid"
    turned["nodes"][1]["parameters"]["to"] += "m"
    assert verify_receipt(_receipt(), turned, TERMS, SIGNER, now=NOW).outcome == "foreign"


def test_wrong_is_never_signed() -> None:
    """A wrong artifact gets no receipt: asking for one is a fault of the program."""
    with pytest.raises(ValueError, match="wrong"):
        make_receipt({}, "wrong", TERMS, SIGNER, now=NOW, lifetime_s=60)


def test_signer_does_not_print_keys() -> None:
    """The printed form of a signer contains neither the key nor the secret."""
    assert "secret" not in repr(SIGNER)
    assert SIGNER.key.hex() not in repr(SIGNER)
    assert str(SIGNER.key) not in repr(SIGNER)


@given(_JSON)
def test_any_json_has_a_hash(value: Any) -> None:
    """Huge numbers and odd texts are canonicalised like any, and repeatably."""
    assert canonical_json(value) == canonical_json(value)
    assert len(artifact_hash({"a": value})) == 64


def test_canonical_json_reaches_beyond_the_standard() -> None:
    """Integers beyond 2^53 and halves of a character do not stop a receipt."""
    assert canonical_json({"n": 2**60}) == b'{"n":1152921504606847000}'
    assert canonical_json({"s": "\ud83d"}) == b'{"s":"\\\\ud83d"}'


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 1234567890123456789, 10**400])
def test_every_digit_of_a_whole_number_is_bound(number: int) -> None:
    """A number that JavaScript rounds to its neighbour is distinguished from it, in any place."""
    for route in (lambda n: {"a": n}, lambda n: {"a": [{"b": [1, n]}]}):
        receipt = make_receipt(route(number), "ok", TERMS, SIGNER, now=NOW, lifetime_s=60)
        for other in (number - 1, number + 1):
            checked = verify_receipt(receipt, route(other), TERMS, SIGNER, now=NOW)
            assert checked.outcome == "foreign", other
        assert verify_receipt(receipt, route(number), TERMS, SIGNER, now=NOW).outcome == "valid"


def test_an_inexact_number_is_bound_to_its_place() -> None:
    """Two such numbers that change places are another artifact; order of keys is none."""
    first, second = 2**53 + 1, 2**53 + 3
    assert artifact_hash({"a": first, "b": second}) != artifact_hash({"a": second, "b": first})
    assert artifact_hash({"a": first, "b": second}) == artifact_hash({"b": second, "a": first})


@pytest.mark.parametrize("number", [1234567890123456800, 10**21, 2**53, 5 * 10**300])
def test_receipt_survives_javascript_numbers(number: int) -> None:
    """An artifact that JavaScript reads and writes keeps its receipt."""
    assert artifact_hash({"a": number}) == artifact_hash({"a": float(number)})
