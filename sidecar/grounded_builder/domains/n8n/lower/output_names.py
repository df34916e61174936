"""Finds the output that a plan names, and adds it where a setting or a parameter defines it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, output_expression, ports_of
from grounded_builder.domains.n8n.step_settings import ERROR_OUTPUT
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan, Setting, Source
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

# Words for the same output, of which n8n's nodes have one: If and Filter, Loop Over Items, the
# fallback of Switch and Text Classifier, the error output of any node.
_ERROR = frozenset("error errors failure failed onerror catch exception".split())
_FALLBACK = frozenset("fallback default other others otherwise else rest none nomatch".split())
_MEANINGS = (
    frozenset("true yes then".split()),
    frozenset("false no else otherwise".split()),
    frozenset("loop each item batch body".split()),
    frozenset("done end finished complete completed after".split()),
    _FALLBACK,
    _ERROR,
)
_REGULAR = frozenset("success ok main output regular".split())
_LITERAL = re.compile(r"'([\w-]{1,40})'")
_MAX_LITERALS = 12


def find_output(asked: str, outputs: Sequence[Port]) -> int | None:
    """Returns the index of a main output by its name, its number or another word for it."""
    word = fold_name(asked)
    names = [fold_name(port.name) for port in outputs]
    if word in names:
        return names.index(word)
    if asked.strip().isdecimal() and int(asked) < len(outputs):
        return int(asked)
    for meaning in _MEANINGS:
        alike = [index for index, name in enumerate(names) if name in meaning]
        if word in meaning and len(alike) == 1:
            return alike[0]
    regular = [index for index, port in enumerate(outputs) if not port.is_error]
    return regular[0] if word in _REGULAR and len(regular) == 1 else None


def add_named_outputs(
    plan: Plan, choices: tuple[StepResolution, ...], nodes: Mapping[str, ResolvedNode]
) -> tuple[tuple[StepResolution, ...], frozenset[str], tuple[Diagnostic, ...]]:
    """Returns the steps with the outputs that others name, the ids of changed ones, and notes.

    A node gets an error output by its setting ``onError``, and a fallback by its own parameter.
    """
    changed: dict[str, StepResolution] = {}
    notes: list[Diagnostic] = []
    by_id = {choice.step.id: choice for choice in choices}
    for identity, source in _named_outputs(plan):
        asked = str(source.output)
        outputs = (ports_of(nodes[identity]).outputs or {}).get(MAIN, ())
        choice = changed.get(identity, by_id[identity])
        if not outputs or find_output(asked, outputs) is not None or asked in choice.step.outputs:
            continue
        added = _with_error_output(choice, source) or _with_fallback(choice, nodes[identity], asked)
        if added is None:
            continue
        changed[identity] = added[0]
        message = f'"{identity}" got the output "{asked}" by {added[1]}'
        notes.append(new_diagnostic(LOOSE_SHAPE, source.at, message, node=identity))
    adapted = tuple(changed.get(choice.step.id, choice) for choice in choices)
    return adapted, frozenset(changed), tuple(dict.fromkeys(notes))


def _named_outputs(plan: Plan) -> Iterator[tuple[str, Source]]:
    for step in plan.steps:
        for source in step.inputs or ():
            origin = plan.find_step(source.name)
            if origin is not None and isinstance(source.output, str):
                yield origin.id, source


def _with_error_output(choice: StepResolution, source: Source) -> tuple[StepResolution, str] | None:
    settings = choice.step.settings
    stated = settings["onError"].value if "onError" in settings else ERROR_OUTPUT
    if fold_name(str(source.output)) not in _ERROR or stated != ERROR_OUTPUT:
        return None
    added = {**settings, "onError": Setting(ERROR_OUTPUT, source.at)}
    step = replace(choice.step, settings=added)
    return replace(choice, step=step), f'"onError": "{ERROR_OUTPUT}"'


def _with_fallback(
    choice: StepResolution, node: ResolvedNode, asked: str
) -> tuple[StepResolution, str] | None:
    """Returns a step with the only parameter that adds such an output behind all others."""
    computed = output_expression(node)
    before = (ports_of(node).outputs or {}).get(MAIN, ())
    if computed is None or fold_name(asked) not in _FALLBACK:
        return None
    source, paths = computed
    values = list(dict.fromkeys(_LITERAL.findall(source)))[:_MAX_LITERALS]
    for path in paths:
        for value in values:
            params = _with_value(choice.step.params, path.split("."), value)
            fitted = _with_value(node.node.params, path.split("."), value)
            if params is None or fitted is None:
                continue
            tried = replace(node, node=replace(node.node, params=fitted), memo={})
            after = (ports_of(tried).outputs or {}).get(MAIN, ())
            if after[:-1] == before and fold_name(after[-1].name) in _FALLBACK:
                step = replace(choice.step, params=params)
                return replace(choice, step=step), f"{path} = {value}"
    return None


def _with_value(
    params: Mapping[str, Any], path: Sequence[str], value: str
) -> dict[str, Any] | None:
    """Returns parameters with a value at a path, None if there is one already."""
    key, *rest = path
    inner = params.get(key)
    if not rest:
        return None if key in params else {**params, key: value}
    if inner is not None and not isinstance(inner, Mapping):
        return None
    changed = _with_value(inner or {}, rest, value)
    return None if changed is None else {**params, key: changed}
