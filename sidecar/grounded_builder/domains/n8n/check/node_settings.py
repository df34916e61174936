"""Settings with words that n8n does not know: it takes them, and does as if they were not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from zoneinfo import available_timezones

from grounded_builder.diagnostics import Diagnostic, Rule, find_nearest, new_diagnostic
from grounded_builder.domains.n8n.read.workflow import base_route
from grounded_builder.ir.graph import ResolvedGraph

UNKNOWN_SETTING_VALUE = Rule.advice(
    "N8N356", "unknown-setting-value", "TypeMismatch", "n8n does not know the value of a setting."
)

_ON_ERROR = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")
_ORDER = ("v1", "v0")
# What n8n and its clock take beside the names of zones.
_OTHER_ZONES = re.compile(
    r"default|(?:utc|gmt)?(?:[+-]\d{1,2}(?::?\d{2})?)?|z|local|system", re.IGNORECASE
)


def check_odd_settings(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Find words for failures and for the order of runs that mean nothing.

    n8n 2.41 compares them with the words that it knows: any other ``onError`` stops the workflow,
    any ``executionOrder`` but "v1" is the order of old, and under a ``timezone`` that is no zone's
    name every date is invalid.
    """
    for bound in resolved.nodes:
        word = bound.node.source.get("onError")
        if isinstance(word, str) and word not in _ON_ERROR:
            yield new_diagnostic(
                UNKNOWN_SETTING_VALUE,
                (*bound.node.at, "onError"),
                f'"{bound.node.name}" has onError "{word[:40]}", which n8n does not know: a '
                "failure stops the workflow",
                help=f"write one of {', '.join(_ON_ERROR)}",
                node=bound.node.name,
                token=word,
                alternatives=find_nearest(word, _ON_ERROR),
            )
    settings = resolved.graph.document.get("settings")
    zone = settings.get("timezone") if isinstance(settings, dict) else None
    if isinstance(zone, str) and _is_no_zone(zone):
        yield new_diagnostic(
            UNKNOWN_SETTING_VALUE,
            (*base_route(resolved.graph), "settings", "timezone"),
            f'timezone is "{zone[:40]}", which n8n does not know: no time of the workflow is valid',
            help="write the name of a zone such as Europe/Berlin",
            token=zone,
            alternatives=find_nearest(zone, tuple(sorted(available_timezones()))),
        )
    order = settings.get("executionOrder") if isinstance(settings, dict) else None
    if isinstance(order, str) and order not in _ORDER:
        yield new_diagnostic(
            UNKNOWN_SETTING_VALUE,
            (*base_route(resolved.graph), "settings", "executionOrder"),
            f'executionOrder is "{order[:40]}", which n8n does not know: the order of old holds',
            help='write "v1", the order of all new workflows, or "v0", that of old',
            token=order,
            alternatives=_ORDER,
        )


def _is_no_zone(zone: str) -> bool:
    known = _zones()
    return bool(known) and zone.lower() not in known and _OTHER_ZONES.fullmatch(zone) is None


@cache
def _zones() -> frozenset[str]:
    """The names of zones in lower case; none where this machine knows none."""
    return frozenset(name.lower() for name in available_timezones())
