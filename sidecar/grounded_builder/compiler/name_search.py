"""Resolves each name of a draft to a tool, once; reports when a limit leaves names uncompared."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.resolution import NameContext, Resolution, unknown

NAMES_NOT_COMPARED = Rule.info(
    "GB208", "names-not-compared", "Only some of many informal names were compared with all tools."
)

# A cache of resolutions without context per catalog, since drafts repeat the same wrong names.
_MAX_SHARED, _MAX_SHARED_CHARS = 1_000, 200
_shared: WeakKeyDictionary[Registry, dict[str, Resolution]] = WeakKeyDictionary()
_NOT_COMPARED = unknown((), "none")


class NameSearch:
    """Resolves the names of one draft against one catalog.

    Comparing a name with all tools takes about a millisecond. After ``limit`` comparisons, and as
    many in the context of a step, only ids are resolved, and ``findings`` reports it.
    """

    def __init__(self, domain: Domain, registry: Registry, limit: int) -> None:
        self._domain = domain
        self._registry = registry
        self._limit = limit
        self._remaining = {False: limit, True: limit}
        self._known: dict[tuple[str, NameContext | None], Resolution] = {}
        self._skipped: set[str] = set()

    def resolve(
        self, token: str, context: NameContext | None = None, fallback: Resolution | None = None
    ) -> Resolution:
        """Returns the resolution of a name; beyond the limit ``fallback``, or unknown.

        ``fallback`` is the resolution with less context.
        """
        key = (token, context)
        resolution = self._known.get(key)
        if resolution is not None:
            return resolution
        if not self._remaining[fallback is not None] and (
            fallback or token not in self._registry.tools
        ):
            self._skipped.add(token)
            return fallback or _NOT_COMPARED
        resolution = self._compare(token, context)
        if resolution.method != "exact" and self._remaining[fallback is not None]:
            self._remaining[fallback is not None] -= 1
        self._known[key] = resolution
        return resolution

    def findings(self) -> tuple[Diagnostic, ...]:
        """Returns the finding that names were not compared, () if all were."""
        if not self._skipped:
            return ()
        count = len(self._skipped)
        names = "1 name was" if count == 1 else f"{count:,} names were"
        message = (
            f"{names} not compared with all tools, or not in the context "
            f"of their step: a draft has {self._limit:,} such comparisons"
        )
        help_text = "write the ids of tools, or split the draft"
        return (new_diagnostic(NAMES_NOT_COMPARED, (), message, help=help_text),)

    def _compare(self, token: str, context: NameContext | None) -> Resolution:
        resolve = self._domain.resolving.resolve
        if context is not None or len(token) > _MAX_SHARED_CHARS:
            return resolve(token, self._registry, context)
        shared = _shared.setdefault(self._registry, {})
        resolution = shared.get(token)
        if resolution is None:
            resolution = resolve(token, self._registry, None)
            if len(shared) >= _MAX_SHARED:
                shared.clear()
            shared[token] = resolution
        return resolution
