"""Measures which planted secrets redaction finds, and what it changes in real workflows.

``python -m evals.bench.redaction`` prints both shares, and the text that was removed from the
workflows and descriptions next to the checkout, for review by hand.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from grounded_builder.redaction.redact import MARK, without_secrets
from runtime import paths
from tests.support.planted_secrets import Planted, list_planted_secrets
from tests.support.planted_secrets_fresh import list_fresh_secrets

_SHARED = paths.ROOT.parent / "shared" / "data" / "n8n"
_AROUND = 40


def main() -> None:
    """Prints the shares and the removed texts."""
    for name, secrets in (
        ("planted", list_planted_secrets()),
        ("fresh", list_fresh_secrets()),
    ):
        hidden = sum(_is_hidden(secret) for secret in secrets)
        print(f"{name}: {hidden} of {len(secrets)} found, {hidden / len(secrets):.1%}")
    for file, key in (("workflows.jsonl.gz", "workflow"), ("intents.jsonl.gz", None)):
        changed = 0
        with gzip.open(_SHARED / file, "rt", encoding="utf-8") as stream:
            entries = [json.loads(line) for line in stream]
        for number, entry in enumerate(entries, 1):
            before = entry if key is None else entry[key]
            results = list(_find_changes(before, without_secrets(before)))
            changed += bool(results)
            for text in results:
                print(f"{entry.get('id', number)}: {text}")
        share = changed / len(entries)
        print(f"{file}: {len(entries)} read, {changed} changed, {share:.2%}", flush=True)


def _is_hidden(planted_secret: Planted) -> bool:
    clean = json.dumps(without_secrets(planted_secret.value), ensure_ascii=False)
    return planted_secret.secret not in clean


def _find_changes(before: Any, after: Any) -> Iterator[str]:
    """Yields an excerpt of each text that differs, from shortly before the removed part."""
    if isinstance(before, dict):
        for item, two in zip(before.items(), after.items(), strict=True):
            yield from _find_changes(item[0], two[0])
            yield from _find_changes(item[1], two[1])
    elif isinstance(before, list):
        for entry, two in zip(before, after, strict=True):
            yield from _find_changes(entry, two)
    elif before != after:
        at = max(0, str(after).find(MARK) - _AROUND)
        yield repr(str(before)[at : at + 3 * _AROUND])


if __name__ == "__main__":
    main()
