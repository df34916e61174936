"""Defines the prompt rule by which drafters state what the runs of a workflow have to show."""

EXPECTATIONS = (
    'Beside the steps, state in "expect" what a test run must show, for what the request demands:'
    ' [{"requests": {"node": "post", "body": {"contains": ["#daily", "status"]}}, "why": "each'
    ' task is reported"}, {"node": "post", "items": {"items_of": "tasks"}, "why": "one message per'
    ' task"}, {"when": {"answers": {"tasks": []}}, "expect": [{"node": "post", "runs": 0}], "why":'
    ' "no task, no message"}]. "node" is the id of a step. Services answer with invented data:'
    " expect texts that the request, your parameters, or given answers (items of a step) and"
    ' "samples" (items of a trigger) state. State few.'
)
