"""Recognizes values and parameters that only the user of an account knows: ids and list entries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded_builder.catalog.tokenize import singular, split_identifier
from grounded_builder.domains.n8n.parameters.placeholders import is_stand_in
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
# What accounts hold, such as the bucket of a storage or the table of a database.
_HOLDINGS = frozenset(
    {"account", "base", "board", "bucket", "campaign", "channel", "chat", "collection", "container"}
    | {"database", "dataset", "folder", "group", "index", "instance", "list", "project", "queue"}
    | {"room", "schema", "sheet", "site", "space", "stream", "table", "team", "tenant", "topic"}
)
_LONGEST_NAME = 60
_WORDS = re.compile(r"[A-Za-z]{1,30}(?:[ _-][A-Za-z]{1,30}){0,5}")
# Words that say nothing about which one is meant.
_FILLING = frozenset("a an the this some our my of or for new name id key value here".split())
# What services identify by its name.
_IDENTIFIED_BY_NAME = frozenset({"column", "external", "field", "property", "table"})
# What services identify by its name in every list: no word for it says that a value is an id.
_NAMED = frozenset(
    {"bucket", "collection", "container", "database", "dataset", "index", "key", "memory", "model"}
    | {"name", "queue", "schema", "stream", "tool", "topic", "zone", "timezone", "language"}
)
_PEOPLE = frozenset({"assignee", "member", "user"})
# How the labels of n8n's lists end whose options have names and ids.
_NAME_OR_ID = re.compile(r"names? or ids?$", re.IGNORECASE)


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
        others = _IDENTIFIED_BY_NAME | {singular(word) for word in split_identifier(resource)}
        return len(words) > 1 and words[-1] in _IDS and words[-2] not in others
    return prop.type == "string" and words[-1] in _ADDRESSES


def is_from_account(prop: Property) -> bool:
    """Returns whether the editor offers a list of the account for a parameter."""
    return prop.type in LOCATORS or any(key in prop.options for key in _FROM_ACCOUNT)


def is_list_of_ids(prop: Property) -> bool:
    """Returns whether the editor offers a list of the account whose entries are ids.

    The list shows names: ``pipelineId`` of HubSpot, ``labelIds`` of Gmail.
    """
    words = [singular(word) for word in split_identifier(prop.name)]
    if not words or not is_from_account(prop):
        return False
    if _NAME_OR_ID.search(str(prop.raw.get("displayName") or "").strip()):
        nouns = [word for word in words if word not in {*_IDS, "ids"}]
        return (bool(nouns) and nouns[-1] in (_HOLDINGS | _PEOPLE) - _NAMED) or _ends_with_id(words)
    return _ends_with_id(words)


def _ends_with_id(words: Sequence[str]) -> bool:
    """Returns whether the words of a name are for the id of something that has no unique name."""
    return len(words) > 1 and words[-1] in {*_IDS, "ids"} and words[-2] not in _IDENTIFIED_BY_NAME


def may_be_named(prop: Property) -> bool:
    """Returns whether the ids of what a locator points to can be its names: models, collections."""
    label = str(prop.raw.get("displayName") or "")
    words = {singular(word) for word in split_identifier(prop.name)}
    by_label = {singular(word) for word in split_identifier(label)}
    return not _NAMED.isdisjoint(words) or not (_NAMED - {"name"}).isdisjoint(by_label)


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
    words = [*split_identifier(prop.name), *split_identifier(label)]
    ids = _IDS if _IDENTIFIED_BY_NAME.isdisjoint(map(singular, words)) else frozenset[str]()
    return not (ids | _NETWORK).isdisjoint(words)


def is_own_stand_in(text: str, prop: Property) -> bool:
    """Returns whether a literal text of a parameter for an own value is to be replaced."""
    is_own = _is_holding(prop)
    return is_stand_in(text, is_own=is_own) or (is_own and _repeats_name(text, prop))


def _is_holding(prop: Property) -> bool:
    """Returns whether a parameter selects something that an account holds."""
    words = {singular(word) for word in split_identifier(prop.name)}
    return is_from_account(prop) or not _HOLDINGS.isdisjoint(words) or takes_own_text(prop)


def _repeats_name(text: str, prop: Property) -> bool:
    """Returns whether a text only repeats the name of its parameter: ``my-bucket``, ``table name``.

    A word in small letters by itself can be a name; ``My Drive`` is one.
    """
    whole = text.strip()
    if len(whole) > _LONGEST_NAME or not _WORDS.fullmatch(whole):
        return False
    words = {singular(word) for word in split_identifier(whole)}
    label = str(prop.raw.get("displayName") or "")
    own = {singular(word) for word in (*split_identifier(prop.name), *split_identifier(label))}
    own -= _FILLING
    if not words <= own | _FILLING or words.isdisjoint(own):
        return False
    return whole.isupper() or not words.isdisjoint(_FILLING - ({"my"} if " " in whole else set()))
