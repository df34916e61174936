"""Reports physical networks with mixed domains, no or two solvers, or no reference block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from networkx.utils import UnionFind

from grounded_builder.diagnostics import Diagnostic, Related, Route, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView
from grounded_builder.domains.simulink.analysis.port_counts import order, side
from grounded_builder.domains.simulink.read.document import PHYSICAL, tool_of

MIXED_PHYSICAL_DOMAINS = Rule.wrong(
    "SLX323",
    "mixed-physical-domains",
    "InvalidConnection",
    "Ports of different physical domains are connected.",
)
UNSOLVED_NETWORK = Rule.wrong(
    "SLX324", "unsolved-network", "InvalidConnection", "A physical network has no solver."
)
FLOATING_CIRCUIT = Rule.advice(
    "SLX325", "floating-circuit", "InvalidConnection", "A circuit has no electrical reference."
)
DUPLICATE_SOLVER_CONFIGURATION = Rule.wrong(
    "SLX344", "duplicate-solver-configuration", "InvalidConnection", "A network has two solvers."
)

_SOLVER = "nesl_utility/Solver Configuration"
_SIGNAL = "signal"
# Blocks whose option decides between one port for all phases and one for each.
_FAMILIES = {"three_phase": "electrical", "twelve_phase": "electrical"}
# The block that defines the reference potential of a domain; other domains need none.
_REFERENCES = {"electrical": "fl_lib/Electrical/Electrical Elements/Electrical Reference"}
_FIXING = re.compile(r"Electrical Reference|Ground|Neutral")
# Utility blocks, in all their libraries, whose only physical port is a physical signal.
_CONVERTERS = ("PS-Simulink Converter", "Simulink-PS Converter")

_Key = tuple[int, str, int]


_PORT_LIST = "InternalSimscapePortConfiguration"
_LONGEST_LIST = 20_000
# The sides of a block in the order in which its connections are counted.
_SIDES = {"lconn": ("Left", "Top"), "rconn": ("Right", "Bottom")}
_SIGNALS = frozenset({"input", "output"})


@dataclass(frozen=True, slots=True)
class Port:
    """A physical port at a line, with its domain where the catalog has it."""

    item: BlockView
    kind: str
    index: int
    at: Route
    domain: str | None


def check_networks(view: ModelView) -> Iterator[Diagnostic]:
    """Finds connected ports of different domains, and networks without a solver."""
    nodes = group_connected_ports(view)
    for ports in nodes:
        yield from _domains(ports)
    yield from _check_duplicate_solvers(nodes)
    if view.whole:
        everywhere = frozenset(tool_of(item.block) or "" for item in view.items())
        for network in _components(nodes):
            yield from _check_solver_and_reference(network, everywhere)


def group_connected_ports(view: ModelView) -> list[list[Port]]:
    """Returns the groups of ports that lines connect, across subsystem borders."""
    union: UnionFind[object] = UnionFind()
    ports: dict[_Key, Port] = {}
    for diagram in view.checked_diagrams():
        for net in diagram.nets:
            if not net.physical:
                continue
            first: _Key | None = None
            for at, end, item in net.ends():
                if item is None or end["kind"] not in PHYSICAL or not item.active:
                    continue
                key = _key(item, end["kind"], end["index"])
                ports.setdefault(key, _port(item, end["kind"], end["index"], at))
                union.union(key, first or key)
                first = first or key
        owner = diagram.owner
        if owner is not None:
            for kind in PHYSICAL:
                inner = order([item for item in diagram.of("PMIOPort") if side(item) == kind])
                for index, item in enumerate(inner, 1):
                    union.union(_key(item, "", 0), _key(owner, kind, index))
    nodes: dict[object, list[Port]] = {}
    for key, port in ports.items():
        nodes.setdefault(union[key], []).append(port)
    return list(nodes.values())


def _key(item: BlockView, kind: str, index: int) -> _Key:
    """Returns the key of a port; a block at a subsystem border has a single port."""
    return (id(item), "", 0) if item.type == "PMIOPort" else (id(item), kind, index)


def _port(item: BlockView, kind: str, index: int, at: Route) -> Port:
    domain = _SIGNAL if (tool_of(item.block) or "").endswith(_CONVERTERS) else None
    same = _list_port_domains(item.block, kind)
    if same is None:
        known = item.spec.physical if item.spec is not None else ()
        same = tuple([connection.domain for connection in known if connection.kind == kind])
    stated = item.block.get("ports", {}).get(kind)
    # The number of ports differs from the catalog: a variant of the block with other domains.
    if 1 <= index <= len(same) and stated in (None, len(same)):
        value = same[index - 1]
        domain = _FAMILIES.get(value or "", value)
    return Port(item, kind, index, at, domain)


def _domains(ports: list[Port]) -> Iterator[Diagnostic]:
    """Finds connected ports of different domains; the minority is reported."""
    known = [port for port in ports if port.domain is not None]
    counted = Counter(port.domain for port in known)
    if len(counted) < 2:
        return
    most = max(counted, key=lambda domain: counted[domain])
    other = next(port for port in known if port.domain == most)
    for port in known:
        if port.domain != most:
            yield new_diagnostic(
                MIXED_PHYSICAL_DOMAINS,
                port.at,
                f'{_name_port(port)} of "{port.item.name}" is connected to {_name_port(other)} of '
                f'"{other.item.name}"',
                help="connect ports of one domain, or add a sensor or converter between them",
                node=port.item.name,
                related=[
                    Related(port.item.at, "the block"),
                    Related(other.at, "the other end"),
                    Related(other.item.at, "the other block"),
                ],
            )


def _name_port(port: Port) -> str:
    if port.domain == _SIGNAL:
        return "the physical signal port"
    return f"the {(port.domain or '').replace('_', ' ')} port"


@dataclass(frozen=True, slots=True)
class _Network:
    """The blocks that physical connections join."""

    items: tuple[BlockView, ...]
    nodes: tuple[tuple[Port, ...], ...]


def _components(nodes: list[list[Port]]) -> Iterator[_Network]:
    """Yields the networks of conserving ports; physical signals do not join blocks."""
    union: UnionFind[object] = UnionFind()
    conserving = [ports for ports in nodes if not any(port.domain == _SIGNAL for port in ports)]
    for place, ports in enumerate(conserving):
        for port in ports:
            if not _is_border(port.item):
                union.union(id(port.item), ("node", place))
    together: dict[object, list[list[Port]]] = {}
    for place, ports in enumerate(conserving):
        together.setdefault(union["node", place], []).append(ports)
    for group in together.values():
        items = {id(port.item): port.item for ports in group for port in ports}
        real = tuple(item for item in items.values() if not _is_border(item))
        if real:
            yield _Network(real, tuple(tuple(ports) for ports in group))


def _check_duplicate_solvers(nodes: list[list[Port]]) -> Iterator[Diagnostic]:
    """Finds networks with several Solver Configurations.

    Networks are joined through components of the foundation library only; other components may
    separate them on purpose.
    """
    union: UnionFind[object] = UnionFind()
    solvers: dict[int, BlockView] = {}
    for place, ports in enumerate(nodes):
        for port in ports:
            path = tool_of(port.item.block) or ""
            if path == _SOLVER:
                solvers[id(port.item)] = port.item
            component = path.startswith("fl_lib/") and "Coupler" not in path
            if id(port.item) in solvers or (component and port.domain not in (None, _SIGNAL)):
                union.union(id(port.item), ("node", place))
    first: dict[object, BlockView] = {}
    for solver in solvers.values():
        other = first.setdefault(union[id(solver)], solver)
        if other is not solver:
            yield new_diagnostic(
                DUPLICATE_SOLVER_CONFIGURATION,
                solver.at,
                f'"{solver.name}" and "{other.name}" are Solver Configurations of one network',
                help="remove one of them",
                node=solver.name,
                related=[Related(other.at, "the other one")],
            )


def _is_border(item: BlockView) -> bool:
    """Returns whether a block only leads into or out of a plain subsystem."""
    return item.type == "PMIOPort" or (item.inner is not None and item.inner.judged)


def _check_solver_and_reference(
    network: _Network, everywhere: frozenset[str]
) -> Iterator[Diagnostic]:
    """Finds networks without a Solver Configuration, and circuits without a reference.

    Where part of a network is not read, such as a variant, the part may contain them; then the file
    is checked for any of them, ``everywhere``.
    """
    items = network.items
    closed = [item for item in items if not _is_known(item)]
    if any(item.inner is None for item in closed):
        return
    # A port of the outermost diagram connects to what surrounds the model.
    if any(
        port.item.type == "PMIOPort" and port.item.diagram.owner is None
        for ports in network.nodes
        for port in ports
    ):
        return
    if not any(port.domain for ports in network.nodes for port in ports):
        return
    paths = everywhere if closed else {tool_of(item.block) or "" for item in items}
    if _SOLVER not in paths:
        yield new_diagnostic(
            UNSOLVED_NETWORK,
            items[0].at,
            f'the network of "{items[0].name}" has no Solver Configuration'
            + (f" ({len(items)} blocks)" if len(items) > 1 else ""),
            help="connect one Solver Configuration block to the network",
            node=items[0].name,
            related=[Related(item.at, "in the network") for item in items[1:]],
        )
    if any(_FIXING.search(path) for path in paths):
        return
    for domain, reference in _REFERENCES.items():
        there = {
            id(port.item): port.item
            for ports in network.nodes
            for port in ports
            if port.domain == domain
        }
        if there:
            first = next(iter(there.values()))
            yield new_diagnostic(
                FLOATING_CIRCUIT,
                first.at,
                f'the {domain} circuit of "{first.name}" has no reference',
                help=f"connect {reference}",
                node=first.name,
                related=[Related(item.at, "in the circuit") for item in list(there.values())[1:]],
            )


def _is_known(item: BlockView) -> bool:
    """Returns whether the effect of a block on its network is known."""
    return tool_of(item.block) == _SOLVER or (item.spec is not None and bool(item.spec.physical))


def _list_port_domains(block: Mapping[str, Any], kind: str) -> tuple[str | None, ...] | None:
    """Returns the domains of the ports of a kind in order; None where the file does not list them.

    The list takes precedence over the catalog, because releases and parameters change the ports of
    a block. A physical signal is ``signal`` in either direction.
    """
    text = block.get("parameters", {}).get(_PORT_LIST)
    return (
        _read_port_list(text).get(kind)
        if isinstance(text, str) and len(text) < _LONGEST_LIST
        else None
    )


@lru_cache(1_024)
def _read_port_list(text: str) -> Mapping[str, tuple[str | None, ...]]:
    try:
        value = orjson.loads(text)
        return {
            kind: tuple(_domain_of_type(port["type"]) for side in sides for port in value[side])
            for kind, sides in _SIDES.items()
        }
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        return {}


def _domain_of_type(kind: str) -> str | None:
    """Returns the domain of a port type without package and size; None for an empty type."""
    return "signal" if kind in _SIGNALS else kind.rpartition(".")[2].partition("[")[0] or None
