"""A block of the catalog in the compact form that checks and lowering read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["switch", "choice", "value", "text"]

_KINDS: Mapping[str, Kind] = {kind: kind for kind in get_args(Kind)}

# Simscape blocks have these beside a parameter: its unit, when it is read, how it is specified.
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
    """One parameter.

    ``default`` is that of a block added from the library, ``builtin`` what a file means that
    leaves it out; None is unknown. ``options`` of a choice are all that are known, else examples.
    ``open`` marks a switch that was only seen to be on or off: it may be a menu with more options.
    ``low`` and ``high`` bound its numbers, ``above`` leaves out the lower bound itself. ``seen``
    marks one that documents do not list: it may belong to some releases only. ``label`` is what
    dialogs call it, empty where that is its name or not known.
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
    """A physical port: ``lconn`` or ``rconn``, the block's own id of it, its label and domain.

    The domain is ``signal`` for a physical signal.
    """

    kind: str
    id: str
    label: str
    domain: str


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """One block.

    ``path`` is its library path as Simulink writes it, line feeds included. ``bare`` marks a
    BlockType as files name it. ``base`` is the block that this one presets. ``ports`` are counts
    by kind where they are always the same, ``usual`` those that most uses have where they
    differ; where the BlockType has a rule, that decides.
    ``release`` is the one that it came with; where that is unknown, it came ``not_before`` another.
    ``seen`` is the earliest release of a file that holds it, ``instead`` are older blocks that do
    its work.
    ``known`` says that its parameters are documented or were seen. A ``pattern`` is no block but
    the steps that it stands for. ``circular`` are library blocks that link in a circle, into which
    a link to this one leads.
    """

    id: str
    path: str
    name: str
    block_type: str
    mask_type: str | None
    product: str
    domain: str
    parameters: Mapping[str, Parameter]
    folded: Mapping[str, str]
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
    def known(self) -> bool:
        """Whether anything is known of its parameters."""
        return bool(self.parameters)

    def has(self, name: str) -> bool:
        """Whether a parameter of this exact name is known, or one of its unit and the like."""
        if name in self.parameters:
            return True
        stem = next((name[: -len(suffix)] for suffix in SUFFIXES if name.endswith(suffix)), None)
        return stem in self.parameters

    def value(self, name: str, given: Mapping[str, str]) -> str | None:
        """What a parameter is: as given, else its default; None when that is not known."""
        if name in given:
            return given[name]
        parameter = self.parameters.get(name)
        if parameter is None:
            return None
        if self.bare:
            return parameter.builtin if parameter.builtin is not None else parameter.default
        return parameter.default if parameter.default is not None else parameter.builtin


def compile_tool(tool: Mapping[str, Any], version: float) -> BlockSpec:
    """The compact form of a catalog entry; a block has one version."""
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
        folded={name.casefold(): name for name in reversed(parameters)},
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
