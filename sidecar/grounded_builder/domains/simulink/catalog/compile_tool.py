"""Compiles a catalog entry into a BlockSpec with the block's parameters and physical ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["switch", "choice", "value", "text"]

_KINDS: Mapping[str, Kind] = {kind: kind for kind in get_args(Kind)}

# Simscape blocks have these in addition to a parameter: its unit, its configurability, its
# priority.
SUFFIXES = (
    "_nominal_specify",
    "_nominal_value",
    "_nominal_unit",
    "_unit",
    "_conf",
    "_specify",
    "_priority",
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a block.

    ``default`` is the value in a block that is added from the library, ``builtin`` the value where
    a file leaves the parameter out; None is unknown. ``options`` are all known values of a choice,
    and examples for other kinds. ``open`` marks a switch that was only observed as on or off, so
    that it may be a menu with more options. ``low`` and ``high`` bound its numbers, and ``above``
    excludes the lower bound. ``seen`` marks a parameter that the documentation does not list, which
    may belong to some releases only. ``label`` is its name in dialogs, empty where that is the same
    or not known.
    """

    name: str
    kind: Kind
    default: str | None = None
    builtin: str | None = None
    options: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    above: bool = False
    open: bool = False
    seen: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """A physical port: ``lconn`` or ``rconn``, the block's id of the port, its label and domain.

    The domain is ``signal`` for a physical signal.
    """

    kind: str
    id: str
    label: str
    domain: str


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """A block of the catalog.

    ``path`` is its library path as Simulink writes it, including line feeds. ``bare`` marks a
    BlockType as files name it. ``base`` is the block of which this one is a preset. ``ports`` are
    the counts by kind where they are always the same, and ``usual`` the most frequent ones where
    they differ; a rule of the BlockType takes precedence. ``release`` is the release that
    introduced the block, and ``not_before`` a lower bound where that is not known. ``seen`` is the
    earliest release of a file that contains it, ``instead`` are older blocks that do the same work.
    ``known`` is true where its parameters are documented or were observed. A ``pattern`` is not a
    block, but the steps for which it stands. ``circular`` are library blocks in a cycle of links to
    which a link to this block leads.
    """

    id: str
    path: str
    name: str
    block_type: str
    mask_type: str | None
    product: str
    domain: str
    parameters: Mapping[str, Parameter]
    ports: Mapping[str, int] | None = None
    usual: Mapping[str, int] | None = None
    physical: tuple[Connection, ...] = ()
    base: str | None = None
    preset: Mapping[str, str] = field(default_factory=dict)
    bare: bool = False
    release: str | None = None
    not_before: str | None = None
    seen: str | None = None
    instead: tuple[str, ...] = ()
    pattern: Mapping[str, Any] | None = None
    circular: tuple[str, ...] = ()

    @property
    def has_parameters(self) -> bool:
        """Returns whether any parameter of the block is known."""
        return bool(self.parameters)

    def has(self, name: str) -> bool:
        """Returns whether a parameter of this name, or of one with a unit suffix, is known."""
        if name in self.parameters:
            return True
        stem = next((name[: -len(suffix)] for suffix in SUFFIXES if name.endswith(suffix)), None)
        return stem in self.parameters

    def value(self, name: str, given: Mapping[str, str]) -> str | None:
        """Returns a given parameter, or its default; None when that is not known."""
        if name in given:
            return given[name]
        parameter = self.parameters.get(name)
        if parameter is None:
            return None
        if self.bare:
            return parameter.builtin if parameter.builtin is not None else parameter.default
        return parameter.default if parameter.default is not None else parameter.builtin


def compile_tool(tool: Mapping[str, Any], version: float) -> BlockSpec:
    """Returns the compact form of a catalog entry; a block has a single version."""
    del version
    variant = tool["variants"][-1]
    traits = variant.get("traits", {})
    parameters = {parameter["name"]: _parameter(parameter) for parameter in variant["parameters"]}
    return BlockSpec(
        id=tool["id"],
        path=traits.get("path", tool["id"]),
        name=tool["name"],
        block_type=traits.get("block_type", "SubSystem"),
        mask_type=traits.get("mask_type"),
        product=tool.get("family", ""),
        domain=traits.get("domain", "signal"),
        parameters=parameters,
        ports=traits.get("ports"),
        usual=traits.get("usual"),
        physical=tuple(Connection(*item) for item in traits.get("physical", ())),
        base=traits.get("base"),
        preset=traits.get("preset", {}),
        bare=bool(traits.get("bare")),
        release=tool.get("version_introduced"),
        not_before=traits.get("not_before"),
        seen=traits.get("seen"),
        instead=tuple(traits.get("instead", ())),
        pattern=traits.get("pattern"),
        circular=tuple(traits.get("circular", ())),
    )


def _parameter(entries: Mapping[str, Any]) -> Parameter:
    kind = _KINDS.get(entries["type"], "text")
    options = ("on", "off") if kind == "switch" else tuple(entries.get("options", ()))
    default = entries.get("default")
    return Parameter(
        name=entries["name"],
        kind=kind,
        default=default,
        builtin=entries.get("builtin", default),
        options=options,
        low=entries.get("low"),
        high=entries.get("high"),
        above=bool(entries.get("above")),
        open=bool(entries.get("open")),
        seen=bool(entries.get("seen")),
        label=entries.get("label", ""),
    )
