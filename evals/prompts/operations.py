"""Measures which operations first prompts show: ``python -m evals.prompts.operations [CATALOG]``.

``operations.jsonl`` has 60 requests with the operations and events that a workflow for them needs,
written before the prompts were measured, and ``further_operations.jsonl`` 40 more. ``--half
sealed`` selects the second half, which was set aside while prompts were changed. An operation is
shown if the list of tools has a line with its parameters, an event or parameter if it is named,
and any other tool if it has a line of parameters.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import ConversationLimits
from grounded_builder.drafting.first_prompt import FirstPrompt, PromptContext, write_first_prompt
from grounded_builder.drafting.token_estimate import tokens_in
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_EVENT = re.compile(r"[\w.]+")
REQUESTS = Path(__file__).with_name("operations.jsonl")
FURTHER_REQUESTS = Path(__file__).with_name("further_operations.jsonl")


@dataclass(frozen=True, slots=True)
class Shown:
    """The needed parts that the prompt of one request shows, and its size in tokens."""

    text: str
    tools: int
    listed: int
    needs: int
    shown: int
    absent: tuple[str, ...]
    tokens: int
    unused: int


def read_requests(path: Path = REQUESTS, half: str = "both") -> list[Mapping[str, Any]]:
    """Returns the requests: the "open" half, the "sealed" half, or both."""
    lines = path.read_text(encoding="utf-8").splitlines()
    requests: list[Mapping[str, Any]] = [json.loads(line) for line in lines]
    return [item for item in requests if half == "both" or item["sealed"] == (half == "sealed")]


def measure_request(item: Mapping[str, Any], registry: Registry) -> Shown:
    """Returns what the first prompt of a request shows."""
    first = write_first_prompt(
        item["text"], N8N, registry, PromptContext(), ConversationLimits().prompt_tokens
    )
    blocks = _list_blocks(first)
    needed = {need["tool"] for need in item["needs"]}
    absent = tuple(_format_need(need) for need in item["needs"] if not _is_shown(need, blocks))
    unused = sum(
        tokens_in("\n".join(lines)) for tool, lines in blocks.items() if tool not in needed
    )
    return Shown(
        item["text"],
        len(needed),
        len(needed.intersection(first.shown)),
        len(item["needs"]),
        len(item["needs"]) - len(absent),
        absent,
        first.account["tokens"],
        unused,
    )


def _list_blocks(first: FirstPrompt) -> dict[str, list[str]]:
    """Returns the lines of each tool in the list of a prompt."""
    blocks: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in first.messages[0].content.split("\n"):
        if line.startswith("- "):
            lines = blocks.setdefault(line[2:].split(" ", 1)[0], [])
        elif not line.startswith("    "):
            lines = []
        lines.append(line)
    return blocks


def _is_shown(need: Mapping[str, Any], blocks: Mapping[str, list[str]]) -> bool:
    lines = [line.strip() for line in blocks.get(need["tool"], ())]
    if not lines:
        return False
    if lines[0].endswith("as a tool of an agent"):
        base = need["tool"].removesuffix("Tool")
        return _is_shown({**need, "tool": base}, blocks)
    if "event" in need:
        (value,) = need["event"].values()
        return any(value in _EVENT.findall(line) for line in lines[1:])
    if "parameter" in need:
        return any(need["parameter"] in _EVENT.findall(line) for line in lines[1:])
    params = need.get("params")
    if params is None:
        return len(lines) > 1
    return any(line.split(": ", 1)[0] in _list_spellings(params) for line in lines[1:])


def _list_spellings(params: Mapping[str, str]) -> Iterator[str]:
    yield "/".join(params.values())
    yield " ".join(f"{key}={value}" for key, value in params.items())


def _format_need(need: Mapping[str, Any]) -> str:
    chosen = need.get("params") or need.get("event") or {}
    parts = [*chosen.values(), *filter(None, [need.get("parameter")])]
    return " ".join((need["tool"].rsplit(".", 1)[1], "/".join(parts)))


def print_table(results: list[Shown]) -> None:
    """Prints the shares over all requests, and the missing operations."""
    needs, tools = sum(r.needs for r in results), sum(r.tools for r in results)
    tokens = [r.tokens for r in results]
    print("| requests | tools listed | operations shown | tokens, mean | at most | unused tools |")
    print("|---|---|---|---|---|---|")
    listed = f"{sum(r.listed for r in results)} of {tools}"
    shown = f"{sum(r.shown for r in results)} of {needs}"
    unused = sum(r.unused for r in results) / sum(tokens)
    print(
        f"| {len(results)} | {listed} | {shown} | {statistics.mean(tokens):.0f} | {max(tokens)} "
        f"| {unused:.2f} |"
    )
    for result in results:
        if result.absent:
            print(f"absent: {', '.join(result.absent)}: {result.text}")


def main() -> None:
    """Measures the prompts and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m evals.prompts.operations")
    parser.add_argument("catalog", type=Path, nargs="?")
    parser.add_argument("--half", choices=("open", "sealed", "both"), default="both")
    parser.add_argument("--further", action="store_true")
    options = parser.parse_args()
    registry = registry_from((options.catalog or provide_catalog()).read_bytes())
    requests = read_requests(FURTHER_REQUESTS if options.further else REQUESTS, options.half)
    print_table([measure_request(item, registry) for item in requests])


if __name__ == "__main__":
    main()
