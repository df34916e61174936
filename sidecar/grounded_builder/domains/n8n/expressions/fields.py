"""Reports reads of fields that a node never outputs, with fixes for those that are certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.data_flow import (
    DataFlow,
    follow_data,
    starts_with_one_item,
)
from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.analysis.shapes import Shape, normalize_field, unite
from grounded_builder.domains.n8n.expressions.field_reads import (
    FieldRead,
    find_field_reads,
    is_tolerant,
    write_giver,
    write_path,
)
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISSING_FIELD = Rule.advice(
    "N8N330", "missing-field", "EmptyData", "A field is read that the node never outputs."
)

_AI_TOOL = "ai_tool"
_SHOWN = 12
# Conditions that ask whether a value is there.
_ASKS_PRESENCE = frozenset({"exists", "notExists", "empty", "notEmpty", "isEmpty", "isNotEmpty"})


@dataclass(frozen=True, slots=True)
class _Gap:
    """A read of an absent field: the shape that lacks it, and which name of the path it is."""

    read: FieldRead
    shape: Shape
    depth: int

    @property
    def name(self) -> str:
        """Returns the absent name."""
        return self.read.path[self.depth]


@dataclass(frozen=True, slots=True)
class _Correction:
    start: int
    end: int
    value: str
    is_safe: bool


class FieldReader:
    """The shapes of the items that each node of a workflow receives, for the checks of reads."""

    def __init__(self, resolved: ResolvedGraph, order: ExecutionOrder) -> None:
        self._resolved = resolved
        self._flow: DataFlow = follow_data(resolved, order)
        self._upstream: dict[str, Mapping[str, str | None]] = {}
        self._received: dict[str, Shape | None] = {}
        self._givers: dict[str, Sequence[str]] = {}
        self._served: dict[str, list[str]] = {}
        for edge in resolved.graph.edges:
            if edge.source_kind == _AI_TOOL:
                self._served[edge.source] = []  # a tool reads what its agent passes to it
            elif order.is_sub_node(edge.source):
                self._served.setdefault(edge.source, []).append(edge.target)

    def find_received_shape(self, node: str) -> Shape | None:
        """Returns the shape of the items of a node; a sub-node has those of the node it serves."""
        served = self._served.get(node)
        if served is None:
            return self._flow.inputs.get(node)
        if node not in self._received:
            self._received[node] = unite(self._flow.inputs.get(name) for name in served)
        return self._received[node]

    def report(self, text: Text, pieces: Sequence[tuple[str, int]]) -> Iterator[Diagnostic]:
        """Reports each field that a text reads and that none of its source nodes outputs."""
        if _asks_presence(self._resolved.by_name.get(text.node), text):
            return
        gaps = [(gap, start) for code, start in pieces for gap in self._find_gaps(text.node, code)]
        corrections = {
            id(gap): self._correct(text.node, gap, is_code=text.use == "code") for gap, _ in gaps
        }
        # An example lacks fields that people define; only an earlier node shows the intended one.
        gaps = [item for item in gaps if not item[0].shape.is_loose or corrections[id(item[0])]]
        if not gaps:
            return
        fix = _fix_text(text, [(c, start) for gap, start in gaps if (c := corrections[id(gap)])])
        reported: set[tuple[str | None, str]] = set()
        for gap, _ in gaps:
            if (gap.read.giver, gap.name) in reported:
                continue
            reported.add((gap.read.giver, gap.name))
            correction = corrections[id(gap)]
            is_fixed = correction is not None and correction.is_safe
            yield self._report_gap(text, gap, correction, fix if is_fixed else None)

    def report_defaults(self, bound: ResolvedNode) -> Iterator[Diagnostic]:
        """Reports the fields that a node reads by the defaults of its parameters."""
        if not isinstance(bound.spec, NodeSpec) or bound.node.disabled:
            return
        if self.find_received_shape(bound.node.name) is None:
            return
        for name, value in filled_parameters(bound).full.items():
            if name in bound.node.params or not isinstance(value, str) or value[:1] != "=":
                continue
            if "$json" not in value:
                continue
            text = Text(bound.node.name, (*bound.node.at, "parameters", name), value, "expression")
            code = value[1:].strip().removeprefix("{{").removesuffix("}}")
            for finding in self.report(text, [(code, 0)]):
                yield replace(
                    finding,
                    message=f'{finding.message}; "{name}" has this value by default',
                    help=f"set {name}, and the parameter that hides it if there is one",
                    fix=None,
                )

    def _find_gaps(self, node: str, code: str) -> list[_Gap]:
        """Returns the reads of absent fields, none if the code can do without the field."""
        if ".json" not in code and "$json" not in code:
            return []
        gaps: list[_Gap] = []
        resolves = False
        for read in find_field_reads(code):
            shape = (
                self.find_received_shape(node)
                if read.giver is None
                else self._flow.outputs.get(read.giver)
            )
            gap = _find_gap(read, shape)
            if gap is not None:
                gaps.append(gap)
            else:
                resolves = True
        return [] if resolves and gaps and is_tolerant(code) else gaps

    def _correct(self, node: str, gap: _Gap, *, is_code: bool) -> _Correction | None:
        """Returns the likeliest correction of a read; None if no existing field is similar."""
        read, depth = gap.read, gap.depth
        start = read.root_end if depth == 0 else read.ends[depth - 1]
        wanted = normalize_field(gap.name)
        same = [name for name in gap.shape.fields if normalize_field(name) == wanted]
        is_payload = depth == 0 and gap.shape.payload and len(read.path) == 1
        certain = gap.shape.is_certain
        if len(same) == 1 and not is_payload and not gap.shape.is_loose:
            return _Correction(start, read.ends[depth], write_path((same[0],)), is_safe=certain)
        deeper = [] if gap.shape.is_loose else gap.shape.find_paths(wanted)
        if len(deeper) == 1:
            return _Correction(start, read.ends[depth], write_path(deeper[0]), is_safe=certain)
        is_elsewhere = gap.name in gap.shape.absent
        if depth == 0 and gap.shape.payload and not deeper and not is_elsewhere:
            path = (*gap.shape.payload.split("."), gap.name)
            return _Correction(start, read.ends[0], write_path(path), is_safe=True)
        if depth == 0 and read.giver is None and node not in self._served:
            return self._correct_giver(node, gap, is_code=is_code)
        return None

    def _correct_giver(self, node: str, gap: _Gap, *, is_code: bool) -> _Correction | None:
        """Returns the read of the node upstream that outputs the field."""
        if node not in self._upstream:
            self._upstream[node] = self._flow.find_givers(node)
        giver = self._upstream[node].get(gap.name)
        if giver is None or (gap.shape.is_loose and not self._flow.outputs[giver].is_certain):
            return None
        is_single = starts_with_one_item(self._resolved.by_name[giver])
        value = write_giver(giver, is_single=is_single or is_code) + write_path((gap.name,))
        is_safe = gap.shape.is_certain and not gap.shape.is_open and is_single
        return _Correction(gap.read.start, gap.read.ends[0], value, is_safe)

    def _report_gap(
        self, text: Text, gap: _Gap, correction: _Correction | None, fix: Fix | None
    ) -> Diagnostic:
        read = gap.read
        givers = (read.giver,) if read.giver else self._givers_of(text.node)
        shown = " or ".join(f'"{giver}"' for giver in givers[:3]) or "its input"
        path = ".".join(read.path[: gap.depth + 1])
        names = sorted(gap.shape.fields)
        listed = f"read one of {', '.join(names[:_SHOWN])}" if names else "it outputs no fields"
        help_ = gap.shape.absent.get(gap.name)
        if help_ is None and correction is not None:
            help_ = f"write {_shown_correction(gap, correction)}"
        elif help_ is None:
            help_ = gap.shape.hint or f"{listed}, or let the node keep other fields"
        verb = "never outputs" if gap.shape.is_certain else "does not output in n8n's example"
        return new_diagnostic(
            MISSING_FIELD,
            text.at,
            f'"{text.node}" reads the field {path}, which {shown} {verb}',
            help=help_,
            node=text.node,
            token=gap.name,
            alternatives=find_nearest(gap.name, names),
            fix=fix,
        )

    def _givers_of(self, node: str) -> Sequence[str]:
        if node not in self._givers:
            names = self._served.get(node) or [node]
            givers = dict.fromkeys(s for n in names for s in self._flow.before.get(n, ()))
            self._givers[node] = list(givers)
        return self._givers[node]


def _find_gap(read: FieldRead, shape: Shape | None) -> _Gap | None:
    for depth, name in enumerate(read.path):
        if shape is None:
            return None
        if shape.lacks(name):
            return _Gap(read, shape, depth)
        shape = shape.fields.get(name)
    return None


def _shown_correction(gap: _Gap, correction: _Correction) -> str:
    if correction.value.startswith("$"):
        return correction.value
    root = write_giver(gap.read.giver, is_single=False) if gap.read.giver else "$json"
    return root + write_path(gap.read.path[: gap.depth]) + correction.value


def _fix_text(text: Text, corrections: Sequence[tuple[_Correction, int]]) -> Fix | None:
    """Returns the fix that makes all safe corrections of a text."""
    pieces: list[str] = []
    reasons: dict[str, None] = {}
    done = 0
    for correction, offset in sorted(corrections, key=lambda item: item[0].start + item[1]):
        start, end = correction.start + offset, correction.end + offset
        if not correction.is_safe or start < done:
            continue
        reasons[f"{text.value[start:end].strip()} is {correction.value.strip()}"] = None
        pieces += [text.value[done:start], correction.value]
        done = end
    value = "".join([*pieces, text.value[done:]])
    if value == text.value:
        return None
    reason = f'in "{text.node}", the field {"; ".join(reasons)}'
    return Fix(True, (Edit("set", text.at, value),), reason)


def _asks_presence(bound: ResolvedNode | None, text: Text) -> bool:
    """Returns whether a text is what a condition tests for being there."""
    if bound is None or not text.at or text.at[-1] not in ("leftValue", "value1"):
        return False
    value: Any = bound.node.source
    for key in text.at[len(bound.node.at) : -1]:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return False
    if not isinstance(value, dict):
        return False
    operator = value.get("operator")
    operation = operator.get("operation") if isinstance(operator, dict) else value.get("operation")
    return isinstance(operation, str) and operation in _ASKS_PRESENCE
