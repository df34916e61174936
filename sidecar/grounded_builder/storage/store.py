"""The store: one object over the database that the command line and the server ask."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from sqlalchemy import Connection, Engine, text

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.diff import CatalogDiff, diff
from grounded_builder.catalog.loader import Index, open_index, open_registry, prepare_catalog
from grounded_builder.catalog.name_decisions import NameDecisions
from grounded_builder.catalog.registry import Compile, Registry
from grounded_builder.catalog.tool_file import read_tool
from grounded_builder.ir.options import Switches
from grounded_builder.settings import Settings
from grounded_builder.storage import aliases, catalogs, counters, overlay, tokens
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.database import open_database, reading, writing
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
    """What loading a catalog did; ``diff`` is against the catalog that was active before."""

    catalog: StoredCatalog
    is_new: bool
    diff: CatalogDiff

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the loaded catalog."""
        return self.catalog.fingerprint


class Store:
    """Everything that is kept.

    ``compilers`` holds, for each domain, the function that compiles its tools, ``builtins``
    the catalog file of those that ship one: it is active until another is loaded. Every
    method is one transaction; StorageError says why one could not be done.
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
        """Returns the hashes of the policies that receipts are made under: of all tokens, and of
        none.
        """
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
        """Stores a catalog file, whole or not at all, and make it the active one.

        A ``reference`` is kept beside the others until it is dropped, and is never activated by
        loading. Tools that were put beside the active catalog are put beside this one. CatalogError
        names everything that is wrong with a file.
        """
        file = read_catalog(source, domain, self.settings.bounds)
        prepared = prepare_catalog(file)
        name = prepared.header.domain
        with writing(self.engine) as connection:
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
            stored = catalogs.one(connection, result)
            new = open_index(catalogs.index_blob(connection, result))
        return Loaded(stored, is_new, diff(old or Index(new.header, {}, {}), new))

    def active(self, domain: str) -> Registry | None:
        """Returns the active registry of a domain; None before the first catalog."""
        self._provide(domain)
        with reading(self.engine) as connection:
            fingerprint = catalogs.active(connection, domain)
        return None if fingerprint is None else self.registry(fingerprint)

    def marks(self) -> dict[str, tuple[int, ...]]:
        """Returns numbers for every domain that change with its catalogs and with decisions on
        names.
        """
        with reading(self.engine) as connection:
            decided = aliases.marks(connection)
            entries = catalogs.marks(connection)
        return {name: (*mark, decided.get(name, 0)) for name, mark in entries.items()}

    def registry(self, fingerprint: str) -> Registry:
        """Returns the registry of a kept catalog; a unique beginning of its fingerprint
        is enough.
        """
        with reading(self.engine) as connection:
            whole = catalogs.find(connection, fingerprint)
            index = open_index(catalogs.index_blob(connection, whole))
            learnt = aliases.learnt(connection, index.header.domain)
        return open_registry(index, whole, self._body, self._compilers[index.header.domain], learnt)

    def registry_of_file(self, path: Path, domain: str | None = None) -> Registry:
        """Returns the registry of a catalog file, which is loaded unless it has been before.

        What is active stays active.
        """
        with path.open("rb") as stream:
            known = self._known_file(stream)
            if known is None:
                stream.seek(0)
                known = self.load_catalog(stream, domain, activate=False).fingerprint
        return self.registry(known)

    def learnt(self, domain: str) -> Mapping[str, NameDecisions]:
        """Returns what people decided about names in a domain."""
        with reading(self.engine) as connection:
            return aliases.learnt(connection, domain)

    def references(self, domain: str) -> tuple[Registry, ...]:
        """Returns the catalogs to compare with: those kept for it, then the ones active before."""
        with reading(self.engine) as connection:
            results = catalogs.references(connection, domain)
        return tuple(self.registry(fingerprint) for fingerprint in results)

    def catalogs(self, domain: str) -> tuple[StoredCatalog, ...]:
        """Returns the kept catalogs of a domain, the one loaded or used last first."""
        with reading(self.engine) as connection:
            return catalogs.listed(connection, domain)

    def catalog(self, fingerprint: str) -> StoredCatalog:
        """Returns the facts of one kept catalog; a unique beginning of its fingerprint
        is enough.
        """
        with reading(self.engine) as connection:
            return catalogs.one(connection, catalogs.find(connection, fingerprint))

    def use(self, domain: str, fingerprint: str) -> StoredCatalog:
        """Makes a kept catalog the active one, such as going back to the one before."""
        with writing(self.engine) as connection:
            whole = catalogs.find(connection, fingerprint, domain)
            if catalogs.active(connection, domain) != whole:
                catalogs.activate(connection, domain, whole)
            return catalogs.one(connection, whole)

    def diff(self, old: str, new: str) -> CatalogDiff:
        """Returns what changed between two kept catalogs."""
        with reading(self.engine) as connection:
            blobs = [
                catalogs.index_blob(connection, catalogs.find(connection, name))
                for name in (old, new)
            ]
        return diff(open_index(blobs[0]), open_index(blobs[1]))

    def drop_catalog(self, fingerprint: str) -> StoredCatalog:
        """Removes a kept catalog; raises ValueError for the active one."""
        with writing(self.engine) as connection:
            stored = catalogs.one(connection, catalogs.find(connection, fingerprint))
            if stored.is_active:
                raise ValueError(
                    f"catalog {stored.fingerprint[:12]} is active; use another one first"
                )
            catalogs.drop(connection, [stored.fingerprint])
        return stored

    def put_tool(self, domain: str, line: Mapping[str, Any]) -> StoredCatalog:
        """Puts one tool beside those of the active catalog, or in the place of one put before.

        CatalogError names what is wrong with it, OverlayError what stands against it.
        """
        entry = read_tool(line, domain, self.settings.bounds)
        return self._overlaid(domain, lambda connection: overlay.put(connection, domain, entry))

    def remove_tool(self, domain: str, tool_id: str) -> StoredCatalog:
        """Takes a tool that was put away again; raises OverlayError when it was not."""
        return self._overlaid(
            domain, lambda connection: overlay.remove(connection, domain, tool_id)
        )

    def secrets(self) -> Secrets:
        """Returns the keys of this installation, made the first time; the environment may bring
        one.
        """
        return secrets_of(self.engine, self.settings.receipt_key)

    def first_token(self) -> Path:
        """Makes the admin token if there is none yet; returns the file that holds it, mode 0600."""
        path = self.settings.state / TOKEN_FILE
        first_token(self.engine, path)
        return path

    def tokens(self) -> tuple[Token, ...]:
        """Returns all tokens, the oldest first."""
        with reading(self.engine) as connection:
            return tokens.listed(connection)

    def make_token(
        self, label: str, scopes: Iterable[Scope], switches: Switches | None = None
    ) -> tuple[Token, str]:
        """Makes a token; the second value is the token itself, seen this once."""
        with writing(self.engine) as connection:
            return tokens.make(connection, label, scopes, switches)

    def drop_token(self, token_id: str) -> bool:
        """Removes a token; tells whether it was there.

        Raises LastAdminError for the last of an admin.
        """
        with writing(self.engine) as connection:
            return tokens.drop(connection, token_id)

    def count(self, amounts: Mapping[str, int]) -> None:
        """Adds to counters by name."""
        if amounts:
            with writing(self.engine) as connection:
                counters.add(connection, amounts)

    def counts(self) -> dict[str, int]:
        """Returns all counters by name."""
        with reading(self.engine) as connection:
            return counters.read(connection)

    def ping(self) -> None:
        """Asks the database for nothing; raises StorageError when it does not answer."""
        with reading(self.engine) as connection:
            connection.execute(text("SELECT 1"))

    def leave_connections(self) -> None:
        """Leaves open connections to the parent of a forked process, and opens others."""
        # Kept from being collected: closing one here would unsettle it there.
        self._left = self.engine.pool
        self.engine.dispose(close=False)

    def close(self) -> None:
        """Gives the connections back."""
        self.engine.dispose()

    def _overlaid(self, domain: str, change: Callable[[Connection], str]) -> StoredCatalog:
        with writing(self.engine) as connection:
            fingerprint = change(connection)
            surplus = catalogs.surplus(connection, domain, self.settings.kept_catalogs)
            catalogs.drop(connection, surplus)
            return catalogs.one(connection, fingerprint)

    def _provide(self, domain: str) -> None:
        """Makes the catalog that ships for a domain the active one, unless the user has one."""
        if domain not in self._builtins:
            return
        # Who asks meanwhile waits: without it there would be no catalog for a moment.
        with self._providing:
            builtin = self._builtins.get(domain)
            if builtin is not None:
                self._unpack(domain, builtin())
                self._builtins.pop(domain, None)

    def _unpack(self, domain: str, content: bytes) -> None:
        with reading(self.engine) as connection:
            active = catalogs.active(connection, domain)
            if active is not None and catalogs.one(connection, active).origin != "builtin":
                return
            known = catalogs.of_file(connection, hashlib.sha256(content).hexdigest())
        if active is None or known is None:
            self.load_catalog(content, domain)

    def _body(self, entry: str) -> bytes:
        with reading(self.engine) as connection:
            return catalogs.body(connection, entry)

    def _known_file(self, stream: BinaryIO) -> str | None:
        digest = _sha256(stream)
        with reading(self.engine) as connection:
            return catalogs.of_file(connection, digest)


def open_store(
    settings: Settings,
    compilers: Mapping[str, Compile],
    builtins: Mapping[str, Builtin] | None = None,
) -> Store:
    """Opens the database of these settings, making or migrating it where needed."""
    engine = open_database(settings.database_url, settings.state)
    return Store(settings, engine, compilers, builtins)


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()
