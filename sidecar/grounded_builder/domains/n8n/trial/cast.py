"""Give every node of a workflow its part in a trial."""

from __future__ import annotations

from grounded_builder.domains.n8n.trial.replica import Cast
from grounded_builder.domains.n8n.trial.sampling import Ask, Given, samples_of
from grounded_builder.domains.n8n.trial.treatment import treatment_of
from grounded_builder.domains.n8n.wiring import wired
from grounded_builder.graph import Resolved


def cast_of(resolved: Resolved, unready: frozenset[str], given: Given, ask: Ask) -> Cast:
    """Decide what is done with each node, and what those give that are not run."""
    served = wired(resolved).served
    treatments = {
        name: treatment_of(bound, served, unready) for name, bound in resolved.by_name.items()
    }
    names = frozenset(name for name, one in treatments.items() if one.kind in ("start", "stand-in"))
    return Cast(resolved, treatments, samples_of(resolved, names, given, ask))
