"""Checks nodes' credentials, and determines which types a node accepts, chooses or may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import CredentialRow
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.credential_notices import find_notice
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.parameters.visibility import Condition
from grounded_builder.ir.graph import Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions, StoredCredential

MISSING_CREDENTIAL = Rule.incomplete(
    "N8N303", "missing-credential", "MissingCredential", "A credential is not set."
)
UNACCEPTED_CREDENTIAL = Rule.wrong(
    "N8N304",
    "unaccepted-credential",
    "CredentialError",
    "The node does not accept this credential type.",
)
UNKNOWN_CREDENTIAL_TYPE = Rule.wrong(
    "N8N305", "unknown-credential-type", "CredentialError", "The credential type does not exist."
)
MISSING_STORED_CREDENTIAL = Rule.incomplete(
    "N8N306",
    "missing-stored-credential",
    "MissingCredential",
    "The credential does not exist in n8n.",
)

# Parameters whose value is a credential type (NodeHelpers.getActiveCredentialTypes), and the types
# of parameters that let the user choose a credential: a node with one of those takes any type.
_TYPE_PARAMETERS = ("nodeCredentialType", "genericAuthType")
_CHOOSING_TYPES = frozenset({"credentialsSelect", "credentials"})

# Origins of registries that list all installed credential types.
_COMPLETE_ORIGINS = frozenset({"installed", "login"})
_GENERIC = "has:genericAuth"


def check_credentials(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterable[Diagnostic]:
    """Reports credentials that are missing, not accepted, not installed or not stored."""
    for bound in resolved.nodes:
        if (
            isinstance(bound.spec, NodeSpec)
            and not bound.node.disabled
            and _may_use_credentials(bound)
        ):
            yield from _check(_Subject.of(bound, bound.spec), registry, options)


def _may_use_credentials(bound: ResolvedNode) -> bool:
    """Returns whether a node can require or have a credential; a cheap test for every node."""
    node, spec = bound.node, bound.spec
    return bool(spec.credentials or node.source.get("credentials")) or any(
        name in node.params for name in _TYPE_PARAMETERS
    )


def accepted_types(spec: NodeSpec, full: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the credential types that a node uses with these parameters, declared ones first."""
    declared = [
        rule.type
        for rule in spec.credentials
        if rule.condition is True or (rule.condition and rule.condition.holds(full, full))
    ]
    return tuple(dict.fromkeys((*declared, *chosen_types(spec, full))))


