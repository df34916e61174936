"""Place the tools that a request names, and nothing else, where its language is not read."""

from __future__ import annotations

import re

from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.operations import is_destructive
from grounded_builder.drafting.planner.reading import Clause, Reading, sentences
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.resolve.mentions import Mention

_LONGEST_UNIT = 3
_BETWEEN_SCRIPTS = re.compile(
    r"(?<=[a-z0-9])(?=[^\x00-\u024f\s])|(?<=[^\x00-\u024f\s])(?=[a-z0-9])", re.IGNORECASE
)


def place_named_tools(reading: Reading, box: ToolFacts, draft: Draft) -> list[Clause]:
    """Adds a step for each tool that a request names, in its order; returns its sentences."""
    clauses = []
    ends: list[str] = []
    for number, (start, end) in enumerate(sentences(reading)):
        clauses.append(Clause(start, end, number))
        text = _BETWEEN_SCRIPTS.sub(" ", reading.masked[start:end])
        for mention in box.mentions(text):
            tool = box.starter(mention) if not ends and not draft.steps else None
            tool = tool if tool in mention.tools else box.acting(mention)
            if tool is None or box.serves(tool):
                continue
            usual = box.usual_operations(tool)
            if _is_unit(mention, text) or any(is_destructive(operation) for operation in usual):
                continue
            step = draft.add(tool, {}, start, mention.text)
            stands = f'"{usual[0].name}" is supposed' if usual else "its defaults stand"
            draft.note(step, f"what {mention.text} is to do was not read: {stands}")
            if ends:
                before = box.row(draft.steps[-2]["tool"]).name
                draft.note(step, f"that {mention.text} follows {before} is supposed")
            step["inputs"], ends = ends, [step["id"]]
    starter = box.domain.prompting.default_trigger
    first = next(iter(draft.steps), None)
    if first is not None and not box.is_trigger(first["tool"]) and box.is_installed(starter):
        draft.steps.insert(0, {"id": "start", "tool": starter, "params": {}, "inputs": []})
        draft.places["start"] = -1
        first["inputs"] = ["start"]
        draft.note("start", f"what starts it was not read: {box.row(starter).name} is supposed")
    return clauses


def _is_unit(mention: Mention, text: str) -> bool:
    """Returns whether a short name is a letter alone or stands behind a number: 1 s, 10 min."""
    if not any(len(word) > 1 and word[0].isalpha() for word in mention.text.split()):
        return True
    is_behind_number = text[: mention.at].rstrip()[-1:].isdigit()
    return is_behind_number and len(mention.text) <= _LONGEST_UNIT and mention.text.islower()
