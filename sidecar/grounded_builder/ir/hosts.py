"""Parses and classifies hosts (loopback, private, public), and matches them with allow lists."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal

import ada_url

Place = Literal["loopback", "link-local", "private", "public"]

# Endings of names that are not in the public network: RFC 6761 (localhost), RFC 6762 (local, and
# those of its appendix G), RFC 8375 (home.arpa), "internal", which ICANN reserves for private use
# (2024-07-29), and "svc", which names services in Kubernetes.
_PRIVATE_ENDINGS = (
    "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa",
    "svc",
)  # fmt: skip
# Networks whose IPv6 addresses contain an IPv4 address: RFC 6052, RFC 8215, RFC 4291 (compatible),
# RFC 2765 (translated).
_IPV4_NETWORKS = tuple(
    ipaddress.ip_network(network)
    for network in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96")
)
# Addresses outside the link-local networks at which clouds serve credentials: AWS over IPv6,
# Alibaba Cloud, Oracle Cloud Classic, Azure (WireServer); each is from its provider's
# documentation.
_METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"})
_METADATA_NAMES = ("metadata", "instance-data")
# Names of such addresses in the public network: Google Cloud, Tencent Cloud, Equinix Metal.
_METADATA_HOSTS = frozenset(
    {"metadata.goog", "metadata.tencentyun.com", "metadata.platformequinix.com"}
)


def parse_host(address: str) -> str | None:
    """Returns the host of an address with a scheme, in canonical spelling, None if it has none.

    The spelling is that of the WHATWG URL standard, which Node follows: IPv4 as four decimal
    numbers, names in lower case ASCII, without a final dot.
    """
    scheme, colon, rest = address.strip().partition(":")
    if not colon or not scheme.isascii() or not scheme.replace("+", "").replace("-", "").isalnum():
        return None
    # Parsers of other schemes keep numbers as written, but the client converts them.
    return _parse_host(f"http:{rest}")


def parse_path(address: str) -> str:
    """Returns the path of an address without dot segments, as a client sends it, "" if none."""
    try:
        return str(ada_url.URL(address.strip()).pathname)
    except ValueError:
        return ""


def parse_bare_host(text: str) -> str | None:
    """Returns the host of a text that is a host with an optional port and path, else None."""
    text = text.strip()
    if not text or any(char.isspace() for char in text):
        return None
    return _parse_host(f"http://{text}")


def locate_host(host: str) -> Place:
    """Returns where a host is, given in the spelling of ``parse_host``.

    Names are classified as written, without a lookup.
    """
    name = host.rstrip(".").casefold()
    address = _parse_ip(name)
    if address is not None:
        return _locate_ip(address)
    if name == "localhost" or name.endswith((".localhost", "localhost.localdomain")):
        return "loopback"
    labels = name.split(".")
    is_internal = len(labels) == 1 or labels[-1] == "internal"
    if name in _METADATA_HOSTS or (labels[0] in _METADATA_NAMES and is_internal):
        return "link-local"
    if len(labels) == 1 or name.endswith(
        tuple(f".{private_ending}" for private_ending in _PRIVATE_ENDINGS)
    ):
        # A name of one label is in the local network, such as a neighbouring container.
        return "private"
    return "public"


def is_allowed_host(host: str, allowed: Iterable[str]) -> bool:
    """Returns whether a host is in a list of names and patterns such as *.acme.com."""
    name = host.rstrip(".").casefold().strip("[]")
    return any(fnmatchcase(name, text.casefold().strip("[]").rstrip(".")) for text in allowed)


def intersect_hosts(left: Iterable[str], right: Iterable[str]) -> tuple[str, ...]:
    """Returns the hosts that two lists of names and patterns both allow."""
    first, second = tuple(left), tuple(right)
    narrower = [name for name in first if is_allowed_host(name, second)]
    return tuple(
        dict.fromkeys((*narrower, *(name for name in second if is_allowed_host(name, first))))
    )


def _parse_host(address: str) -> str | None:
    try:
        host = str(ada_url.URL(address).hostname)
    except ValueError:
        return None
    return host.rstrip(".") or None


def _parse_ip(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _locate_ip(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> Place:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and any(address in network for network in _IPV4_NETWORKS):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and address != ipaddress.IPv6Address("::1"):
            return _locate_ip(inner)
    if str(address) in _METADATA or address.is_link_local:
        return "link-local"
    if address.is_loopback or address.is_unspecified or int(address) >> 24 == 0:
        return "loopback"
    return "public" if address.is_global and not address.is_multicast else "private"
