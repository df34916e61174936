"""Derives a draft request's excluded tools, compile options, prompt context and final answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler import receipt
from grounded_builder.compiler.named_services import Service, list_variants
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.domains.rules import RULES
from grounded_builder.drafting.constraints import (
    Constraints,
    constraints_of,
    denied_by,
    tools_named,
    unavailable_under,
    with_bounds,
)
from grounded_builder.drafting.conversation import Outcome
from grounded_builder.drafting.few_shot import AcceptedPlan, examples_for
from grounded_builder.drafting.first_prompt import PromptContext
from grounded_builder.drafting.prompt import LONGEST_REQUEST
from grounded_builder.drafting.tool_retrieval import shown_tools
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import EXPECT
from grounded_builder.redaction.redact import MARK, SECRET_NOTICE
from grounded_builder.resolve.known_inventions import predict_inventions
from grounded_builder.services.conversation_record import (
    Answer,
    DraftRequest,
    final_response,
    read_request,
)
from grounded_builder.storage.accepted_plans import read_accepted_plans
from grounded_builder.storage.name_stats import NameStatsStore
from grounded_builder.storage.store import Store

_NAMES = 500
_RUNS = 100
# A plan that lacks only a person's login may still be an example.
_LOGIN_CODES = frozenset(rule.code for rule in RULES if rule.error_type == "MissingCredential")
_MOST_FORBIDDEN = 20
_MOST_NAMED, _LONGEST_NAME = 5, 40


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """The services that an order asks for and excludes, the excluded tool ids, and the
    contradictions.

    ``request`` is the request without the words that exclude a service, for drafters that cannot
    read them.
    """

    request: str
    wanted: tuple[Service, ...]
    denied: tuple[str, ...]
    forbidden: tuple[str, ...]
    contradictions: tuple[str, ...]


def request_policy(order: DraftRequest, domain: Domain, registry: Registry) -> RequestPolicy:
    """Returns the tools that the constraints and the request of an order exclude."""
    constraints = constraints_of(order.constraints, domain)
    named = read_request(order, registry).named
    unwanted = {
        tool: None for service in named.unwanted for tool in list_variants(service.tools, registry)
    }
    denied = dict.fromkeys((*denied_by(constraints, domain, registry), *unwanted))
    without = (
        exclusion.phrase.format(name=name)
        for exclusion in domain.resolving.exclusions
        for name in constraints.excluded[exclusion.name]
    )
    unwanted_names = (service.text for service in named.unwanted)
    forbidden = dict.fromkeys((*constraints.forbid, *without, *unwanted_names))
    return RequestPolicy(
        named.remainder,
        named.wanted,
        tuple(denied),
        tuple(forbidden)[:_MOST_FORBIDDEN],
        named.contradictions,
    )


def prompt_context(
    order: DraftRequest,
    terms: RequestPolicy,
    policy: tuple[str, ...],
    domain: Domain,
    registry: Registry,
    store: Store,
) -> PromptContext:
    """Returns the context of an order's prompt besides the registry; ``policy`` always denies."""
    constraints = constraints_of(order.constraints, domain)
    absent = unavailable_under(with_bounds(store.settings.policy, constraints), domain, registry)
    denied = (*policy, *terms.denied, *absent)
    preferred = [tool for name in constraints.use for tool in tools_named(name, registry)]
    rest: Mapping[str, object] = constraints.rest
    if constraints.use:
        rest = {"use": list(constraints.use), **rest}
    context = PromptContext(
        denied=denied,
        preferred=tuple(
            fromkey for fromkey in dict.fromkeys(preferred) if fromkey in registry.tools
        ),
        forbidden=terms.forbidden,
        rest=rest,
        wanted=terms.wanted,
        may_ask=order.clarify,
        offers_native=store.settings.native_drafts,
    )
    if not store.settings.share_drafts:
        return context
    return _with_earlier_drafts(context, order.request, domain, registry, store)


def _with_earlier_drafts(
    context: PromptContext, request: str, domain: Domain, registry: Registry, store: Store
) -> PromptContext:
    """Returns the context with names and plans of earlier conversations, which may be of others."""
    met = NameStatsStore(store.engine, domain.name).counts(_NAMES)
    shown = shown_tools(request, domain, registry, context.wanted or (), context.denied)
    accepted = [
        AcceptedPlan(
            plan.run, plan.request, tuple(plan.plan["nodes"]), tuple(plan.plan["connections"])
        )
        for plan in read_accepted_plans(store.engine, domain.name, _RUNS, _LOGIN_CODES)
    ]
    beside = [shown_tool.tool for shown_tool in shown]
    return replace(
        context,
        inventions=predict_inventions(request, met, registry, shown_tools=beside),
        examples=examples_for(request, accepted, domain, registry, context.denied),
    )


