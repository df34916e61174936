"""Compile a large draft in a process of its own, which is ended when its time is up.

A thread cannot be ended, and a process that is kept would hold a second registry: a
fresh one costs under a second, for drafts that are rare.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import resource
import sys
from http import HTTPStatus
from pathlib import Path

import orjson

from grounded_builder.api.bodies import decode_object, encoded
from grounded_builder.api.compiling import Outcome, Verb, compile_draft, draft_in
from grounded_builder.api.errors import ApiError
from grounded_builder.domain import Domain
from grounded_builder.domains.known import DOMAINS
from grounded_builder.setting import Limits, Policy, Setting
from grounded_builder.settings import Settings
from grounded_builder.sighting import Sighting
from grounded_builder.storage import open_store

_LOG = logging.getLogger("grounded_builder.api")
_AT_ONCE = 2
_WAITING = 8
_MEMORY = 2_000_000_000


class Aside:
    """Runs at most two drafts aside at once; a few more wait, the rest are turned away."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0

    async def compile(
        self, verb: Verb, body: bytes, domain: Domain, catalog: str, setting: Setting
    ) -> Outcome:
        """Compile the draft in a body against a stored catalog; ApiError when it takes too long."""
        if self._waiting >= _WAITING:
            message = "too many large drafts are waiting"
            raise ApiError(HTTPStatus.SERVICE_UNAVAILABLE, "busy", message, "try again later")
        order = _order(self._settings, verb, domain, catalog, setting) + b"\n" + body
        self._waiting += 1
        try:
            async with self._free:
                return await _run(order, self._settings.deadline_s)
        finally:
            self._waiting -= 1


async def _run(order: bytes, deadline_s: float) -> Outcome:
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(deadline_s):
            answer, complaint = await child.communicate(order)
    except TimeoutError as error:
        message = f"the draft was not compiled within {deadline_s:.0f} s"
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise ApiError(status, "deadline-exceeded", message, "send a smaller draft") from error
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode != 0:
        _LOG.error("compiling aside ended with %s: %s", child.returncode, complaint[-2000:])
        message = "compiling the draft took more than it may, or failed"
        raise ApiError(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", message, "see the log")
    told = orjson.loads(answer)
    met = (Sighting(**{**one, "beside": tuple(one["beside"])}) for one in told["sighted"])
    return Outcome(**{**told, "sighted": tuple(met), "missing": tuple(told["missing"])})


def _order(settings: Settings, verb: Verb, domain: Domain, catalog: str, setting: Setting) -> bytes:
    return orjson.dumps(
        {
            "state": str(settings.state),
            "database_url": settings.database_url,
            "verb": verb,
            "domain": domain.name,
            "catalog": catalog,
            "limits": dataclasses.asdict(setting.limits),
            "policy": dataclasses.asdict(setting.policy),
            "purpose": setting.purpose,
            "seed": setting.seed,
            "path_secret": setting.path_secret.decode(),
        }
    )


def _main() -> None:
    """Read an order from standard input, write the outcome to standard output."""
    # Not RLIMIT_AS: V8 reserves far more addresses than it ever uses.
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    order = orjson.loads(sys.stdin.buffer.readline())
    draft = draft_in(decode_object(sys.stdin.buffer.read()))
    settings = Settings(state=Path(order["state"]), database_url=order["database_url"])
    domain = DOMAINS[order["domain"]]
    store = open_store(
        settings,
        {name: one.compile_tool for name, one in DOMAINS.items()},
        {name: one.builtin for name, one in DOMAINS.items() if one.builtin is not None},
    )
    setting = Setting(
        policy=Policy.from_json(order["policy"]),
        limits=Limits(**order["limits"]),
        purpose=order["purpose"],
        seed=order["seed"],
        path_secret=order["path_secret"].encode(),
    )
    outcome = compile_draft(
        order["verb"],
        draft,
        domain,
        store.registry(order["catalog"]),
        setting,
        lambda: store.references(domain.name),
    )
    sys.stdout.buffer.write(encoded(dataclasses.asdict(outcome)))


if __name__ == "__main__":
    _main()
