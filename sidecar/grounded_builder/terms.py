"""Find out what an order comes to: what it forbids, and what is known beside its request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grounded_builder.account import Order
from grounded_builder.domain import Domain
from grounded_builder.registry.registry import Registry
from grounded_builder.repair.briefing import Known
from grounded_builder.repair.constraints import constraints_of, denied_by, meant
from grounded_builder.repair.examples import Accepted, examples_for
from grounded_builder.repair.retrieval import shown_tools
from grounded_builder.repair.services import renderings, wishes_in, without_unwanted
from grounded_builder.resolve.inventions import inventions_for
from grounded_builder.storage import runs
from grounded_builder.storage.names import NameBook
from grounded_builder.storage.store import Store

_NAMES = 500
_RUNS = 100
_MOST_FORBIDDEN = 20


@dataclass(frozen=True, slots=True)
class Terms:
    """What an order comes to: the ids it denies, and the services it both wants and forbids.

    ``request`` is without the words that forbid a service, for whoever does not read them.
    """

    request: str
    denied: tuple[str, ...]
    forbidden: tuple[str, ...]
    contradictions: tuple[str, ...]


def terms_of(order: Order, domain: Domain, registry: Registry) -> Terms:
    """What the constraints and the request of an order leave out."""
    constraints = constraints_of(order.constraints)
    wishes = wishes_in(order.request, registry)
    unwanted = {tool: None for one in wishes.unwanted for tool in renderings(one.tools, registry)}
    denied = dict.fromkeys((*denied_by(constraints, domain, registry), *unwanted))
    forbidden = dict.fromkeys((*constraints.forbid, *(one.said for one in wishes.unwanted)))
    return Terms(
        without_unwanted(order.request, registry),
        tuple(denied),
        tuple(forbidden)[:_MOST_FORBIDDEN],
        wishes.contradictions,
    )


def known_of(
    order: Order,
    terms: Terms,
    policy: tuple[str, ...],
    domain: Domain,
    registry: Registry,
    store: Store,
) -> Known:
    """What a prompt for an order is made of beside the registry; ``policy`` denies always."""
    constraints = constraints_of(order.constraints)
    denied = (*policy, *terms.denied)
    preferred = [tool for name in constraints.use for tool in meant(name, registry)]
    met = NameBook(store.engine, domain.name).counts(_NAMES)
    wanted = wishes_in(order.request, registry).wanted
    beside = [one.tool for one in shown_tools(order.request, domain, registry, wanted, denied)]
    rest: Mapping[str, object] = constraints.rest
    if constraints.use:
        rest = {"use": list(constraints.use), **rest}
    return Known(
        denied=denied,
        preferred=tuple(one for one in dict.fromkeys(preferred) if one in registry.tools),
        forbidden=terms.forbidden,
        rest=rest,
        inventions=inventions_for(order.request, met, registry, beside=beside),
        examples=examples_for(
            order.request, _accepted(store, domain.name), domain, registry, denied
        ),
    )


def _accepted(store: Store, domain: str) -> list[Accepted]:
    """What models drafted lately for requests that were made, with nothing left but to log in."""
    return [
        Accepted(one.run, one.request, tuple(one.plan["nodes"]), tuple(one.plan["connections"]))
        for one in runs.accepted(store.engine, domain, _RUNS)
    ]
