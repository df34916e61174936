"""Measures the resolver on real wrong names and labels: accuracy, silent errors, time.

``python -m evals.bench.resolver [CATALOG] [--shared FOLDER] [--folds FOLDER]``. The catalog is a
file written by node-catalog-sync, by default the active catalog. Labels and titles are resolved in
folds of repositories, each with a lexicon learned from the other folds only
(``scripts.learn_lexicon``; the lexicons are stored in the folder, and learning takes minutes the
first time). The mistakes are not part of the learning data.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from evals.bench.diagram import Tenth, draw_diagram
from evals.bench.resolver_speed import time_grown_catalog, time_resolver
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.usage_lexicon import Lexicon
from grounded_builder.catalog.usage_prior import UsagePrior
from grounded_builder.interfaces.cli.context import cli_context
from grounded_builder.ir.resolution import Candidate, NameContext, Resolution
from grounded_builder.resolve import resolve_name, resolve_operation
from grounded_builder.resolve.tool_search import find_tools
from scripts.learn_lexicon import fold_lexicons, registry_with, strangers
from scripts.read_usage import FOLDS, Usage, lines, only, read_usage
from tests.support.registries import registry_from

_SHARED = Path(__file__).resolve().parents[3] / "shared"
_SHOWN = 20


@dataclass(slots=True)
class Score:
    """Counts over one set of names."""

    rows: int = 0
    first: int = 0
    in_five: int = 0
    accepted: int = 0
    silent_wrong: int = 0

    def add(self, expected: str | None, resolution: Resolution) -> None:
        """Counts one answer; ``expected`` is None if no tool is right."""
        offered = [candidate.tool for candidate in resolution.candidates]
        if resolution.tool is not None:
            offered = list(dict.fromkeys([resolution.tool, *offered]))
        self.rows += 1
        accepted = resolution.status == "resolved"
        self.accepted += accepted
        self.silent_wrong += accepted and resolution.tool != expected
        if expected is None:
            self.first += not accepted
            self.in_five += not accepted
        else:
            self.first += offered[:1] == [expected]
            self.in_five += expected in offered[:5]

    def line(self, title: str) -> str:
        """Returns the counts as shares of all rows, as one line of text."""
        n = self.rows or 1
        return (
            f"{title:<28} n={self.rows:<6} rank1={self.first / n:.3f} in5={self.in_five / n:.3f} "
            f"accepted={self.accepted / n:.3f} accepted-and-wrong={self.silent_wrong / n:.4f} "
            f"({self.silent_wrong})"
        )


def main() -> None:
    """Prints all figures."""
    options = _parse_options()
    content = options.catalog.read_bytes() if options.catalog else None
    registry = registry_from(content) if content else cli_context("n8n", "").registry
    started = perf_counter()
    find_tools("warm", registry)
    resolve_name("wram up", registry, NameContext())
    print(f"tools {len(registry.tools)}, indexes built in {perf_counter() - started:.2f} s")
    folder = options.shared / "data" / "n8n"
    _print_mistakes(folder, registry, show=options.show)
    if content and options.folds:
        usage = read_usage(folder)
        lexicons = fold_lexicons(usage, options.folds, content)
        parts = [only(usage, fold) for fold in range(FOLDS)]
        registries = [registry_with(content, lexicon) for lexicon in lexicons[:FOLDS]]
        _print_labels(parts, registries, options.sample, options.diagram)
        _print_excluded_tools(usage, options.folds, content, lexicons[-1])
        _print_titles(parts, registries)
    time_resolver(folder, registry)
    if not options.no_growth:
        time_grown_catalog(registry)


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: the active catalog")
    parser.add_argument("--shared", type=Path, default=_SHARED)
    parser.add_argument("--folds", type=Path, help="where the lexicons of folds are kept")
    parser.add_argument("--sample", type=int, default=0, help="labels of a fold; 0: all")
    parser.add_argument("--diagram", type=Path, help="where to draw the reliability")
    parser.add_argument("--show", action="store_true", help="print the mistakes missed")
    parser.add_argument("--no-growth", action="store_true", help="leave out 100,000 tools")
    return parser.parse_args()


def _print_mistakes(folder: Path, registry: Registry, *, show: bool) -> None:
    kinds = {kind: Score() for kind in ("type", "label", "all distinct", "nothing")}
    strict = Score()
    operations: Counter[str] = Counter()
    seen: set[str] = set()
    for row in lines(folder / "naming_mistakes.jsonl"):
        text, kind, expected = row["text"], row["kind"], row["expected"]
        if kind == "operation":
            value, _, tool = text.partition(" on ")
            operations[resolve_operation(value.partition("=")[2], tool, registry).status] += 1
        if kind not in ("type", "label") or (expected and expected not in registry.tools):
            continue
        answer = resolve_name(text, registry, NameContext())
        kinds[kind if expected else "nothing"].add(expected, answer)
        if text not in seen:
            kinds["all distinct"].add(expected, answer)
            strict.add(expected, resolve_name(text, registry))
            if show:
                _print_miss(text, expected, answer)
        seen.add(text)
    for kind, score in kinds.items():
        print(score.line(f"mistakes: {kind}"))
    print(strict.line("mistakes: by spelling alone"))
    print(f"mistakes: operation          {dict(operations)}")


def _print_labels(
    parts: Sequence[Usage], registries: Sequence[Registry], sample: int, diagram: Path | None
) -> None:
    bare, placed, named = Score(), Score(), Score()
    curve: list[tuple[float, bool]] = []
    for part, registry in zip(parts, registries, strict=True):
        draw = random.Random(11)
        rows = [item for item in part.labels if item.tool in registry.tools]
        for label in draw.sample(rows, min(sample, len(rows))) if sample else rows:
            starts = "trigger" in registry.tools[label.tool].capabilities
            place = NameContext(position="trigger" if starts else "step", label=True)
            answer = resolve_name(label.text, registry, NameContext(label=True))
            bare.add(label.tool, answer)
            placed.add(label.tool, resolve_name(label.text, registry, place))
            named.add(label.tool, resolve_name(label.text, registry, NameContext()))
            first = answer.candidates[0] if answer.candidates else Candidate("")
            curve.append((first.confidence, first.tool == label.tool))
    print(bare.line("labels, alone"))
    print(placed.line("labels, position known"))
    print(named.line("labels, as a tool's name"))
    for line in format_coverage(curve):
        print(line)
    tenths = list(group_by_confidence(curve))
    for tenth in tenths:
        print(
            f"  n={tenth.answers} claimed {tenth.claimed:.3f} right {tenth.right:.3f} "
            f"[{tenth.low:.3f}, {tenth.high:.3f}]"
        )
    if diagram is not None:
        diagram.write_text(draw_diagram(tenths, f"{len(curve):,} labels from other repositories"))


def _print_excluded_tools(usage: Usage, folder: Path, content: bytes, whole: Lexicon) -> None:
    """Prints the scores of labels whose tools were excluded from learning.

    The first score uses the learned lexicon, the second the catalog alone.
    """
    bare, labels = strangers(usage, folder, content)
    known = registry_with(content, replace(bare, terms=whole.terms, steps=whole.steps))
    alone = registry_from(content)
    alone.__dict__["expectation"] = UsagePrior(None, alone.tools.values())
    for title, registry in (("tools left out, learnt", known), ("tools left out, catalog", alone)):
        score = Score()
        for label in labels:
            score.add(label.tool, resolve_name(label.text, registry, NameContext(label=True)))
        print(score.line(title))


def format_coverage(answers: Sequence[tuple[float, bool]]) -> Iterator[str]:
    """Yields, for each confidence threshold, the share of answers and the share of wrong ones."""
    for least in (0.92, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.0):
        sure = [right for confidence, right in answers if confidence >= least]
        wrong = len(sure) - sum(sure)
        low, high = wilson_bounds(wrong, len(sure))
        yield (
            f"  confidence >= {least:.2f}: coverage {len(sure) / max(len(answers), 1):.3f} "
            f"n={len(sure)} wrong {wrong / max(len(sure), 1):.3f} [{low:.3f}, {high:.3f}]"
        )


def group_by_confidence(answers: Sequence[tuple[float, bool]]) -> Iterator[Tenth]:
    """Yields the mean confidence and the share of correct answers for each tenth of confidence."""
    for tenth in range(10):
        low = tenth / 10
        rows = [answer for answer in answers if low <= answer[0] < low + 0.1]
        if rows:
            result = sum(sure for sure, _ in rows) / len(rows)
            right = sum(is_right for _, is_right in rows)
            yield Tenth(result, right / len(rows), *wilson_bounds(right, len(rows)), len(rows))


def wilson_bounds(count: int, total: int) -> tuple[float, float]:
    """Returns the 95 % bounds of a share by Wilson's score interval."""
    if not total:
        return 0.0, 1.0
    z = 1.96
    share, scale = count / total, 1 + z * z / total
    middle = (share + z * z / (2 * total)) / scale
    half = z / scale * (share * (1 - share) / total + z * z / (4 * total * total)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


def _print_titles(parts: Sequence[Usage], registries: Sequence[Registry]) -> None:
    counts: Counter[str] = Counter()
    each: dict[str, list[float]] = {}
    wanted = 0
    for part, registry in zip(parts, registries, strict=True):
        for title in part.titles:
            tools = {tool for tool in title.tools if tool in registry.tools}
            wanted += len(tools)
            for kind, text in (("titles", title.text), ("long descriptions", title.story)):
                hits = sum(hit.tool in tools for hit in find_tools(text, registry, _SHOWN))
                counts[kind] += hits
                if tools:
                    each.setdefault(kind, []).append(hits / len(tools))
    for kind, count in counts.items():
        share = count / max(wanted, 1)
        mean = sum(each[kind]) / len(each[kind])
        print(
            f"{kind}: recall in {_SHOWN}: {share:.3f} of {wanted} node types; "
            f"mean over {len(each[kind])} titles {mean:.3f}"
        )


def _print_miss(text: str, expected: str | None, answer: Resolution) -> None:
    if answer.tool == expected:
        return
    offered = [f"{c.tool.rpartition('.')[2]} {c.confidence}" for c in answer.candidates]
    print(f"   {text!r} -> {expected}: {answer.status}/{answer.method} {offered}")


if __name__ == "__main__":
    main()
