"""Formats docs/false-alarms.md: every kind of alarm on real workflows, with its judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Judgement
from grounded_builder.domains.rules import BY_CODE

Verdicts = Sequence[tuple[Alarm, Judgement]]

# For these codes the place identifies the kind, whatever the type of the node.
_OF_THE_DOCUMENT = frozenset(
    ("GB311", "GB312", "GB313", "N8N101", "N8N103", "N8N104", "N8N321", "N8N322", "N8N328")
)
_TYPES = frozenset({"GB201"})


@dataclass(frozen=True, slots=True)
class Measured:
    """One corpus: the number of its workflows, and its alarms with their judgements."""

    name: str
    what: str
    workflows: int
    verdicts: Verdicts

    def share(self, truth: str) -> float:
        """Returns the share of workflows with at least one alarm of this truth."""
        return self.count_with(truth) / self.workflows

    def count_with(self, truth: str) -> int:
        """Returns the number of workflows with at least one alarm of this truth."""
        return len({alarm.workflow for alarm, judged in self.verdicts if judged.truth == truth})


def format_page(measured: Sequence[Measured], versions: str) -> str:
    """Returns the whole page in Markdown."""
    lines = [*_HEAD, f"Measured on {versions}.", "", *_format_figures(measured), "", *_JUDGES]
    for item in measured:
        lines += [
            "",
            f"## {item.name[0].upper()}{item.name[1:]}: {item.what}",
            "",
            *_format_codes(item),
        ]
        lines += _format_exceptions(item)
    lines += ["", "## Every kind on the real workflows", "", *_INTRO]
    lines += _format_kinds(measured[0].verdicts)
    return "\n".join(lines) + "\n"


_HEAD = (
    "# False alarms",
    "",
    "This page lists every diagnostic of class `wrong` on real workflows, and whether n8n itself",
    "confirms it. `make alarms` repeats the measurement and writes the page; it needs the",
    "workflows next to the checkout.",
    "",
)

_JUDGES = (
    "An alarm is true if n8n refuses or drops the construct or fails on it, false if n8n accepts",
    "and executes it, and undecided if no judge can decide. The judges are asked in this order,",
    "and the first one that can decide does:",
    "",
    "1. n8n's own functions over the classes of the installed nodes: filling and checking of",
    "   parameters, comparison of conditions, credentials, computation of ports, the graph of a",
    "   workflow, the expression evaluator, the wrapper of Code nodes, paths of webhooks, and the",
    "   checks in the webhook nodes themselves;",
    "2. the schemas of n8n's workflow SDK;",
    "3. the code of the node: whether it compares anything with the value;",
    "4. a running n8n, in which a small copy of the workflow is created, published and, if this",
    "   has no effect outside, run;",
    "5. a fact of the installed code, recorded with its source in `evals/alarms/readings.json`.",
)

_INTRO = (
    "The table has one row for each code, type and parameter (or kind of edge, or key), with the",
    "number of workflows. Names of missing types are grouped by package; if the type of the node",
    "is irrelevant, only the place is listed.",
)


def _format_figures(measured: Iterable[Measured]) -> Iterator[str]:
    yield "| corpus | workflows | with a `wrong` | alarms | kinds | false | undecided |"
    yield "|---|---|---|---|---|---|---|"
    for row in measured:
        wrong = len({alarm.workflow for alarm, _ in row.verdicts})
        kinds = len({alarm.key for alarm, _ in row.verdicts})
        false, open_ = row.count_with("false"), row.count_with("undecided")
        yield (
            f"| {row.name} | {row.workflows:,} | {wrong:,} | {len(row.verdicts):,} | {kinds:,} | "
            f"{false} ({row.share('false'):.2%}) | {open_} ({row.share('undecided'):.2%}) |"
        )
    yield ""
    yield "The last two columns count the workflows with at least one such alarm."


def _format_codes(measured: Measured) -> Iterator[str]:
    by_code: dict[str, list[tuple[Alarm, Judgement]]] = defaultdict(list)
    for alarm, judged in measured.verdicts:
        by_code[alarm.code].append((alarm, judged))
    yield "| code | name | alarms | workflows | true | false | undecided | judges |"
    yield "|---|---|---|---|---|---|---|---|"
    for code, items in sorted(by_code.items()):
        counts = Counter(judged.truth for _, judged in items)
        workflows = len({alarm.workflow for alarm, _ in items})
        judges = ", ".join(name for name, _ in Counter(j.judge for _, j in items).most_common())
        yield (
            f"| {code} | {BY_CODE[code].name} | {len(items)} | {workflows} | {counts['true']} | "
            f"{counts['false']} | {counts['undecided']} | {judges} |"
        )


def _format_exceptions(measured: Measured) -> Iterator[str]:
    """Yields a table of the alarms that are not true."""
    rows = Counter(
        (*alarm.key, judged.truth, judged.reason)
        for alarm, judged in measured.verdicts
        if judged.truth != "true"
    )
    if rows:
        yield ""
        yield "| not true | type | place | alarms | judged | reason |"
        yield "|---|---|---|---|---|---|"
        for (code, tool, place, state, reason), count in sorted(rows.items()):
            yield f"| {code} | {tool} | {_format_cell(place)} | {count} | {state} | {reason} |"


def _format_kinds(verdicts: Verdicts) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[tuple[Alarm, Judgement]]] = defaultdict(list)
    for alarm, judged in verdicts:
        groups[_group_of(alarm)].append((alarm, judged))
    yield ""
    yield "| code | type | versions | place | workflows | judged | by |"
    yield "|---|---|---|---|---|---|---|"
    for (code, tool, place), items in sorted(groups.items(), key=lambda pair: pair[0]):
        workflows = len({alarm.workflow for alarm, _ in items})
        text = ", ".join(name for name, _ in Counter(j.truth for _, j in items).most_common())
        judges = ", ".join(name for name, _ in Counter(j.judge for _, j in items).most_common())
        yield (
            f"| {code} | {tool} | {_format_versions(code, items)} | "
            f"{_format_cell(place)} | {workflows} | {text} | {judges} |"
        )


def _group_of(alarm: Alarm) -> tuple[str, str, str]:
    tool = alarm.tool.rpartition("@")[0] if "@" in alarm.tool[1:] else alarm.tool
    if alarm.code in _TYPES:
        return alarm.code, f"{tool.rpartition('.')[0] or tool} (package)", "type"
    if alarm.code in _OF_THE_DOCUMENT:
        place = alarm.place if "connections" not in alarm.finding.at[:2] else "edge"
        return alarm.code, "any", place.rpartition(".")[2] or "node"
    return alarm.code, tool, alarm.place or "node"


def _format_versions(code: str, group: Verdicts) -> str:
    if code in _TYPES:
        return f"{len({alarm.tool for alarm, _ in group})} names"
    if code in _OF_THE_DOCUMENT:
        return ""
    given = {(alarm.node or {}).get("typeVersion") for alarm, _ in group}
    return ", ".join(
        "none" if item is None else f"{item}" for item in sorted(given, key=_to_number)
    )


def _to_number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else -1.0


def _format_cell(text: str) -> str:
    return "`" + " ".join(text.replace("|", "/").split())[:60] + "`"
