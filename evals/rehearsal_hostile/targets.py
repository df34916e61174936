"""Defines what hostile workflows aim at, and counts what arrives there or leaves the machine."""

from __future__ import annotations

import errno
import hashlib
import random
import socket
import struct
import threading
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from pathlib import Path
from types import TracebackType
from typing import Self

# linux/if_ether.h, linux/if_packet.h.
_ALL_PROTOCOLS, _IPV4, _IPV6 = 3, 0x0800, 0x86DD
_OUTGOING = 4
_FRAME_BYTES, _IPV4_BYTES, _IPV6_BYTES = 14, 20, 40
_SOL_PACKET, _STATISTICS = 263, 6
_BUFFER_BYTES = 64 * 2**20
_LOOPBACK = "lo"

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
        address = chance.choice(list_networks(self.mark))[chance.randint(1, 250)]
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


def list_networks(mark: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Returns private networks (RFC 1918) and one of documentation (RFC 3849), by the mark.

    They differ between measurements, so that two at once do not count what the other sends.
    """
    first, second, third = hashlib.sha256(mark.encode()).digest()[:3]
    names = (
        f"10.{first}.{second}.0/24",
        f"172.{16 + first % 16}.{third}.0/24",
        f"192.168.{second}.0/24",
        f"2001:db8:{first:x}{second:02x}:{third:x}::/64",
    )
    return tuple(map(ip_network, names))


class Watch:
    """Listens at the targets, and reads every packet that leaves the machine, from outside.

    ``bytes_out`` counts what goes to the targets on other interfaces than loopback, has the mark in
    it, or asks a name server for an invented host, and ``places`` names where it went; ``arrived``
    counts what reached a listener of this machine. Another rehearsal on the machine that is not
    isolated, at the same time, asks for invented hosts too. Needs the right to read packets
    (CAP_NET_RAW).
    """

    def __init__(self, mark: str, folder: Path) -> None:
        self.bytes_out = 0
        self.arrived = 0
        self.places: Counter[str] = Counter()
        self._mark = mark.encode()
        self._networks = list_networks(mark)
        names = [name for _, name in socket.if_nameindex() if name != _LOOPBACK]
        self._interfaces = [_open_interface(name) for name in names]
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
            *(lambda source=source: self._read_packets(source) for source in self._interfaces),
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
        for listener in (*self._interfaces, self._tcp, self._udp, *self._doors):
            listener.close()

    def reset(self) -> None:
        """Forgets what was counted."""
        self.bytes_out = self.arrived = 0
        self.places.clear()

    def count_missed(self) -> int:
        """Returns the number of packets that came too fast to be read since the last call."""
        raw = [source.getsockopt(_SOL_PACKET, _STATISTICS, 8) for source in self._interfaces]
        return sum(int(struct.unpack("II", counts)[1]) for counts in raw)

    def _read_packets(self, source: socket.socket) -> None:
        while not self._is_over:
            try:
                packet, (_, protocol, kind, *_) = source.recvfrom(65_536)
            except TimeoutError:
                continue
            except OSError as error:
                # An interface that is down reports so once, and sends nothing.
                if error.errno != errno.ENETDOWN:
                    raise
                continue
            if kind == _OUTGOING:
                self._count(protocol, packet)

    def _count(self, protocol: int, packet: bytes) -> None:
        """Counts a packet if a hostile workflow sent it."""
        address = _read_target(protocol, packet)
        has_mark = self._mark in packet or INVENTED_HOSTS in packet
        if has_mark or any(address in network for network in self._networks if address):
            self.bytes_out += len(packet)
            self.places[str(address)] += len(packet)

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


def _open_interface(name: str) -> socket.socket:
    """Returns a socket that reads all packets of an interface."""
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL_PROTOCOLS))
    packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
    packets.settimeout(0.2)
    packets.bind((name, _ALL_PROTOCOLS))
    return packets


def _read_target(protocol: int, packet: bytes) -> IPv4Address | IPv6Address | None:
    """Returns the address that an Ethernet frame goes to, None without one."""
    content = packet[_FRAME_BYTES:]
    if protocol == _IPV4 and len(content) >= _IPV4_BYTES:
        return IPv4Address(content[16:20])
    if protocol == _IPV6 and len(content) >= _IPV6_BYTES:
        return IPv6Address(content[24:40])
    return None
