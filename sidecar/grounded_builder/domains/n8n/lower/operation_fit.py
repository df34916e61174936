"""Rates how well the parameters that a step writes belong to each operation of its node."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.operation_names import NodeOperation
from grounded_builder.domains.n8n.lower.parameter_slots import Slot, rank_slot, slots_of
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, is_expression
from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, Property
from grounded_builder.domains.n8n.parameters.value_types import choices_of

# The weight of a parameter by how its name matches: exactly or by its label, by the same words, by
# some of them (the classes of `rank_slot`). Set by hand.
_WEIGHTS = (1.0, 1.0, 0.9, 0.5, 0.4)
# What a parameter counts where it is only the label of a parameter, and the name of another one.
_BY_LABEL = 0.7


class ParameterFit:
    """The written parameters of a step, rated for operations of its node."""

    TOLERANCE = 0.2
    """Scores that differ by less count as equal: a match by other words decides nothing."""

    def __init__(self, spec: NodeSpec, known: Mapping[str, Any], params: Mapping[str, Any]) -> None:
        self._spec, self._known = spec, known
        root = spec.declarations.root
        self._exact = {key: value for key, value in params.items() if key in root.by_name}
        slots = slots_of(spec, {}) if len(self._exact) < len(params) else []
        self._places = {
            key: list(self._find_places(key, value, slots)) for key, value in params.items()
        }

    def score(self, selected: Mapping[str, Any]) -> float:
        """Returns the number of parameters that the operation takes, weighted by their match."""
        given = {**self._exact, **self._known, **selected}
        simple, _ = fill(self._spec.declarations, given)
        return sum(
            max(
                (weight for weight, prop in places if self._is_reachable(prop, simple, given)),
                default=0.0,
            )
            for places in self._places.values()
        )

    def takers(self, key: str, operations: Iterable[NodeOperation]) -> list[NodeOperation]:
        """Returns the operations that take a parameter of this name, best match first."""
        ranked: list[tuple[float, NodeOperation]] = []
        for operation in operations:
            given = {**operation.presets, **operation.params}
            simple, _ = fill(self._spec.declarations, given)
            weights = [
                weight
                for weight, prop in self._places.get(key, ())
                if self._is_reachable(prop, simple, given)
            ]
            if weights:
                ranked.append((max(weights), operation))
        return [operation for _, operation in sorted(ranked, key=lambda item: -item[0])]

    def count_missing(self, selected: Mapping[str, Any]) -> int:
        """Returns how many required parameters of an operation the step does not write."""
        given = {**self._exact, **self._known, **selected}
        simple, _ = fill(self._spec.declarations, given)
        taken = {prop.name for places in self._places.values() for _, prop in places}
        return sum(
            1
            for prop in self._spec.declarations.root.properties
            if prop.raw.get("required") is True
            and prop.name not in taken
            and prop.name not in given
            and prop.is_shown(simple, simple)
        )

    def _find_places(
        self, key: str, value: Any, slots: Iterable[Slot]
    ) -> Iterator[tuple[float, Property]]:
        by_name = self._spec.declarations.root.by_name
        if key in by_name:
            yield from ((_WEIGHTS[0], prop) for prop in by_name[key] if _may_take(prop, value))
            wanted = fold_name(key)
            yield from (
                (_BY_LABEL, prop)
                for prop in self._spec.declarations.root.properties
                if prop.name != key
                and fold_name(str(prop.raw.get("displayName") or "")) == wanted
                and isinstance(value, list) == (prop.type == "fixedCollection")
                and _may_take(prop, value)
            )
            return
        single = not isinstance(value, dict | list)
        for slot in slots:
            if single and slot.declared.type in CONTAINERS:
                continue
            rank = rank_slot(key, slot)
            if rank is not None:
                for prop in by_name[slot.path[0]]:
                    if len(slot.path) > 1 or prop is slot.declared:
                        yield _WEIGHTS[rank[0]], prop

    def _is_reachable(
        self, prop: Property, simple: Mapping[str, Any], given: Collection[str]
    ) -> bool:
        """Returns whether a parameter is shown, or would be by a value that nothing else sets."""
        if prop.is_shown(simple, simple):
            return True
        wanted = (prop.raw.get("displayOptions") or {}).get("show")
        if not isinstance(wanted, dict) or prop.condition is False:
            return False
        return all(
            key[:1] == "@"
            or (isinstance(values, list) and simple.get(key, MISSING) in values)
            or (isinstance(values, list) and values and key not in given and key[:1] != "/"
                and not isinstance(values[0], dict) and simple.get(key, MISSING) is not MISSING)
            for key, values in wanted.items()
        )  # fmt: skip


def _may_take(prop: Property, value: Any) -> bool:
    """Returns whether a value may be meant for a parameter: no text outside a closed list is."""
    choices = choices_of(prop) if prop.type == "options" else None
    return choices is None or not isinstance(value, str) or is_expression(value) or value in choices
