"""Plans further runs of a rehearsal until every node is reached or nothing more can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grounded_builder.domains.n8n.analysis.links import by_output
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.rehearsal.coverage import Coverage, name_output
from grounded_builder.domains.n8n.rehearsal.solve_output import solve_output
from grounded_builder.domains.n8n.rehearsal.sub_node_caller import choose_together, list_calls
from grounded_builder.domains.n8n.rehearsal.variants import (
    Variant,
    WantedValue,
    describe_changes,
    describe_values,
)
from grounded_builder.domains.n8n.trial.node_role import WAIT
from grounded_builder.ir.graph import Edge, ResolvedGraph

_BASE = "n8n-nodes-base."
# They pass on a part of their items, by their only output.
_PASSING = frozenset(f"{_BASE}{name}" for name in ("filter", "limit", "removeDuplicates", "sort"))
# Runs with other values or failing services, of those that a rehearsal may make.
_MOST_GENTLE_RUNS = 6
_MOST_CALLING_RUNS = 6
_MOST_TRIES = 2
_TIMED = ("timeInterval", "specificTime")


class Explorer:
    """Chooses the next run from what the earlier runs reached."""

    def __init__(
        self, resolved: ResolvedGraph, triggers: Sequence[str], coverage: Coverage
    ) -> None:
        self._resolved = resolved
        self._triggers = triggers
        self._coverage = coverage
        self._forced: set[str] = set()
        self._replaced: dict[str, str] = {}
        self._tries: Counter[tuple[str, int]] = Counter()
        self._gentle_runs = 0
        self._calls: Counter[str] = Counter()
        self._calling_runs = 0
        self._made: set[tuple[object, ...]] = set()

    def choose(self) -> Variant | None:
        """Returns the next run, None where no further run can reach more."""
        behind = {name: self._coverage.list_unreached(name) for name in self._triggers}
        for trigger in sorted(behind, key=lambda name: -len(behind[name])):
            if not behind[trigger]:
                continue
            gentle = self._vary_values(trigger) or self._fail_services(trigger)
            if gentle is None:
                gentle = self._call_sub_nodes(behind[trigger])
            if gentle is not None:
                return gentle
            forced = self._force(trigger, set(behind[trigger]))
            if not forced.forced and not forced.replaced:
                continue
            for variant in self._with_earlier_values(forced):
                changes = (*sorted(variant.forced.items()), *sorted(variant.replaced))
                key = (trigger, *changes, *describe_values(variant.values))
                if key not in self._made:
                    self._made.add(key)
                    return variant
        return None

    def _with_earlier_values(self, variant: Variant) -> Iterator[Variant]:
        """Yields a run as it is, then with the values that led earlier runs to its changed nodes.

        Other values may lead past these nodes.
        """
        yield variant
        for name in (*variant.forced, *variant.replaced):
            first = self._coverage.find_first(name)
            if first is not None and first.values and first.trigger == variant.trigger:
                described = "; ".join((*describe_values(first.values), variant.reason))
                yield replace(variant, values=first.values, reason=described)

    def _vary_values(self, trigger: str) -> Variant | None:
        """Returns a run in which decisions choose outputs that had no items, by other values."""
        coverage = self._coverage
        givers = coverage.list_senders() | frozenset(self._triggers)
        chosen: dict[tuple[str, tuple[str | int, ...]], WantedValue] = {}
        base: Variant | None = None
        decided: set[str] = set()
        for name, output in coverage.list_open_outputs(trigger):
            first = coverage.find_first(name)
            is_open = not coverage.gives_items(name, output) and name not in decided
            if first is None or first.kind not in ("natural", "sample") or not is_open:
                continue
            if first.trigger != trigger or (base is not None and base.values != first.values):
                continue
            if self._tries[name, output] >= _MOST_TRIES:
                continue
            wanted = solve_output(self._resolved, coverage, givers, name, output)
            keyed = {(value.node, value.path): value for value in wanted}
            if not keyed or any(chosen.get(key, keyed[key]) != keyed[key] for key in keyed):
                continue
            self._tries[name, output] += 1
            base = first
            decided.add(name)
            chosen |= keyed
        if base is None or self._gentle_runs >= _MOST_GENTLE_RUNS:
            return None
        self._gentle_runs += 1
        values = tuple({(v.node, v.path): v for v in (*base.values, *chosen.values())}.values())
        reason = "; ".join(describe_values(values))
        return Variant(trigger, "sample", reason, values=values)

    def _fail_services(self, trigger: str) -> Variant | None:
        """Returns a run in which the services of nodes with an error output fail."""
        coverage = self._coverage
        failing: list[str] = []
        for name, output in coverage.list_open_outputs(trigger):
            ports = coverage.wiring.ports[name].outputs
            is_error = ports is not None and output == len(ports.get(MAIN, ())) - 1
            source = self._resolved.by_name[name].node.source
            if not is_error or source.get("onError") != "continueErrorOutput":
                continue
            if coverage.sends(name) and self._tries[name, output] < _MOST_TRIES:
                self._tries[name, output] += 1
                failing.append(name)
        if not failing or self._gentle_runs >= _MOST_GENTLE_RUNS:
            return None
        self._gentle_runs += 1
        reason = "; ".join(f'the service of "{name}" answers 500' for name in failing)
        return Variant(trigger, "fault", reason, faults=dict.fromkeys(failing, "500"))

    def _call_sub_nodes(self, unreached: Sequence[str]) -> Variant | None:
        """Returns a run in which an agent calls sub-nodes that their own root did not call.

        Those of one root are called together, and alone where that did not reach them.
        """
        by_root: dict[tuple[str, int], list[Edge]] = {}
        for root, edge in list_calls(self._coverage.wiring, unreached):
            tries = self._calls[edge.source]
            first = self._coverage.find_first(root)
            if tries < _MOST_TRIES and first is not None and root not in self._triggers:
                by_root.setdefault((root, tries), []).append(edge)
        if not by_root or self._calling_runs >= _MOST_CALLING_RUNS:
            return None
        root, tries = min(by_root, key=lambda key: key[1])
        listed = by_root[root, tries]
        edges = choose_together(listed if tries == 0 else listed[:1])
        for edge in edges:
            self._calls[edge.source] += 1
        self._calling_runs += 1
        base = self._coverage.find_first(root) or Variant(root)
        names = " and ".join(f'"{edge.source}"' for edge in edges)
        reason = f'an agent of the rehearsal calls {names} in place of "{root}"'
        if base.reason:
            reason = f"{base.reason}; {reason}"
        return replace(base, kind="called", reason=reason, callers={root: edges})

    def _force(self, trigger: str, unreached: set[str]) -> Variant:
        """Returns a run that leads past decisions, failures and waits to unreached nodes."""
        coverage = self._coverage
        for name, reason in coverage.ends.items():
            if self._is_timed_wait(name):
                self._forced.add(name)
            else:
                self._replaced.setdefault(name, reason)
        for name, output in coverage.list_open_outputs(trigger):
            if coverage.gives_items(name, output) or name in coverage.ends:
                continue
            if self._passes(name):
                self._forced.add(name)
            else:
                self._replaced.setdefault(name, "it gave no items")
        forced = {
            name: chosen
            for name in sorted(self._forced - self._replaced.keys())
            if (chosen := coverage.outputs_towards(name, unreached))
        }
        return Variant(
            trigger,
            "forced",
            "; ".join(describe_changes(self._name_outputs(forced), self._replaced)),
            forced=forced,
            replaced=dict(self._replaced),
        )

    def _name_outputs(self, forced: Mapping[str, frozenset[int]]) -> Mapping[str, str]:
        wiring = self._coverage.wiring
        return {
            name: " and ".join(name_output(wiring, name, output) for output in sorted(outputs))
            for name, outputs in forced.items()
        }

    def _passes(self, name: str) -> bool:
        """Returns whether the items that a node gives are those that it receives."""
        ports = self._coverage.wiring.ports[name].outputs
        connected = by_output(name, self._coverage.wiring.after)
        outputs = connected if ports is None else ports.get(MAIN, ())
        tool = self._resolved.by_name[name].node.tool
        return len(outputs) > 1 or tool in _PASSING or self._is_timed_wait(name)

    def _is_timed_wait(self, name: str) -> bool:
        bound = self._resolved.by_name[name]
        resume = filled_parameters(bound).full.get("resume", "timeInterval")
        return bound.node.tool == WAIT and resume in _TIMED
