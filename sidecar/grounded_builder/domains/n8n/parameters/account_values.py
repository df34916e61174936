"""Recognizes values and parameters that only the user of an account knows: ids and list entries."""

from __future__ import annotations

from grounded_builder.catalog.tokenize import singular, split_identifier
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property

# The keys of n8n's ``typeOptions`` with which the editor fills a list from the account.
_FROM_ACCOUNT = ("loadOptionsMethod", "loadOptions", "searchListMethod")
_IDS = frozenset({"id", "identifier", "key", "uuid", "guid", "urn"})
_ADDRESSES = frozenset(
    {"to", "cc", "bcc", "recipient", "email", "mail", "phone", "host", "hostname", "domain"}
    | {"from", "sender", "owner", "repository", "organization", "workspace", "subdomain"}
)
_NETWORK = frozenset({"address", "email", "endpoint", "phone", "server", "uri", "url"})
_TEXT_TYPES = frozenset({"string", "number"})


def is_account_value(prop: Property, resource: str) -> bool:
    """Returns whether a value comes from the user's account: an entry of its lists, an id, an
    address.

    The id of what the chosen resource is, such as ``messageId`` where messages are deleted, usually
    comes from the data of an earlier step and is no such value.
    """
    if is_from_account(prop):
        return True
    if prop.type not in _TEXT_TYPES:
        return False
    words = [singular(word) for word in split_identifier(prop.name)]
    if not words:
        return False
    if words[-1] in _IDS:
        if len(words) == 1:  # the label may name what it identifies: "Model ID"
            label = str(prop.raw.get("displayName") or "")
            words = [singular(word) for word in split_identifier(label)] or words
        of_resource = {singular(word) for word in split_identifier(resource)}
        return len(words) > 1 and words[-1] in _IDS and words[-2] not in of_resource
    return prop.type == "string" and words[-1] in _ADDRESSES


def is_from_account(prop: Property) -> bool:
    """Returns whether the editor offers a list of the account for a parameter."""
    return prop.type in LOCATORS or any(key in prop.options for key in _FROM_ACCOUNT)


def is_named_by(value: str, prop: Property) -> bool:
    """Returns whether a choice such as "post as organization" is named like a parameter.

    The parameter then holds the intended entry; the words for ids in its name do not count.
    """
    wanted = [singular(word) for word in split_identifier(value)]
    words = [singular(word) for word in split_identifier(prop.name)]
    return bool(wanted) and wanted == [word for word in words if word not in _IDS - {*wanted}]


def takes_own_text(prop: Property) -> bool:
    """Returns whether the words of a parameter are those of ids and addresses of any kind."""
    if is_account_value(prop, ""):
        return True
    label = str(prop.raw.get("displayName") or "")
    words = {*split_identifier(prop.name), *split_identifier(label)}
    return not (_IDS | _NETWORK).isdisjoint(words)
