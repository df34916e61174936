"""What a compilation is asked to assume: policy, purpose and facts of the instance."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any, Literal

import rfc8785

Purpose = Literal["judge", "import", "publish"]


_RELEASE = re.compile(r"R?20\d\d[ab]", re.IGNORECASE)


def is_release(text: str) -> bool:
    """Whether a text names a release as MATLAB's are named: R2024b, or without the R."""
    return _RELEASE.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Policy:
    """What artifacts may contain; its hash is part of every receipt.

    With ``allow_environment`` the instance shows the environment of its process.
    ``installable`` are packages that may be suggested for installation: no part of the hash.
    ``release`` and ``products`` are those that artifacts are made for, where they are stated.
    """

    allow_host_access: bool = False
    allow_environment: bool = False
    denied: tuple[str, ...] = ()
    installable: tuple[str, ...] = ()
    release: str = ""
    products: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 over the canonical JSON of the policy, in hex."""
        content: dict[str, Any] = {
            "allow_environment": self.allow_environment,
            "allow_host_access": self.allow_host_access,
            "denied": sorted(self.denied),
        }
        # Left out where nothing is stated: receipts that were given before stay good.
        content |= {"release": self.release} if self.release else {}
        content |= {"products": sorted(self.products)} if self.products else {}
        return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one draft: size in bytes, nesting in levels, nodes in number."""

    draft_bytes: int = 8_000_000
    depth: int = 200
    nodes: int = 20_000


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """A credential that exists on the instance, without its secret."""

    id: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything outside draft and registry that a pass may depend on.

    ``credentials`` is ``None`` while the instance has not been asked; ``seed``
    makes generated identifiers repeatable.
    """

    purpose: Purpose = "judge"
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    credentials: tuple[StoredCredential, ...] | None = None
    seed: str = ""
    path_secret: bytes = b""
