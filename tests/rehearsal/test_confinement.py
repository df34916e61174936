"""A program that ignores every setting of n8n reaches, reads, writes and leaves nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from runtime import paths
from tests.support.time_bounds import PATIENCE_S

# Runs as a child in the confinement; it prints what it could do.
_INTRUDER = """
import json, os, pathlib, socket, subprocess, sys
secret, folder, parent, home = sys.argv[1:5]
able = []
def attempt(name, work):
    try:
        work()
        able.append(name)
    except OSError:
        pass
attempt("connect", lambda: socket.create_connection(("1.1.1.1", 443), 1))
attempt("look up", lambda: socket.getaddrinfo("example.com", 80))
attempt("read", lambda: open(secret).read())
attempt("read the environment of the parent", lambda: open(f"/proc/{parent}/environ").read())
attempt("write", lambda: open(folder + "/left", "w"))
attempt("write to the system", lambda: open("/usr/left", "w"))
attempt("signal", lambda: os.kill(int(parent), 0))
attempt("mount", lambda: os.chroot("/usr"))
attempt("write at home", lambda: open(home + "/own", "w"))
nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
subprocess.Popen(["/bin/sleep", "4242"], start_new_session=True, **nowhere)
print(json.dumps(able))
"""
_PROGRAM = """
import json, subprocess, sys
from pathlib import Path
from grounded_builder.domains.n8n.rehearsal.confinement import Confinement, kill_descendants
folder = Path(sys.argv[1])
python = Path(sys.executable).resolve()
confinement = Confinement([python.parents[1]], [folder / "home"], folder / "root")
confinement.enter()
done = subprocess.run(
    [str(python), "-I", "-c", *sys.argv[2:], str(folder / "home")],
    preexec_fn=confinement.apply, stdout=subprocess.PIPE,
)
print(json.dumps({"able": json.loads(done.stdout), "gaps": confinement.gaps}), flush=True)
kill_descendants()
"""
_WITHOUT_NAMESPACES = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'


def _intrude(tmp_path: Path, *prefix: str) -> Any:
    for name in ("home", "root", "private"):
        (tmp_path / name).mkdir()
    (tmp_path / "private" / "secret").write_text("a key")
    arguments = (str(tmp_path / "private" / "secret"), str(tmp_path / "private"), str(os.getpid()))
    command = [*prefix, sys.executable, "-c", _PROGRAM, str(tmp_path), _INTRUDER, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _list_left() -> list[str]:
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return [line.decode() for line in lines if line == b"/bin/sleep\x004242\x00"]


def test_an_intruder_can_do_nothing(tmp_path: Path) -> None:
    """It may write at home, and what it left running ends with the first process."""
    assert _intrude(tmp_path) == {"able": ["write at home"], "gaps": []}
    assert (tmp_path / "home" / "own").exists()
    assert list((tmp_path / "root").iterdir()) == []
    assert _list_left() == []


def test_without_namespaces_files_are_still_closed(tmp_path: Path) -> None:
    """Where the kernel refuses namespaces this is stated; files and sockets are still closed."""
    refusing = ("unshare", "-Ur", "sh", "-c", _WITHOUT_NAMESPACES, "-")
    result = _intrude(tmp_path, *refusing)
    assert len(result["gaps"]) == 1
    assert "nodes can reach the network" in result["gaps"][0]
    # Landlock restricts ports from Linux 6.7 on.
    is_filtered = "at the ports of the rehearsal" in result["gaps"][0]
    others = set() if is_filtered else {"connect", "look up"}
    assert set(result["able"]) <= {"write at home", *others}
    assert _list_left() == []


def test_a_stage_ends_with_its_parent(installation: Installation, tmp_path: Path) -> None:
    """A killed sidecar leaves no program and no folder."""
    (tmp_path / "rehearsal").symlink_to(paths.cache() / "test-rehearsal")
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage\n"
        "stage = Stage(Installation(*map(Path, sys.argv[2:])), Path(sys.argv[1]))\n"
        "stage.start()\n"
        "print(stage.answers.path.parent, flush=True)\n"
        "time.sleep(600)\n"
    )
    programs = (installation.node, installation.n8n, installation.proxy)
    command = [sys.executable, "-c", program, str(tmp_path / "rehearsal"), *map(str, programs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        assert folder.exists()
        owner.kill()
    deadline = time.monotonic() + PATIENCE_S
    while folder.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if str(folder).encode() in line]


def test_the_kernel_of_this_machine_leaves_no_gap(stage: Stage) -> None:
    """Here both means are at hand, and the canary of the start found no way out."""
    assert stage.is_isolated
    assert stage.gaps == ()
