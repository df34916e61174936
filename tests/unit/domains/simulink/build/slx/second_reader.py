"""Count the blocks of written files by a second reader, which runs as a program of its own.

``python -m tests.unit.domains.simulink.build.slx.second_reader FOLDER``; nothing of it is imported.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from grounded_builder.domains.simulink.read.model import open_model
from tests.support.second_reader import blocks_of, read_with_other_reader


def main(folder: Path) -> None:
    """Print how many files the other reader reads, and how many with the same blocks."""
    read = same = blocks = 0
    refused: Counter[str] = Counter()
    for file, item in read_with_other_reader(sorted(folder.glob("*.slx"))).items():
        if isinstance(item, str):
            refused[" ".join(item.split()[:4])] += 1
            continue
        model, _ = open_model(file.read_bytes(), file.stem)
        own = blocks_of(model) if model is not None else []
        read, same, blocks = read + 1, same + (sorted(own) == sorted(item)), blocks + len(own)
        if sorted(own) != sorted(item):
            sys.stdout.write(f"{file.name}: {len(own)} blocks here, {len(item)} there\n")
    sys.stdout.write(f"read {read}, the same blocks in {same}, {blocks:,} blocks\n")
    sys.stdout.writelines(f"  {times} refused: {why}\n" for why, times in refused.most_common())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
