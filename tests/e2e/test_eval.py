"""A fixed slice of ``make eval`` in the real n8n: the planner, and the model on this machine."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from evals.requests.__main__ import ROUNDS, make_creator, make_settings
from evals.requests.drafting import Remembering, Scripted, Who, open_drafter
from evals.requests.measure import Made, Table, measure_requests
from evals.requests.request_set import SLICE, Kind, pick_requests
from evals.requests.table import find_regressions, format_table, summarize_figures
from tests.support.import_desk import Desk

HELD = Path(__file__).parents[2] / "evals" / "requests" / "slice.json"
LONGEST_REPLY = 300


FOR_THE_MODEL: Mapping[Kind, int] = {"title": 1}
ROUNDS_OF_THE_MODEL = 1
"""A reply takes half a minute; ``make eval`` asks the model for all requests, in three rounds."""


def measure_slice(
    desk: Desk,
    who: Who,
    remembering: Remembering | None = None,
    counts: Mapping[Kind, int] = SLICE,
) -> list[Made]:
    """The slice, made by a drafter and created in the real n8n."""
    rounds = ROUNDS_OF_THE_MODEL if who.startswith("local") else ROUNDS
    with tempfile.TemporaryDirectory() as state:
        here = Table(desk.registry, make_settings(Path(state), who, rounds))
        return list(
            measure_requests(pick_requests(counts), here, who, remembering, make_creator(desk))
        )


def test_a_slice_of_the_evaluation(desk: Desk) -> None:
    """n8n accepts all results of the planner for collected requests, no fewer than before.

    What is built has every clause; the planner names the others.
    """
    mades = measure_slice(desk, "planner")
    print(format_table(mades))
    assert len(mades) == 3
    assert all(item.clauses for item in mades)
    assert all(item.placed == item.clauses for item in mades if item.outcome == "built")
    kind = "own" if mades[0].kind == "own" else "collected"
    assert find_regressions(mades, json.loads(HELD.read_text())[kind]) == []


@pytest.mark.timeout(900)
def test_a_model_on_this_machine(desk: Desk) -> None:
    """A small model in the loop is bounded; what compiles n8n takes, the rest the planner makes."""
    with open_drafter("local", None) as model:
        assert model is not None
        alone = measure_slice(desk, "local", model, FOR_THE_MODEL)
        asked_once = model.cost.seconds
        both = measure_slice(desk, "local+planner", model, FOR_THE_MODEL)
    print(f"{format_table(alone)}\n{format_table(both)}\nlast request: {asked_once:.1f} s")
    assert find_regressions([*alone, *both], {}) == []
    assert all(0 < item.longest <= LONGEST_REPLY for item in alone)
    assert all(1 <= item.rounds <= ROUNDS_OF_THE_MODEL for item in alone)
    assert all(item.outcome in ("built", "incomplete", "refused") for item in alone)
    # The same replies, for they are remembered: only what got stuck is made otherwise.
    for item, other in zip(alone, both, strict=True):
        if item.reason not in ("stalled", "exhausted") or item.outcome != "refused":
            assert (item.outcome, item.tools) == (other.outcome, other.tools)
        else:
            assert other.by == "planner"


def test_a_script_is_measured_like_a_model(desk: Desk) -> None:
    """A scripted drafter that is wrong twice and then right counts with its rounds."""
    request = pick_requests(SLICE)[0].text
    plan = {"steps": [{"id": "a", "tool": "Webhook", "params": {}}]}
    script = {request: [json.dumps({"steps": [{"tool": "Carrier Pigeon"}]}), json.dumps(plan)]}
    remembering = Remembering(Scripted(script), None)
    mades = measure_slice(desk, "scripted", remembering)
    assert mades[0].rounds > 1
    assert mades[0].tools == ("n8n-nodes-base.webhook",)
    assert {other.outcome for other in mades[1:]} == {"refused"}
    assert [other.refused_by_n8n for other in mades] == [None] * 3


def test_a_fall_is_reported() -> None:
    """Less F1, fewer requests made and a refusal of n8n are each a fall; as much as before none."""
    result = Made("k", "own", "built", None, "planner", ("a",), ("a",), 1, 1, 0, 0, 0, 0, 0.1)
    lost = Made("k", "own", "refused", None, "planner", (), ("a",), 1, 0, 0, 0, 0, 0, 0.1)
    output = Made("k", "own", "built", None, "planner", ("a",), ("a",), 1, 1, 0, 0, 0, 0, 0.1, "no")
    entries = summarize_figures([result] * 4)
    assert find_regressions([result] * 4, entries) == []
    assert len(find_regressions([result, result, lost, lost], entries)) == 2
    assert find_regressions([result, result, result, output], entries) == ["n8n refuses 1"]
