"""What a clause tells a step: its task, when, how long, which values, fields of other steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier, stem, synonym_groups
from grounded_builder.drafting.planner.clauses import Clause
from grounded_builder.drafting.planner.conditions import choice_in, condition_in, field_named
from grounded_builder.drafting.planner.literals import values_in
from grounded_builder.drafting.planner.schedules import duration_in, schedule_in
from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.ir.intent import Meaning, Reference, Task

_TOLD = re.compile(
    r"\b(?:with|including|containing)\s+(?:the|its|their|his|her)\s+"
    r"([a-z]+(?:\s+(?!of|from|in|to|and|by|on|for)[a-z]+)?)"
    r"(?=\s+(?:of|from|in|to|and|by|on|for)\b|[,.]|$)",
    re.IGNORECASE,
)
_HOLDING = re.compile(r"\b(?:where|whose|if|whether|unless)\s.*", re.IGNORECASE)
_PASSED = frozenset({"send", "create", "reply"})
_LONGEST_TASK = 300


@dataclass(frozen=True, slots=True)
class Before:
    """The step that another one follows alone; ``gives`` is the field of its text, if known."""

    id: str
    gives: str = ""
    starts_talk: bool = False


def parameters_from_clause(
    clause: Clause, pick: Pick, params: Mapping[str, Any], before: Before | None, box: Toolbox
) -> dict[str, Any]:
    """The parameters that a clause tells a step beside those it has."""
    spec, made = box.spec(pick.tool), dict(params)
    added: dict[str, Any] = {}
    for meaning in _meanings(clause, pick, before, box):
        said = box.domain.prompting.parameters_for(spec, made, meaning)
        fresh = {key: value for key, value in said.items() if key not in made}
        made.update(fresh)
        added.update(fresh)
    return added


def before_of(
    steps: Sequence[Mapping[str, Any]], sources: Sequence[str], box: Toolbox
) -> Before | None:
    """What a step that follows these sources can refer to: one alone, and what it gives."""
    if len(sources) != 1:
        return None
    step = next((one for one in steps if one["id"] == sources[0]), None)
    if step is None:
        return None
    speech = box.domain.prompting
    gives = speech.text_output_fields.get(step["tool"], "")
    # What another tool reads into a form of its own is no plain text any more.
    plain = all(value is not True for value in step["params"].values())
    return Before(
        str(step["id"]), gives if plain else "", step["tool"] in speech.trigger_of_step.values()
    )


def _hands_on(text: str) -> bool:
    """Whether a clause passes on what it is given: sends it, saves it, answers with it."""
    return any(
        not _PASSED.isdisjoint(synonym_groups(stem(word))) for word in split_identifier(text)[:2]
    )


def _meanings(clause: Clause, pick: Pick, before: Before | None, box: Toolbox) -> list[Meaning]:
    if clause.role == "if":
        condition = condition_in(clause.text)
        return [condition] if condition is not None else []
    found: list[Meaning] = []
    if box.takes(pick.tool, pick.params) and not (before and before.starts_talk):
        found.append(Task(clause.text[:_LONGEST_TASK]))
    if box.is_trigger(pick.tool):
        schedule = schedule_in(clause.text)
        found += [schedule] if schedule is not None else []
    elif not pick.said:
        duration = duration_in(clause.text)
        found += [duration] if duration is not None else []
    choice = choice_in(clause.text)
    holding = _HOLDING.search(clause.text) if not pick.said else None
    condition = condition_in(holding[0]) if holding else None
    found += [one for one in (choice, condition) if one is not None]
    values = values_in(clause.text)
    found += values
    if before is not None and not any(value.kind == "message" for value in values):
        field = _TOLD.search(clause.text)
        if field:
            found.append(Reference("message", before.id, field_named(field[1])))
        elif before.gives and _hands_on(clause.text):
            found.append(Reference("message", before.id, before.gives))
    return found
