"""Round trip of every model in a folder:
``python -m tests.unit.domains.simulink.build.slx FOLDER [OUT]``.

With ``OUT`` the files that are written are kept there, for other readers.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.read.document import systems
from grounded_builder.domains.simulink.read.model import open_model
from tests.unit.domains.simulink.build.slx.compare_models import differences

_COUNT = re.compile(r"([\d,]+) ([A-Za-z][\w/ ]*)")


def main(folder: Path, target: Path | None) -> None:
    """Print what is the same after writing, what is lost there, and what reading left out."""
    count: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".slx", ".mdl"):
            continue
        model, diagnostics = open_model(file.read_bytes(), file.stem)
        count["files"] += 1
        if model is None:
            count["unreadable"] += 1
            continue
        for diagnostic in diagnostics:
            if diagnostic.code == "SLX103":
                unread.update({what for _, what in _COUNT.findall(diagnostic.message)})
        try:
            package = package_of(model)
        except UnwritableError as error:
            count["not written"] += 1
            sys.stdout.write(f"{file.name}: {error}\n")
            continue
        if target is not None:
            target.mkdir(parents=True, exist_ok=True)
            (target / f"{file.stem}.slx").write_bytes(package.raw)
        lost.update(package.lost)
        again, after = open_model(package.raw, model["name"])
        differing = differences(model, again) if again is not None else ["not read again"]
        blocks = sum(len(system["blocks"]) for _, _, system in systems(model))
        count["blocks"] += blocks
        count["read again with a remark"] += bool(after)
        count["the same"] += not differing
        count["blocks of the same"] += 0 if differing else blocks
        sys.stdout.writelines(f"{file.name}{name}\n" for name in differing[:3])
    for title, counts in (("models", count), ("lost", lost), ("unread in files", unread)):
        sys.stdout.write(f"{title}\n")
        for what, times in counts.most_common():
            sys.stdout.write(f"  {times:,} {what}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
