"""Makes an invented credential from the fields that its type declares.

A node signs its requests with them as it would with real ones; the services that it signs them for
are never reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from grounded_builder.domains.n8n.rehearsal.servers.protocols import find_protocol

INVENTED = "invented"
"""The beginning of every invented secret, by which it is recognised in requests."""

DOMAIN = "rehearsal.test"
"""The domain of invented hosts; RFC 6761 reserves ``test``, so that nobody has such a host."""

# Fields of n8n's credentials of databases, mail servers and queues.
_LOGIN_FIELDS = ("user", "username", "password")
_ENCRYPTION_FIELDS = ("secure", "ssl", "tls")
_LOCAL_NAMES = ("localhost", "127.0.0.1")
_TOKEN_S = 360_000
_KEY_BITS = 2_048

LOGIN_HEADER = "X-Api-Key"
"""The header of an invented login by header; its value is the mark with ``-key``."""

# Formats that nodes demand of a secret, from the credential's own hints in n8n 2.41.
_FORMATS: Mapping[str, Mapping[str, str]] = {
    "httpCustomAuth": {"json": '{"headers": {"X-Api-Key": "MARK-key"}}'},
    "httpHeaderAuth": {"name": LOGIN_HEADER, "value": "MARK-key"},
    "httpQueryAuth": {"name": "api_key", "value": "MARK-key"},
    "telegramApi": {"accessToken": "123456:MARK"},
}

# What services add to a token or to the redirect that leads to it, where their nodes read it.
# https://www.zoho.com/crm/developer/docs/api/v2/access-refresh.html
# https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
# https://developer.goto.com/guides/Authentication/03_HOW_accessToken/
_TOKEN_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "zohoOAuth2Api": {"api_domain": "https://www.zohoapis.com"},
    "quickBooksOAuth2Api": {"callbackQueryString": {"realmId": "4620816365000000001"}},
    "goToWebinarOAuth2Api": {"organizer_key": "1000001", "account_key": "1000002"},
}

Types = Mapping[str, Mapping[str, Any]]


def mark_of(kind: str, number: int) -> str:
    """Returns the text in every secret of the credential with this number of a type."""
    return f"{INVENTED}-{kind.lower()}-{number}"


def invent_credential(
    kind: str, types: Types, number: int, ports: Mapping[str, int]
) -> Mapping[str, Any] | None:
    """Returns the values of a credential, None for a type that is not installed.

    The numbers tell credentials of one type apart. ``ports`` are those of the servers on loopback,
    by protocol; credentials of these protocols lead to them.
    """
    if kind not in types:
        return None
    mark = mark_of(kind, number)
    values: dict[str, Any] = {}
    lineage = list(_list_lineage(kind, types, frozenset()))
    for ancestor in lineage:
        for field in ancestor.get("properties") or ():
            if field.get("type") != "notice":
                values[field["name"]] = _invent_value(mark, field)
    names = {str(ancestor.get("name", "")).casefold() for ancestor in lineage}
    if "oauth2api" in names:
        values |= {"clientId": f"{mark}-client", "clientSecret": f"{mark}-secret"}
        values["oauthTokenData"] = {
            "access_token": f"{mark}-access-token",
            "refresh_token": f"{mark}-refresh-token",
            "token_type": "Bearer",
            "expires_in": _TOKEN_S,
            "instance_url": _host(mark),
            **_TOKEN_FIELDS.get(kind, {}),
        }
    if "oauth1api" in names:
        values["oauthTokenData"] = {"oauth_token": mark, "oauth_token_secret": mark}
    port = ports.get(find_protocol(kind, types))
    if port is not None:
        values |= _lead_to(port, mark, values)
    formats = _FORMATS.get(kind, {})
    return {**values, **{name: text.replace("MARK", mark) for name, text in formats.items()}}


def _lead_to(port: int, mark: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the fields that lead to a server on loopback, where no connection is encrypted."""
    changes: dict[str, Any] = {"host": "127.0.0.1", "port": port}
    changes |= {name: f"{mark}-{name}" for name in _LOGIN_FIELDS if name in values}
    changes |= {name: False for name in _ENCRYPTION_FIELDS if values.get(name) is True}
    return changes


def _list_lineage(kind: str, types: Types, seen: frozenset[str]) -> Sequence[Mapping[str, Any]]:
    """Returns the ancestors of a type with the type itself last; a circle is left."""
    own = types.get(kind)
    if own is None or kind in seen:
        return []
    parents = own.get("extends") or ()
    above = [item for name in parents for item in _list_lineage(name, types, seen | {kind})]
    return [*above, own]


def _invent_value(mark: str, field: Mapping[str, Any]) -> Any:
    default, shape = field.get("default"), field.get("type")
    if isinstance(default, str) and default and not any(name in default for name in _LOCAL_NAMES):
        return default
    if shape == "boolean":
        return bool(default)
    if shape == "number":
        return default if isinstance(default, int | float) else 1
    if shape in ("options", "multiOptions"):
        choices = field.get("options") or [{}]
        return default if default not in ("", None) else choices[0].get("value", "")
    if shape in ("collection", "fixedCollection"):
        return default or {}
    if shape == "json":
        return default or "{}"
    if shape == "hidden":
        return default or ""
    return _invent_text(mark, field)


def _invent_text(mark: str, field: Mapping[str, Any]) -> str:
    name = str(field["name"]).casefold()
    hint = str(field.get("placeholder") or "")
    if "privatekey" in name:
        return _private_key()
    if "url" in name or "uri" in name or "endpoint" in name or hint.startswith("http"):
        return _host(mark)
    if name in ("host", "server", "hostname", "domain"):
        return _host(mark).removeprefix("https://")
    if "email" in name:
        return f"{mark}@{DOMAIN}"
    return f"{mark}-{field['name']}"


def _host(mark: str) -> str:
    return f"https://{mark}.{DOMAIN}"


@cache
def _private_key() -> str:
    """Returns one key for all credentials of a process; making one takes a tenth of a second."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=_KEY_BITS)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
