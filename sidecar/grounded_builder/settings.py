"""Defines the settings, and reads them from ``GROUNDED_*`` environment variables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from grounded_builder.catalog.catalog_file import Bounds
from grounded_builder.compiler.approval import REASONS
from grounded_builder.drafting.conversation import ConversationLimits as TalkBounds
from grounded_builder.ir.hosts import parse_host
from grounded_builder.ir.options import Limits, Policy
from grounded_builder.ir.target import Target, TargetError, TargetOption
from grounded_builder.redaction.own_secrets import register_own_secrets

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8377
MOST_ROUNDS = 20
PLANNER = "planner"
LOCAL = "local"


class SettingsError(ValueError):
    """A variable of the environment has an invalid value; the message names it."""


@dataclass(frozen=True, slots=True)
class ModelSetting:
    """A model of an OpenAI-compatible endpoint: the base URL, its name there, the key."""

    url: str
    model: str
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LocalSetting:
    """The model on this machine: its file, None for the packaged one, and its limits in tokens."""

    path: Path | None = None
    context: int = 8_192
    tokens: int = 300
    threads: int = 1


@dataclass(frozen=True, slots=True)
class RehearsalSetting:
    """The programs of rehearsals: Node, the start script of n8n, the script of the proxy.

    ``packages`` is the folder with the community packages of the user's n8n, if there is one.
    """

    node: Path
    n8n: Path
    proxy: Path
    packages: Path | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the sidecar: state, addresses, models and limits.

    Secrets are left out of ``repr``, and so of logs. Drafts of up to ``inline_bytes`` are compiled
    in the server process. A larger draft is compiled in a process of its own, within ``deadline_s``
    and with ``compile_memory`` bytes more than at its start.

    A process works on ``requests`` at once, and on ``token_requests`` of one token. ``waiting`` and
    ``token_waiting`` limit the requests that wait for something else, ``generations`` those that
    wait for models. A process has at most ``connections``. A client has ``head_seconds`` for the
    head of a request, ``stall_seconds`` to read 16 KB of an answer, and ``idle_seconds`` until its
    next request. A worker without a sign of life is replaced after ``silent_seconds``.

    ``drafters`` are asked in this order, by the names of ``models``, "local" or "planner";
    ``repairers`` from the second round on. ``model_seconds`` limits one reply,
    ``conversation_limits`` a whole conversation. With ``share_drafts`` prompts contain names and
    plans of earlier conversations, whosever they are; with ``share_lists`` also candidates of the
    account's lists. With ``native_drafts`` drafters may answer
    with a native document in place of a plan.
    """

    state: Path
    database_url: str = field(repr=False)
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    workers: int = 1
    n8n_url: str | None = None
    n8n_api_key: str | None = field(default=None, repr=False)
    n8n_email: str | None = None
    n8n_password: str | None = field(default=None, repr=False)
    rehearsal: RehearsalSetting | None = None
    receipt_key: str | None = field(default=None, repr=False)
    receipt_seconds: int = 3_600
    kept_catalogs: int = 5
    max_stored_runs: int = 10_000
    session_seconds: int = 3_600
    models: Mapping[str, ModelSetting] = field(default_factory=dict)
    drafters: tuple[str, ...] = (PLANNER,)
    repairers: tuple[str, ...] = ()
    local: LocalSetting = field(default_factory=LocalSetting)
    model_seconds: int = 60
    conversation_limits: TalkBounds = field(default_factory=TalkBounds)
    share_drafts: bool = False
    share_lists: bool = False
    native_drafts: bool = False
    inline_bytes: int = 128_000
    deadline_s: float = 30.0
    requests: int = 512
    token_requests: int = 256
    waiting: int = 1_024
    token_waiting: int = 512
    generations: int = 256
    connections: int = 2_000
    head_seconds: int = 10
    stall_seconds: int = 20
    idle_seconds: int = 75
    silent_seconds: int = 15
    compile_memory: int = 300_000_000
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        """Hides the keys in every text that leaves this process."""
        keys = (
            self.n8n_api_key,
            self.n8n_password,
            self.receipt_key,
            urlsplit(self.database_url).password,
        )
        register_own_secrets(*keys, *(model.key for model in self.models.values()))

    @property
    def body_bytes(self) -> int:
        """The largest request body except for catalogs: a draft in its JSON wrapping."""
        return self.limits.draft_bytes + 65_536

    @property
    def has_n8n(self) -> bool:
        """Whether an n8n is configured, with a key."""
        return self.n8n_url is not None and self.n8n_api_key is not None


