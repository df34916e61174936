"""Confines programs: to no network, to some files, to processes that end with their first one.

Two means of Linux are used, each where the kernel allows it: namespaces (network, processes, mounts
with a root folder that contains only the listed paths) and Landlock (only the listed paths, none of
the others writable). Without namespaces, Landlock and a filter of system calls leave TCP at the
listed ports alone. What none of them prevents is listed in ``gaps``.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Iterable, Sequence
from fcntl import ioctl
from pathlib import Path

from grounded_builder.domains.n8n.rehearsal.socket_filter import (
    apply_socket_filter,
    has_socket_filter,
)

# linux/sched.h, linux/mount.h, linux/prctl.h, linux/securebits.h, linux/sockios.h, linux/if.h.
_CLONE_NEWNS = 0x00020000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
_NAMESPACES = _CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWPID | _CLONE_NEWIPC
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4_096, 16_384, 1 << 18
_MOUNT_ATTR_RDONLY = 1
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PR_SET_PDEATHSIG, _PR_SET_SECUREBITS, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 28, 36, 38
_SECBIT_NOROOT_LOCKED = 0b11
_SIOCSIFFLAGS = 0x8914
_IFF_UP_RUNNING = 0x41

# The numbers of these calls are equal on all architectures.
_SYS_MOUNT_SETATTR = 442
_SYS_LANDLOCK_CREATE, _SYS_LANDLOCK_ADD, _SYS_LANDLOCK_RESTRICT = 444, 445, 446

# linux/landlock.h: the rights of version 1; later versions add moving between folders, truncating.
_READ = 0b1101
_FILE_ONLY = 0b0111 | 1 << 14
_ALL_V1 = (1 << 13) - 1
_ADDED_RIGHTS = ((2, 1 << 13), (3, 1 << 14))
_SCOPES_SINCE, _SCOPES = 6, 0b11
_NETWORK_SINCE, _BIND_AND_CONNECT = 4, 0b11
_RULE_PATH, _RULE_PORT = 1, 2

# What any program of the system needs; of /etc only what is no secret.
_SYSTEM = tuple(
    Path(name)
    for name in (
        "/usr /bin /sbin /lib /lib32 /lib64 /etc/ssl /etc/pki /etc/ca-certificates /etc/hosts"
        " /etc/nsswitch.conf /etc/resolv.conf /etc/passwd /etc/group /etc/localtime /etc/timezone"
        " /etc/ld.so.cache /etc/alternatives /etc/services /etc/protocols"
    ).split()
)
_DEVICES = tuple(Path(f"/dev/{name}") for name in ("null", "zero", "random", "urandom"))
_PROCESSES = 512
# Counts what a program may write to, whether used or not: for n8n 3 to 4 GiB with 0.9 GiB in use.
_DATA_BYTES = 8 * 2**30
_FILE_BYTES = 2**30


class Confinement:
    """The paths that confined programs may use, and what could not be prevented.

    ``is_offline`` tells whether the kernel keeps them from the network, ``is_filtered`` whether it
    leaves them TCP at the ports of ``open_port`` alone.
    """

    def __init__(self, readable: Iterable[Path], writable: Iterable[Path], root: Path) -> None:
        """``root`` is an empty folder, in which the root folder of the programs is built."""
        self._readable = _list_existing((*_SYSTEM, *readable))
        self._writable = _list_existing((*writable, *_DEVICES))
        self._root = root
        self._has_root = False
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._ports: list[int] = []
        self.is_offline = self.is_filtered = False
        self.gaps: list[str] = []

    @property
    def is_verifiable(self) -> bool:
        """Whether a confined program must fail to reach public addresses and other files."""
        return len(self.gaps) <= self.is_filtered

    def enter(self) -> None:
        """Goes on in a child process in namespaces; the present one ends with that child."""
        if sys.platform != "linux":
            self.gaps.append(f"{sys.platform} has no namespaces: nodes can reach the network")
            return
        user, group = os.getuid(), os.getgid()
        if self._libc.unshare(_NAMESPACES) != 0:
            why = os.strerror(ctypes.get_errno())
            self.is_filtered = (
                has_socket_filter() and self._read_landlock_version() >= _NETWORK_SINCE
            )
            where = " at the ports of the rehearsal" if self.is_filtered else ""
            gap = f"the kernel refuses namespaces ({why}): nodes can reach the network{where}"
            self.gaps.append(gap)
            self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            self._check_landlock()
            return
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            raise SystemExit
        self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        self.is_offline = True
        _raise_loopback()
        try:
            self._build_root()
            self._has_root = True
        except OSError as error:
            self.gaps.append(f"the kernel refuses a root folder ({error}): nodes see all processes")
            self._check_landlock()

    def open_port(self, port: int) -> None:
        """Lets programs that are confined from now on use a TCP port, where ports are filtered."""
        self._ports.append(port)

    def apply(self, *, allows_unix: bool = False) -> None:
        """Confines the present process for good; called between fork and exec.

        With ``allows_unix`` it may use Unix sockets also where sockets are filtered.
        """
        if self._has_root:
            os.chroot(self._root)
            os.chdir("/")
            resource.setrlimit(resource.RLIMIT_NPROC, (_PROCESSES, _PROCESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
        resource.setrlimit(resource.RLIMIT_DATA, (_DATA_BYTES, _DATA_BYTES))
        if sys.platform == "linux":
            # Without this, root (also that of a user namespace) has all capabilities after exec.
            self._libc.prctl(_PR_SET_SECUREBITS, _SECBIT_NOROOT_LOCKED, 0, 0, 0)
            self._libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            self._apply_landlock()
            if self.is_filtered:
                apply_socket_filter(self._libc, allows_unix=allows_unix)

    def _check_landlock(self) -> None:
        if self._read_landlock_version() <= 0:
            self.gaps.append("the kernel has no Landlock: nodes can read the files of this user")

    def _build_root(self) -> None:
        """Mounts the listed paths, and a view of the own processes alone, below the root.

        Only this process and its children see these mounts: one that deletes the folders around the
        root must not be among them.
        """
        if self._libc.unshare(_CLONE_NEWNS) != 0:
            raise _last_error(self._root)
        self._mount(None, Path("/"), None, _MS_REC | _MS_PRIVATE)
        self._mount("tmpfs", self._root, "tmpfs", _MS_NOSUID | _MS_NODEV)
        for path in sorted((*self._readable, *self._writable)):
            target = self._root / path.relative_to("/")
            if target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                target.mkdir()
            else:
                target.touch()
            self._mount(str(path), target, None, _MS_BIND | _MS_REC)
            if path not in self._writable:
                self._make_read_only(target)
        processes = self._root / "proc"
        processes.mkdir()
        self._mount("proc", processes, "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)

    def _mount(self, source: str | None, target: Path, kind: str | None, flags: int) -> None:
        names = [None if name is None else str(name).encode() for name in (source, target, kind)]
        if self._libc.mount(*names, ctypes.c_ulong(flags), None) != 0:
            raise _last_error(target)

    def _make_read_only(self, target: Path) -> None:
        change = struct.pack("4Q", _MOUNT_ATTR_RDONLY, 0, 0, 0)
        arguments = (_AT_FDCWD, str(target).encode(), _AT_RECURSIVE, change, len(change))
        if self._libc.syscall(_SYS_MOUNT_SETATTR, *arguments) != 0:
            raise _last_error(target)

    def _read_landlock_version(self) -> int:
        return int(self._libc.syscall(_SYS_LANDLOCK_CREATE, None, 0, 1))

    def _apply_landlock(self) -> None:
        """Restricts files with Landlock where the kernel has it, and ports if they are filtered."""
        version = self._read_landlock_version()
        if version <= 0:
            return
        rights = _ALL_V1
        for since, right in _ADDED_RIGHTS:
            rights |= right if version >= since else 0
        ports = _BIND_AND_CONNECT if self.is_filtered else 0
        rules = struct.pack("3Q", rights, ports, _SCOPES if version >= _SCOPES_SINCE else 0)
        size = 24 if version >= _SCOPES_SINCE else 16 if ports else 8
        ruleset = self._libc.syscall(_SYS_LANDLOCK_CREATE, rules, size, 0)
        proc = [Path("/proc")]
        for paths, allowed in ((self._readable, _READ), (proc, _READ), (self._writable, rights)):
            for path in paths:
                self._allow(ruleset, path, allowed)
        for port in self._ports if self.is_filtered else ():
            self._add_rule(ruleset, _RULE_PORT, struct.pack("=QQ", ports, port), f"port {port}")
        if self._libc.syscall(_SYS_LANDLOCK_RESTRICT, ruleset, 0) != 0:
            raise _last_error(Path("/"))
        os.close(ruleset)

    def _allow(self, ruleset: int, path: Path, rights: int) -> None:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            allowed = rights if path.is_dir() else rights & _FILE_ONLY
            self._add_rule(ruleset, _RULE_PATH, struct.pack("=Qi", allowed, folder), path)
        finally:
            os.close(folder)

    def _add_rule(self, ruleset: int, kind: int, rule: bytes, name: Path | str) -> None:
        if self._libc.syscall(_SYS_LANDLOCK_ADD, ruleset, kind, rule, 0) != 0:
            raise _last_error(name)


def kill_descendants() -> None:
    """Kills all children of this process, and theirs as they become its own."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        try:
            for number in children.read_text().split():
                os.kill(int(number), signal.SIGKILL)
            os.waitpid(-1, 0)
        except (OSError, ValueError):
            return


def _list_existing(paths: Iterable[Path]) -> Sequence[Path]:
    return tuple(dict.fromkeys(path for path in paths if path.exists()))


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING))


def _last_error(path: Path | str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), str(path))
