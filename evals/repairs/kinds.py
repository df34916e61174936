"""Lists the mechanical kinds of fault, fixed before any measurement of repair.

A fault is mechanical when exactly one workflow can be meant: it is repaired to that one, or left
and told of. Kinds that evals/faults injects as well are taken from there; those that may stand for
several meanings there are narrowed here to cases with one.
"""

from __future__ import annotations

from dataclasses import dataclass

GROUPS = ("type", "version", "name", "option", "shape", "value", "expression", "edge", "document")


@dataclass(frozen=True, slots=True)
class Mechanical:
    """One kind: what is changed in a sound workflow; ``shared`` kinds are those of evals/faults."""

    name: str
    group: str
    change: str
    shared: bool


def _make_shared(group: str, name: str, change: str) -> Mechanical:
    return Mechanical(name, group, change, True)


def _own(group: str, name: str, change: str) -> Mechanical:
    return Mechanical(name, group, change, False)


MECHANICAL: tuple[Mechanical, ...] = (
    _make_shared("type", "type-wrong-case", "a letter of the type changes case"),
    _make_shared("type", "type-without-prefix", "the package's scope or `n8n-` is left out"),
    _make_shared("type", "type-without-package", "only the short name of the type remains"),
    _make_shared("type", "type-misspelt", "two neighbouring letters of the type change places"),
    _make_shared("type", "type-other-package", "the type is moved to another installed package"),
    _own("type", "type-operation-glued", "the operation moves into the type (`gmailSend`)"),
    _own("version", "version-above-newest", "the newest version becomes one that is not yet"),
    _make_shared("version", "version-text", "the version as a text"),
    _make_shared("name", "required-misspelt", "the name of a required value gets a slip"),
    _make_shared("name", "optional-misspelt", "the name of an optional value gets a slip"),
    _make_shared(
        "name", "collection-child-unknown", "the name of a collection's child gets a slip"
    ),
    _make_shared("name", "group-unknown", "the name of a group gets a slip"),
    _own("name", "name-snake-case", "`pageSize` becomes `page_size`"),
    _own("name", "name-kebab-case", "`pageSize` becomes `page-size`"),
    _own("name", "name-spaced", "`pageSize` becomes `Page Size`"),
    _own("name", "name-as-label", "a parameter goes by the label that people see"),
    _own("name", "node-key-inside", "a setting of the node moves among its parameters"),
    _make_shared("name", "parameter-outside", "a parameter beside `parameters`"),
    _make_shared("option", "option-wrong-case", "a letter of an option changes case"),
    _own("option", "option-misspelt", "an option gets a slip that no other option is like"),
    _own("option", "option-as-label", "an option goes by the label that people see"),
    _own("option", "operator-near", "a filter's operator goes by a name near its own"),
    _own("option", "operator-old", "a filter's operator goes by its name in older versions"),
    _own("shape", "collection-in-list", "a collection is wrapped in a list"),
    _own("shape", "group-as-object", "one object where the group's list of one belongs"),
    _own("shape", "group-as-list", "a list of one where the group's object belongs"),
    _own("shape", "groups-unwrapped", "the entries of the only group stand for the collection"),
    _own("shape", "entry-unwrapped", "the only entry of the only group stands for the collection"),
    _make_shared("shape", "assignments-as-list", "a bare list of assignments"),
    _own("shape", "assignments-old-keys", "`assignments` becomes `values.string[]` of version 2"),
    _own("shape", "values-new-keys", "`values.string[]` of version 2 becomes `assignments`"),
    _own("shape", "filter-of-one", "the only condition of a filter stands for the list"),
    _own("shape", "filter-old-keys", "a filter becomes the `conditions.string[]` of version 1"),
    _own("shape", "locator-plain", "the value of a locator stands for the locator"),
    _own("shape", "locator-without-mode", "the mode `id` of a locator is left out"),
    _own("shape", "member-bare", "the only member of a list of options stands for the list"),
    _own("value", "number-as-text", "`5` becomes `'5'`"),
    _own("value", "boolean-as-text", "`true` becomes `'true'`"),
    _own("value", "flag-as-text", "a setting of the node becomes `'true'`"),
    _own("value", "operand-as-text", "a number that a filter compares becomes a text"),
    _own("value", "required-of-one", "a required value with one possible option is left out"),
    _own("expression", "equals-sign-lost", "the `=` before a value that is one expression is lost"),
    _own("expression", "reference-recased", "`$('Name')` in another case than the node's"),
    _make_shared("edge", "edge-ai-ends-at-main", "the target's type of an AI edge says main"),
    _make_shared("edge", "edge-ai-reversed", "an AI edge is drawn from the root"),
    _make_shared("edge", "edge-sub-node-on-main", "a sub-node connects by main"),
    _own("edge", "edge-from-root-on-main", "a sub-node is connected from its root by main"),
    _own("edge", "edge-ai-unindexed", "the index of an AI edge is left out"),
    _own("edge", "edge-untyped", "the type of an edge's target is left out"),
    _make_shared("edge", "edge-input-negative", "an input index below zero"),
    _own("edge", "edge-beyond-only-input", "an index beyond the only input"),
    _own("edge", "target-by-id", "edges lead to a node by its id"),
    _own("edge", "source-by-id", "edges leave a node by its id"),
    _own("edge", "target-bare", "an edge is the mere name of its target"),
    _own("edge", "edge-twice", "an edge is drawn a second time"),
    _own("edge", "target-flat", "the only target of the only output without its list"),
    _own("document", "name-of-note", "a note shares the name of a node"),
    _own(
        "document", "name-implied-by-edges", "two nodes share a name; edges still use the lost one"
    ),
    _make_shared("document", "id-twice", "two nodes share an id"),
    _own("document", "ids-absent", "the nodes have no ids"),
    _own("document", "positions-absent", "the nodes have no positions"),
    _own("document", "webhook-id-absent", "a webhook has no webhookId"),
    _make_shared("document", "workflow-key", "a key that n8n refuses beside `nodes`"),
    _make_shared("document", "settings-key", "a key that n8n refuses in `settings`"),
)
