"""Lists what the redaction takes out of the real workflows and descriptions beside the checkout.

``python -m evals.bench.redacted`` prints how many of them it changes, and each secret with the
file, to be judged by hand: is it one, or was something else taken out.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from grounded_builder.redaction.redact import MARK, without_secrets
from runtime import paths

_SHARED = paths.ROOT.parent / "shared" / "data" / "n8n"
_AROUND = 40


def main() -> None:
    """Print both counts and what was taken out."""
    for file, key in (("workflows.jsonl.gz", "workflow"), ("intents.jsonl.gz", None)):
        changed = 0
        with gzip.open(_SHARED / file, "rt", encoding="utf-8") as stream:
            entries = [json.loads(line) for line in stream]
        for number, entry in enumerate(entries, 1):
            before = entry if key is None else entry[key]
            told = list(_taken_out(before, without_secrets(before)))
            changed += bool(told)
            for one in told:
                print(f"{entry.get('id', number)}: {one}")
        print(f"{file}: {len(entries)} read, {changed} changed")


def _taken_out(before: Any, after: Any) -> Iterator[str]:
    """The texts that differ, each from a little before what was taken out."""
    if isinstance(before, dict):
        for one, two in zip(before.items(), after.items(), strict=True):
            yield from _taken_out(one[0], two[0])
            yield from _taken_out(one[1], two[1])
    elif isinstance(before, list):
        for one, two in zip(before, after, strict=True):
            yield from _taken_out(one, two)
    elif before != after:
        at = max(0, str(after).find(MARK) - _AROUND)
        yield repr(str(before)[at : at + 3 * _AROUND])


if __name__ == "__main__":
    main()
