"""Measures redaction: which planted secrets it finds, and what it changes in real workflows.

``python -m evals.bench.redaction`` prints both shares, and what was taken out of the workflows and
descriptions beside the checkout, to be judged by hand: is it a secret, or something else.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from grounded_builder.redaction.redact import MARK, without_secrets
from runtime import paths
from tests.support.planted_secrets import Planted, list_planted_secrets
from tests.support.planted_secrets_fresh import planted_fresh

_SHARED = paths.ROOT.parent / "shared" / "data" / "n8n"
_AROUND = 40


def main() -> None:
    """Print the shares and what was taken out."""
    for name, secrets in (("planted", list_planted_secrets()), ("planted_fresh", planted_fresh())):
        hidden = sum(_is_hidden(secret) for secret in secrets)
        print(f"{name}: {hidden} of {len(secrets)} found, {hidden / len(secrets):.1%}")
    for file, key in (("workflows.jsonl.gz", "workflow"), ("intents.jsonl.gz", None)):
        changed = 0
        with gzip.open(_SHARED / file, "rt", encoding="utf-8") as stream:
            entries = [json.loads(line) for line in stream]
        for number, entry in enumerate(entries, 1):
            before = entry if key is None else entry[key]
            results = list(_taken_out(before, without_secrets(before)))
            changed += bool(results)
            for text in results:
                print(f"{entry.get('id', number)}: {text}")
        share = changed / len(entries)
        print(f"{file}: {len(entries)} read, {changed} changed, {share:.2%}", flush=True)


def _is_hidden(planted_secret: Planted) -> bool:
    clean = json.dumps(without_secrets(planted_secret.value), ensure_ascii=False)
    return planted_secret.secret not in clean


def _taken_out(before: Any, after: Any) -> Iterator[str]:
    """The texts that differ, each from a little before what was taken out."""
    if isinstance(before, dict):
        for item, two in zip(before.items(), after.items(), strict=True):
            yield from _taken_out(item[0], two[0])
            yield from _taken_out(item[1], two[1])
    elif isinstance(before, list):
        for entry, two in zip(before, after, strict=True):
            yield from _taken_out(entry, two)
    elif before != after:
        at = max(0, str(after).find(MARK) - _AROUND)
        yield repr(str(before)[at : at + 3 * _AROUND])


if __name__ == "__main__":
    main()
