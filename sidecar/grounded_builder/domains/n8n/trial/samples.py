"""Defines sample items that stand for a node's output in a trial, with their origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Origin = Literal["given", "pinned", "known", "schema", "read", "plain"]
# Samples that certainly equal the output of the node.
CERTAIN: tuple[Origin, ...] = ("given", "pinned", "known")


@dataclass(frozen=True, slots=True)
class Sample:
    """Items as n8n keeps them, and where they are from.

    ``given`` by the caller, ``pinned`` in the workflow, ``known`` of the node for any input,
    made of n8n's ``schema``, of the fields that are ``read``, or ``plain``.
    """

    items: tuple[Mapping[str, Any], ...]
    origin: Origin
