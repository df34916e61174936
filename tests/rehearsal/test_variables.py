"""The installed n8n decides what its variables are."""

from __future__ import annotations

from grounded_builder.domains.n8n.expressions.members import N8N_MEMBERS, NO_FUNCTIONS
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow


def test_variables_are_what_n8n_provides(rehearsed: Rehearse) -> None:
    """None of the variables is a function, and $execution has exactly the listed members."""
    texts = {name[1:]: f"={{{{ typeof {name} }}}}" for name in sorted(NO_FUNCTIONS)}
    texts["members"] = "={{ Object.keys($execution).sort().join(' ') }}"
    texts["signed"] = "={{ typeof $credentials }}"
    rows = [
        {"id": name, "name": name, "type": "string", "value": value}
        for name, value in texts.items()
    ]
    read = node("Read", "set", 3.4, {"assignments": {"assignments": rows}, "options": {}})
    (run,) = rehearsed(workflow(node("Start", "manualTrigger", 1), read)).runs
    (step,) = [step for step in run.execution.steps if step.node == "Read"]
    values = step.outputs["main"][0][0]["json"]
    assert values.pop("members") == " ".join(N8N_MEMBERS["$execution"])
    assert values.pop("signed") == "undefined"
    assert values.keys() == {name[1:] for name in NO_FUNCTIONS}
    assert "function" not in values.values()
