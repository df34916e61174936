"""Build the largest part of a plan that compiles, where the whole does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.drafting.planner.drop_invalid_steps import without_wrong
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs

_TIMES = 8


@dataclass(frozen=True, slots=True)
class PartialBuild:
    """The part of a plan that compiles, and the removed parts."""

    plan: Mapping[str, Any]
    compilation: Compilation
    left_out: tuple[str, ...]


def largest_part(
    before: Compilation,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    references: ReferenceCatalogs,
) -> PartialBuild | None:
    """Returns the part without wrong values and steps; None where it does nothing."""
    plan = _normalize(before.document)
    if plan is None:
        return None
    whole, compilation = plan, compile_with_fixes(plan, domain, registry, options, references)
    for _ in range(_TIMES):
        if compilation.verdict != "wrong":
            break
        rest = without_wrong(plan, compilation.diagnostics)
        if rest is None:
            return None
        plan = rest
        compilation = compile_with_fixes(plan, domain, registry, options, references)
    if compilation.verdict == "wrong" or compilation.plan is None:
        return None
    tools = [str(node.get("tool_id")) for node in compilation.plan.nodes]
    acts = any("trigger" not in registry.tools[tool].capabilities for tool in tools)
    return PartialBuild(plan, compilation, _describe_removed(whole, plan)) if acts else None


def _normalize(document: Any) -> dict[str, Any] | None:
    """Returns a drafted plan with an id, parameters and inputs at every step; None of anything
    else.
    """
    steps = document.get("steps") if isinstance(document, dict) else None
    if (
        not isinstance(steps, list)
        or not steps
        or not all(isinstance(item, dict) for item in steps)
    ):
        return None
    made: list[dict[str, Any]] = []
    straight = not any("inputs" in item for item in steps)
    for number, item in enumerate(steps, 1):
        given, params = item.get("id"), item.get("params")
        step = {**item, "id": given if isinstance(given, str) and given else f"step{number}"}
        step["params"] = params if isinstance(params, dict) else {}
        inputs = item.get("inputs")
        if straight and made and not item.get("for"):
            step["inputs"] = [next((s["id"] for s in reversed(made) if not s.get("for")), "")]
        elif isinstance(inputs, str):
            step["inputs"] = [inputs]
        made.append(step)
    if len({entry["id"] for entry in made}) < len(made):
        return None
    if not all(_is_plain(input_) for step in made for input_ in step.get("inputs") or ()):
        return None
    return {**document, "steps": made, "metadata": {"clauses": []}}


def _is_plain(source: Any) -> bool:
    return isinstance(source, str) or (isinstance(source, dict) and "from" in source)


def _describe_removed(whole: Mapping[str, Any], rest: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns descriptions of the removed parts of a plan."""
    steps = {step["id"]: step for step in rest["steps"]}
    removed: list[str] = []
    for step in whole["steps"]:
        if step["id"] not in steps:
            removed.append(f'step "{step["id"]}" ({str(step.get("tool"))[:80]})')
            continue
        lost = [key for key in step["params"] if key not in steps[step["id"]]["params"]]
        removed += [f'"{key}" of step "{step["id"]}"' for key in lost]
    return tuple(removed)