def chosen_types(spec: NodeSpec, full: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the types that shown parameters name by a literal value."""
    names = spec.declarations.root.by_name
    values = [full.get(name) for name in _TYPE_PARAMETERS if name in names]
    if not values:
        return ()
    return tuple(
        value for value in values if isinstance(value, str) and value and not is_expression(value)
    )


def optional_types(spec: NodeSpec, full: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the types that a choice of the node asks for although n8n does not require them.

    An example is Discord with the connection type "Webhook", which calls the address in it.
    """
    return tuple(
        rule.type
        for rule in spec.credentials
        if isinstance(rule.condition, Condition)
        and not rule.required
        and any(test.path is not None for test in rule.condition.show)
        and rule.condition.holds(full, full)
    )


@dataclass(frozen=True, slots=True)
class _Subject:
    """A node with its effective parameters and credentials.

    `given` is empty if the credentials are not a mapping.
    """

    node: Node
    spec: NodeSpec
    full: Mapping[str, Any]
    given: Mapping[str, Any]

    @staticmethod
    def of(bound: ResolvedNode, spec: NodeSpec) -> _Subject:
        node = bound.node
        given = node.source.get("credentials")
        full: Mapping[str, Any] = {}
        if spec.credentials or given or any(name in node.params for name in _TYPE_PARAMETERS):
            full = filled_parameters(bound).full
        return _Subject(node, spec, full, given if isinstance(given, dict) else {})

    def at(self, *route: str) -> Route:
        return (*self.node.at, *route)


def _check(subject: _Subject, registry: Registry, options: CompileOptions) -> Iterator[Diagnostic]:
    unfit = dict(_check_chosen_types(subject, registry))
    yield from unfit.values()
    for kind, label in _required_types(subject, registry):
        if kind not in unfit:
            yield from _check_present(subject, kind, label, find_notice(kind, registry))
    for kind, value in subject.given.items():
        if value is None or is_expression(value) or kind in unfit:
            continue
        refused = _reject_type(subject, kind, registry)
        if refused is not None:
            yield refused
        elif options.credentials is not None:
            yield from _check_stored(subject, kind, value, options.credentials)


def _required_types(subject: _Subject, registry: Registry) -> Iterator[tuple[str, str]]:
    """Yields type and label of the credentials that the node needs with its parameters.

    n8n itself requires only the declared types that are marked so.
    """
    spec, full = subject.spec, subject.full
    asked: set[str] = set()
    for rule in spec.credentials:
        shown = rule.condition
        if rule.required and (shown is True or (shown and shown.holds(full, full))):
            asked.add(rule.type)
            yield rule.type, rule.label
    if not asked and not any(kind in subject.given for kind in optional_types(spec, full)):
        for rule in spec.credentials:
            if rule.type in optional_types(spec, full)[:1]:
                asked.add(rule.type)
                yield rule.type, rule.label
    for kind in chosen_types(spec, full):
        if kind not in asked:
            row = registry.credentials.get(kind)
            yield kind, row.name if row else kind


def _check_chosen_types(subject: _Subject, registry: Registry) -> Iterator[tuple[str, Diagnostic]]:
    """Yields each chosen type that n8n cannot use, with its diagnostic.

    The type is unknown, or specific where the parameter takes only types that n8n marks as generic.
    """
    if not registry.credentials or registry.header.origin not in _COMPLETE_ORIGINS:
        return
    if not chosen_types(subject.spec, subject.full):
        return
    declared = {rule.type for rule in subject.spec.credentials}
    for name in _TYPE_PARAMETERS:
        kind = subject.full.get(name)
        if kind not in chosen_types(subject.spec, {name: kind}) or kind in declared:
            continue
        row = registry.credentials.get(kind)
        common: dict[str, Any] = {"node": subject.node.name, "token": kind}
        at = subject.at("parameters", name)
        if row is None:
            yield (
                kind,
                new_diagnostic(
                    UNKNOWN_CREDENTIAL_TYPE,
                    at,
                    f'no credential type "{kind}" is installed',
                    help="use an installed type, or install the package that provides it",
                    alternatives=find_nearest(kind, registry.credentials),
                    **common,
                ),
            )
        elif _GENERIC in _demanded_traits(subject.spec, name) and not _is_generic(row):
            generic = [
                credential.id
                for credential in registry.credentials.values()
                if _is_generic(credential)
            ]
            yield (
                kind,
                new_diagnostic(
                    UNACCEPTED_CREDENTIAL,
                    at,
                    f'"{name}" takes a generic credential type, and {kind} is not generic',
                    help=f"use a generic type: {', '.join(generic[:12])}",
                    alternatives=find_nearest(kind, generic) or tuple(generic[:3]),
                    **common,
                ),
            )


def _demanded_traits(spec: NodeSpec, name: str) -> frozenset[str]:
    """Returns the traits that every declaration of the parameter demands of a credential type."""
    asked = [prop.raw.get("credentialTypes") or () for prop in spec.declarations.root.by_name[name]]
    return frozenset.intersection(*map(frozenset, asked)) if asked else frozenset()


def _is_generic(row: CredentialRow) -> bool:
    return bool(row.traits.get("generic_auth"))


def _check_present(subject: _Subject, kind: str, label: str, notice: str) -> Iterator[Diagnostic]:
    value = subject.given.get(kind)
    common: dict[str, Any] = {"node": subject.node.name, "token": kind, "alternatives": (kind,)}
    if not value:
        title = kind if label == kind else f"{label} ({kind})"
        title += f', on which n8n notes "{notice}"' if notice else ""
        yield new_diagnostic(
            MISSING_CREDENTIAL,
            subject.at(),
            f'"{subject.node.name}" has no credential of type {title}',
            help="select one in n8n, or name a stored credential",
            **common,
        )
    elif not isinstance(value, dict) or not (value.get("id") or value.get("__aiGatewayManaged")):
        yield new_diagnostic(
            MISSING_CREDENTIAL,
            subject.at("credentials", kind),
            f'the {kind} credential of "{subject.node.name}" has no id: n8n cannot find it',
            help='write {"id": "...", "name": "..."} of a stored credential, or select one in n8n',
            **common,
        )


def _reject_type(subject: _Subject, kind: str, registry: Registry) -> Diagnostic | None:
    """Returns a diagnostic for a type that the node accepts in no version with no parameters.

    A credential left over from another mode or version of the node is accepted.
    """
    if kind in {rule.type for rule in subject.spec.credentials}:
        return None
    known = kind in registry.credentials
    at = subject.at("credentials", kind)
    if not known and registry.credentials and registry.header.origin in _COMPLETE_ORIGINS:
        return new_diagnostic(
            UNKNOWN_CREDENTIAL_TYPE,
            at,
            f'no credential type "{kind}" is installed',
            help="use a type that the node accepts",
            node=subject.node.name,
            token=kind,
            alternatives=accepted_types(subject.spec, subject.full)
            or find_nearest(kind, registry.credentials),
        )
    if (
        not known
        or _takes_any_type(subject.spec)
        or kind in _types_of_all_versions(subject.spec, registry)
    ):
        return None
    takes = tuple(dict.fromkeys(rule.type for rule in subject.spec.credentials))
    accepted = accepted_types(subject.spec, subject.full) or takes
    types = ", ".join(takes[:8]) if takes else "no credentials"
    return new_diagnostic(
        UNACCEPTED_CREDENTIAL,
        at,
        f"{subject.spec.id} {subject.spec.version:g} accepts {types}, not {kind}",
        help=f"use {' or '.join(accepted[:4])}" if accepted else "remove the credential",
        node=subject.node.name,
        token=kind,
        alternatives=accepted,
    )


def _takes_any_type(spec: NodeSpec) -> bool:
    return any(prop.type in _CHOOSING_TYPES for prop in spec.declarations.root.properties)


def _types_of_all_versions(spec: NodeSpec, registry: Registry) -> frozenset[str]:
    tool = registry.tool(spec.id)
    return frozenset(
        credential["name"]
        for variant in tool["variants"]
        for credential in variant.get("credentials", ())
    )


def _check_stored(
    subject: _Subject, kind: str, value: Any, stored: tuple[StoredCredential, ...]
) -> Iterator[Diagnostic]:
    """Reports a credential that n8n does not have, by its id or, without one, by type and name."""
    if not isinstance(value, dict):
        return
    identity, name = value.get("id"), value.get("name")
    same_type = [credential for credential in stored if credential.type == kind]
    if identity:
        if any(credential.id == str(identity) for credential in same_type):
            return
        what = f'no {kind} credential with the id "{identity}"'
    elif isinstance(name, str) and name:
        if any(credential.name == name for credential in same_type):
            return
        what = f'no {kind} credential named "{name}"'
    else:
        return
    names = tuple(credential.name for credential in same_type)
    yield new_diagnostic(
        MISSING_STORED_CREDENTIAL,
        subject.at("credentials", kind),
        f"n8n has {what}",
        help=f"use a stored credential of this type: {', '.join(names[:8])}"
        if names
        else f"create a credential of type {kind} in n8n first",
        node=subject.node.name,
        token=str(name or identity),
        alternatives=names[:8],
    )
