"""Defines compile options (policy, purpose, limits, credentials), and reads policy switches."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

import rfc8785

from grounded_builder.ir.hosts import intersect_hosts
from grounded_builder.ir.target import NO_TARGET, Target

Purpose = Literal["judge", "import", "publish"]

# The separators of the parts of an id: package and node, library and block.
_SEPARATOR = re.compile(r"[./]")
_MAX_NAMES, _MAX_NAME_CHARS = 500, 300


def is_denied(tool: str, denied: tuple[str, ...], *, by_last_part: bool = True) -> bool:
    """Returns whether a list of ids and shell patterns denies a tool, in any case of letters.

    With ``by_last_part`` an entry without package or library denies every tool of that
    name: "step" denies "acme-nodes.step".
    """
    names, patterns = _denials(denied)
    name = tool.casefold()
    last = _SEPARATOR.split(name)[-1] if by_last_part else name
    if name in names or last in names:
        return True
    return any(
        fnmatchcase(name if _SEPARATOR.search(pattern) else last, pattern)
        or fnmatchcase(name, pattern)
        for pattern in patterns
    )


@lru_cache(64)
def _denials(denied: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Returns the entries that are written out, and those that are shell patterns."""
    entries = tuple(entry.casefold() for entry in denied)
    patterns = tuple(entry for entry in entries if any(mark in entry for mark in "*?["))
    return frozenset(entries) - frozenset(patterns), patterns


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches by which a token or a request narrows the policy; they permit nothing new.

    ``allowed_hosts`` are names and patterns such as ``*.acme.com``, None for any host.
    """

    allowed_hosts: tuple[str, ...] | None = None
    no_code: bool = False
    core_only: bool = False
    no_host_access: bool = False
    denied: tuple[str, ...] = ()

    def combine(self, other: Switches) -> Switches:
        """Returns both switches combined: the stricter of each applies."""
        hosts = self.allowed_hosts
        if hosts is None or other.allowed_hosts is None:
            hosts = other.allowed_hosts if hosts is None else hosts
        else:
            hosts = intersect_hosts(hosts, other.allowed_hosts)
        return Switches(
            hosts,
            no_code=self.no_code or other.no_code,
            core_only=self.core_only or other.core_only,
            no_host_access=self.no_host_access or other.no_host_access,
            denied=tuple(dict.fromkeys((*self.denied, *other.denied))),
        )

    def as_json(self) -> dict[str, Any]:
        """Returns the switches that are set, as a JSON object that ``read_switches`` accepts."""
        content: dict[str, Any] = {}
        if self.allowed_hosts is not None:
            content["allowed_hosts"] = list(self.allowed_hosts)
        for name in ("no_code", "core_only", "no_host_access"):
            if getattr(self, name):
                content[name] = True
        return content | ({"denied": list(self.denied)} if self.denied else {})


_NO_SWITCHES = Switches()


class SwitchesError(ValueError):
    """A switch is invalid; the message names it."""


def read_switches(content: Any, *, strict: bool = True) -> Switches:
    """Returns the switches of a JSON object; raises SwitchesError with the name of an invalid one.

    Without ``strict`` the object can have other keys.
    """
    if not isinstance(content, Mapping):
        raise SwitchesError("the policy is not an object")
    flags = ("no_code", "core_only", "no_host_access")
    lists = ("allowed_hosts", "denied")
    for key in content if strict else ():
        if key not in flags + lists:
            known = ", ".join(flags + lists)
            raise SwitchesError(f"there is no switch {str(key)[:40]!r}, known: {known}")
    for name in flags:
        if not isinstance(content.get(name, False), bool):
            raise SwitchesError(f"{name} is neither true nor false")
    name_lists = {
        name: _read_names(name, content[name]) for name in lists if content.get(name) is not None
    }
    return Switches(
        name_lists.get("allowed_hosts"),
        no_code=content.get("no_code", False),
        core_only=content.get("core_only", False),
        no_host_access=content.get("no_host_access", False),
        denied=name_lists.get("denied", ()),
    )


def _read_names(name: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or len(names) > _MAX_NAMES:
        raise SwitchesError(f"{name} is not a list of at most {_MAX_NAMES} names")
    for entry in names:
        if not isinstance(entry, str) or not 0 < len(entry.strip()) <= _MAX_NAME_CHARS:
            raise SwitchesError(
                f"{name} has an entry that is not a name of 1 to {_MAX_NAME_CHARS} characters"
            )
    return tuple(dict.fromkeys(entry.strip() for entry in names))


@dataclass(frozen=True, slots=True)
class Policy:
    """What artifacts may contain; its hash is part of every receipt.

    With ``allow_environment`` expressions can read the environment of the instance's process.
    ``allowed_hosts`` are names and patterns of the only hosts that may be called, None for any
    host. ``no_code`` forbids tools that run code written into them, ``core_only`` every package but
    the product's own, ``no_host_access`` tools that run commands on the host or access its files.
    ``opened`` are the reasons for which no approval is needed; ``own_hosts`` are the hosts of the
    instance itself. ``installable`` are packages that can be suggested for installation. Neither
    ``own_hosts`` nor ``installable`` is part of the hash. ``target`` describes the installation
    that artifacts are made for.
    """

    allow_host_access: bool = False
    allow_environment: bool = False
    denied: tuple[str, ...] = ()
    installable: tuple[str, ...] = ()
    target: Target = NO_TARGET
    allowed_hosts: tuple[str, ...] | None = None
    no_code: bool = False
    core_only: bool = False
    no_host_access: bool = False
    opened: tuple[str, ...] = ()
    own_hosts: tuple[str, ...] = ()

    @property
    def is_restricting(self) -> bool:
        """Whether the policy forbids anything that cannot be approved."""
        return bool(
            self.denied
            or self.no_code
            or self.core_only
            or self.no_host_access
            or self.allowed_hosts is not None
        )

    @property
    def hash(self) -> str:
        """SHA-256 over the canonical JSON of the policy, in hex."""
        content: dict[str, Any] = {
            "allow_environment": self.allow_environment,
            "allow_host_access": self.allow_host_access,
            "denied": sorted(self.denied),
        }
        # Left out where nothing is stated: receipts that were given before stay good.
        content |= self.target.as_json()
        if self.allowed_hosts is not None:
            content["allowed_hosts"] = sorted(self.allowed_hosts)
        for name in ("no_code", "core_only", "no_host_access"):
            content |= {name: True} if getattr(self, name) else {}
        content |= {"opened": sorted(self.opened)} if self.opened else {}
        return hashlib.sha256(rfc8785.dumps(content)).hexdigest()

    def narrow(self, switches: Switches) -> Policy:
        """Returns this policy combined with the switches of a token or a request."""
        if switches == _NO_SWITCHES:
            return self
        own_switches = Switches(
            self.allowed_hosts,
            no_code=self.no_code,
            core_only=self.core_only,
            no_host_access=self.no_host_access,
            denied=self.denied,
        )
        combined = own_switches.combine(switches)
        return replace(
            self, **{switch.name: getattr(combined, switch.name) for switch in fields(combined)}
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one draft: size in bytes, levels of nesting, numbers of nodes and JSON values.

    A plan has at most ``steps`` steps, since a step takes several times the memory of a node.
    At most ``names`` names that are no ids are compared with all tools of the catalog.

    The largest of 2,000 published workflows has 47,000 values. ``values`` counts commas, lists and
    objects.
    """

    draft_bytes: int = 8_000_000
    depth: int = 200
    nodes: int = 20_000
    steps: int = 10_000
    names: int = 1_000
    values: int = 400_000


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """A credential that exists on the instance, without its secret."""

    id: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Everything besides draft and registry that a pass depends on.

    ``credentials`` is None if the instance was not asked for them. ``seed`` makes generated
    identifiers repeatable. ``approvals`` are what a person has approved, each as CODE/NODE@DIGEST.
    ``within`` are the nodes whose parameters contain the document, outermost first. Without
    ``builds`` a document is only checked, and no artifact is built. In a draft a value that would
    have no effect is an error.
    """

    purpose: Purpose = "judge"
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    credentials: tuple[StoredCredential, ...] | None = None
    seed: str = ""
    path_secret: bytes = b""
    approvals: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    builds: bool = True
    is_draft: bool = False