def from_environment(
    target_options: Iterable[TargetOption], environ: Mapping[str, str] | None = None
) -> Settings:
    """Returns the settings in ``GROUNDED_*`` variables; raises SettingsError for an invalid one.

    ``target_options`` are those of the served domains.
    """
    env = {
        key: value.strip()
        for key, value in (os.environ if environ is None else environ).items()
        if key.startswith("GROUNDED_") and value.strip()
    }
    state = _state_folder(env)
    models = _read_models(env)
    return Settings(
        state=state,
        database_url=env.get("GROUNDED_DATABASE_URL") or sqlite_url(state),
        host=env.get("GROUNDED_HOST", DEFAULT_HOST),
        port=_read_number(env, "GROUNDED_PORT", DEFAULT_PORT, 0, 65_535),
        workers=_read_number(env, "GROUNDED_WORKERS", 1, 1, 64),
        n8n_url=_read_url(env, "GROUNDED_N8N_URL"),
        n8n_api_key=env.get("GROUNDED_N8N_API_KEY"),
        n8n_email=env.get("GROUNDED_N8N_EMAIL"),
        n8n_password=env.get("GROUNDED_N8N_PASSWORD"),
        rehearsal=_read_rehearsal(env),
        receipt_key=env.get("GROUNDED_RECEIPT_KEY"),
        receipt_seconds=_read_number(env, "GROUNDED_RECEIPT_SECONDS", 3_600, 1, 31_536_000),
        kept_catalogs=_read_number(env, "GROUNDED_KEPT_CATALOGS", 5, 1, 1_000),
        max_stored_runs=_read_number(env, "GROUNDED_KEPT_RUNS", 10_000, 1, 100_000_000),
        session_seconds=_read_number(env, "GROUNDED_SESSION_SECONDS", 3_600, 1, 604_800),
        models=models,
        drafters=_read_drafters(env, "GROUNDED_DRAFTERS", models) or (*models, PLANNER),
        repairers=_read_drafters(env, "GROUNDED_REPAIRERS", models),
        local=_read_local_model(env),
        model_seconds=_read_number(env, "GROUNDED_MODEL_SECONDS", 60, 1, 3_600),
        conversation_limits=_read_talk_bounds(env),
        share_drafts=_read_flag(env, "GROUNDED_SHARE_DRAFTS"),
        share_lists=_read_flag(env, "GROUNDED_SHARE_LISTS"),
        native_drafts=_read_flag(env, "GROUNDED_NATIVE_DRAFTS"),
        inline_bytes=_read_number(env, "GROUNDED_INLINE_BYTES", 128_000, 0, 100_000_000),
        deadline_s=_read_number(env, "GROUNDED_DEADLINE_SECONDS", 30, 1, 600),
        requests=_read_number(env, "GROUNDED_REQUESTS", 512, 1, 100_000),
        token_requests=_read_number(env, "GROUNDED_TOKEN_REQUESTS", 256, 1, 100_000),
        waiting=_read_number(env, "GROUNDED_WAITING", 1_024, 1, 100_000),
        token_waiting=_read_number(env, "GROUNDED_TOKEN_WAITING", 512, 1, 100_000),
        generations=_read_number(env, "GROUNDED_GENERATIONS", 256, 1, 10_000),
        connections=_read_number(env, "GROUNDED_CONNECTIONS", 2_000, 1, 1_000_000),
        head_seconds=_read_number(env, "GROUNDED_HEAD_SECONDS", 10, 1, 3_600),
        stall_seconds=_read_number(env, "GROUNDED_STALL_SECONDS", 20, 1, 3_600),
        idle_seconds=_read_number(env, "GROUNDED_IDLE_SECONDS", 75, 1, 3_600),
        silent_seconds=_read_number(env, "GROUNDED_SILENT_SECONDS", 15, 2, 3_600),
        compile_memory=_read_number(
            env, "GROUNDED_COMPILE_MEMORY", 300_000_000, 50_000_000, 10**12
        ),
        limits=_read_limits(env),
        bounds=_read_bounds(env),
        policy=Policy(
            allow_host_access=_read_flag(env, "GROUNDED_ALLOW_HOST_ACCESS"),
            allow_environment=_read_flag(env, "GROUNDED_ALLOW_ENVIRONMENT"),
            denied=_read_list(env, "GROUNDED_DENIED_TOOLS"),
            installable=_read_list(env, "GROUNDED_INSTALLABLE_PACKAGES"),
            target=_read_target(env, target_options),
            allowed_hosts=_read_hosts(env, "GROUNDED_ALLOWED_HOSTS"),
            no_code=_read_flag(env, "GROUNDED_NO_CODE"),
            core_only=_read_flag(env, "GROUNDED_CORE_ONLY"),
            no_host_access=_read_flag(env, "GROUNDED_NO_HOST_ACCESS"),
            opened=_read_opened(env, "GROUNDED_OPEN"),
            own_hosts=_find_own_hosts(env),
        ),
    )


