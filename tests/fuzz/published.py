"""Requests that schemathesis makes out of the published interface, to a real sidecar, by scope.

``python -m tests.fuzz.published SECONDS`` asks new ones until the time is over and prints their
count as libFuzzer prints its own.
"""

from __future__ import annotations

import json
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from grounded_builder.storage.tokens import SCOPES
from tests.support import catalogs
from tests.support.answer_schemas import read_published_schema
from tests.support.loopback import ask
from tests.support.replicas import Forks, Replica
from tests.support.time_bounds import PATIENCE_S
from tests.support.tool_lists import make_desk_tools

_CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]
_EXAMPLES = 20


@schemathesis.serializer("application/x-ndjson")
def _lines(_: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@contextmanager
def run_server(folder: Path) -> Iterator[tuple[Replica, dict[str, str]]]:
    """A sidecar with a catalog of two domains, and a token of each scope."""
    forks = Forks(folder)
    try:
        replica = forks.replica("published", GROUNDED_DRAFTERS="planner")
        admin = {"Authorization": f"Bearer {replica.token()}"}
        for domain, content in (
            ("n8n", catalogs.acme_bytes()),
            ("tools", json.dumps(make_desk_tools()).encode()),
        ):
            path = f"{replica.url}/v1/{domain}/catalog"
            assert ask("PUT", path, content=content, headers=admin, timeout=PATIENCE_S).is_success
        tokens: dict[str, str] = {}
        for scope in SCOPES:
            body = {"label": scope, "scopes": [scope]}
            made = ask("POST", f"{replica.url}/v1/tokens", json=body, headers=admin)
            tokens[scope] = made.json()["token"]
        yield replica, tokens
    finally:
        forks.close()


def ask_all(
    replica: Replica,
    tokens: dict[str, str],
    examples: int,
    start: int,
    until: float = float("inf"),
) -> Counter[str]:
    """Asks every operation with every scope; the counts by scope and status.

    AssertionError where an answer is a fault of the server or not of its published shape, or
    where the server is gone. ``start`` chooses the requests; none is begun after ``until``.
    """
    counts: Counter[str] = Counter()
    for result in read_published_schema().get_all_operations():
        if time.monotonic() < until:
            _ask_operation(result.ok(), replica.url, tokens, (examples, start), counts)
    assert replica.answers(), "the sidecar is gone"
    return counts


def _ask_operation(
    operation: Any,
    url: str,
    tokens: dict[str, str],
    amount: tuple[int, int],
    counts: Counter[str],
) -> None:
    examples, start = amount

    @seed(start)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def hold(case: Any) -> None:
        if isinstance(case.query, dict):
            case.query.pop("wait", None)  # a question that waits as it asks for is no hang
        for scope, token in tokens.items():
            headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}
            response = case.call(base_url=url, headers=headers, timeout=PATIENCE_S)
            counts[f"{scope} {response.status_code}"] += 1
            case.validate_response(response, checks=_CHECKS)

    hold()


def main(seconds: float) -> int:
    """Ask until the time is over; 1 where an answer broke a law, which is printed."""
    counts: Counter[str] = Counter()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="grounded-fuzz-") as folder,
            run_server(Path(folder)) as (replica, tokens),
        ):
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                counts += ask_all(replica, tokens, _EXAMPLES, secrets.randbits(32), until)
    finally:
        print(dict(counts))
        print(f"stat::number_of_executed_units: {sum(counts.values())}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
