"""``grounded.sync`` under Octave: an invented installation becomes an environment to build for."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs

from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings, sqlite_url
from tests.support.live_sidecar import Live
from tests.support.loopback import ask
from tests.support.octave import STAND_INS, TOOLBOX, describe_blocks
from tests.support.time_bounds import PATIENCE_S

DRIVE = "acme_motion/Drives/Servo\nDrive"
PLAN = {
    "version": 1,
    "goal": "a wave for a servo",
    "steps": [
        {"id": "wave", "tool": "Chirper", "params": {"Pitch": "440", "Form": "saw"}},
        {"id": "drive", "tool": "Servo Drive", "params": {"Torque": "2.5"}, "inputs": ["wave"]},
    ],
}


def block(path: str, mask: str, ports: dict[str, int], *parameters: tuple[Any, ...]) -> Any:
    """A block of an invented library, its parameters as ``(name, kind, default, options)``."""
    keys = ("name", "kind", "default", "options")
    return {
        "path": path,
        "type": "SubSystem",
        "mask": mask,
        "linked": True,
        "ports": {"in": 0, "out": 0} | ports,
        "parameters": [dict(zip(keys, parameter, strict=True)) for parameter in parameters],
    }


INVENTED = [
    block(
        DRIVE,
        "ServoDrive",
        {"in": 1, "out": 1},
        ("Torque", "value", "1", []),
        ("Brake", "switch", "off", ["on", "off"]),
    ),
    block("acme_motion/Encoders/Disc//Ring", "Encoder", {"out": 1}),
    block(
        "acme_waves/Chirper",
        "Chirper",
        {"out": 1},
        ("Pitch", "value", "220", []),
        ("Form", "choice", "sine", ["sine", "saw"]),
        ("Label", "text", "a b c", []),
    ),
]


def matlab(live: Live, code: str) -> str:
    """What Octave prints where the invented libraries are installed."""
    catalog = live.octave.folder / "invented.json"
    catalog.write_text(json.dumps([*INVENTED, *describe_blocks(live.octave.registry, [])]))
    ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
    return live.octave.evaluate(ready + live.connect() + code)


_SYNC = "evalc('grounded.sync(''acme_motion'', ''acme_waves'');'); "


def test_an_installation_becomes_an_environment(live: Live) -> None:
    """Its blocks, options and defaults are known; the active catalog stays; twice is the same."""
    active = live.client.get("/v1/simulink/catalog").json()["fingerprint"]
    text = _SYNC + "s = grounded.connect(); printf('%s\\n', s.environment); "
    value, two = matlab(live, text + text).split()
    assert value == two
    result = live.client.get("/v1/simulink/catalogs").json()["catalogs"]
    stored = next(each for each in result if each["fingerprint"] == value)
    assert (stored["origin"], stored["is_active"]) == ("installed", False)
    assert {each["name"] for each in stored["packages"]} == {"acme_motion", "acme_waves"}
    assert stored["versions"]["release"]
    assert live.client.get("/v1/simulink/catalog").json()["fingerprint"] == active


def test_both_defaults_are_reported(live: Live) -> None:
    """A sync reports the default of the library block and the built-in default of its BlockType."""
    paths = ["simulink/Math Operations/Sum", "simulink/Math Operations/Gain"]
    bare = ["built-in/Sum", "built-in/Gain"]
    known = describe_blocks(live.octave.registry, [*paths, *bare])
    for item in known:
        for parameter in item["parameters"]:
            if (item["path"], parameter["name"]) == (paths[1], "Gain"):
                parameter["default"] = "7"  # as a library of another release may have it
    catalog = live.octave.folder / "defaults.json"
    catalog.write_text(json.dumps(known))
    ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
    sync = "evalc('grounded.sync(''simulink'');'); s = grounded.connect(); printf(s.environment);"
    environment = live.octave.evaluate(ready + live.connect() + sync)
    store = open_domains_store(Settings(live.state, sqlite_url(live.state)))
    registry = store.registry(environment)
    for path, name, library, builtin in (
        (paths[0], "Inputs", "|++", "++"),
        (paths[1], "Gain", "7", "1"),
    ):
        variant = registry.tool(path)["variants"][0]
        parameter = next(entry for entry in variant["parameters"] if entry["name"] == name)
        assert (parameter["default"], parameter.get("builtin")) == (library, builtin), path
    file = registry.tool("built-in/Sum")["variants"][0]
    inputs = next(entry for entry in file["parameters"] if entry["name"] == "Inputs")
    assert inputs["default"] == "++"
    store.close()


def test_a_job_is_built_for_the_environment(live: Live) -> None:
    """A plan of its blocks compiles for it alone, and its worker builds and reads it back."""
    environment = matlab(live, _SYNC + "s = grounded.connect(); printf('%s', s.environment);")
    job = live.jobs("?wait=20", plan=PLAN, environment=environment)
    assert job["state"] == "ready", job
    code = _SYNC + "r = grounded.work('Once', true); printf('%s', jsonencode(r));"
    report = json.loads(matlab(live, code))
    assert report["ok"], report
    built = live.job(job["id"])
    assert built["state"] == "built"
    assert {item["MaskType"] for item in built["report"]["blocks"]} == {"ServoDrive", "Chirper"}
    elsewhere = live.jobs("?wait=20", plan=PLAN)
    assert elsewhere["state"] == "failed"


def test_a_value_that_the_installation_does_not_take_is_refused(live: Live) -> None:
    """The options are those that the library's block has."""
    environment = matlab(live, _SYNC + "s = grounded.connect(); printf('%s', s.environment);")
    plan = json.loads(json.dumps(PLAN))
    plan["steps"][0]["params"]["Form"] = "square"
    job = live.jobs("?wait=20", plan=plan, environment=environment)
    assert job["state"] == "failed"
    assert any("square" in diagnostic["message"] for diagnostic in job["diagnostics"])