def sqlite_url(state: Path) -> str:
    """Returns the URL of the SQLite file in a state folder."""
    return f"sqlite:///{state / 'grounded.db'}"


def _state_folder(env: Mapping[str, str]) -> Path:
    """Returns ``GROUNDED_STATE``, else an existing ``.state`` here, else the user's folder."""
    path = env.get("GROUNDED_STATE")
    if path:
        return Path(path).expanduser().absolute()
    local = Path(".state").absolute()
    return local if local.is_dir() else platformdirs.user_state_path("grounded-builder")


def _read_limits(env: Mapping[str, str]) -> Limits:
    base = Limits()
    return Limits(
        draft_bytes=_read_number(env, "GROUNDED_DRAFT_BYTES", base.draft_bytes, 1_000, 100_000_000),
        depth=_read_number(env, "GROUNDED_DRAFT_DEPTH", base.depth, 10, 240),
        nodes=_read_number(env, "GROUNDED_DRAFT_NODES", base.nodes, 1, 1_000_000),
        values=_read_number(env, "GROUNDED_DRAFT_VALUES", base.values, 1_000, 100_000_000),
    )


def _read_talk_bounds(env: Mapping[str, str]) -> TalkBounds:
    base = TalkBounds()
    return TalkBounds(
        rounds=_read_number(env, "GROUNDED_ROUNDS", base.rounds, 1, MOST_ROUNDS),
        seconds=_read_number(env, "GROUNDED_TALK_SECONDS", round(base.seconds), 1, 86_400),
        tokens=_read_number(env, "GROUNDED_TALK_TOKENS", base.tokens, 500, 100_000_000),
        prompt_tokens=_read_number(
            env, "GROUNDED_PROMPT_TOKENS", base.prompt_tokens, 500, 1_000_000
        ),
    )


def _read_models(env: Mapping[str, str]) -> dict[str, ModelSetting]:
    """Returns the configured endpoints: "model", then "model2" to "model9"."""
    models: dict[str, ModelSetting] = {}
    for number in ("", *map(str, range(2, 10))):
        variable = f"GROUNDED_MODEL{number}"
        url, name = _read_url(env, f"{variable}_URL"), env.get(variable)
        if url is not None and name is None:
            raise SettingsError(f"{variable}_URL is set, but {variable} names no model")
        if url is not None and name is not None:
            models[f"model{number}"] = ModelSetting(url, name, env.get(f"{variable}_KEY"))
    return models


