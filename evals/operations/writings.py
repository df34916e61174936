"""Writes every operation of a catalog in the usual forms, and compiles a step with each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.n8n.lower.choose_operation import choose_operation
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Step
from grounded_builder.ir.resolution import Candidate, resolved_to

PLACES = ("action", "operation", "params.operation", "params.action")
_SELECTORS = ("resource", "operation")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """An operation of a tool, and a step that writes it in the form ``writing`` at ``place``."""

    tool: str
    version: float
    params: Mapping[str, Any]
    text: str
    writing: str
    place: str


def list_cases(registry: Registry) -> Iterator[Case]:
    """Yields every operation of every installed tool in every writing, at the places in turn."""
    places = cycle(PLACES)
    for tool, row in registry.tools.items():
        if not row.operations or row.availability != "installed":
            continue
        version = row.preferred_version
        variants = registry.tool(tool)["variants"]
        variant = next(item for item in variants if version in item["versions"])
        for operation in variant.get("operations") or ():
            if version not in operation.get("versions", (version,)):
                continue
            given = operation["params"]
            params = {key: given[key] for key in _SELECTORS if key in given} or given
            for writing, text in write_operation(params, operation["name"], row.name).items():
                yield Case(tool, version, params, text, writing, next(places))
            next(places)


def write_operation(params: Mapping[str, Any], title: str, tool_name: str) -> dict[str, str]:
    """Returns the usual writings of an operation, by the name of the writing."""
    values = [str(value) for value in params.values()]
    words = [part for value in values for part in split_identifier(value)]
    turned = [part for value in reversed(values) for part in split_identifier(value)]
    verb, *rest = title.split(" ") or [""]
    texts = {
        "slash": "/".join(values),
        "colon": ":".join(values),
        "dot": ".".join(values),
        "value": values[-1],
        "camel": "".join([*words[:1], *(word.capitalize() for word in words[1:])]),
        "snake": "_".join(words),
        "kebab": "-".join(turned),
        "verb and object": " ".join(turned),
        "upper": " ".join(turned).upper(),
        "title": title,
        "lower title": title.lower(),
        "with article": " ".join([verb, "the", *(word for word in rest if word != "a")]),
        "after the tool's name": f"{tool_name}: {title}" if split_identifier(title) else "",
    }
    return {writing: text for writing, text in texts.items() if split_identifier(text)}


def sample_cases(registry: Registry, count: int, seed: int) -> list[Case]:
    """Returns a random sample of the cases."""
    return random.Random(seed).sample(list(list_cases(registry)), count)


def classify_case(case: Case, registry: Registry) -> str:
    """Returns ``chosen``, ``reported`` or ``silent`` for a step that writes the operation."""
    outer, _, key = case.place.rpartition(".")
    inside = {key: case.text} if outer else {}
    stated = {key: case.text} if case.place == "operation" else {}
    step = Step(
        "step",
        ("steps", 0),
        case.tool,
        action=case.text if case.place == "action" else "",
        params=inside,
        params_at=("steps", 0, "params"),
        stated=stated,
    )
    row, spec = registry.tools[case.tool], registry.spec(case.tool, case.version)
    resolution = resolved_to((Candidate(case.tool),), "exact")
    choice = StepResolution(step, resolution, row, case.version, spec)
    chosen = choose_operation(choice, row.name, registry)
    simple, _ = fill(spec.declarations, dict(chosen.preset))
    if all(simple.get(name) == value for name, value in case.params.items()):
        return "chosen"
    # The checks report a text that is put back among the parameters.
    return "reported" if chosen.diagnostics or chosen.step.params else "silent"
