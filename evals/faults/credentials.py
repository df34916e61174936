"""Makes faults in the credentials of a node, to inject into workflows."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evals.faults.catalog import Json, Unsure
from evals.faults.fault import Change, Fault, Place
from evals.faults.finding import Finders
from evals.faults.scene import Placed, Scene

# Parameters with which a node accepts any credential type that the user chooses.
_CHOOSING = frozenset({"credentialsSelect", "credentials"})


def _find_credentials(scene: Scene) -> Iterator[tuple[Placed, str]]:
    for node in scene.nodes_with_ports:
        held = node.raw.get("credentials")
        if isinstance(held, dict) and len(held) == 1:
            kind, value = next(iter(held.items()))
            if isinstance(value, dict) and value.get("id") and kind in node.tool.credentials:
                yield node, kind


def _lets_user_choose(node: Placed) -> bool:
    return any(parameter["type"] in _CHOOSING for parameter in node.variant["parameters"])


def _is_shown(node: Placed, rule: Json) -> bool | None:
    try:
        return node.root.is_shown(rule)
    except Unsure:
        return None


def _rename_kind(node: Placed, kind: str, wrong: str) -> Fault:
    at = (*node.route, "credentials", kind)
    place = Place(((*at[:-1], wrong),), (node.name,), (wrong,))
    return Fault((Change("rename", at, wrong),), place)


def use_other_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, kind in _find_credentials(scene):
        wrong = rng.choice(scene.catalog.credentials)
        if wrong not in node.tool.credentials and not _lets_user_choose(node):
            yield _rename_kind(node, kind, wrong)


def use_unknown_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, kind in _find_credentials(scene):
        wrong = rng.choice((f"{kind}Key", f"my{kind[0].upper()}{kind[1:]}", kind[:-1]))
        if wrong not in scene.catalog.credentials:
            yield _rename_kind(node, kind, wrong)


def use_type_of_other_mode(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Replaces the shown and required type with one that another mode shows."""
    for node, kind in _find_credentials(scene):
        rules = node.variant.get("credentials") or ()
        now = [rule for rule in rules if rule["name"] == kind and _is_shown(node, rule)]
        others = [rule["name"] for rule in rules if _is_shown(node, rule) is False]
        others = [other for other in others if other != kind]
        if now and now[0].get("required") and others:
            wrong = rng.choice(others)
            changes = (Change("rename", (*node.route, "credentials", kind), wrong),)
            yield Fault(changes, _place_at(node, kind, wrong))


def remove_credentials(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, kind in _find_credentials(scene):
        rules = node.variant.get("credentials") or ()
        now = [rule for rule in rules if rule["name"] == kind and _is_shown(node, rule)]
        if now and now[0].get("required"):
            changes = (Change("drop", (*node.route, "credentials")),)
            yield Fault(changes, _place_at(node, kind))


def _place_at(node: Placed, *kinds: str) -> Place:
    return Place(((*node.route, "credentials"),), (node.name,), kinds, whole_node=True)


FINDERS: Finders = {
    "credential-not-taken": use_other_type,
    "credential-unknown": use_unknown_type,
    "credential-of-other-mode": use_type_of_other_mode,
    "credential-absent": remove_credentials,
}
