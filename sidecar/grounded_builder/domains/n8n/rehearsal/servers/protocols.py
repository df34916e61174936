"""Knows the protocol of a credential type by its standard port, and which ones have a server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.check.credentials import accepted_types
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedNode

# The registry of ports (https://www.iana.org/assignments/service-names-port-numbers); 465 and 587
# take mail, 8812 is QuestDB's port for PostgreSQL's protocol
# (https://questdb.com/docs/query/pgwire/overview/).
_PROTOCOLS: Mapping[int, str] = {
    21: "ftp",
    22: "ssh",
    25: "smtp",
    389: "ldap",
    465: "smtp",
    587: "smtp",
    993: "imap",
    1433: "sqlserver",
    1521: "oracle",
    1883: "mqtt",
    3306: "mysql",
    5432: "postgres",
    5672: "amqp",
    6379: "redis",
    8812: "postgres",
    9092: "kafka",
    27017: "mongodb",
}

# Credential types of n8n-nodes-base 2.41 that have addresses with a port in one text.
_BY_TYPE: Mapping[str, str] = {"kafka": "kafka", "oracleDBApi": "oracle"}

# The program that each server runs, where Node does not serve the protocol itself.
_PROGRAMS: Mapping[str, str] = {"redis": "redis-server"}
_SERVED = ("postgres", "redis", "smtp")

Types = Mapping[str, Mapping[str, Any]]


def list_served() -> tuple[str, ...]:
    """Returns the protocols that have a server on this machine."""
    return tuple(
        protocol
        for protocol in _SERVED
        if protocol not in _PROGRAMS or shutil.which(_PROGRAMS[protocol]) is not None
    )


def find_protocol(kind: str, types: Types) -> str:
    """Returns the protocol of a credential type, "" for HTTP and for an unknown one."""
    if kind in _BY_TYPE and kind in types:
        return _BY_TYPE[kind]
    for declared in _list_lineage(kind, types, frozenset()):
        for field in declared.get("properties") or ():
            if field.get("name") == "port":
                return _PROTOCOLS.get(_read_port(field.get("default")), "")
    return ""


def name_unserved(bound: ResolvedNode, types: Types, served: Sequence[str]) -> str:
    """Returns the protocol of a node that has no server, "" for a node that can run."""
    if not isinstance(bound.spec, NodeSpec):
        return ""
    for kind in accepted_types(bound.spec, filled_parameters(bound).full)[:1]:
        protocol = find_protocol(kind, types)
        if protocol and protocol not in served:
            return protocol
    return ""


def _list_lineage(kind: str, types: Types, seen: frozenset[str]) -> Iterator[Mapping[str, Any]]:
    """Yields a type and those that it extends; a circle is left."""
    own = types.get(kind)
    if own is None or kind in seen:
        return
    yield own
    for parent in own.get("extends") or ():
        yield from _list_lineage(parent, types, seen | {kind})


def _read_port(default: Any) -> int:
    text = str(default)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
