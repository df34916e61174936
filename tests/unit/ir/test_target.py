"""Stated facts about an installation reach the domain, and only the domain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from examples.domain.irrigation import IRRIGATION
from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.receipt import ReceiptClaims, Signer, make_receipt
from grounded_builder.domains.known import DOMAINS, TARGET_OPTIONS
from grounded_builder.drafting.constraints import (
    constraints_of,
    denied_by,
    unavailable_under,
    with_bounds,
)
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.ir.resolution import NameContext, Resolution
from grounded_builder.ir.target import Exclusion, Target, TargetError, TargetOption
from grounded_builder.resolve import resolve_name
from grounded_builder.resolve.query import QueryError, answer_query
from grounded_builder.services.isolation.exchange import pack, unpack
from grounded_builder.settings import SettingsError, from_environment
from tests.support import catalogs

_SPRINKLE, _DRIP = "garden.sprinkle", "garden.drip"
_SOIL = TargetOption(
    "soil",
    "The soil.",
    expects="sand, loam or clay",
    is_valid={"sand", "loam", "clay"}.__contains__,
)
_PIPES = TargetOption("pipes", "The pipes that are laid.", is_list=True)
_RELEASE = {"release": "R2024b"}
_PRODUCTS = {"products": ("Stateflow", "Simscape")}


def _reason(tool: str, _registry: Registry, context: NameContext) -> str:
    if tool == _DRIP and context.target.text("soil") == "clay":
        return "clay does not take drips"
    pipes = context.target.names("pipes")
    return f"there is no pipe for {tool}" if pipes and tool not in pipes else ""


def _resolve(text: str, registry: Registry, context: NameContext | None) -> Resolution:
    resolution = resolve_name(text, registry, context)
    if (
        context is None
        or resolution.tool is None
        or not _reason(resolution.tool, registry, context)
    ):
        return resolution
    return replace(resolution, status="unknown", tool=None)


_GARDEN = replace(
    IRRIGATION,
    resolving=replace(
        IRRIGATION.resolving,
        resolve=_resolve,
        target_options=(_SOIL, _PIPES),
        exclusions=(Exclusion("drought", lambda names, _registry: names),),
        unavailable_reason=_reason,
    ),
)


@pytest.fixture(scope="module")
def registry() -> Registry:
    """Returns a catalog of two tools of a domain that has target options of its own."""
    tools = [
        {
            "kind": "tool",
            "id": identity,
            "name": name,
            "package": "garden",
            "variants": [{"versions": [1], "inputs": [], "outputs": [], "parameters": []}],
        }
        for identity, name in ((_SPRINKLE, "Sprinkler"), (_DRIP, "Drip line"))
    ]
    header = catalogs.header(domain="irrigation", versions={}, packages=[{"name": "garden"}])
    prepared = prepare_catalog(
        read_catalog(catalogs.jsonl(catalogs.add_end_line([header, *tools])))
    )
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    return open_registry(
        open_index(prepared.index),
        prepared.fingerprint,
        bodies.__getitem__,
        _GARDEN.resolving.compile_tool,
    )


def _messages(plan: dict[str, Any], registry: Registry, policy: Policy | None = None) -> list[str]:
    options = CompileOptions(policy=policy or Policy())
    made = compile_draft(plan, _GARDEN, registry, options)
    return [diagnostic.message for diagnostic in made.diagnostics]


_REFUSED = [f"{_DRIP} is not available: clay does not take drips"]


@pytest.mark.parametrize(
    ("stated", "of_step", "target", "expected"),
    [
        ({}, {}, {}, []),
        ({"soil": "clay"}, {}, {}, _REFUSED),
        ({"constraints": {"soil": " clay "}}, {}, {}, _REFUSED),
        ({}, {"soil": "clay"}, {}, _REFUSED),
        ({}, {}, {"soil": "clay"}, _REFUSED),
        ({"soil": "clay"}, {"soil": "sand"}, {}, []),
        ({"soil": "sand"}, {}, {"soil": "clay"}, []),
        ({"pipes": _SPRINKLE}, {}, {}, [f"{_DRIP} is not available: there is no pipe for {_DRIP}"]),
        ({"pipes": [_DRIP]}, {}, {"soil": "clay"}, _REFUSED),
    ],
)
def test_a_step_has_its_own_target_then_that_of_its_plan_then_that_of_the_policy(
    stated: dict[str, Any],
    of_step: dict[str, Any],
    target: dict[str, Any],
    expected: list[str],
    registry: Registry,
) -> None:
    """Each option is taken from the nearest place that states it, and the domain judges by it."""
    plan = {**stated, "steps": [{"id": "bed", "tool": _DRIP, **of_step}]}
    assert _messages(plan, registry, Policy(target=Target.of(target))) == expected


def test_an_option_that_the_domain_lacks_is_no_key_of_a_plan(registry: Registry) -> None:
    """The options of one domain mean nothing to another, which is not silent."""
    plan = {"steps": [{"id": "bed", "tool": _DRIP, "release": "R2024b"}]}
    assert _messages(plan, registry) == ['"release" is not a key of a plan\'s step and was ignored']


def test_constraints_state_the_target_of_a_request(registry: Registry) -> None:
    """They replace what the policy states of the same option and exclude tools by name."""
    policy = Policy(target=Target.of({"soil": "clay", "pipes": (_DRIP, _SPRINKLE)}))
    assert unavailable_under(policy, _GARDEN, registry) == (_DRIP,)
    given = constraints_of({"soil": "loam", "drought": [_SPRINKLE], "mood": "good"}, _GARDEN)
    assert unavailable_under(with_bounds(policy, given), _GARDEN, registry) == ()
    assert denied_by(given, _GARDEN, registry) == (_SPRINKLE,)
    assert given.fault == ""
    assert dict(given.rest) == {"soil": "loam", "mood": "good"}


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"soil": "mud"}, 'soil is "mud", not sand, loam or clay'),
        ({"soil": ["clay"]}, "soil is a list, not sand, loam or clay"),
        ({"soil": 7}, 'soil is "7", not sand, loam or clay'),
        ({"pipes": {"a": 1}}, "pipes is an object, not a list of names"),
    ],
)
def test_a_value_that_an_option_cannot_have_is_refused(
    given: dict[str, Any], fault: str, registry: Registry
) -> None:
    """Constraints, questions and settings name the value, in words of the domain."""
    assert constraints_of(given, _GARDEN).fault == fault
    with pytest.raises(QueryError, match=fault):
        answer_query("Drip line", given, registry, resolving=_GARDEN.resolving)
    option, value = {"soil": _SOIL, "pipes": _PIPES}[next(iter(given))], next(iter(given.values()))
    with pytest.raises(TargetError, match=fault):
        option.read(value, option.name)


def test_settings_state_the_target_of_a_policy() -> None:
    """A variable has the name of its option; commas separate names."""
    options = (_SOIL, _PIPES)
    settings = from_environment(options, {"GROUNDED_SOIL": "loam", "GROUNDED_PIPES": "a, b,a"})
    assert settings.policy.target == Target.of({"soil": "loam", "pipes": ("a", "b")})
    with pytest.raises(SettingsError, match='GROUNDED_SOIL is "mud", not sand, loam or clay'):
        from_environment(options, {"GROUNDED_SOIL": "mud"})


def test_a_question_states_the_target_of_its_answer(registry: Registry) -> None:
    """The domain resolves a name within what the question states."""
    for soil, tool in (("sand", _DRIP), ("clay", None)):
        resolution = answer_query("Drip line", {"soil": soil}, registry, "", _GARDEN.resolving)
        assert resolution.tool == tool


def test_each_option_is_of_one_domain() -> None:
    """An option of two domains would mean two things in one policy, and share a variable."""
    names = [option.name for known in DOMAINS.values() for option in known.resolving.target_options]
    assert sorted(names) == sorted(TARGET_OPTIONS)
    assert not {*names} & {"denied", "opened", "allowed_hosts", "allow_environment"}


def test_a_process_of_its_own_judges_by_the_same_target() -> None:
    """A policy with a target is sent to the process that compiles, and has the same hash there."""
    policy = Policy(target=Target.of({**_RELEASE, **_PRODUCTS}))
    sent = unpack(pack(policy))
    assert sent == policy
    assert sent.hash == policy.hash


# Made when release and products were fields of the policy: receipts of then are still good.
@pytest.mark.parametrize(
    ("policy", "digest", "signature"),
    [
        (
            Policy(),
            "080dda96a1ddaff1f33c60141c72abc14f4f9113ba3976d322df7bdc1c35ded8",
            "fc7bd82e2e989a432241a59f52130fe0684834940036b19350b7b5e21c083e67",
        ),
        (
            Policy(target=Target.of(_RELEASE)),
            "3278f579184f2e18f20b8a0b6604773cbcef8f50b4a3eb7e717a2100c930bdaf",
            "5b7750cd9e10d0cae08685c0c1427079cde747a38d0869c11065f6ab0c0c7f20",
        ),
        (
            Policy(target=Target.of(_PRODUCTS)),
            "21b497c46ef0edadb8f4f2b0b6887a576da896df6bec220b5745d7f25ffc87af",
            "6af558f788f9026919cdb80042258b9e690f311df80e056bf099070dc08bb61f",
        ),
        (
            Policy(
                target=Target.of({"release": "R2019b", "products": ("Simscape",)}),
                denied=("b", "a"),
                allowed_hosts=("x.test",),
                no_code=True,
                opened=("host-access",),
                installable=("p",),
            ),
            "97f5106c1e2f2ec885becfe8ec5186043982a806c810b32b759f38ea715b575b",
            "12956d91cd4e993e5ab17d01c27e51e74753fbc4bb1a77a0e545e2f11d7077a1",
        ),
    ],
)
def test_a_target_changes_no_receipt(policy: Policy, digest: str, signature: str) -> None:
    """The hash of a policy, and so the signature of a receipt, is that of its values alone."""
    assert policy.hash == digest
    artifact: dict[str, Any] = {"name": "x", "nodes": []}
    claims = ReceiptClaims("c" * 64, policy.hash, "i")
    receipt = make_receipt(artifact, "ok", claims, Signer.of(b"s"), now=1000, lifetime_s=60)
    assert receipt["signature"] == signature
