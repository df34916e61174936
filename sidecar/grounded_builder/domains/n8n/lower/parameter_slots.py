"""Lists and ranks the places in a node's parameters where a drafted value may go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.parameter_words import word_classes_of
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, Property

SINGLE = frozenset({"string", "number", "boolean", "options", "dateTime"})
"""The types of parameters that hold a single value."""
_LOOSE = 3
"""The first rank of names that only share words."""
_NOT_VALUES = frozenset({"notice", "button", "callout", "curlImport"})


@dataclass(frozen=True, slots=True)
class Slot:
    """One place: its path and declaration; ``shown`` is whether it is visible at present values.

    ``root`` declares the parameter of the root level that the place is in.
    """

    path: tuple[str, ...]
    declared: Property
    shown: bool
    root: Property
    in_list: bool = False

    @property
    def label(self) -> str:
        """The name that people see."""
        return str(self.declared.raw.get("displayName", self.declared.name))


def slots_of(spec: NodeSpec, parameters: Mapping[str, Any]) -> list[Slot]:
    """Returns every slot of a node at these parameters, root ones first."""
    simple, _ = fill(spec.declarations, dict(parameters))
    root = [
        Slot((prop.name,), prop, prop.is_shown(simple, simple), prop)
        for prop in spec.declarations.root.properties
        if prop.type not in _NOT_VALUES
    ]
    return [*root, *(below for slot in root for below in _below(spec, slot))]


def best_slot(key: str, value: Any, slots: list[Slot], taken: set[tuple[str, ...]]) -> Slot | None:
    """Returns the slot that a drafted name means; None when there is none or no single best one.

    A single value never goes where only a group of values can, nor a group where only a single one
    can, except into a text that is shown, which is reported as a mismatch.
    """
    single = not isinstance(value, dict | list)
    ranked = sorted(
        (rank, index)
        for index, slot in enumerate(slots)
        if not (single and slot.declared.type in CONTAINERS)
        and (single or slot.declared.type not in SINGLE or _is_shown_text(slot))
        and (rank := rank_slot(key, slot)) is not None
        and not (rank[0] >= _LOOSE and _is_no_choice(value, slot.declared))
    )
    free = [(rank, slots[index]) for rank, index in ranked if slots[index].path not in taken]
    if not free:
        return None
    best_rank, best = free[0]
    rivals = {slot.path for rank, slot in free if rank == best_rank}
    if len(rivals) > 1 and best_rank[0] >= _LOOSE:
        named = [slot for rank, slot in free if rank == best_rank]
        groups = [slot for slot in named if not single and slot.declared.type in CONTAINERS]
        return groups[0] if len({slot.path for slot in groups}) == 1 else None
    return best


def _is_no_choice(value: Any, declared: Property) -> bool:
    """Returns whether a value is none of the fixed choices of a parameter.

    A text with the words of its name is then for another one: ``prompt`` is no ``promptType``.
    """
    options = declared.raw.get("options")
    if declared.type != "options" or not isinstance(options, list) or not options:
        return False
    named = [option for option in options if isinstance(option, dict)]
    known = {fold_name(str(option.get(key))) for option in named for key in ("name", "value")}
    return fold_name(str(value)) not in known


def _is_shown_text(slot: Slot) -> bool:
    return slot.shown and slot.declared.type == "string"


def _below(spec: NodeSpec, slot: Slot) -> Iterator[Slot]:
    declarations = spec.declarations
    if slot.declared.type == "collection":
        for child in declarations.children(slot.declared).properties:
            yield Slot((*slot.path, child.name), child, slot.shown, slot.root)
    elif slot.declared.type == "fixedCollection":
        for group in slot.declared.raw.get("options") or ():
            name = group.get("name") if isinstance(group, dict) else None
            level = declarations.group(slot.declared, name) if name else None
            for child in level.properties if level else ():
                if child.type in _NOT_VALUES:
                    continue
                many = bool(slot.declared.multiple)
                path = (*slot.path, str(name), child.name)
                yield Slot(path, child, slot.shown, slot.root, in_list=many)


def rank_slot(key: str, slot: Slot) -> tuple[int, int, int, int, float] | None:
    """Returns how well a slot matches a name, smaller is better; None when it does not.

    Similarity comes first: exact, equal but for punctuation, equal label, same words, one name
    inside the other. Then shown before hidden, names before labels, outer before inner.
    """
    name, label = slot.declared.name, slot.label
    depth = len(slot.path) + slot.in_list
    hidden = 0 if slot.shown else 1
    if key == name or key == ".".join(slot.path):
        return (0, hidden, 0, depth, 0.0)
    if fold_name(key) in (fold_name(name), fold_name(label)):
        return (1, hidden, 0, depth, 0.0)
    wanted = word_classes_of(key)
    if not wanted:
        return None
    if wanted in (word_classes_of(name), word_classes_of(label)):
        return (2, hidden, 0, depth, 0.0)
    # The id of a thing is how n8n's parameters name the thing: ``channelId``.
    if wanted == word_classes_of(name) - {"id"}:
        return (2, hidden, 0, depth, 0.1)
    # Labels such as "List Name or ID" are of parameters that n8n names ``list``.
    if "id" in word_classes_of(label) and wanted - {"id"} == word_classes_of(name):
        return (2, hidden, 0, depth, 0.2)
    known = word_classes_of(name) | word_classes_of(label)
    if wanted <= known:
        by_label = int(not wanted <= word_classes_of(name))
        return (3, hidden, by_label, depth, len(known - wanted) / 10)
    if len(wanted) > 1 and word_classes_of(name) <= wanted:
        return (4, hidden, 0, depth, len(wanted - known) / 10)
    return None
