"""Runs the MATLAB toolbox's job worker in Octave, each in a separate process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grounded_builder.catalog.registry import Registry
from tests.support.octave import STAND_INS, TOOLBOX, describe_blocks

# Replaces the stand-in: marks that it was reached, and never returns.
_STUCK = "function add_block(varargin)\nfclose(fopen('{marker}', 'w'));\npause(600);\nend\n"


def make_stuck_build(home: Path) -> tuple[str, Path]:
    """Returns code that makes a build hang in its first block, and the file that marks it."""
    folder, marker = home / "stuck", home / "reached"
    folder.mkdir()
    (folder / "add_block.m").write_text(_STUCK.format(marker=marker))
    return f"addpath('{folder}'); ", marker


@dataclass(frozen=True, slots=True)
class Bench:
    """A sidecar to work for, and the installed blocks by their library paths."""

    url: str
    token_file: Path
    registry: Registry
    installed: Iterable[str]

    def start(self, home: Path, code: str, before: str = "") -> subprocess.Popen[bytes]:
        """Starts an Octave that runs the code of a worker; its output goes to ``home/said``."""
        home.mkdir()
        catalog = home / "catalog.json"
        catalog.write_text(json.dumps(describe_blocks(self.registry, self.installed)))
        ready = (
            f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); {before} "
            f"simulink_catalog('{catalog}'); "
            f"grounded.connect('{self.url}', '@{self.token_file}'); "
        )
        with (home / "said").open("wb") as buffered_writer:
            return subprocess.Popen(
                ["octave-cli", "--no-gui", "--norc", "--quiet", "--eval", ready + code],
                cwd=home,
                stdout=buffered_writer,
                stderr=subprocess.STDOUT,
            )

    @contextmanager
    def run_worker(self, home: Path, code: str) -> Iterator[subprocess.Popen[bytes]]:
        """Yields a worker and kills it at the end."""
        process = self.start(home, code)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
