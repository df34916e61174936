"""Makes the filter of system calls that leaves a program TCP sockets alone (seccomp, Linux).

It is used where the kernel refuses namespaces. Landlock limits the ports of TCP; the filter refuses
the sockets that Landlock does not limit, and the calls by which a program would pass Landlock.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# linux/seccomp.h, linux/prctl.h, linux/bpf_common.h, linux/audit.h.
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _AND, _JUMP_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
# The places of the call's number, its architecture and its arguments in `struct seccomp_data`.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
_KIND_MASK = 0xF
_MSG_FASTOPEN = 0x20000000
_NETLINK = 16
_IO_URING_SETUP = 425


@dataclass(frozen=True, slots=True)
class _Calls:
    """The architecture of a kernel, and the numbers that it gives to calls (asm/unistd.h)."""

    architecture: int
    socket: int
    sendto: int
    sendmsg: int
    sendmmsg: int


_CALLS: Mapping[str, _Calls] = {
    "x86_64": _Calls(0xC000003E, 41, 44, 46, 307),
    "aarch64": _Calls(0xC00000B7, 198, 206, 211, 269),
}


def has_socket_filter() -> bool:
    """Returns whether this processor is one for which there is a filter."""
    return platform.machine() in _CALLS


def apply_socket_filter(libc: ctypes.CDLL, *, allows_unix: bool = False) -> None:
    """Refuses all sockets but those of TCP to the present process and its children, for good.

    Unix sockets are left open with ``allows_unix``. Raises OSError where the kernel does not take
    the filter. The process has no new privileges.
    """
    program = b"".join(_write_program(_CALLS[platform.machine()], allows_unix))
    content = ctypes.create_string_buffer(program, len(program))
    filtered = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(content))
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, filtered, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "the filter of system calls")


def _write_program(calls: _Calls, allows_unix: bool) -> Iterator[bytes]:
    """Yields the instructions; each group goes on with the next one if it does not decide."""
    yield _load(_ARCHITECTURE)
    yield from _unless_equal(calls.architecture, _KILL)
    yield _load(_NUMBER)
    yield from _if_set(_X32, _refuse(errno.ENOSYS))
    # io_uring makes sockets and sends without the calls that are filtered here.
    yield from _if_equal(_IO_URING_SETUP, _refuse(errno.ENOSYS))
    # A first packet that connects and carries data does not ask Landlock.
    for call, flags in ((calls.sendto, 3), (calls.sendmsg, 2), (calls.sendmmsg, 3)):
        yield from _for_call(call, [_load_argument(flags), *_if_set(_MSG_FASTOPEN, _DENY)])
    yield from _for_call(calls.socket, list(_decide_socket(allows_unix)))
    yield _return(_ALLOW)


def _decide_socket(allows_unix: bool) -> Iterator[bytes]:
    """Yields the instructions that decide on a socket by its family, kind and protocol."""
    yield _load_argument(0)
    # Programs list the addresses of the machine by such a socket.
    netlink = [_load_argument(2), *_unless_equal(0, _DENY), _return(_ALLOW)]
    yield _jump(_JUMP_EQUAL, _NETLINK, 0, len(netlink))
    yield from netlink
    yield _load_argument(0)
    if allows_unix:
        yield from _if_equal(socket.AF_UNIX, _ALLOW)
    # To the rest of the program: IPv4, IPv6, or refused.
    yield _jump(_JUMP_EQUAL, socket.AF_INET, 2, 0)
    yield _jump(_JUMP_EQUAL, socket.AF_INET6, 1, 0)
    yield _return(_DENY)
    yield _load_argument(1)
    yield struct.pack("HBBI", _AND, 0, 0, _KIND_MASK)
    yield from _unless_equal(socket.SOCK_STREAM, _DENY)
    # Landlock knows TCP, and neither its variants nor other protocols with connections.
    yield _load_argument(2)
    yield from _if_equal(0, _ALLOW)
    yield from _unless_equal(socket.IPPROTO_TCP, _DENY)
    yield _return(_ALLOW)


def _for_call(number: int, instructions: list[bytes]) -> Iterator[bytes]:
    """Yields instructions for one call, and loads the number again after them."""
    yield _jump(_JUMP_EQUAL, number, 0, len(instructions) + 1)
    yield from instructions
    yield _load(_NUMBER)


def _if_equal(value: int, result: int) -> Iterator[bytes]:
    yield _jump(_JUMP_EQUAL, value, 0, 1)
    yield _return(result)


def _unless_equal(value: int, result: int) -> Iterator[bytes]:
    yield _jump(_JUMP_EQUAL, value, 1, 0)
    yield _return(result)


def _if_set(bits: int, result: int) -> Iterator[bytes]:
    yield _jump(_JUMP_SET, bits, 0, 1)
    yield _return(result)


def _load(offset: int) -> bytes:
    return struct.pack("HBBI", _LOAD, 0, 0, offset)


def _load_argument(number: int) -> bytes:
    """Loads the lower half of an argument; processors with a filter are little-endian."""
    return _load(_ARGUMENTS + 8 * number)


def _jump(kind: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("HBBI", kind, if_true, if_false, value)


def _return(value: int) -> bytes:
    return struct.pack("HBBI", _RETURN, 0, 0, value)


def _refuse(number: int) -> int:
    return _ERRNO | number


_DENY = _refuse(errno.EACCES)
