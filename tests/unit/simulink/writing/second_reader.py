"""Count the blocks of written files by a second reader, which runs in a Python of its own.

``python -m tests.unit.simulink.writing.second_reader PYTHON FOLDER``: ``PYTHON`` has miss_hit_core.
It is licensed under the GPL, and is no part of this project: it is started as another program.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from grounded_builder.domains.simulink.document import systems
from grounded_builder.domains.simulink.reading.model import open_model

_PROGRAM = """
import json, sys
from pathlib import Path
from miss_hit_core.config import Config
from miss_hit_core.errors import Message_Handler
from miss_hit_core.s_parser import Simulink_SLX_Parser
counts = {}
for file in sorted(Path(sys.argv[1]).glob("*.slx")):
    try:
        messages = Message_Handler("debug")
        messages.register_file(str(file))
        top = Simulink_SLX_Parser(messages, str(file), Config()).parse_file()
        counts[file.name] = sum(1 for _ in top.iter_all_blocks())
    except Exception as error:
        counts[file.name] = f"{type(error).__name__}: {error}".splitlines()[0]
Path(sys.argv[2]).write_text(json.dumps(counts))
"""


def main(python: str, folder: Path) -> None:
    """Print how many files the other reader reads, and how many with as many blocks."""
    told = folder / "second_reader.json"
    arguments = [python, "-c", _PROGRAM, str(folder), str(told)]
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    read = equal = blocks = 0
    refused: Counter[str] = Counter()
    for name, count in json.loads(told.read_text()).items():
        if isinstance(count, str):
            refused[" ".join(count.split()[:4])] += 1
            continue
        model, _ = open_model((folder / name).read_bytes(), Path(name).stem)
        own = sum(len(system["blocks"]) for _, _, system in systems(model or {"system": {}}))
        read, equal, blocks = read + 1, equal + (own == count), blocks + own
    sys.stdout.write(f"read {read}, as many blocks in {equal}, {blocks:,} blocks\n")
    sys.stdout.writelines(f"  {times} refused: {why}\n" for why, times in refused.most_common())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
