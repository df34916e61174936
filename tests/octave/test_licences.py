"""A licence that is lost between draft and build, under Octave against a live sidecar."""

from __future__ import annotations

from typing import Any

from tests.support.live_sidecar import SCOPE, SINE, Live

OTHER = "dspsrcs4/Sine Wave"
PLAN = {"goal": "wave", "steps": [{"id": "s", "tool": "Sine Wave"}, {"id": "v", "tool": "Scope"}]}
ONCE = "r = grounded.work('Once', true); printf('%d', r.ok);"
LOST = "setenv('GROUNDED_UNLICENSED', 'Signal_Blocks'); "


def test_a_lost_licence_takes_its_product_out_of_the_next_draft(live: Live) -> None:
    """MATLAB's own words name the feature; the job ends with them, and with nothing half built."""
    job = live.jobs("?wait=20", plan=PLAN, constraints={"forbid": [SINE]})
    assert f"'{OTHER}'" in job["script"]
    assert live.matlab([OTHER, SCOPE], LOST + ONCE) == "0"
    after = live.await_drafted_job(job["id"])
    assert f"'{OTHER}'" not in after["script"]
    assert after["attempts"][0]["silent"] is False
    run = live.client.get(f"/v1/runs/{after['run']}").json()
    assert run["constraints"]["forbid_products"] == ["DSP System Toolbox"]
    assert any("Cannot find a license for Signal_Blocks" in name for name in _matlab_messages(run))


def test_a_licence_that_is_back_is_used_again(live: Live) -> None:
    """A licence that one job lost is used by the next one."""
    job = live.jobs("?wait=20", plan=PLAN, constraints={"forbid": [SINE]})
    assert f"'{OTHER}'" in job["script"]
    assert live.matlab([OTHER, SCOPE], ONCE) == "1"
    assert live.job(job["id"])["state"] == "built"


def test_a_model_of_simulink_alone_needs_no_other_licence(live: Live) -> None:
    """Blocks of the base library are built whatever else is lost."""
    job = live.jobs("?wait=20", plan=PLAN)
    assert live.matlab([SINE, SCOPE], LOST + ONCE) == "1"
    assert live.job(job["id"])["state"] == "built"


def _matlab_messages(run: dict[str, Any]) -> list[str]:
    """Returns the messages of MATLAB as the next prompt contains them."""
    return list(run["constraints"]["matlab_said"])
