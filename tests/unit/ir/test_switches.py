"""Installation, token and request narrow the policy; the strictest wins and nothing is opened."""

from __future__ import annotations

import pytest

from grounded_builder.ir.options import Policy, Switches, SwitchesError, read_switches


def test_the_strictest_wins() -> None:
    """Hosts are met, denials are joined, a switch stays on."""
    policy = Policy(allowed_hosts=("a.test", "*.b.test"), denied=("x",), no_code=True)
    narrowed = policy.narrow(Switches(allowed_hosts=("c.b.test",), denied=("y",), core_only=True))
    assert narrowed.allowed_hosts == ("c.b.test",)
    assert narrowed.denied == ("x", "y")
    assert narrowed.no_code
    assert narrowed.core_only
    assert narrowed.hash != policy.hash
    assert policy.narrow(Switches()) == policy


def test_hosts_that_nothing_shares_allow_none() -> None:
    """Lists without a common host leave no host, not any."""
    narrowed = Policy(allowed_hosts=("a.test",)).narrow(Switches(allowed_hosts=("b.test",)))
    assert narrowed.allowed_hosts == ()


@pytest.mark.parametrize(
    "given",
    [{"no_code": 1}, {"allowed_hosts": [1]}, {"denied": {}}, {"other": True}, [], {"denied": [""]}],
)
def test_a_switch_in_no_shape_is_refused(given: object) -> None:
    """A switch that is not understood is an error, never ignored."""
    with pytest.raises(SwitchesError):
        read_switches(given)


def test_switches_survive_json() -> None:
    """A token narrows by the same switches after its way through the store."""
    switches = Switches(allowed_hosts=("a",), no_host_access=True)
    assert read_switches(switches.as_json()) == switches
