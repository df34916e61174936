"""Place the tools that a request names, and nothing else, where its language is not read."""

from __future__ import annotations

import re

from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.reading import Clause, Reading, sentences
from grounded_builder.drafting.planner.tool_facts import Toolbox

_BETWEEN_SCRIPTS = re.compile(
    r"(?<=[a-z0-9])(?=[^\x00-\u024f\s])|(?<=[^\x00-\u024f\s])(?=[a-z0-9])", re.IGNORECASE
)


def place_named_tools(reading: Reading, box: Toolbox, draft: Draft) -> list[Clause]:
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
            step = draft.add(tool, {}, start, mention.said)
            step["inputs"], ends = ends, [step["id"]]
            draft.note(
                step, f"what {mention.said} is to do was not read: its usual operation stands"
            )
    starter = box.domain.prompting.default_trigger
    first = next(iter(draft.steps), None)
    if first is not None and not box.is_trigger(first["tool"]) and box.is_installed(starter):
        draft.steps.insert(0, {"id": "start", "tool": starter, "params": {}, "inputs": []})
        draft.places["start"] = -1
        first["inputs"] = ["start"]
        draft.note("start", f"what starts it was not read: {box.row(starter).name} is supposed")
    return clauses