def test_a_library_that_does_not_load_is_reported_at_both_ends(live: Live) -> None:
    """The other libraries are known, and the environment names the missing one."""
    code = (
        "said = evalc('grounded.sync(''acme_waves'', ''acme_gone'');'); "
        "s = grounded.connect(); printf('%s|%s', said, s.environment);"
    )
    text, environment = matlab(live, code).split("|")
    assert "The library acme_gone does not load" in text
    value = live.client.get("/v1/simulink/catalogs").json()["catalogs"]
    stored = next(each for each in value if each["fingerprint"] == environment)
    errors = {each["name"]: each["error"] for each in stored["packages"]}
    assert not errors["acme_waves"]
    assert "acme_gone" in errors["acme_gone"]


class _Line(BaseHTTPRequestHandler):
    """A line to the sidecar that breaks once, after so many pieces."""

    sidecar = ""
    breaks_after = 0
    numbers: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        payload = json.loads(parse_qs(body.decode())["payload"][0])
        if len(self.numbers) == self.breaks_after:
            type(self).breaks_after = -1
            self.close_connection = True
            return
        self.numbers.append(payload["number"])
        results = ("Authorization", "Content-Type", "User-Agent")
        headers = {name: self.headers[name] for name in results}
        answer = ask(
            "POST", self.sidecar + self.path, content=body, headers=headers, timeout=PATIENCE_S
        )
        self.send_response(answer.status_code)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_an_upload_that_broke_off_goes_on(live: Live) -> None:
    """A second sync sends the pieces that did not arrive, and none that did but the first."""
    text = "x" * 30_000
    large = [
        block(f"acme_large/Block {n}", f"Large{n}", {"out": 1}, ("Label", "text", text, []))
        for n in range(50)
    ]
    catalog = live.octave.folder / "large.json"
    catalog.write_text(json.dumps([*large, *describe_blocks(live.octave.registry, [])]))
    _Line.sidecar, _Line.breaks_after = live.url, 2
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Line)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        code = (
            f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
            f"{live.connect(f'http://127.0.0.1:{server.server_port}', Patience=0, Check=0)}"
            "try, evalc('grounded.sync(''acme_large'');'); "
            "catch e, printf('%s|', e.identifier); end; "
            "evalc('grounded.sync(''acme_large'');'); "
            "s = grounded.connect(); printf('%s', s.environment);"
        )
        broken, environment = live.octave.evaluate(code).split("|")
    finally:
        server.shutdown()
    assert broken == "grounded:unreachable"
    assert len(environment) == 64
    total = max(_Line.numbers)
    assert total > 3
    assert _Line.numbers == [1, 2, 1, *range(3, total + 1)]


def test_a_block_that_went_missing_is_replaced(live: Live) -> None:
    """A library lost since the sync: the first attempt fails on it, the second is built without."""
    spare = {**INVENTED[2], "path": "acme_motion/Sounds/Chirper"}
    installed = [*INVENTED, spare, *describe_blocks(live.octave.registry, [])]
    catalog = live.octave.folder / "changing.json"

    def octave(blocks: list[Any], code: str) -> str:
        catalog.write_text(json.dumps(blocks))
        ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
        return live.octave.evaluate(ready + code)

    text = octave(
        installed, live.connect() + _SYNC + "s = grounded.connect(); printf(s.environment);"
    )
    job = live.jobs("?wait=20", plan=PLAN, environment=text)
    assert job["state"] == "ready", job
    used = "acme_waves/Chirper" if "acme_waves/Chirper" in job["script"] else spare["path"]
    left = [item for item in installed if item["path"] != used]
    once = live.connect(Environment=text) + "r = grounded.work('Once', true); printf('%d', r.ok);"
    assert octave(left, once) == "0"
    again = live.await_drafted_job(job["id"])
    assert again["state"] == "ready", again
    assert again["diagnostics"][0]["code"] == "SLX601"
    assert octave(left, once) == "1"
    assert live.job(job["id"])["state"] == "built"
