"""Opens the store of catalogs, tools, tokens, keys and counters; each method is a transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from sqlalchemy import Connection, Engine, text

from grounded_builder.catalog.catalog_file import read_catalog, read_tool
from grounded_builder.catalog.diff import CatalogDiff, diff
from grounded_builder.catalog.loader import Index, open_index, open_registry, prepare_catalog
from grounded_builder.catalog.name_decisions import NameDecisions
from grounded_builder.catalog.registry import Compile, Registry
from grounded_builder.ir.options import Switches
from grounded_builder.settings import Settings
from grounded_builder.storage import aliases, catalogs, counters, overlay, tokens
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.database import begin_read, begin_write, open_database
from grounded_builder.storage.installation import (
    TOKEN_FILE,
    Secrets,
    first_token,
    secrets_of,
)
from grounded_builder.storage.tokens import Scope, Token

Builtin = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading a catalog; ``diff`` is against the catalog that was active before."""

    catalog: StoredCatalog
    is_new: bool
    diff: CatalogDiff

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the loaded catalog."""
        return self.catalog.fingerprint


class Store:
    """All stored data.

    ``compilers`` has, for each domain, the function that compiles its tools, ``builtins`` the
    catalog file of domains that ship one, which is active until another is loaded. Every method is
    one transaction and raises StorageError where it cannot be done.
    """

    def __init__(
        self,
        settings: Settings,
        engine: Engine,
        compilers: Mapping[str, Compile],
        builtins: Mapping[str, Builtin] | None = None,
    ) -> None:
        self.settings = settings
        self.engine = engine
        self._compilers = compilers
        self._builtins = dict(builtins or {})
        self._providing = Lock()
        self._installation = settings.policy
        self._left: Any = None

    def narrow(self, switches: Switches) -> Store:
        """Returns this store with a policy that is narrowed for a request."""
        if switches == Switches():
            return self
        other = copy(self)
        policy = self.settings.policy.narrow(switches)
        other.settings = replace(self.settings, policy=policy)
        return other

    def policy_hashes(self) -> frozenset[str]:
        """Returns the hashes of the policies of receipts: of all tokens, and without a token."""
        narrowed = (self._installation.narrow(token.switches) for token in self.tokens())
        return frozenset((self._installation.hash, *(policy.hash for policy in narrowed)))

    def load_catalog(
        self,
        source: BinaryIO | bytes,
        domain: str | None = None,
        *,
        activate: bool = True,
        reference: bool = False,
    ) -> Loaded:
        """Stores a catalog file, whole or not at all, and makes it the active one.

        A ``reference`` stays stored until it is dropped, and is never activated by loading. Tools
        that were added to the active catalog are added to this one. Raises CatalogError with every
        fault of a file.
        """
        file = read_catalog(source, domain, self.settings.bounds)
        prepared = prepare_catalog(file)
        name = prepared.header.domain
        with begin_write(self.engine) as connection:
            before = catalogs.active(connection, name)
            is_new = catalogs.put(connection, prepared, reference=reference)
            catalogs.remember_file(connection, file.sha256, prepared.fingerprint)
            result = prepared.fingerprint
            if activate and not reference:
                result = overlay.carry(connection, before, result)
                if before != result:
                    catalogs.activate(connection, name, result)
            old = None if before is None else open_index(catalogs.index_blob(connection, before))
            surplus = catalogs.surplus(connection, name, self.settings.kept_catalogs)
            catalogs.drop(connection, surplus)
            stored = catalogs.get_catalog(connection, result)
            new = open_index(catalogs.index_blob(connection, result))
        return Loaded(stored, is_new, diff(old or Index(new.header, {}, {}), new))

    def active(self, domain: str) -> Registry | None:
        """Returns the active registry of a domain; None before the first catalog."""
        self._provide(domain)
        with begin_read(self.engine) as connection:
            fingerprint = catalogs.active(connection, domain)
        return None if fingerprint is None else self.registry(fingerprint)

    def marks(self) -> dict[str, tuple[int, ...]]:
        """Returns numbers for every domain that change with its catalogs and name decisions."""
        with begin_read(self.engine) as connection:
            decided = aliases.marks(connection)
            catalog_marks = catalogs.marks(connection)
        return {name: (*mark, decided.get(name, 0)) for name, mark in catalog_marks.items()}

    def registry(self, fingerprint: str) -> Registry:
        """Returns the registry of a stored catalog, by its fingerprint or a unique prefix."""
        with begin_read(self.engine) as connection:
            whole = catalogs.find(connection, fingerprint)
            index = open_index(catalogs.index_blob(connection, whole))
            learnt = aliases.learnt(connection, index.header.domain)
        return open_registry(index, whole, self._body, self._compilers[index.header.domain], learnt)

    def registry_of_file(self, path: Path, domain: str | None = None) -> Registry:
        """Returns the registry of a catalog file, which is stored unless it already is.

        The active catalog stays unchanged.
        """
        with path.open("rb") as stream:
            known = self._known_file(stream)
            if known is None:
                stream.seek(0)
                known = self.load_catalog(stream, domain, activate=False).fingerprint
        return self.registry(known)

    def learnt(self, domain: str) -> Mapping[str, NameDecisions]:
        """Returns the decisions about names in a domain."""
        with begin_read(self.engine) as connection:
            return aliases.learnt(connection, domain)

    def references(self, domain: str) -> tuple[Registry, ...]:
        """Returns the reference catalogs, then those that were active before."""
        with begin_read(self.engine) as connection:
            fingerprints = catalogs.references(connection, domain)
        return tuple(self.registry(fingerprint) for fingerprint in fingerprints)

    def catalogs(self, domain: str) -> tuple[StoredCatalog, ...]:
        """Returns the stored catalogs of a domain, most recently loaded or used first."""
        with begin_read(self.engine) as connection:
            return catalogs.list_catalogs(connection, domain)

    def catalog(self, fingerprint: str) -> StoredCatalog:
        """Returns the facts of one stored catalog, by its fingerprint or a unique prefix."""
        with begin_read(self.engine) as connection:
            return catalogs.get_catalog(connection, catalogs.find(connection, fingerprint))

    def use(self, domain: str, fingerprint: str) -> StoredCatalog:
        """Makes a stored catalog the active one."""
        with begin_write(self.engine) as connection:
            whole = catalogs.find(connection, fingerprint, domain)
            if catalogs.active(connection, domain) != whole:
                catalogs.activate(connection, domain, whole)
            return catalogs.get_catalog(connection, whole)

    def diff(self, old: str, new: str) -> CatalogDiff:
        """Returns the changes between two stored catalogs."""
        with begin_read(self.engine) as connection:
            blobs = [
                catalogs.index_blob(connection, catalogs.find(connection, name))
                for name in (old, new)
            ]
        return diff(open_index(blobs[0]), open_index(blobs[1]))

    def put_tool(self, domain: str, line: Mapping[str, Any]) -> StoredCatalog:
        """Adds one tool to the active catalog, or replaces an added one.

        Raises CatalogError for a malformed tool, OverlayError for one that cannot be added.
        """
        tool_entry = read_tool(line, domain, self.settings.bounds)
        return self._change_overlay(
            domain, lambda connection: overlay.put(connection, domain, tool_entry)
        )

    def remove_tool(self, domain: str, tool_id: str) -> StoredCatalog:
        """Removes an added tool; raises OverlayError for any other."""
        return self._change_overlay(
            domain, lambda connection: overlay.remove(connection, domain, tool_id)
        )

    def secrets(self) -> Secrets:
        """Returns the keys of this installation, created the first time; the environment may
        provide one.
        """
        return secrets_of(self.engine, self.settings.receipt_key)

    def first_token(self) -> Path:
        """Creates the admin token if there is none yet; returns its file, mode 0600."""
        path = self.settings.state / TOKEN_FILE
        first_token(self.engine, path)
        return path

    def tokens(self) -> tuple[Token, ...]:
        """Returns all tokens, oldest first."""
        with begin_read(self.engine) as connection:
            return tokens.list_tokens(connection)

    def make_token(
        self, label: str, scopes: Iterable[Scope], switches: Switches | None = None
    ) -> tuple[Token, str]:
        """Creates a token; the second value is the token text, available only now."""
        with begin_write(self.engine) as connection:
            return tokens.make(connection, label, scopes, switches)

    def drop_token(self, token_id: str) -> bool:
        """Removes a token; returns whether it existed.

        Raises LastAdminError for the last admin token.
        """
        with begin_write(self.engine) as connection:
            return tokens.drop(connection, token_id)

    def count(self, amounts: Mapping[str, int]) -> None:
        """Adds to counters by name."""
        if amounts:
            with begin_write(self.engine) as connection:
                counters.add(connection, amounts)

    def counts(self) -> dict[str, int]:
        """Returns all counters by name."""
        with begin_read(self.engine) as connection:
            return counters.read(connection)

    def ping(self) -> None:
        """Runs an empty query; raises StorageError when the database does not answer."""
        with begin_read(self.engine) as connection:
            connection.execute(text("SELECT 1"))

    def leave_connections(self) -> None:
        """Leaves open connections to the parent of a forked process, and opens new ones."""
        # Never collected: closing one here would break it in the parent.
        self._left = self.engine.pool
        self.engine.dispose(close=False)

    def close(self) -> None:
        """Closes the connections."""
        self.engine.dispose()

    def _change_overlay(self, domain: str, change: Callable[[Connection], str]) -> StoredCatalog:
        with begin_write(self.engine) as connection:
            fingerprint = change(connection)
            surplus = catalogs.surplus(connection, domain, self.settings.kept_catalogs)
            catalogs.drop(connection, surplus)
            return catalogs.get_catalog(connection, fingerprint)

    def _provide(self, domain: str) -> None:
        """Makes the shipped catalog of a domain the active one, unless another is active."""
        if domain not in self._builtins:
            return
        # Other callers wait: otherwise there would be no catalog for a moment.
        with self._providing:
            builtin = self._builtins.get(domain)
            if builtin is not None:
                self._unpack(domain, builtin())
                self._builtins.pop(domain, None)

    def _unpack(self, domain: str, content: bytes) -> None:
        with begin_read(self.engine) as connection:
            active = catalogs.active(connection, domain)
            if active is not None and catalogs.get_catalog(connection, active).origin != "builtin":
                return
            known = catalogs.of_file(connection, hashlib.sha256(content).hexdigest())
        if active is None or known is None:
            self.load_catalog(content, domain)

    def _body(self, entry: str) -> bytes:
        with begin_read(self.engine) as connection:
            return catalogs.body(connection, entry)

    def _known_file(self, stream: BinaryIO) -> str | None:
        digest = _sha256(stream)
        with begin_read(self.engine) as connection:
            return catalogs.of_file(connection, digest)


def open_store(
    settings: Settings,
    compilers: Mapping[str, Compile],
    builtins: Mapping[str, Builtin] | None = None,
) -> Store:
    """Opens the database of these settings, creating or migrating it where needed."""
    engine = open_database(settings.database_url, settings.state)
    return Store(settings, engine, compilers, builtins)


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()
