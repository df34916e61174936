"""Compares our parsing of dates with that of the installed n8n."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

from grounded_builder.domains.n8n.parameters.dates import is_readable
from tests.support.time_bounds import PATIENCE_S

SEED = int(os.environ.get("GROUNDED_SEED", "20"))
_SCRIPT = Path(__file__).with_name("dates.mjs")
_TEXTS = 4_000
_MARKS = "0123456789 -:/TZ.,+abcMayJun"
_WRITTEN = (
    *("2024-01-31", "2024-01-31T10:00:00.000Z", "2024-01-31 10:00:00 Europe/Berlin", "2024-W05-1"),
    *("31.12.2024", "12/31/2024", "Dec 31, 2024", "31 December 2024 10:00 PM", "1700000000"),
    *("Wed, 31 Jan 2024 10:00:00 GMT", "Thu Jan 01 1970 01:00:00 GMT+0100 (CET)", "2024-123"),
    *("+002024-01-31", "2024-13", "5 (so it says) May 2020", "1/2", "10:30am", "version 2"),
    *("2024-99-99", "2024-02-30", "2024-01-31T25:00", "the 40th of May", "in 5 days", "no date"),
)


def test_no_date_of_n8n_is_refused(n8n_dir: Path, node: Path) -> None:
    """We accept every date that n8n accepts; both refuse impossible dates."""
    texts = _make_damaged()
    done = subprocess.run(
        [str(node), str(_SCRIPT)],
        input="\n".join(map(json.dumps, texts)).encode(),
        stdout=subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", ""), "GROUNDED_N8N_DIR": str(n8n_dir)},
        timeout=PATIENCE_S,
        check=True,
    )
    read = [answer == b"true" for answer in done.stdout.split()]
    assert len(read) == len(texts)
    assert not [
        text for text, taken in zip(texts, read, strict=True) if taken and not is_readable(text)
    ]
    for text in ("2024-99-99", "2024-01-31T25:00", "the 40th of May", "no date"):
        assert not read[texts.index(text)]
        assert not is_readable(text)


def _make_damaged() -> list[str]:
    """Returns dates in common formats, and copies with one to three changed characters."""
    random_ = random.Random(SEED)
    texts = dict.fromkeys(_WRITTEN)
    while len(texts) < _TEXTS:
        letters = list(random_.choice(_WRITTEN))
        for _ in range(random_.randint(1, 3)):
            position = random_.randrange(len(letters))
            letters[position] = random_.choice(("", letters[position] * 2, *_MARKS))
        texts["".join(letters)] = None
    return list(texts)