def _read_drafters(env: Mapping[str, str], name: str, models: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns names of drafters; raises SettingsError for one that is not configured."""
    order = tuple(dict.fromkeys(text.casefold() for text in _read_list(env, name)))
    known = (*models, LOCAL, PLANNER)
    for text in order:
        if text not in known:
            hint = f"; {text} needs GROUNDED_{text.upper()}_URL" if text.startswith("model") else ""
            raise SettingsError(f"{name} names {text[:40]!r}, known: {', '.join(known)}{hint}")
    return order


def _read_local_model(env: Mapping[str, str]) -> LocalSetting:
    base = LocalSetting()
    path = env.get("GROUNDED_LOCAL_MODEL")
    # Leaves one core to other processes: threads that wait for each other cost more than a core.
    cores = max(1, min(4, (os.cpu_count() or 1) - 1))
    return LocalSetting(
        path=Path(path).expanduser().absolute() if path else None,
        context=_read_number(env, "GROUNDED_LOCAL_CONTEXT", base.context, 512, 1_000_000),
        tokens=_read_number(env, "GROUNDED_LOCAL_TOKENS", base.tokens, 16, 100_000),
        threads=_read_number(env, "GROUNDED_LOCAL_THREADS", cores, 1, 256),
    )


def _read_rehearsal(env: Mapping[str, str]) -> RehearsalSetting | None:
    """Returns the programs of rehearsals; None unless all are configured."""
    names = [f"GROUNDED_REHEARSAL_{part}" for part in ("NODE", "N8N", "PROXY")]
    paths = [Path(env[name]).expanduser().absolute() for name in names if name in env]
    packages = _read_packages(env)
    if len(paths) < len(names):
        return None
    for name, path in zip(names, paths, strict=True):
        if not path.is_file():
            raise SettingsError(f"{name} is {str(path)!r}, which is not a file")
    node, n8n, proxy = paths
    return RehearsalSetting(node, n8n, proxy, packages)


def _read_packages(env: Mapping[str, str]) -> Path | None:
    """Returns the folder with community packages, None for none."""
    text = env.get("GROUNDED_REHEARSAL_PACKAGES")
    if not text:
        return None
    folder = Path(text).expanduser().absolute()
    if not folder.is_dir():
        raise SettingsError(f"GROUNDED_REHEARSAL_PACKAGES is {text!r}, which is not a folder")
    return folder


def _read_bounds(env: Mapping[str, str]) -> Bounds:
    base = Bounds()
    largest = _read_number(env, "GROUNDED_CATALOG_BYTES", base.file_bytes, 1_000, 4_000_000_000)
    return Bounds(
        file_bytes=largest,
        line_bytes=min(base.line_bytes, largest),
        lines=base.lines,
        depth=base.depth,
    )


def _read_number(
    env: Mapping[str, str], name: str, default: int, minimum: int, maximum: int
) -> int:
    text = env.get(name)
    if text is None:
        return default
    if not text.isdecimal() or not minimum <= int(text[:20]) <= maximum:
        raise SettingsError(
            f"{name} is {text[:40]!r}, not a whole number from {minimum} to {maximum}"
        )
    return int(text)


def _read_flag(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "0").casefold()
    if text not in ("0", "1", "false", "true", "no", "yes"):
        raise SettingsError(f"{name} is {text[:40]!r}, not 0 or 1")
    return text in ("1", "true", "yes")


def _read_target(env: Mapping[str, str], options: Iterable[TargetOption]) -> Target:
    variables = {option: f"GROUNDED_{option.name.upper()}" for option in options}
    try:
        return Target.of(
            {
                option.name: option.read_text(env.get(variable, ""), variable)
                for option, variable in variables.items()
            }
        )
    except TargetError as error:
        raise SettingsError(str(error)) from error


def _read_hosts(env: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    return _read_list(env, name) if name in env else None


def _read_opened(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    opened = _read_list(env, name)
    for reason in opened:
        if reason not in REASONS:
            raise SettingsError(f"{name} names {reason[:40]!r}, known: {', '.join(REASONS)}")
    return tuple(dict.fromkeys(opened))


def _find_own_hosts(env: Mapping[str, str]) -> tuple[str, ...]:
    url = _read_url(env, "GROUNDED_N8N_URL")
    host = None if url is None else parse_host(url)
    return () if host is None else (host,)


def _read_list(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in env.get(name, "").split(",") if part.strip())


def _read_url(env: Mapping[str, str], name: str) -> str | None:
    text = env.get(name)
    if text is None:
        return None
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{name} is not an http or https address with a host")
    if parts.username is not None or parts.query or parts.fragment:
        raise SettingsError(f"{name} has a user, a query or a fragment; it takes none")
    return text.rstrip("/")
