"""Read the host off an address, and say whether it lies outside."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal

import ada_url

Place = Literal["loopback", "link-local", "private", "public"]

# Endings that name no host of the public network: RFC 6761 (localhost, local of RFC 6762),
# RFC 8375 (home.arpa), and the one that ICANN reserves for private use (2024-07-29).
_PRIVATE_ENDINGS = ("local", "localdomain", "internal", "home.arpa", "lan", "intranet", "corp")
# Networks in which an IPv6 address carries one of IPv4: RFC 6052, RFC 4291 (compatible).
_CARRIERS = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
# The addresses at which clouds give out credentials outside the link-local networks: AWS over
# IPv6, Alibaba Cloud, Oracle Cloud Classic; each is from its provider's documentation.
_METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "192.0.0.192"})
_METADATA_NAMES = ("metadata", "instance-data")


def host_in(address: str) -> str | None:
    """Returns the host of an address with a scheme, in one spelling; None where it has none.

    The spelling is that of the WHATWG URL standard, which Node follows: IPv4 in four decimal
    numbers whatever it was written in, names in lower case ASCII, without a final dot.
    """
    scheme, mark, rest = address.strip().partition(":")
    if not mark or not scheme.isascii() or not scheme.replace("+", "").replace("-", "").isalnum():
        return None
    # Other schemes leave numbers as they are; what dials them does not.
    return _parsed(f"http:{rest}")


def bare_host(text: str) -> str | None:
    """Returns the host of a text that is a host, with or without port and path; None of others."""
    text = text.strip()
    if not text or any(mark.isspace() for mark in text):
        return None
    return _parsed(f"http://{text}")


def place_of(host: str) -> Place:
    """Returns where a host lies, in the spelling of ``host_in``.

    Names are judged as they are written: none is looked up.
    """
    name = host.rstrip(".").casefold()
    address = _ip(name)
    if address is not None:
        return _place_of_ip(address)
    if name == "localhost" or name.endswith((".localhost", "localhost.localdomain")):
        return "loopback"
    labels = name.split(".")
    if labels[0] in _METADATA_NAMES and (len(labels) == 1 or labels[-1] == "internal"):
        return "link-local"
    if len(labels) == 1 or name.endswith(
        tuple(f".{private_ending}" for private_ending in _PRIVATE_ENDINGS)
    ):
        # A name of one part is one of the local network, such as a neighbouring container.
        return "private"
    return "public"


def is_allowed(host: str, allowed: Iterable[str]) -> bool:
    """Whether a host is among those allowed: by its name, or by a pattern such as *.acme.com."""
    name = host.rstrip(".").casefold().strip("[]")
    return any(fnmatchcase(name, text.casefold().strip("[]").rstrip(".")) for text in allowed)


def common_hosts(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    """Returns the hosts that two lists of names and patterns both allow."""
    first, second = tuple(one), tuple(other)
    narrower = [name for name in first if is_allowed(name, second)]
    return tuple(dict.fromkeys((*narrower, *(name for name in second if is_allowed(name, first)))))


def _parsed(address: str) -> str | None:
    try:
        host = str(ada_url.URL(address).hostname)
    except ValueError:
        return None
    return host.rstrip(".") or None


def _ip(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _place_of_ip(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> Place:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and any(address in network for network in _CARRIERS):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and address != ipaddress.IPv6Address("::1"):
            return _place_of_ip(inner)
    if str(address) in _METADATA or address.is_link_local:
        return "link-local"
    if address.is_loopback or address.is_unspecified or int(address) >> 24 == 0:
        return "loopback"
    return "public" if address.is_global and not address.is_multicast else "private"
