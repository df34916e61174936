"""Jobs of an installation that loses a licence between draft and build."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support.jobs import WHOLE, ask, await_drafted_job, lease_job

pytestmark = pytest.mark.sqlite_suffices

BASE = "simulink/Sources/Sine Wave"
OTHER = "dspsrcs4/Sine Wave"
PLAN = {
    "goal": "a wave",
    "steps": [{"id": "s", "tool": "Sine Wave"}, {"id": "v", "tool": "Scope"}],
}


def make_licence_report(message: str, path: str) -> dict[str, Any]:
    """A report of MATLAB that a licence could not be checked out for a block."""
    error = {
        "identifier": "MATLAB:license:checkoutFailed",
        "message": message,
        "block": "a_wave/Sine Wave",
        "about": path,
    }
    return {**WHOLE, "ok": False, "errors": error}


def report_first_build(
    served: Served, order: dict[str, Any], report: dict[str, Any]
) -> dict[str, Any]:
    """A job whose first build came to this report, once it is drafted again."""
    job = ask(served, "?wait=20", **order)["jobs"][0]
    taken = lease_job(served)
    assert taken is not None
    ask(served, f"/{job['id']}/result", lease=taken["lease"], report=report)
    return await_drafted_job(served, job["id"])


@pytest.mark.parametrize(
    "message",
    [
        "License Manager Error -5\nCannot find a license for Signal_Blocks.",
        "License Manager Error -4\nMaximum number of users for Signal_Blocks reached.",
        "To use 'x', this must be licensed, installed, and enabled: DSP System Toolbox",
    ],
)
def test_the_product_of_a_lost_licence_is_not_used_again(empty: Served, message: str) -> None:
    """No block of a product without a licence is drafted again, and the loss is reported."""
    order = {"plan": PLAN, "constraints": {"forbid": [BASE]}}
    after = report_first_build(empty, order, make_licence_report(message, OTHER))
    assert f"'{OTHER}'" not in after["script"]
    run = empty.client.get(f"/v1/runs/{after['run']}").json()
    assert run["constraints"]["forbid_products"] == ["DSP System Toolbox"]
    assert run["constraints"]["forbid"] == [BASE, OTHER]


def test_another_licence_than_the_one_that_is_lost_stays_in_use(empty: Served) -> None:
    """The blocks of other products, and of Simulink, are drafted again."""
    message = "Unable to check out a Simscape license."
    order = {"plan": PLAN, "constraints": {"forbid": [BASE]}}
    after = report_first_build(empty, order, make_licence_report(message, ""))
    assert (after["state"], after["attempt"]) == ("ready", 2)
    assert f"'{OTHER}'" in after["script"]
    (value,) = after["diagnostics"]
    assert value["message"] == f"licence: {message}"
    assert value["help"] == "use no blocks of Simscape"


def test_products_and_release_bound_a_job(empty: Served) -> None:
    """A draft for an installation without a product, or of an old release, has no such blocks."""
    without = {"forbid": [BASE], "products": ["Simulink"]}
    job = ask(empty, "?wait=20", plan=PLAN, constraints=without)["jobs"][0]
    assert job["state"] == "failed"
    assert "not among the products" in str(job)
    player = {"steps": [{"id": "p", "tool": "Playback"}, {"id": "v", "tool": "Scope"}]}
    old = ask(empty, "?wait=20", plan=player, constraints={"release": "R2020a"})["jobs"][0]
    assert old["state"] == "failed"
    assert "it was introduced in R2022b" in str(old)
    none = ask(empty, "?wait=20", plan=player, constraints={"release": "newest"})["jobs"][0]
    assert none["state"] == "failed"
    assert 'release is "newest", not a release' in none["problem"]
    new = ask(empty, "?wait=20", plan=player, constraints={"release": "R2022b"})["jobs"][0]
    assert new["state"] == "ready"
