"""What a compilation is asked to assume: policy, purpose and facts of the instance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import rfc8785

from grounded_builder.ir.hosts import common_hosts
from grounded_builder.ir.target import NO_TARGET, Target

Purpose = Literal["judge", "import", "publish"]

_MOST_NAMES, _LONGEST_NAME = 500, 300


@dataclass(frozen=True, slots=True)
class Switches:
    """What a token or a request narrows the policy by; it can open nothing.

    ``allowed_hosts`` are names and patterns such as ``*.acme.com``, None where any host is.
    """

    allowed_hosts: tuple[str, ...] | None = None
    no_code: bool = False
    core_only: bool = False
    no_host_access: bool = False
    denied: tuple[str, ...] = ()

    def joined(self, other: Switches) -> Switches:
        """Returns both: the strictest wins."""
        hosts = self.allowed_hosts
        if hosts is None or other.allowed_hosts is None:
            hosts = other.allowed_hosts if hosts is None else hosts
        else:
            hosts = common_hosts(hosts, other.allowed_hosts)
        return Switches(
            hosts,
            no_code=self.no_code or other.no_code,
            core_only=self.core_only or other.core_only,
            no_host_access=self.no_host_access or other.no_host_access,
            denied=tuple(dict.fromkeys((*self.denied, *other.denied))),
        )

    def as_json(self) -> dict[str, Any]:
        """The switches that are set, as a JSON object that ``read_switches`` reads."""
        content: dict[str, Any] = {}
        if self.allowed_hosts is not None:
            content["allowed_hosts"] = list(self.allowed_hosts)
        for name in ("no_code", "core_only", "no_host_access"):
            if getattr(self, name):
                content[name] = True
        return content | ({"denied": list(self.denied)} if self.denied else {})


_NO_SWITCHES = Switches()


class SwitchesError(ValueError):
    """A switch that cannot be read; the message names it."""


def read_switches(given: Any, *, strict: bool = True) -> Switches:
    """Reads the switches of a JSON object; SwitchesError names the one that is in no shape.

    Without ``strict`` other keys may stand beside them.
    """
    if not isinstance(given, Mapping):
        raise SwitchesError("the policy is no object")
    flags = ("no_code", "core_only", "no_host_access")
    lists = ("allowed_hosts", "denied")
    for key in given if strict else ():
        if key not in flags + lists:
            known = ", ".join(flags + lists)
            raise SwitchesError(f"there is no switch {str(key)[:40]!r}, known: {known}")
    for name in flags:
        if not isinstance(given.get(name, False), bool):
            raise SwitchesError(f"{name} is neither true nor false")
    names = {name: _names(name, given[name]) for name in lists if given.get(name) is not None}
    return Switches(
        names.get("allowed_hosts"),
        no_code=given.get("no_code", False),
        core_only=given.get("core_only", False),
        no_host_access=given.get("no_host_access", False),
        denied=names.get("denied", ()),
    )


def _names(name: str, value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or len(listed) > _MOST_NAMES:
        raise SwitchesError(f"{name} is not a list of at most {_MOST_NAMES} names")
    for entry in listed:
        if not isinstance(entry, str) or not 0 < len(entry.strip()) <= _LONGEST_NAME:
            raise SwitchesError(f"{name} holds what is no name of 1 to {_LONGEST_NAME} characters")
    return tuple(dict.fromkeys(entry.strip() for entry in listed))


@dataclass(frozen=True, slots=True)
class Policy:
    """What artifacts may contain; its hash is part of every receipt.

    With ``allow_environment`` the instance shows the environment of its process.
    ``allowed_hosts`` are names and patterns of the only hosts that may be called, None where any
    may; ``no_code`` keeps out what runs code that is written into it, ``core_only`` all packages
    but the product's own, ``no_host_access`` what runs commands on the host or touches its files.
    ``opened`` are the reasons for which no person has to approve an artifact; ``own_hosts`` are
    the hosts of the instance itself. ``installable`` are packages that may be suggested for
    installation. Neither of these two is part of the hash.
    ``target`` is the installation that artifacts are made for, as far as it is stated.
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
        """Whether it keeps anything out that no person can approve."""
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

    def narrowed(self, switches: Switches) -> Policy:
        """Returns this policy and the switches of a token or a request: the strictest wins."""
        if switches == _NO_SWITCHES:
            return self
        own = Switches(
            self.allowed_hosts,
            no_code=self.no_code,
            core_only=self.core_only,
            no_host_access=self.no_host_access,
            denied=self.denied,
        )
        both = own.joined(switches)
        return replace(self, **{item.name: getattr(both, item.name) for item in fields(both)})


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one draft: size in bytes, nesting in levels, nodes and JSON values in number.

    A plan has at most ``steps`` steps, since a step takes several times the memory of a node.

    The largest of 2,000 published workflows has 47,000 values, as ``values`` counts them: commas,
    lists and objects.
    """

    draft_bytes: int = 8_000_000
    depth: int = 200
    nodes: int = 20_000
    steps: int = 10_000
    values: int = 400_000


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """A credential that exists on the instance, without its secret."""

    id: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Everything outside draft and registry that a pass may depend on.

    ``credentials`` is ``None`` while the instance has not been asked; ``seed``
    makes generated identifiers repeatable. ``approvals`` are what a person has approved,
    each as CODE/NODE@DIGEST. ``within`` are the nodes in whose parameters the document lies,
    outermost first. Without ``builds`` a document is judged and no artifact is made.
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
