"""Matches From blocks to Gotos; reports unmatched From blocks, duplicate tags and data stores."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram, ModelView

UNMATCHED_TAG = Rule.advice(
    "SLX328", "unmatched-tag", "InvalidConnection", "No Goto writes the tag of a From."
)
DUPLICATE_TAG = Rule.wrong(
    "SLX329", "duplicate-tag", "DuplicateName", "Two blocks define the same tag or data store."
)


def check_tags(view: ModelView) -> Iterator[Diagnostic]:
    """Finds From blocks without a Goto, and tags that two blocks of a diagram define."""
    tags = Tags(view)
    for diagram in view.checked_diagrams():
        yield from _report_duplicates(diagram)
        if not view.whole:
            continue
        for item in diagram.of("From"):
            if item.active and tags.goto_of(item) is None:
                yield _report_unmatched(item, tags)


def tag(item: BlockView) -> str:
    """Returns the tag of a Goto or From block; ``A`` where the file leaves it out."""
    return item.value("GotoTag") or "A"


def visibility(item: BlockView) -> str:
    """Returns the visibility of a tag: ``local``, ``scoped`` or ``global``."""
    return item.value("TagVisibility") or "local"


class Tags:
    """Matches From blocks to the Goto blocks that feed them."""

    def __init__(self, view: ModelView) -> None:
        self.gotos: dict[str, list[BlockView]] = {}
        self._local: dict[tuple[int, str], BlockView] = {}
        self._scopes: set[tuple[int, str]] = set()
        for diagram in view.diagrams:
            for item in diagram.of("Goto"):
                self.gotos.setdefault(tag(item), []).append(item)
                if visibility(item) == "local":
                    self._local.setdefault((id(diagram), tag(item)), item)
            for item in diagram.of("GotoTagVisibility"):
                self._scopes.add((id(diagram), tag(item)))

    def goto_of(self, item: BlockView) -> BlockView | None:
        """Returns the Goto that feeds a From block; None where there is none.

        The Goto of the same diagram comes first, then a scoped one, then a global one.
        """
        wanted = tag(item)
        here = self._local.get((id(item.diagram), wanted))
        if here is not None:
            return here
        for scope in (item.diagram, *item.diagram.outer()):
            if (id(scope), wanted) in self._scopes:
                inside = (goto for goto in self.gotos.get(wanted, ()) if goto.lies_in(scope))
                return next(
                    (block_view for block_view in inside if visibility(block_view) == "scoped"),
                    None,
                )
        far = (goto for goto in self.gotos.get(wanted, ()) if visibility(goto) == "global")
        return next(far, None)


def _report_unmatched(item: BlockView, tags: Tags) -> Diagnostic:
    wanted = tag(item)
    elsewhere = [goto for goto in tags.gotos.get(wanted, ()) if goto.diagram is not item.diagram]
    text = f'; the Goto "{elsewhere[0].name}" is {visibility(elsewhere[0])}' if elsewhere else ""
    return new_diagnostic(
        UNMATCHED_TAG,
        item.at,
        f'no Goto of this file feeds "{item.name}" with the tag "{wanted}"{text}',
        help="use the tag of an existing Goto, or widen its visibility",
        node=item.name,
        token=wanted,
        alternatives=[block_view.name for block_view in elsewhere[:3]],
    )


def _report_duplicates(diagram: Diagram) -> Iterator[Diagnostic]:
    if diagram.is_shelf:
        return
    first: dict[tuple[str, ...], BlockView] = {}
    # Only one branch of a variant is active at a time.
    parted = (
        {arrival.item for net in diagram.nets if net.source in sinks for arrival in net.arrivals}
        if (sinks := diagram.of("VariantSink"))
        else set()
    )
    for item in diagram.of("Goto", "DataStoreMemory"):
        if not item.active or item in parted:
            continue
        if item.type == "Goto":
            key: tuple[str, ...] = ("Goto", tag(item), visibility(item))
            what = f'the tag "{tag(item)}"'
        else:
            key = ("DataStoreMemory", item.value("DataStoreName") or "A")
            what = f'the data store "{key[1]}"'
        other = first.setdefault(key, item)
        if other is not item:
            yield new_diagnostic(
                DUPLICATE_TAG,
                item.at,
                f'"{item.name}" and "{other.name}" both define {what}',
                help="give each a unique name",
                node=item.name,
                token=key[1],
                related=[Related(other.at, "the other block")],
            )
