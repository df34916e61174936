"""Hold a sketched plan against the facts of a right one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.matlab_expr import Refused, parse
from grounded_builder.domains.simulink.matlab_expr.evaluate import evaluate

_SIGNS = {
    "simulink/Math Operations/Sum": "++",
    "simulink/Math Operations/Add": "++",
    "simulink/Math Operations/Subtract": "+-",
}
_PHYSICAL = ("LConn", "RConn")
_MOST_WAYS = 3_000

# A line from a block into a port of another; the port is empty where any will do.
Join = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Fault:
    """What a plan lacks or has beyond the facts, and the words of the request that it is of."""

    what: str
    words: str


@dataclass(slots=True)
class Drawn:
    """The blocks, lines and nodes of a plan."""

    plan: Mapping[str, Any]
    registry: Registry
    steps: dict[str, Mapping[str, Any]] = field(init=False)
    joins: set[Join] = field(init=False)
    nodes: list[set[str]] = field(init=False)

    def __post_init__(self) -> None:
        """Read the steps and their inputs."""
        self.steps = {step["id"]: step for step in self.plan["steps"]}
        self.joins, self.nodes = set(), []
        ends: list[set[tuple[str, str]]] = []
        for name, step in self.steps.items():
            # Ports that are named are taken before the others are given out.
            named = (
                input_["input"]
                for input_ in step["inputs"]
                if isinstance(input_, dict) and "input" in input_
            )
            taken = {str(item) for item in named}
            for input_ in step["inputs"]:
                entries = {"from": input_} if isinstance(input_, str) else input_
                if str(entries.get("output", "")).startswith(_PHYSICAL):
                    ends.append({(entries["from"], entries["output"]), (name, entries["input"])})
                    continue
                free = next(str(n) for n in range(1, 99) if str(n) not in taken)
                port = str(entries.get("input", free))
                taken.add(port)
                self.joins.add((entries["from"], name, port))
        while ends:
            node = ends.pop()
            near = [other for other in ends if other & node]
            if near:
                ends = [other for other in ends if not other & node]
                ends.append(node.union(*near))
            else:
                self.nodes.append({step for step, _ in node})

    def spec(self, name: str) -> BlockSpec:
        """The block of a step."""
        tool = self.steps[name]["tool"]
        spec: BlockSpec = self.registry.spec(tool, self.registry.tools[tool].newest)
        return spec

    def signs(self, name: str) -> str:
        """The signs of a sum, as many as signals enter it; empty for any other block."""
        step = self.steps[name]
        first = _SIGNS.get(step["tool"])
        if first is None:
            return ""
        value = step["params"].get("Inputs", "").replace("|", "")
        return str(value or first + "+" * (len(step["inputs"]) - len(first)))


def best(
    drawn: Drawn, ways: Sequence[Mapping[str, Any]], settings: Mapping[str, Sequence[str]]
) -> list[Fault]:
    """The faults against the way of drawing that fits best."""
    result = drawn.plan.get("model", {}).get("settings", {})
    faults = [
        Fault(f"{name} is {result.get(name)}, not {value}", words)
        for name, (value, words) in settings.items()
        if name not in result or not _same(str(result[name]), value)
    ]
    results = (
        [*_faults(drawn, way, chosen), *faults] for way in ways for chosen in _choices(drawn, way)
    )
    return min(results, key=len)


def _choices(drawn: Drawn, way: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """The ways to name the steps of a plan by the blocks of the facts."""
    names = list(way["blocks"])
    fitting = {name: _fitting(drawn, block) for name, block in way["blocks"].items()}

    def rest(at: int, used: frozenset[str]) -> Iterator[dict[str, str]]:
        if at == len(names):
            yield {}
            return
        free = [name for name in fitting[names[at]] if name not in used]
        for text in free:
            for more in rest(at + 1, used | {text}):
                yield {names[at]: text, **more}
        if not free:
            yield from rest(at + 1, used)

    return islice(rest(0, frozenset()), _MOST_WAYS)


def _fitting(drawn: Drawn, block: Sequence[Any]) -> list[str]:
    """The steps that may be a block, those with the right parameters first."""
    steps = (step for step in drawn.steps if _is(drawn, step, block[0]))
    return sorted(steps, key=lambda one: len(list(_unset(drawn, one, block))))


def _is(drawn: Drawn, step: str, meant: str) -> bool:
    if set(meant) <= set("+-"):
        return drawn.signs(step) == meant
    return any(
        drawn.steps[step]["tool"] == tool or (drawn.signs(step) == tool != "")
        for tool in meant.split("|")
    )


def _unset(drawn: Drawn, step: str, block: Sequence[Any]) -> Iterator[Fault]:
    """The parameters of a step that are not what they should be."""
    result, params, words = block
    wanted = {key.rstrip("?"): value for key, value in params.items()}
    given = drawn.steps[step]["params"]
    given = {key: item.replace("|", "") if key == "Inputs" else item for key, item in given.items()}
    if set(result) <= set("+-"):
        wanted["Inputs"] = result
    for key, value in params.items():
        if not key.endswith("?") and not _same(str(given.get(key, "")), value):
            yield Fault(
                f"{result.rsplit('/', 1)[-1]}.{key} is {given.get(key)}, not {value}", words
            )
    spec = drawn.spec(step)
    for key, value in given.items():
        known = spec.parameters.get(key)
        preset = spec.preset.get(key, known.default if known else None)
        right = _same(str(value), wanted[key]) if key in wanted else str(value) == str(preset)
        if not right and key not in params:
            yield Fault(f"{result.rsplit('/', 1)[-1]}.{key} is {value}, unasked", "")


def _faults(drawn: Drawn, way: Mapping[str, Any], chosen: Mapping[str, str]) -> Iterator[Fault]:
    blocks = way["blocks"]
    for name, block in blocks.items():
        if name not in chosen:
            yield Fault(f"no {block[0].rsplit('/', 1)[-1]}", block[2])
        else:
            yield from _unset(drawn, chosen[name], block)
    for step in drawn.steps:
        if step not in chosen.values():
            yield Fault(f"{drawn.steps[step]['tool']} beyond", step)
    allowed: set[Join] = set()
    for item in way["joins"]:
        kinds = [list(_links(part)) for part in item.split("|")]
        results = [{_named(link, chosen) for link in kind} for kind in kinds]
        allowed.update(link for entry in results for link in entry if link is not None)
        whole = [entry for entry in results if None not in entry]
        if whole and not any(
            all(_joined(drawn, link) for link in entry) for entry in whole if entry
        ):
            words = " ".join(blocks[part][2] for link in kinds[0] for part in link[:2])
            yield Fault(f"not joined: {item}", words)
    for join in drawn.joins:
        known = {join, (join[0], join[1], "")}
        if set(join[:2]) <= set(chosen.values()) and not known & allowed:
            yield Fault(f"joined beyond: {join}", "")
    for node in way.get("nets", ()):
        steps = {chosen[name] for name in node if name in chosen}
        if len(steps) == len(node) and not any(steps <= known for known in drawn.nodes):
            yield Fault(f"no node of {node}", " ".join(blocks[name][2] for name in node))


def _links(told: str) -> Iterator[Join]:
    parts = [part.strip() for part in told.split(">")]
    for start, stop in pairwise(parts):
        name, _, port = stop.partition(":")
        yield start.partition(":")[0], name, port


def _named(link: Join, chosen: Mapping[str, str]) -> Join | None:
    if link[0] not in chosen or link[1] not in chosen:
        return None
    return chosen[link[0]], chosen[link[1]], link[2]


def _joined(drawn: Drawn, link: Join | None) -> bool:
    return link is not None and any(
        join[:2] == link[:2] and link[2] in ("", join[2]) for join in drawn.joins
    )


def _same(given: str, meant: str) -> bool:
    """Whether two values are the same: as texts, or as numbers."""
    return any(
        given.replace(" ", "") == part.replace(" ", "")
        or _number(given) == _number(part) is not None
        for part in meant.split("|")
    )


def _number(text: str) -> object:
    try:
        known = evaluate(parse(text))
    except (Refused, ValueError):
        return None
    if known is None or known.elements is None or known.of_text:
        return None
    return known.rows, known.columns, tuple(f"{complex(element):.9g}" for element in known.elements)
