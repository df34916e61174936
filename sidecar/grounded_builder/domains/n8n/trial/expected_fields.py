"""Collects the fields that a workflow reads from each node's items, as shapes with examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.texts import Text, collect_texts
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

_BASE = "n8n-nodes-base."
# These nodes pass on all or most fields of their input.
HANDING_ON = frozenset(
    f"{_BASE}{name}"
    for name in (
        "code",
        "compareDatasets",
        "dateTime",
        "filter",
        "if",
        "limit",
        "merge",
        "noOp",
        "removeDuplicates",
        "set",
        "sort",
        "splitInBatches",
        "switch",
        "wait",
    )
)
_QUOTED = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
_GIVER = re.compile(
    rf"""{NAME_START}(?:
      \$\(\s*(?P<asked>{_QUOTED})\s*\)\s*\.\s*(?:item|(?:first|last)\(\s*\)|all\(\s*\)\[\d+\])\s*\.\s*json
      | \$node\s*\[\s*(?P<node>{_QUOTED})\s*\]\s*\.\s*json
      | (?P<own>\$json
        | (?:\$input|items?|[a-z]\w*)(?:\.(?:item|(?:first|last|all)\(\s*\)))?(?:\[\d+\])?\??\.json)
    )(?![\w$])""",
    re.VERBOSE,
)
_STEP = re.compile(
    rf"\s*\??\.?\[\s*(?P<index>\d+)\s*\]|\s*\??\.?\[\s*(?P<key>{_QUOTED})\s*\]"
    r"|\s*\??\.\s*(?P<name>[A-Za-z_$][\w$]*)(?P<call>\s*\()?"
)
_OF_LISTS = frozenset(
    {
        *("map", "filter", "forEach", "reduce", "find", "some", "every", "flatMap", "join", "push"),
        *(
            "first",
            "last",
            "pluck",
            "unique",
            "chunk",
            "sort",
            "reverse",
            "entries",
            "average",
            "sum",
        ),
    }
)
_OF_NUMBERS = frozenset({"toFixed", "round", "floor", "ceil", "isEven", "isOdd"})
_MOST_STEPS = 12


class Shape:
    """The known shape of a value: its fields, or that it is a list, a text or a number."""

    def __init__(self) -> None:
        self.fields: dict[str, Shape] = {}
        self.item: Shape | None = None
        self.kind = ""

    def field(self, name: str) -> Shape:
        """Returns the shape of a field, created where it was not known."""
        return self.fields.setdefault(name, Shape())

    def element(self) -> Shape:
        """Returns the shape of the items of a list."""
        self.item = self.item or Shape()
        return self.item

    def example(self) -> Any:
        """Returns a value of this shape."""
        if self.item is not None or self.kind == "list":
            return [self.item.example() if self.item is not None else "sample"]
        if self.fields:
            return {name: shape.example() for name, shape in self.fields.items()}
        return _EXAMPLES.get(self.kind, "sample")


_EXAMPLES: Mapping[str, Any] = {
    "number": 1,
    "boolean": True,
    "object": {},
    "dateTime": "2026-01-31T09:00:00.000Z",
    "json": "{}",
}


def read_shapes(resolved: ResolvedGraph, givers: frozenset[str]) -> Mapping[str, Shape]:
    """Returns for each sample source the fields that expressions and code read of its items."""
    shapes = {name: Shape() for name in givers}
    before: dict[str, list[str]] = {}
    for edge in resolved.graph.edges:
        if edge.source_kind == MAIN:
            before.setdefault(edge.target, []).append(edge.source)
    for bound in resolved.nodes:
        if not isinstance(bound.spec, NodeSpec) or bound.node.disabled:
            continue
        behind = _behind(bound.node.name, before, resolved, givers)
        for text in collect_texts(bound):
            for code in _codes(text):
                _note(code, behind, shapes)
        _note_lists(bound, behind, shapes)
        _note_kinds(bound.node.params, behind, shapes)
    return shapes


def _behind(
    name: str, before: Mapping[str, Sequence[str]], resolved: ResolvedGraph, givers: frozenset[str]
) -> tuple[str, ...]:
    """Returns the sample sources whose fields a node receives in its own items."""
    sources: dict[str, None] = {}
    seen, stack = {name}, [name]
    while stack:
        for source in before.get(stack.pop(), ()):
            if source in seen:
                continue
            seen.add(source)
            if source in givers:
                sources[source] = None
            elif source in resolved.by_name and resolved.by_name[source].node.tool in HANDING_ON:
                stack.append(source)
    return tuple(sources)


def _codes(text: Text) -> Iterator[str]:
    if text.use == "code":
        yield text.value
    elif text.use == "expression":
        for chunk in split(text.value[1:]):
            yield chunk.code


def _note(code: str, behind: Sequence[str], shapes: Mapping[str, Shape]) -> None:
    outline = mask_literals(code)
    for match in _GIVER.finditer(code):
        if outline[match.start()] != code[match.start()]:
            continue
        named = match["asked"] or match["node"]
        is_json = code[: match.start()].rstrip().endswith("JSON.parse(")
        for giver in (named[1:-1],) if named else behind:
            if giver in shapes:
                end, _ = _follow(code, match.end(), shapes[giver])
                if is_json and not end.kind:
                    end.kind = "json"


def _follow(code: str, place: int, shape: Shape) -> tuple[Shape, int]:
    """Records a chain of members; returns the shape at its end and the position behind it."""
    for _ in range(_MOST_STEPS):
        step = _STEP.match(code, place)
        if step is None:
            break
        before = place
        place = step.end()
        if step["index"] is not None:
            shape = shape.element()
        elif step["key"] is not None:
            shape = shape.field(step["key"][1:-1])
        elif step["call"]:
            if step["name"] in _OF_LISTS:
                shape.kind = "list"
            elif step["name"] in _OF_NUMBERS:
                shape.kind = "number"
            return shape, before
        elif step["name"] == "length":
            return shape, before
        else:
            shape = shape.field(step["name"])
    return shape, place


def _note_lists(bound: ResolvedNode, behind: Sequence[str], shapes: Mapping[str, Shape]) -> None:
    """Records that a Split Out field is a list, and that the source of a node's text is a field."""
    taken = filled_parameters(bound).full.get("dataPropertyName")
    if isinstance(taken, str) and taken.isidentifier():
        for giver in behind:
            shapes[giver].field(taken)
    named = bound.node.params.get("fieldToSplitOut")
    if not isinstance(named, str) or named.startswith("="):
        return
    for giver in behind:
        for path in named.split(","):
            shape = shapes[giver]
            for part in filter(None, path.strip().removeprefix("$json.").split(".")):
                shape = shape.field(part)
            shape.kind = shape.kind or "list"


