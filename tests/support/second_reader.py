"""Reads ``.slx`` files with miss_hit_core, which is installed in the shared cache.

It is licensed under the GPL and not part of this project: it runs as a separate program and is
never imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grounded_builder.domains.simulink.read.document import systems
from runtime import install, paths

PINS = paths.ROOT / "requirements" / "readers.txt"
_DEADLINE_S = 600
_PROGRAM = """
import json, sys
from miss_hit_core.config import Config
from miss_hit_core.errors import Message_Handler
from miss_hit_core.s_ast import Block
from miss_hit_core.s_parser import Simulink_SLX_Parser
def around(block):
    names, here = [], block
    while here is not None:
        if isinstance(here, Block):
            names.append(here.name)
        here = here.n_parent
    return names[::-1]
results = {}
for file in json.load(open(sys.argv[1])):
    try:
        messages = Message_Handler("debug")
        messages.register_file(file)
        top = Simulink_SLX_Parser(messages, file, Config()).parse_file()
        results[file] = [[b.sid, b.kind, around(b)] for b in top.iter_all_blocks()]
    except Exception as error:
        results[file] = f"{type(error).__name__}: {error}".splitlines()[0]
json.dump(results, open(sys.argv[2], "w"))
"""

Blocks = list[tuple[str, str, tuple[str, ...]]]


def provide() -> Path:
    """Installs the reader if it is missing, and returns its folder, keyed by its pin."""
    pin = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    folder = paths.cache() / "second-reader" / pin
    if folder.exists():
        return folder
    with install.sole(folder.parent):
        if not folder.exists():
            with install.partial(folder) as work:
                pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
                pinned = ["install", "--no-deps", "--require-hashes", "--requirement", str(PINS)]
                subprocess.run(
                    [*pip, *pinned, "--target", str(work / "packages")],
                    check=True,
                    stdin=subprocess.DEVNULL,
                    timeout=_DEADLINE_S,
                )
                (work / "packages").rename(folder)
    return folder


def read_with_other_reader(files: Sequence[Path]) -> dict[Path, Blocks | str]:
    """Returns the blocks that the other reader finds in each file, or why it refuses the file."""
    with TemporaryDirectory() as folder:
        asked, answer = Path(folder) / "asked.json", Path(folder) / "answer.json"
        asked.write_text(json.dumps([str(file) for file in files]))
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(asked), str(answer)],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(provide())},
            cwd=folder,
            timeout=_DEADLINE_S,
        )
        entries: dict[str, Any] = json.loads(answer.read_text())
    return {
        Path(file): item
        if isinstance(item, str)
        else [(sid, kind, tuple(names)) for sid, kind, names in item]
        for file, item in entries.items()
    }


def blocks_of(model: Mapping[str, Any]) -> Blocks:
    """Returns the blocks of a model in the form of the other reader: SID, BlockType, names."""
    return [
        (block["sid"], block["type"], (*path, block["name"]))
        for _, path, system in systems(model)
        for block in system["blocks"]
    ]
