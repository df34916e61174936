"""Measures the share of needed node types in first prompts, and the size of the prompts.

``python -m evals.prompts [CATALOG] [--bare]`` prints how many of the node types in the authors'
workflows are among the tools shown to a drafter, and the size of the prompts. ``--bare`` removes
the learned lexicon, which may have learned from these requests.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from pathlib import Path

from evals.requests.__main__ import without_lexicon
from evals.requests.request_set import Kind, pick_requests
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import ConversationLimits
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_SHARES: dict[Kind, int] = {"title": 120, "description": 80, "prompt": 60}
_SEED = 7


def main() -> None:
    """Measures the prompts and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m evals.prompts")
    parser.add_argument("catalog", type=Path, nargs="?")
    parser.add_argument("--bare", action="store_true")
    options = parser.parse_args()
    registry = registry_from((options.catalog or provide_catalog()).read_bytes())
    if options.bare:
        registry = without_lexicon(registry)
    shares: defaultdict[str, list[float]] = defaultdict(list)
    counts: defaultdict[str, list[int]] = defaultdict(list)
    tokens: defaultdict[str, list[int]] = defaultdict(list)
    for item in pick_requests(_SHARES, _SEED):
        first = write_first_prompt(
            item.text, N8N, registry, PromptContext(), ConversationLimits().prompt_tokens
        )
        wanted = {tool for tool in item.tools if tool in registry.tools}
        if wanted:
            shares[item.kind].append(len(wanted.intersection(first.shown)) / len(wanted))
        counts[item.kind].append(len(first.shown))
        tokens[item.kind].append(first.account["tokens"])
    print("| requests | number | of the author's tools shown | tools shown | tokens | at most |")
    print("|---|---|---|---|---|---|")
    for kind in tokens:
        shown = f"{statistics.mean(shares[kind]):.2f} | {statistics.mean(counts[kind]):.0f}"
        took = f"{statistics.median(tokens[kind]):.0f} | {max(tokens[kind])}"
        print(f"| {kind} | {len(tokens[kind])} | {shown} | {took} |")


if __name__ == "__main__":
    main()
