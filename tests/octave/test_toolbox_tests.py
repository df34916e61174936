"""The toolbox's own tests under Octave: with stand-ins for Simulink, and without any."""

from __future__ import annotations

import json

from tests.support.live_sidecar import SCOPE, SINE, Live
from tests.support.octave import STAND_INS, TOOLBOX, describe_blocks

_RUN = f"addpath('{TOOLBOX}'); addpath('{TOOLBOX / 'tests'}'); "
_COUNT = "failed = grounded_tests(); printf('|%d', failed);"


def test_the_toolbox_passes_where_models_can_be_built(live: Live) -> None:
    """Every test of it is run, and none fails."""
    catalog = live.octave.folder / "catalog.json"
    catalog.write_text(json.dumps(describe_blocks(live.octave.registry, [SINE, SCOPE])))
    ready = f"addpath('{STAND_INS}'); simulink_catalog('{catalog}'); "
    evaluate = live.octave.evaluate(_RUN + ready + live.connect() + _COUNT)
    assert evaluate.endswith("|0"), evaluate
    assert f"{_tests()} tests, 0 failed." in evaluate


def test_the_toolbox_passes_where_there_is_no_simulink(live: Live) -> None:
    """Functions that need Simulink report its absence; the others work."""
    evaluate = live.octave.evaluate(_RUN + live.connect() + _COUNT)
    assert evaluate.endswith("|0"), evaluate


def test_a_test_that_fails_is_reported(live: Live) -> None:
    """Tests that need a sidecar fail without one, and the runner ends with an error."""
    nowhere = "grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0, 'Check', false); "
    evaluate = live.octave.evaluate(
        _RUN + nowhere + "try, grounded_tests(); catch e, printf('|%s', e.identifier); end"
    )
    assert "FAILED  test_find: A purpose finds blocks: The sidecar at" in evaluate
    assert evaluate.endswith("|grounded:tests")


def _tests() -> int:
    files = (TOOLBOX / "tests").glob("test_*.m")
    return sum(file.read_text().count("\n%% ") for file in files)
