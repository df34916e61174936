"""Holds conversations with recorded replies or an endpoint, and scores their workflows.

``python -m evals.conversations --replies FILE`` answers with recorded replies and reports those to
a prompt that has changed since. ``--endpoint URL --model NAME`` uses an endpoint with OpenAI's chat
interface; its key is in the variable EVALS_KEY, and ``--record FILE`` records its replies.
``--sealed`` selects the sealed half of the set, ``--each`` prints a line per request.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from evals.conversations.judge import Request
from evals.conversations.replay import (
    Replies,
    ReplyMissingError,
    Result,
    converse,
    read_replies,
    read_requests,
)
from grounded_builder.catalog.registry import Registry
from grounded_builder.llm.endpoint import ChatEndpoint, Place, ReplyBounds
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

REQUESTS = Path(__file__).with_name("requests.jsonl")
_PATIENCE_S = 600.0


def main() -> int:
    """Prints the table; returns 1 if a conversation could not be held."""
    options = _parse_options()
    registry = registry_from(provide_catalog().read_bytes())
    requests = [
        item for item in read_requests(options.requests) if item.is_sealed == options.sealed
    ]
    results, missing = hold_conversations(options, requests, registry)
    for result in results:
        if options.each:
            print(format_result(result))
    print("\n".join(format_table(results)))
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing or not results else 0


def hold_conversations(
    options: argparse.Namespace, requests: Sequence[Request], registry: Registry
) -> tuple[list[Result], list[str]]:
    """Returns the ends of the conversations, and those that lack a reply."""
    replies = drafter = None
    if options.replies is not None:
        collected = read_replies(options.replies)
        replies = Replies(collected)
        answered = {item.request for item in collected}
        requests = [request for request in requests if request.id in answered]
    else:
        place = Place(options.endpoint, options.model, os.environ.get("EVALS_KEY"))
        drafter = ChatEndpoint(place, ReplyBounds(seconds=_PATIENCE_S))
    results: list[Result] = []
    missing: list[str] = []
    for request in requests:
        try:
            results.append(converse(request, registry, replies, drafter, options.record))
        except ReplyMissingError as error:
            missing.append(str(error))
    if drafter is not None:
        drafter.close()
    return results, missing


def format_result(result: Result) -> str:
    """Returns a line about the end of a conversation."""
    score = result.score
    manner = "" if score.judgement == "right" else " reported" if score.is_reported else " SILENT"
    lacks = f" | lacks {'; '.join(score.lacks)}" if score.lacks else ""
    stale = f" | stale rounds {', '.join(map(str, result.stale))}" if result.stale else ""
    return (
        f"{result.request.id:4} {score.judgement}{manner} | {result.outcome}, {result.rounds} "
        f"rounds, {result.sent} tokens sent{lacks}{stale}"
    )


def format_table(results: Sequence[Result]) -> Iterator[str]:
    """Yields the table of all conversations."""
    judgements = Counter(result.score.judgement for result in results)
    silent = sum(not result.score.is_reported for result in results)
    stale, rounds = sum(len(item.stale) for item in results), sum(item.rounds for item in results)
    yield "| requests | right | usable | wrong | not judged | not right in silence |"
    yield "|---|---|---|---|---|---|"
    cells = [judgements[name] for name in ("right", "usable", "wrong", "not judged")]
    yield f"| {len(results)} | {' | '.join(map(str, cells))} | {silent} |"
    if results:
        yield f"mean rounds {mean(item.rounds for item in results):.2f}"
        yield f"mean tokens sent {mean(item.sent for item in results):.0f}"
        yield f"mean tokens received {mean(item.received for item in results):.0f}"
    if stale:
        yield f"{stale} of {rounds} replies are stale: the prompt has changed since"


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.conversations")
    parser.add_argument("--requests", type=Path, default=REQUESTS)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--replies", type=Path)
    source.add_argument("--endpoint")
    parser.add_argument("--model")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    if options.endpoint and not options.model:
        parser.error("--endpoint needs --model")
    return options


if __name__ == "__main__":
    sys.exit(main())
