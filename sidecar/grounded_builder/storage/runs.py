"""Stores and reads recorded generations: every prompt, reply and verdict.

Recognizable secrets are removed before anything is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, delete, insert, select, update

from grounded_builder.compiler.name_stats import NameOccurrence, find_corrections
from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.drafting.token_estimate import tokens_of
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.storage import name_stats
from grounded_builder.storage.database import begin_read
from grounded_builder.storage.schema import RUN_DRAFTS, RUNS
from grounded_builder.storage.stored_text import CleanText, clean_json, load_json, storable
from grounded_builder.storage.timestamps import utc_now

_TEXT = 20_000
_REPLY = 400_000
_PARSED = 1_000_000
_SAID = ("messages", "reply", "failed", "parsed", "resolved", "resolutions", "diagnostics")


@dataclass(frozen=True, slots=True)
class NewRun:
    """A generation that starts; ``shown`` are the tools named in its prompt.

    ``prompt`` accounts for the rest of it: tokens and budget, services, and omissions.
    """

    id: str
    domain: str
    request: str
    constraints: Mapping[str, Any]
    drafter: str
    catalog: str
    prompt_version: str
    shown: tuple[str, ...]
    prompt: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft: the prompt, the reply, and the compiler's results as JSON values.

    ``failed`` is the reason why no reply arrived; ``resolutions`` give for each name the chosen
    tool and the others; ``ms`` is the compile time alone. The names ``sighted`` are counted.
    """

    number: int
    drafter: str
    messages: Any
    reply: str | None = None
    failed: str | None = None
    parsed: Any = None
    resolved: Any = None
    resolutions: Any = None
    verdict: str | None = None
    diagnostics: Any = None
    ms: float = 0.0
    sighted: tuple[NameOccurrence, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a generation; ``result`` is the whole answer, ``ms`` the time since its start."""

    outcome: str
    reason: str | None
    summary: str
    rounds: int
    result: Mapping[str, Any]
    ms: float


Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DraftRow:
    """The columns of a draft, and the counts of names in it; both without secrets."""

    values: Mapping[str, Any]
    sighted: Mapping[NameOccurrence, int]


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in short; ``outcome`` is None while it is open or abandoned."""

    id: str
    domain: str
    request: str
    drafter: str
    catalog: str
    outcome: str | None
    reason: str | None
    summary: str | None
    rounds: int | None
    ms: int | None
    started_at: str
    ended_at: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run in full."""

    line: RunLine
    constraints: Any
    prompt_version: str
    shown: list[str]
    prompt: Any
    drafts: tuple[dict[str, Any], ...]
    result: Any

    def as_json(self) -> dict[str, Any]:
        """Returns the run as plain JSON, its line first."""
        return {
            **asdict(self.line),
            "constraints": self.constraints,
            "prompt_version": self.prompt_version,
            "shown": self.shown,
            "prompt": self.prompt,
            "drafts": list(self.drafts),
            "result": self.result,
        }


def row_of_run(run: NewRun) -> Columns:
    """Returns the row of a generation that starts, without secrets."""
    clean = without_secrets({"request": run.request, "constraints": run.constraints})
    return {
        "id": run.id,
        "domain": run.domain,
        "request": CleanText(storable(clean["request"], _TEXT)),
        "constraints": CleanText(dump_json(clean["constraints"])) if clean["constraints"] else None,
        "drafter": storable(run.drafter, 200),
        "catalog": run.catalog,
        "prompt_version": run.prompt_version,
        "shown": clean_json({"tools": run.shown, "prompt": run.prompt}),
    }


def row_of_draft(draft: Draft) -> DraftRow:
    """Returns the row of a draft, without secrets."""
    # Cleaned together: a secret recognized in one of them is removed from all.
    clean = without_secrets({name: getattr(draft, name) for name in _SAID})
    values = {
        "number": draft.number,
        "drafter": storable(draft.drafter, 200),
        "messages": CleanText(dump_json(clean["messages"])),
        "reply": None if draft.reply is None else CleanText(storable(clean["reply"], _REPLY)),
        "failed": None if draft.failed is None else CleanText(storable(clean["failed"], _TEXT)),
        "parsed": _truncate(clean["parsed"]),
        "resolved": _truncate(clean["resolved"]),
        "resolutions": _truncate(clean["resolutions"]),
        "verdict": draft.verdict,
        "diagnostics": _truncate(clean["diagnostics"]),
        "ms": round(draft.ms),
    }
    return DraftRow(values, name_stats.counts_by_name(draft.sighted))


def row_of_ending(ending: Ending) -> Columns:
    """Returns the columns of the end of a generation, without secrets."""
    clean = without_secrets({"summary": ending.summary, "result": ending.result})
    return {
        "outcome": ending.outcome,
        "reason": ending.reason,
        "summary": CleanText(storable(clean["summary"], _TEXT)),
        "rounds": ending.rounds,
        "result": CleanText(dump_json(clean["result"])),
        "ms": round(ending.ms),
    }


def begin(connection: Connection, run: Columns, number: int) -> None:
    """Records the start of a generation; only the newest ``number`` runs stay."""
    connection.execute(insert(RUNS).values({**run, "started_at": utc_now()}))
    last = select(RUNS.c.id).order_by(RUNS.c.id.desc()).offset(number).limit(1)
    surplus = connection.execute(last).scalar()
    if surplus is not None:
        connection.execute(delete(RUNS).where(RUNS.c.id <= surplus))


def add_draft(connection: Connection, run_id: str, draft: DraftRow) -> None:
    """Records a draft of a run."""
    values = {**draft.values, "run": run_id, "at": utc_now()}
    connection.execute(insert(RUN_DRAFTS).values(values))
    if draft.sighted:
        name_stats.add(connection, _domain_of(connection, run_id), draft.sighted)


def end(connection: Connection, run_id: str, ending: Columns) -> None:
    """Records the end of a generation."""
    values = {**ending, "ended_at": utc_now()}
    connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(values))
    if ending["rounds"] > 1:
        drafts = [_draft(row) for row in connection.execute(_drafts_of(run_id))]
        pairs = find_corrections(ending["outcome"], drafts)
        name_stats.note_corrections(connection, _domain_of(connection, run_id), run_id, pairs)


def list_runs(engine: Engine, limit: int, before: str = "") -> tuple[RunLine, ...]:
    """Returns the newest runs; ``before`` is the id of a run, for the next page."""
    statement = select(RUNS).order_by(RUNS.c.id.desc()).limit(limit)
    if before:
        statement = statement.where(RUNS.c.id < before)
    with begin_read(engine) as connection:
        return tuple(_line(row) for row in connection.execute(statement))


def get_run(engine: Engine, run_id: str) -> Run | None:
    """Returns a run with its drafts in order; None when no run has this id."""
    with begin_read(engine) as connection:
        row = connection.execute(select(RUNS).where(RUNS.c.id == run_id)).first()
        if row is None:
            return None
        shown = load_json(row.shown)
        prompt_facts = shown if isinstance(shown, dict) else {"tools": shown, "prompt": None}
        return Run(
            line=_line(row),
            constraints=load_json(row.constraints),
            prompt_version=row.prompt_version,
            shown=prompt_facts["tools"],
            prompt=prompt_facts["prompt"],
            drafts=tuple(_draft(draft) for draft in connection.execute(_drafts_of(run_id))),
            result=load_json(row.result),
        )


def newest_drafts(engine: Engine, domain: str, limit: int) -> list[tuple[str, Any]]:
    """Returns the newest parsed drafts of a domain, each with its run."""
    statement = (
        select(RUN_DRAFTS.c.run, RUN_DRAFTS.c.parsed)
        .join(RUNS, RUNS.c.id == RUN_DRAFTS.c.run)
        .where(RUNS.c.domain == domain, RUN_DRAFTS.c.parsed.is_not(None))
        .order_by(RUN_DRAFTS.c.run.desc(), RUN_DRAFTS.c.number)
        .limit(limit)
    )
    with begin_read(engine) as connection:
        return [(row[0], load_json(row[1])) for row in connection.execute(statement)]


def _drafts_of(run_id: str) -> Select[Any]:
    return select(RUN_DRAFTS).where(RUN_DRAFTS.c.run == run_id).order_by(RUN_DRAFTS.c.number)


def _domain_of(connection: Connection, run_id: str) -> str:
    return str(connection.execute(select(RUNS.c.domain).where(RUNS.c.id == run_id)).scalar_one())


def _truncate(clean: Any) -> CleanText | None:
    if clean is None:
        return None
    text = dump_json(clean)
    if len(text) > _PARSED:
        text = dump_json({"omitted": f"{len(text):,} characters"})
    return CleanText(text)


def _line(row: Row[Any]) -> RunLine:
    return RunLine(**{field.name: getattr(row, field.name) for field in fields(RunLine)})


def _content(message: Any) -> str:
    text = message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) else ""


def _draft(row: Row[Any]) -> dict[str, Any]:
    messages = load_json(row.messages)
    return {
        "number": row.number,
        "drafter": row.drafter,
        "messages": messages,
        "tokens": tokens_of((*(_content(message) for message in messages or ()), row.reply or "")),
        "reply": row.reply,
        "failed": row.failed,
        "parsed": load_json(row.parsed),
        "resolved": load_json(row.resolved),
        "resolutions": load_json(row.resolutions),
        "verdict": row.verdict,
        "diagnostics": load_json(row.diagnostics),
        "ms": row.ms,
        "at": row.at,
    }
