"""Defines the tables; column types are portable, times are UTC, JSON is text."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite counts up by itself only for a column of exactly type INTEGER.
COUNTED = BigInteger().with_variant(Integer, "sqlite")

FINGERPRINT = String(64)

ULID = String(26)

UTC = String(32)  # ISO 8601 with Z: sorts as text, and reads the same in every database

HEAD = "0010"
"""The newest migration; a database at this revision is opened without Alembic."""


CATALOGS = Table(
    "catalogs",
    METADATA,
    Column("fingerprint", FINGERPRINT, primary_key=True),
    Column("domain", String(64), nullable=False),
    Column("header", Text, nullable=False),
    Column("tools", Integer, nullable=False),
    Column("credentials", Integer, nullable=False),
    Column("index_blob", LargeBinary, nullable=False),
    Column("is_reference", Boolean, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("loaded_at", UTC, nullable=False),
    # The ids of tools added to those of the file; null for a catalog as loaded.
    Column("overlay", Text),
    Index(None, "domain", "position"),
)

ENTRIES = Table(
    "entries",
    METADATA,
    Column("fingerprint", FINGERPRINT, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

CATALOG_ENTRIES = Table(
    "catalog_entries",
    METADATA,
    Column("catalog", ForeignKey(CATALOGS.c.fingerprint, ondelete="CASCADE"), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("id", String(512), primary_key=True),
    Column("entry", ForeignKey(ENTRIES.c.fingerprint), nullable=False),
    Index(None, "entry"),
)

ACTIVATIONS = Table(
    "activations",
    METADATA,
    Column("sequence", COUNTED, primary_key=True, autoincrement=True),
    Column("domain", String(64), nullable=False),
    Column("catalog", FINGERPRINT, nullable=False),
    Column("at", UTC, nullable=False),
    Index(None, "domain", "sequence"),
)

CATALOG_FILES = Table(
    "catalog_files",
    METADATA,
    Column("sha256", FINGERPRINT, primary_key=True),
    Column(
        "catalog",
        ForeignKey(CATALOGS.c.fingerprint, ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
)

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", ULID, primary_key=True),
    Column("hash", FINGERPRINT, nullable=False, unique=True),
    Column("label", String(200), nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created_at", UTC, nullable=False),
    # The policy restrictions of the token, as JSON; null without any.
    Column("policy", Text),
)

SECRETS = Table(
    "secrets",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

COUNTERS = Table(
    "counters",
    METADATA,
    Column("name", String(128), primary_key=True),
    Column("count", BigInteger, nullable=False),
)

IMPORTS = Table(
    "imports",
    METADATA,
    Column("instance", String(300), primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("artifact", FINGERPRINT, nullable=False),
    Column("state", String(16), nullable=False),
    Column("target", String(64)),
    Column("workflow_id", String(64)),
    Column("version_id", String(64)),
    Column("earlier", Text),
    Column("previous", Text),
    Column("problem", Text),
    Column("holder", String(300)),
    Column("held_until", UTC),
    Column("started_at", UTC, nullable=False),
    Column("changed_at", UTC, nullable=False),
    # The findings that a person approved in it, a JSON list.
    Column("approved", Text),
    Index(None, "instance", "workflow_id"),
)

# Trial copies of workflows; a copy without an end may still be in n8n.
TRIALS = Table(
    "trials",
    METADATA,
    Column("id", ULID, primary_key=True),
    Column("instance", String(300), nullable=False),
    Column("workflow_id", String(64)),
    Column("holder", String(300), nullable=False),
    Column("started_at", UTC, nullable=False),
    Column("ended_at", UTC),
    Index(None, "instance", "ended_at"),
)

# One generation each, with the same id as its session; open while ``outcome`` is null.
RUNS = Table(
    "runs",
    METADATA,
    Column("id", ULID, primary_key=True),
    Column("domain", String(64), nullable=False),
    Column("request", Text, nullable=False),
    Column("constraints", Text),
    Column("drafter", String(200), nullable=False),
    Column("catalog", FINGERPRINT, nullable=False),
    Column("prompt_version", String(16), nullable=False),
    Column("shown", Text, nullable=False),
    Column("outcome", String(16)),
    Column("reason", String(16)),
    Column("summary", Text),
    Column("rounds", Integer),
    Column("result", Text),
    Column("started_at", UTC, nullable=False),
    Column("ended_at", UTC),
    Column("ms", BigInteger),
)

# The prompt of a draft, its reply, and its compilation.
RUN_DRAFTS = Table(
    "run_drafts",
    METADATA,
    Column("run", ForeignKey(RUNS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("drafter", String(200), nullable=False),
    Column("messages", Text, nullable=False),
    Column("reply", Text),
    Column("failed", Text),
    Column("parsed", Text),
    Column("resolved", Text),
    Column("resolutions", Text),
    Column("verdict", String(16)),
    Column("diagnostics", Text),
    Column("ms", BigInteger, nullable=False),
    Column("at", UTC, nullable=False),
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("id", ForeignKey(RUNS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("talk", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("expires_at", UTC, nullable=False, index=True),
)


# Calls of routed requests, with their results.
ROUTED_CALLS = Table(
    "routed_calls",
    METADATA,
    Column("run", ForeignKey(RUNS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("tool", String(300), nullable=False),
    Column("definition", FINGERPRINT),
    Column("drafted", String(300), nullable=False),
    Column("found_by", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("error_type", String(64)),
    Column("message", String(500)),
    Column("request", String(500), nullable=False),
    Column("arguments", Text, nullable=False),
    Column("at", UTC, nullable=False),
    Index(None, "tool", "at"),
    Index(None, "at"),
)

# Jobs for workers, such as a MATLAB with Simulink; lists are JSON.
JOBS = Table(
    "jobs",
    METADATA,
    Column("id", ULID, primary_key=True),
    Column("environment", FINGERPRINT, nullable=False),
    Column("order", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("lease", ULID),
    Column("holder", String(200)),
    Column("held_until", UTC),
    Column("problem", Text),
    Column("created_at", UTC, nullable=False),
    Column("changed_at", UTC, nullable=False),
    # The client's key of the order; equal keys and orders are one job.
    Column("key", String(64)),
    Index(None, "environment", "state"),
    Index(None, "key", unique=True),
)

# Uploads in pieces, shared by all servers; ``result`` is that of a complete upload.
UPLOADS = Table(
    "uploads",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("total", Integer, nullable=False),
    Column("result", String(64)),
    Column("changed_at", UTC, nullable=False),
)

UPLOAD_PIECES = Table(
    "upload_pieces",
    METADATA,
    Column("upload", ForeignKey(UPLOADS.c.name, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("bytes", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)


# Counts of names that are not a tool's own; ``key`` is common to all spellings.
NAME_COUNTS = Table(
    "name_counts",
    METADATA,
    Column("domain", String(64), primary_key=True),
    Column("name_key", String(200), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("tool", String(300), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("samples", Text, nullable=False),
    Column("last_seen", UTC, nullable=False),
    Index(None, "domain", "last_seen"),
)


# The same counts by day (UTC).
NAME_DAYS = Table(
    "name_days",
    METADATA,
    Column("domain", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("name_key", String(200), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("tool", String(300), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("count", BigInteger, nullable=False),
)


# The tools that later drafts of a run used for unresolved names.
NAME_CORRECTIONS = Table(
    "name_corrections",
    METADATA,
    Column("domain", String(64), primary_key=True),
    Column("name_key", String(200), primary_key=True),
    Column("tool", String(300), primary_key=True),
    Column("run", ULID, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("at", UTC, nullable=False),
    Index(None, "domain", "at"),
)


# Decisions about names, append-only: the last one of a name is in force.
ALIAS_DECISIONS = Table(
    "alias_decisions",
    METADATA,
    Column("sequence", COUNTED, primary_key=True, autoincrement=True),
    Column("domain", String(64), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", String(200), nullable=False),
    Column("decision", String(16), nullable=False),
    Column("tool", String(300)),
    Column("instead", String(300)),
    Column("evidence", Text, nullable=False),
    Column("decided_by", String(200), nullable=False),
    Column("at", UTC, nullable=False),
    UniqueConstraint("domain", "name_key", "number"),
)
