"""Pickles work and results between processes; sends shared objects by name.

Domains, catalogs, references and the store are sent as names: the other process has them, or reads
them from the database.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from grounded_builder.catalog.loader import PreparedCatalog, open_prepared
from grounded_builder.catalog.name_decisions import NameDecisions
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.known import DOMAINS
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.storage.store import Store

_PROTOCOL = pickle.HIGHEST_PROTOCOL
# The types of answers besides the classes of this package.
_PLAIN = frozenset(
    {
        ("builtins", "set"),
        ("builtins", "frozenset"),
        ("builtins", "bytearray"),
        ("builtins", "complex"),
        ("builtins", "range"),
        ("builtins", "slice"),
        ("collections", "Counter"),
        ("collections", "OrderedDict"),
        ("collections", "defaultdict"),
        ("collections", "deque"),
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("http", "HTTPStatus"),
        ("pathlib", "PosixPath"),
        ("types", "MappingProxyType"),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class DomainReferences:
    """The other catalogs of a domain, read when they are first used."""

    domain: str
    read: Callable[[], tuple[Registry, ...]]

    def __call__(self) -> tuple[Registry, ...]:
        """Returns the reference catalogs."""
        return self.read()


class Home(Protocol):
    """The objects that each process has itself, by name."""

    @property
    def store(self) -> Store:
        """Returns the open store."""

    def registry(self, domain: str, fingerprint: str) -> Registry:
        """Returns the registry of a stored catalog."""

    def references(self, domain: str) -> ReferenceCatalogs:
        """Returns the other catalogs of a domain."""


def pack(value: Any) -> bytes:
    """Returns a value as bytes for another process; raises TypeError for a value that cannot be
    sent.
    """
    buffer = io.BytesIO()
    _Packer(buffer, _PROTOCOL).dump(value)
    return buffer.getvalue()


def unpack(raw: bytes, home: Home | None = None) -> Any:
    """Returns the value in bytes from another process of this program.

    Only classes of this package and plain types are accepted. Without a ``home``, objects sent by
    name are refused too.
    """
    return _Unpacker(raw, home).load()


class _Packer(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, Domain):
            return ("domain", value.name)
        if isinstance(value, Registry) and value.tool_list is None:
            return ("registry", value.domain, value.fingerprint)
        if isinstance(value, DomainReferences):
            return ("references", value.domain)
        if isinstance(value, Store):
            return ("store",)
        return None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, BaseException):
            return _rebuild_error, (type(value), value.args, vars(value))
        if isinstance(value, Enum):
            # Python 3.11.2 would send a member as a call of getattr, which is refused.
            return type(value), (value.value,)
        if isinstance(value, Registry):
            return _rebuild_registry, (value.tool_list, DOMAINS[value.domain], value.learnt)
        return NotImplemented


class _Unpacker(pickle.Unpickler):
    def __init__(self, raw: bytes, home: Home | None) -> None:
        super().__init__(io.BytesIO(raw))
        self._home = home

    def find_class(self, module: str, name: str) -> Any:
        value = super().find_class(module, name)
        if self._home is None and not _is_known(module, name, value):
            raise pickle.UnpicklingError(f"{module}.{name} is not sent between processes")
        return value

    def persistent_load(self, key: Any) -> Any:
        kind, *names = key
        if kind == "domain":
            return DOMAINS[names[0]]
        if self._home is None:
            raise pickle.UnpicklingError(f"a {kind} is not sent back")
        if kind == "registry":
            return self._home.registry(*names)
        if kind == "references":
            return self._home.references(names[0])
        return self._home.store


def _is_known(module: str, name: str, value: Any) -> bool:
    if value is _rebuild_error or (module, name) in _PLAIN:
        return True
    if not isinstance(value, type):
        return False
    return module.startswith("grounded_builder.") or issubclass(value, BaseException)


def _rebuild_error(kind: type[BaseException], args: tuple[Any, ...], facts: Any) -> BaseException:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(facts)
    return error


def _rebuild_registry(
    tools: PreparedCatalog, domain: Domain, learnt: Mapping[str, NameDecisions]
) -> Registry:
    return open_prepared(tools, domain.resolving.compile_tool, learnt)
