"""Laws that hold for every document, however it looks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import AGENT, ROUTER
from tests.unit.domains.n8n.drafts import (
    CODE,
    FORK,
    MODEL,
    PICKY,
    REGISTRY,
    RESPOND,
    START,
    STEP,
    STORE,
    WEBHOOK,
    compile_workflow,
)

NAMES = st.sampled_from(["A", "B", "a ", "C", "", "\ud800", "#0"])
KINDS = st.sampled_from(["main", "ai_languageModel", "ai_tool", "onError"])
TYPES = st.sampled_from(
    [START, STEP, FORK, CODE, STORE, MODEL, PICKY, WEBHOOK, RESPOND, AGENT, ROUTER, "acme-nodes.x"]
)
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "={{ $('A').item }}",
            "={{ $('Q') + (",
            "={{",
            "{{ $json.a }}",
            "=\\{{ a }}",
            "={{ }}\ud800",
        ]
    ),
)
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), TEXTS, NAMES, KINDS, TYPES
)
KEYS = st.sampled_from(
    ["text", "jsCode", "mode", "count", "path", "responseMode", "language", "options", "value", ""]
)
JSON = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, NAMES), inner, max_size=3)
    ),
    max_leaves=12,
)
TARGETS = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"node": NAMES, "type": KINDS, "index": st.integers(min_value=-1, max_value=3)}
    ),
)
CONNECTIONS = st.one_of(
    JSON,
    st.dictionaries(
        NAMES,
        st.dictionaries(KINDS, st.lists(st.lists(TARGETS, max_size=2), max_size=3), max_size=2),
        max_size=4,
    ),
)
NODES = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"name": NAMES, "type": TYPES},
        optional={
            "parameters": st.one_of(JSON, st.dictionaries(KEYS, JSON, max_size=4)),
            "typeVersion": ATOMS,
            "position": JSON,
            "id": ATOMS,
            "disabled": ATOMS,
            "onError": ATOMS,
            "credentials": JSON,
        },
    ),
)
DOCUMENTS = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"nodes": st.lists(NODES, max_size=5)},
        optional={
            "connections": CONNECTIONS,
            "settings": JSON,
            "name": ATOMS,
            "pinData": JSON,
            "staticData": JSON,
            "active": ATOMS,
        },
    ),
)
PATIENT = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.long
@PATIENT
@given(DOCUMENTS, st.sampled_from(["judge", "import", "publish"]))
def test_no_document_makes_the_compiler_fail(document: Any, purpose: Any) -> None:
    """Every JSON value gets a verdict, and an artifact unless it is wrong."""
    options = CompileOptions(purpose=purpose, seed="s", path_secret=b"p")
    compilation = compile_workflow(document, options)
    assert (compilation.artifact is None) == (compilation.verdict == "wrong")
    compile_with_fixes(document, N8N, REGISTRY, options)


@pytest.mark.long
@PATIENT
@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_nodes_has_no_influence(document: Any, chance: Any) -> None:
    """Nodes in another order, with names of their own, get the same verdict and codes."""
    if not isinstance(document, dict) or not isinstance(document.get("nodes"), list):
        return
    nodes = document["nodes"]
    names = [node.get("name") for node in nodes if isinstance(node, dict)]
    named = [name for name in names if isinstance(name, str) and name]
    if len(set(named)) != len(nodes):
        return
    shuffled = list(nodes)
    chance.shuffle(shuffled)
    compilation, other = (
        compile_workflow(document),
        compile_workflow(document | {"nodes": shuffled}),
    )
    assert compilation.verdict == other.verdict
    assert sorted(d.code for d in compilation.diagnostics) == sorted(
        d.code for d in other.diagnostics
    )
