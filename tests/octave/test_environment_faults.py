"""Tests environments in which the toolbox cannot work fully, and the reports at both ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage.catalogs import drop
from grounded_builder.storage.database import begin_write
from tests.octave.test_sync import INVENTED, block
from tests.octave.test_sync import PLAN as INVENTED_PLAN
from tests.support.faulty_connection import Fate, open_line
from tests.support.live_sidecar import PLAN, SCOPE, SINE, Live
from tests.support.octave import STAND_INS, TOOLBOX, describe_blocks

_ELSEWHERE = Path(__file__).parents[1] / "support" / "surroundings"
_WITH = f"addpath('{STAND_INS}');"
_UNLICENSED = "setenv('GROUNDED_UNLICENSED', 'SIMULINK');"
_TELL = "catch e, printf('%s|%s', e.identifier, e.message); end; "
_NEEDING = ("build('a sine')", "work('Once', true)", "sync()", "open('x')")


def refusals(live: Live, ready: str) -> list[str]:
    """What each function states that needs Simulink, in an Octave that is made ready so."""
    calls = "".join(f"try, grounded.{name}; {_TELL} printf('\\n');" for name in _NEEDING)
    start = f"addpath('{TOOLBOX}'); {ready} {live.connect()}"
    splitlines = live.octave.evaluate(start + calls).splitlines()
    assert len(splitlines) == len(_NEEDING)
    return splitlines


def works(live: Live, ready: str, folder: Path) -> str:
    """What finding a block and judging a file come to, in an Octave that is made ready so."""
    file = folder / "bad.mdl"
    file.write_text('Model {\n Name "x"\n System {\n Name "x"\n Block {\n BlockType Sine\n } } }')
    code = (
        f"addpath('{TOOLBOX}'); {ready} {live.connect()} f = grounded.find('sine wave'); "
        f"v = grounded.validate('{file}'); printf('%d %d', ~isempty(f.tools), ~isempty(v));"
    )
    return live.octave.evaluate(code)


@pytest.mark.parametrize(
    ("ready", "lacks"),
    [
        ("", "this GNU Octave has no Simulink"),
        (f"addpath('{_ELSEWHERE / 'new_release'}');", "this MATLAB has no Simulink"),
        (
            f"{_WITH} addpath('{_ELSEWHERE / 'new_release'}'); {_UNLICENSED}",
            "this MATLAB has no licence for Simulink",
        ),
        (
            f"{_WITH} addpath('{_ELSEWHERE / 'old_release'}');",
            "MATLAB R2018a is older than R2019b",
        ),
    ],
)
def test_toolbox_reports_missing_parts(ready: str, lacks: str, live: Live, tmp_path: Path) -> None:
    """Without Simulink, a licence or a new release, the errors state what is missing and what
    works.
    """
    for call, refusal in zip(_NEEDING, refusals(live, ready), strict=True):
        name = call.split("(")[0]
        assert refusal.startswith(f"grounded:noSimulink|grounded.{name} cannot work here: {lacks}.")
        assert "grounded.find and grounded.validate work" in refusal
    assert works(live, ready, tmp_path) == "1 1"


def test_a_new_release_builds(live: Live) -> None:
    """R2019b and later build, and the environment and openings state which release it was."""
    newer = f"addpath('{_ELSEWHERE / 'new_release'}'); "
    code = (
        "r = grounded.build('connect a sine wave to a scope'); o = grounded.open(r); "
        "delete(o.file); printf('%d %d %s', r.ok, o.verified, r.job);"
    )
    ok, verified, job_id = live.matlab([SINE, SCOPE], newer + code).split()
    assert (ok, verified) == ("1", "1")
    job = live.job(job_id)
    assert job["verified"]
    assert [opening["release"] for opening in job["openings"]] == ["MATLAB 2031b"]


def test_a_file_that_opens_without_its_library_is_not_verified(live: Live) -> None:
    """Its link does not resolve: it opened, and not as what it is."""
    plan = {"goal": "pid", "steps": [{"id": "p", "tool": "simulink/Continuous/PID Controller"}]}
    job = live.jobs("?wait=20", plan=plan)
    assert job["state"] == "ready", job
    code = f"o = grounded.open('{job['id']}'); delete(o.file); printf('%d', o.opened);"
    assert live.matlab([SINE], code) == "1"
    after = live.job(job["id"])
    assert not after["verified"]
    assert "is a Reference, not a SubSystem" in after["openings"][0]["message"]
    shown = f"grounded.open('{job['id']}')"
    assert "is not verified: opened, but block" in live.matlab([SINE], shown)
    whole = live.matlab(["simulink/Continuous/PID Controller"], code)
    assert whole == "1"
    assert live.job(job["id"])["verified"]
    live.client.delete(f"/v1/simulink/jobs/{job['id']}")


def at(live: Live, blocks: list[Any], code: str, **options: Any) -> str:
    """What Octave prints where these blocks are installed."""
    catalog = live.octave.folder / "here.json"
    catalog.write_text(json.dumps([*blocks, *describe_blocks(live.octave.registry, [])]))
    ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
    return live.octave.evaluate(ready + live.connect(**options) + code)


_SYNC = "evalc('grounded.sync(''acme_motion'', ''acme_waves'');'); "
_SYNCED = _SYNC + "s = grounded.connect(); printf('%s', s.environment);"


def test_a_library_that_is_gone_is_done_without(live: Live) -> None:
    """It does not load: the first attempt reports it, and the next one uses nothing of it."""
    spare = {**INVENTED[2], "path": "acme_motion/Sounds/Chirper"}
    environment = at(live, [*INVENTED, spare], _SYNCED)
    plan = json.loads(json.dumps(INVENTED_PLAN))
    plan["steps"][0]["tool"] = "acme_waves/Chirper"
    job = live.jobs("?wait=20", plan=plan, environment=environment)
    assert "'acme_waves'" in job["script"], job
    left = [item for item in [*INVENTED, spare] if not item["path"].startswith("acme_waves/")]
    once = "r = grounded.work('Once', true); printf('%d %s', r.ok, jsonencode(r.errors));"
    text = at(live, left, once, Environment=environment)
    assert text.startswith("0 ")
    assert "There is no system named 'acme_waves'" in text
    again = live.await_drafted_job(job["id"])
    assert again["diagnostics"][0]["message"].startswith("absent-block: There is no system named")
    assert "acme_waves" not in again["script"]


def test_an_environment_that_was_removed_is_reported_at_both_ends(live: Live) -> None:
    """The job has failed and states the reason; worker and builder are asked to sync again."""
    extra = block("acme_waves/Extra", "Extra", {"out": 1})
    environment = at(live, [*INVENTED, extra], _SYNCED)
    job = live.jobs("?wait=20", plan=INVENTED_PLAN, environment=environment)
    assert job["state"] == "ready"
    store = open_domains_store(Settings(live.state, sqlite_url(live.state)))
    with begin_write(store.engine) as connection:
        drop(connection, [environment])
    store.close()
    code = "".join(
        f"try, grounded.{item}; {_TELL} printf('\\n');"
        for item in ("work('Once', true)", "build('a sine')", "find('a sine')")
    )
    for line in at(live, INVENTED, code, Environment=environment).splitlines():
        assert line.startswith("grounded:unknown_environment|")
        assert "un grounded.sync again" in line
    entries = live.job(job["id"])
    assert entries["state"] == "failed"
    assert "is no longer kept: run grounded.sync again" in entries["problem"]


def test_a_clock_that_is_wrong_here_changes_nothing(live: Live) -> None:
    """An hour ahead, and set back while a build runs: only the sidecar's clock counts.

    Both ends state that they differ.
    """
    off = f"addpath('{_ELSEWHERE / 'hour_off'}'); "
    text = "[said, id] = lastwarn(); printf('%s|%s', id, said);"
    evaluate = live.octave.evaluate(f"{off}addpath('{TOOLBOX}'); {live.connect()}{text}")
    assert re.match(r"grounded:clock\|The clock here is 3[56]\d\d ", evaluate), evaluate
    assert "s ahead of the sidecar's" in evaluate
    job = live.jobs("?wait=20", plan=PLAN)
    once = "r = grounded.work('Once', true, 'Lease', 30); printf('%d', r.ok);"
    assert live.matlab([SINE, SCOPE], off + once) == "1"
    built = live.job(job["id"])
    assert (built["state"], len(built["attempts"])) == ("built", 1)
    about = r"clock of worker 'matlab' is about 3[56]\d\d s ahead of the sidecar's"
    assert re.search(about, live.log())


@pytest.mark.parametrize(("attempts", "end"), [(1, "grounded:notBuilt"), (2, "built")])
def test_a_worker_that_never_answers_is_reported(attempts: int, end: str, live: Live) -> None:
    """Another one took the job and fell silent: it is built here after that, or said why not."""
    stolen: list[dict[str, Any]] = []

    def fate(path: str, _body: bytes) -> Fate:
        if path.endswith("/lease") and not stolen:
            stolen.append(live.jobs("/lease", worker="silent", seconds=1))
        return "pass"

    code = (
        f"try, grounded.build('connect a sine wave to a scope', 'Attempts', {attempts}); "
        f"printf('built'); {_TELL}"
    )
    with open_line(live.url, fate=fate) as line:
        matlab = live.matlab([SINE, SCOPE], live.connect(line.url) + code)
    job = live.job(stolen[0]["id"])
    assert job["attempts"][0]["silent"]
    assert end in matlab
    if attempts == 1:
        assert "no worker reported a result" in matlab
        assert job["problem"] == "no worker reported a result"
