"""Reports settings of nodes and of the workflow that n8n ignores or replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from zoneinfo import available_timezones

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.api_schema import is_number
from grounded_builder.domains.n8n.read.workflow import base_route
from grounded_builder.domains.n8n.step_settings import (
    LEAST_TRIES,
    LONGEST_WAIT_MS,
    MOST_TRIES,
    ON_ERROR,
)
from grounded_builder.ir.graph import Node, ResolvedGraph

UNKNOWN_SETTING_VALUE = Rule.advice(
    "N8N356",
    "unknown-setting-value",
    "TypeMismatch",
    "n8n ignores or replaces the value of a setting.",
)

_BOUNDS = {
    "maxTries": (LEAST_TRIES, MOST_TRIES, "tries"),
    "waitBetweenTries": (0, LONGEST_WAIT_MS, "milliseconds"),
}
_EXECUTION_ORDERS = ("v1", "v0")
# Values that n8n and luxon accept in addition to the names of time zones.
_OTHER_ZONE_NAMES = re.compile(
    r"default|(?:utc|gmt)?(?:[+-]\d{1,2}(?::?\d{2})?)?|z|local|system", re.IGNORECASE
)


def check_setting_values(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports unknown values of `onError`, `timezone` and `executionOrder`, and unused tries.

    n8n 2.41 compares them with the values that it knows: any other ``onError`` stops the workflow,
    any ``executionOrder`` but "v1" is the legacy order, and with an unknown ``timezone`` every date
    is invalid.
    """
    for bound in resolved.nodes:
        word = bound.node.source.get("onError")
        if isinstance(word, str) and word not in ON_ERROR:
            yield new_diagnostic(
                UNKNOWN_SETTING_VALUE,
                (*bound.node.at, "onError"),
                f'"{bound.node.name}" has onError "{word[:40]}", which n8n does not know: a '
                "failure stops the workflow",
                help=f"write one of {', '.join(ON_ERROR)}",
                node=bound.node.name,
                token=word,
                alternatives=find_nearest(word, ON_ERROR),
            )
        yield from _check_tries(bound.node)
    settings = resolved.graph.document.get("settings")
    zone = settings.get("timezone") if isinstance(settings, dict) else None
    if isinstance(zone, str) and _is_unknown_zone(zone):
        yield new_diagnostic(
            UNKNOWN_SETTING_VALUE,
            (*base_route(resolved.graph), "settings", "timezone"),
            f'timezone is "{zone[:40]}", which n8n does not know: every date is invalid',
            help="write the name of a time zone such as Europe/Berlin",
            token=zone,
            alternatives=find_nearest(zone, tuple(sorted(available_timezones()))),
        )
    order = settings.get("executionOrder") if isinstance(settings, dict) else None
    if isinstance(order, str) and order not in _EXECUTION_ORDERS:
        yield new_diagnostic(
            UNKNOWN_SETTING_VALUE,
            (*base_route(resolved.graph), "settings", "executionOrder"),
            f'executionOrder is "{order[:40]}", which n8n does not know: it uses the legacy order',
            help='write "v1", the order of new workflows, or "v0", the legacy order',
            token=order,
            alternatives=_EXECUTION_ORDERS,
        )


def _check_tries(node: Node) -> Iterator[Diagnostic]:
    """Reports numbers that n8n replaces by its bounds, and retries that are not switched on."""
    for key, (least, most, unit) in _BOUNDS.items():
        value = node.source.get(key)
        if value is None or not is_number(value):
            continue
        if not least <= value <= most:
            problem = f"is {value}, and n8n takes {min(max(value, least), most)}"
            help_ = f"write a number of {unit} from {least} to {most}"
        elif "retryOnFail" not in node.source:
            problem = "has no effect: the node does not retry"
            help_ = f'set "retryOnFail" to true, or remove "{key}"'
        else:
            continue
        yield new_diagnostic(
            UNKNOWN_SETTING_VALUE,
            (*node.at, key),
            f'{key} of "{node.name}" {problem}',
            help=help_,
            node=node.name,
            token=key,
        )


def _is_unknown_zone(zone: str) -> bool:
    known = _zone_names()
    return bool(known) and zone.lower() not in known and _OTHER_ZONE_NAMES.fullmatch(zone) is None


@cache
def _zone_names() -> frozenset[str]:
    """Returns the lower-case names of time zones, empty if this machine has no zone database."""
    return frozenset(name.lower() for name in available_timezones())