def contradiction_outcome(terms: RequestPolicy) -> Outcome | None:
    """Returns the outcome of an order that both wants and forbids something; None of any other."""
    if not terms.contradictions:
        return None
    named = " and ".join(f'"{contradiction}"' for contradiction in terms.contradictions)
    text = f"The request asks for {named} and forbids it: state which one applies."
    return Outcome("refused", None, text, None, 0, None, ())


def unreadable_outcome(order: DraftRequest, domain: Domain) -> Outcome | None:
    """Returns the outcome of an order with a constraint that cannot be read; else None."""
    fault = constraints_of(order.constraints, domain).fault
    if not fault:
        return None
    text = f"Nothing was built: the constraints cannot be kept: {fault}."
    return Outcome("refused", None, text, None, 0, None, ())


def ignored_constraints(order: DraftRequest, domain: Domain) -> tuple[str, ...]:
    """Returns the names of the first few constraints that only a model reads, each in quotes."""
    targets = {option.name for option in domain.resolving.target_options}
    constraints = constraints_of(order.constraints, domain)
    targets |= {EXPECT} if constraints.expect else set()
    named = [name for name in constraints.rest if name not in targets]
    return tuple(f'"{name[:_LONGEST_NAME]}"' for name in named[:_MOST_NAMED])


def refuse_if_no_tools(terms: RequestPolicy, registry: Registry) -> Outcome | None:
    """Returns the outcome where the constraints exclude every tool; otherwise None."""
    denied = frozenset(terms.denied)
    rows = registry.tools.values()
    if any(row.availability == "installed" and row.id not in denied for row in rows):
        return None
    text = "Nothing was built: the constraints leave no tool. Loosen them."
    return Outcome("refused", None, text, None, 0, None, ())


def compile_options(
    denied: Iterable[str], constraints: Constraints, seed: str, store: Store
) -> CompileOptions:
    """Returns the compile options of a draft: the policy of the store and the bounds of
    the order.
    """
    settings = store.settings
    both = dict.fromkeys((*settings.policy.denied, *denied))
    return CompileOptions(
        purpose="import",
        policy=replace(with_bounds(settings.policy, constraints), denied=tuple(both)).narrow(
            constraints.switches
        ),
        limits=settings.limits,
        seed=seed,
        path_secret=store.secrets().path_secret,
    )


def receipt_of(compilation: Compilation, store: Store) -> receipt.Receipt | None:
    """Returns the receipt of a compilation's artifact; None without an artifact."""
    if compilation.artifact is None:
        return None
    settings, secrets = store.settings, store.secrets()
    # Constraints only narrow the policy: an artifact that satisfies them satisfies the policy.
    terms = receipt.ReceiptClaims(compilation.catalog, settings.policy.hash, secrets.instance)
    return receipt.make_receipt(
        compilation.artifact,
        compilation.verdict,
        terms,
        secrets.signer,
        now=time.time(),
        lifetime_s=settings.receipt_seconds,
    )


def constraint_options(
    order: DraftRequest, domain: Domain, registry: Registry, seed: str, store: Store
) -> CompileOptions:
    """Returns the compile options under the constraints of an order, without its request."""
    constraints = constraints_of(order.constraints, domain)
    return compile_options(denied_by(constraints, domain, registry), constraints, seed, store)


def outcome_response(
    session_id: str, outcome: Outcome, request: str, registry: Registry, store: Store
) -> Answer:
    """Returns the answer that ends a conversation, with the receipt of its artifact."""
    outcome = with_truncation_notice(outcome, request)
    compilation = outcome.compilation
    # An abandoned conversation has no artifact, even where its last draft compiled.
    is_made = compilation is not None and outcome.outcome != "refused"
    signed = receipt_of(compilation, store) if is_made and compilation is not None else None
    return final_response(session_id, outcome, signed, registry.fingerprint)


def with_truncation_notice(outcome: Outcome, request: str) -> Outcome:
    """Returns an outcome that names the parts of a request that were not read: its end and its
    secrets.
    """
    notices = []
    if outcome.reason != "cancelled" and len(request) > LONGEST_REQUEST:
        read = f"the first {LONGEST_REQUEST:,} of {len(request):,} characters"
        notices.append(f"Of the request {read} were read.")
    if outcome.reason != "cancelled" and MARK in request:
        notices.append(SECRET_NOTICE)
    return replace(outcome, summary=" ".join((outcome.summary, *notices))) if notices else outcome
