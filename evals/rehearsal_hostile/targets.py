"""Defines what hostile workflows aim at, and counts what arrives there or leaves the machine."""

from __future__ import annotations

import random
import socket
import struct
import threading
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path
from types import TracebackType
from typing import Self

# linux/if_ether.h, linux/if_packet.h.
_ALL_PROTOCOLS, _IPV4, _IPV6 = 3, 0x0800, 0x86DD
_OUTGOING = 4
_SOL_PACKET, _STATISTICS = 263, 6
_BUFFER_BYTES = 64 * 2**20
_LOOPBACK = "lo"
_DNS = 53
_PORTED = (6, 17)

# Addresses of documentation, of private networks and of cloud metadata: nothing else on a machine
# that measures sends there (RFC 5737, RFC 3849, RFC 1918, RFC 3927).
NETWORKS = tuple(
    map(
        ip_network,
        "198.51.100.0/24 203.0.113.0/24 10.213.0.0/16 172.29.213.0/24 192.168.213.0/24"
        " 169.254.169.254/32 2001:db8::/32".split(),
    )
)
INVENTED_HOSTS = b"\x09rehearsal\x04test"
"""The domain of invented hosts as it stands in a question to a name server."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What is attacked: a word in every name and text that is sent, and places on this machine.

    ``port`` is one of loopback at which a listener waits for TCP and UDP, ``door`` a Unix socket,
    ``secret_file`` holds a secret, ``outside`` is a folder in which nothing may be written, and
    ``victim`` a process.
    """

    mark: str
    port: int
    door: str
    secret_file: str
    outside: str
    victim: int

    def pick_address(self, chance: random.Random) -> str:
        """Returns an address that is not of this machine."""
        network = chance.choice(NETWORKS)
        size = min(network.num_addresses - 1, 250)
        address = network[chance.randint(1, size) if size else 0]
        return f"[{address}]" if address.version == 6 else str(address)

    def pick_host(self, chance: random.Random) -> str:
        """Returns a host with a port: one of this machine, another address, or a public name."""
        own = "127.0.0.1 localhost [::1] 0.0.0.0 2130706433 127.1".split()
        return chance.choice(
            (
                f"{chance.choice(own)}:{self.port}",
                self.pick_address(chance),
                f"{self.pick_address(chance)}:{chance.randint(1, 65_535)}",
                f"{self.mark}.example.com",
                "169.254.169.254",
            )
        )


class Watch:
    """Listens at the targets, and reads every packet that leaves the machine, from outside.

    ``bytes_out`` counts what went to the targets on other interfaces than loopback, or has the
    mark in it; ``arrived`` what reached a listener of this machine. Needs the right to read
    packets (CAP_NET_RAW).
    """

    def __init__(self, mark: str, folder: Path) -> None:
        self.bytes_out = 0
        self.arrived = 0
        self._mark = mark.encode()
        self._packets = socket.socket(
            socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL_PROTOCOLS)
        )
        self._packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        self._packets.settimeout(0.2)
        self._tcp = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port = int(self._tcp.getsockname()[1])
        self._udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self._udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self._udp.bind(("::", self.port))
        self.door = str(folder / "door.sock")
        self._doors = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for door, address in zip(self._doors, (self.door, f"\0{mark}"), strict=True):
            door.bind(address)
            door.listen()
        for listener in (self._tcp, self._udp, *self._doors):
            listener.settimeout(0.2)
        self._is_over = False
        works = [
            self._read_packets,
            self._read_datagrams,
            *(lambda door=door: self._accept(door) for door in (self._tcp, *self._doors)),
        ]
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over = True
        for thread in self._threads:
            thread.join()
        for listener in (self._packets, self._tcp, self._udp, *self._doors):
            listener.close()

    def count_missed(self) -> int:
        """Returns the number of packets that came too fast to be read since the last call."""
        raw = self._packets.getsockopt(_SOL_PACKET, _STATISTICS, 8)
        return int(struct.unpack("II", raw)[1])

    def _read_packets(self) -> None:
        while not self._is_over:
            try:
                packet, (interface, protocol, kind, *_) = self._packets.recvfrom(65_536)
            except TimeoutError:
                continue
            if kind == _OUTGOING and self._is_ours(interface, protocol, packet):
                self.bytes_out += len(packet)

    def _is_ours(self, interface: str, protocol: int, packet: bytes) -> bool:
        """Returns whether a packet comes from a hostile workflow.

        Where the kernel refuses namespaces, n8n and its proxy use the loopback of the machine.
        """
        has_mark = self._mark in packet or INVENTED_HOSTS in packet
        address, port = _read_target(protocol, packet)
        if interface == _LOOPBACK:
            return port == self.port or (port == _DNS and has_mark)
        return has_mark or any(
            address is not None and address.version == network.version and address in network
            for network in NETWORKS
        )

    def _read_datagrams(self) -> None:
        while not self._is_over:
            try:
                self.arrived += max(1, len(self._udp.recv(65_536)))
            except TimeoutError:
                continue

    def _accept(self, door: socket.socket) -> None:
        while not self._is_over:
            try:
                connection, _ = door.accept()
            except TimeoutError:
                continue
            self.arrived += 1
            with connection:
                connection.settimeout(0.2)
                try:
                    self.arrived += len(connection.recv(65_536))
                except OSError:
                    continue


def _read_target(
    protocol: int, packet: bytes
) -> tuple[IPv4Address | IPv6Address | None, int | None]:
    """Returns the address and the port that an Ethernet frame goes to."""
    content = packet[14:]
    address: IPv4Address | IPv6Address
    if protocol == _IPV4 and len(content) >= 20:
        size = (content[0] & 15) * 4
        address, kind, rest = IPv4Address(content[16:20]), content[9], content[size:]
    elif protocol == _IPV6 and len(content) >= 40:
        address, kind, rest = IPv6Address(content[24:40]), content[6], content[40:]
    else:
        return None, None
    port = int.from_bytes(rest[2:4], "big") if kind in _PORTED and len(rest) >= 4 else None
    return address, port
