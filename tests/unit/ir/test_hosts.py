"""Hosts are parsed in any spelling, and classified by their address."""

from __future__ import annotations

import pytest

from grounded_builder.ir.hosts import intersect_hosts, is_allowed_host, locate_host, parse_host


@pytest.mark.parametrize(
    "spelled",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "127.1",
        "%31%32%37.0.0.1",
        "１２７.０.０.１",  # noqa: RUF001 - digits that Node reads as ASCII
        "127。0。0。1",
        "api.acme.test@127.0.0.1",
    ],
)
def test_every_spelling_of_an_address_is_one(spelled: str) -> None:
    """Hosts are parsed as Node resolves them."""
    assert parse_host(f"http://{spelled}/x") == "127.0.0.1"


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("localhost", "loopback"),
        ("a.localhost", "loopback"),
        ("0.0.0.0", "loopback"),  # noqa: S104 - judged, not bound
        ("[::1]", "loopback"),
        ("[::ffff:7f00:1]", "loopback"),
        ("[64:ff9b::7f00:1]", "loopback"),
        ("169.254.169.254", "link-local"),
        ("[fd00:ec2::254]", "link-local"),
        ("100.100.100.200", "link-local"),
        ("metadata.google.internal", "link-local"),
        ("10.1.2.3", "private"),
        ("192.168.0.1", "private"),
        ("printer.local", "private"),
        ("n8n", "private"),
        ("8.8.8.8", "public"),
        ("api.acme.test", "public"),
    ],
)
def test_hosts_are_classified_by_network(host: str, place: str) -> None:
    """Addresses of this machine, its link and its network are distinguished from public ones."""
    assert locate_host(host) == place


def test_a_pattern_allows_what_it_matches_alone() -> None:
    """A pattern of names does not reach other domains."""
    assert is_allowed_host("api.acme.test", ["*.acme.test"])
    assert not is_allowed_host("api.acme.test.evil.test", ["*.acme.test"])
    assert not is_allowed_host("acme.test", ["*.acme.test"])


def test_two_lists_allow_what_both_allow() -> None:
    """The narrower name of either list stays."""
    assert intersect_hosts(["*.acme.test"], ["api.acme.test", "b.test"]) == ("api.acme.test",)
    assert intersect_hosts(["a.test"], ["b.test"]) == ()


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("168.63.129.16", "link-local"),
        ("metadata.goog", "link-local"),
        ("metadata.tencentyun.com", "link-local"),
        ("metadata.acme.com", "public"),
        ("kubernetes.default.svc", "private"),
        ("router.home", "private"),
        ("[::ffff:0:127.0.0.1]", "loopback"),
        ("[64:ff9b:1::169.254.169.254]", "link-local"),
        ("[64:ff9b:1::8.8.8.8]", "public"),
    ],
)
def test_names_and_networks_of_clouds_are_known(host: str, place: str) -> None:
    """Metadata services, cluster names and translated IPv4 addresses are not public."""
    assert locate_host(parse_host(f"http://{host}/") or "") == place