def _note_kinds(value: Any, behind: Sequence[str], shapes: Mapping[str, Shape]) -> None:
    """Records the types that comparisons and assignments imply."""
    if isinstance(value, list):
        for item in value:
            _note_kinds(item, behind, shapes)
    elif isinstance(value, Mapping):
        operator = value.get("operator")
        kind = operator.get("type") if isinstance(operator, Mapping) else value.get("type")
        text = value.get("leftValue" if isinstance(operator, Mapping) else "value")
        if isinstance(kind, str) and isinstance(text, str) and text.startswith("="):
            _note_kind(text[1:].strip(), _KINDS.get(kind, ""), behind, shapes)
        for item in value.values():
            _note_kinds(item, behind, shapes)


_KINDS = {
    "array": "list",
    "boolean": "boolean",
    "number": "number",
    "object": "object",
    "dateTime": "dateTime",
}


def _note_kind(text: str, kind: str, behind: Sequence[str], shapes: Mapping[str, Shape]) -> None:
    code = text.removeprefix("{{").removesuffix("}}").strip()
    match = _GIVER.match(code)
    if not kind or match is None or not text.startswith("{{"):
        return
    named = match["asked"] or match["node"]
    for giver in (named[1:-1],) if named else behind:
        if giver in shapes:
            end, place = _follow(code, match.end(), shapes[giver])
            if place == len(code) and not end.kind:
                end.kind = kind
