"""Implements ``grounded aliases``: lists and proposes meanings of names, and records decisions."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import Annotated, Any

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    known_domain,
    open_store,
)
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.ir.domain import Domain
from grounded_builder.services import aliases as deciding
from grounded_builder.services.alias_proposals import LEAST, OFTEN
from grounded_builder.storage.aliases import Verb
from grounded_builder.storage.store import Store

aliases = typer.Typer(
    help="Show decisions about names, proposals, and how often names were seen.",
    no_args_is_help=True,
)

_Name = Annotated[str, typer.Argument(help="The name, as people or models write it.")]
_Domain = Annotated[str, typer.Option(help="n8n, simulink or tools.")]
_Form = Annotated[Format, typer.Option("--format", help="text or json.")]
_Preview = Annotated[bool, typer.Option("--preview", help="Only show what would change.")]
_Override = Annotated[
    bool, typer.Option("--override", help="Decide even if the tool of other names changes.")
]


@aliases.command("list")
def list_(
    domain: _Domain = "n8n",
    limit: Annotated[int, typer.Option(min=0, max=1_000, help="Maximum number of names.")] = 20,
    form: _Form = Format.text,
) -> None:
    """List the decisions in force, and the most frequent names that are not a tool's own."""
    expect_form(form, Format.text, Format.json)
    store, known = _open(domain)
    with clear_errors():
        decided = deciding.list_names(store, known)
        counts = deciding.count_names(store, known, limit)
    if form is Format.json:
        write_json({"aliases": decided, "counts": counts})
        return
    for decision in decided:
        dormant = f"; dormant: {decision['dormant']}" if decision["dormant"] else ""
        write_line(f"{_format_meaning(decision)}  ({decision['by']}, {decision['at']}){dormant}")
    for count in counts:
        became = f" -> {count['tool']}" if count["tool"] else ""
        write_line(f"{count['count']:>6} x {count['kind']}: {count['name']}{became}")
    if not decided and not counts:
        write_line("there is no decision, and no unknown name was seen yet")


@aliases.command()
def propose(
    domain: _Domain = "n8n",
    least: Annotated[
        int, typer.Option(min=1, help="Minimum number of runs that corrected a name.")
    ] = LEAST,
    often: Annotated[
        int, typer.Option(min=1, help="Minimum number of times a name was unknown.")
    ] = OFTEN,
    form: _Form = Format.text,
) -> None:
    """Propose aliases, and names of no tool, from the names seen; decide nothing."""
    expect_form(form, Format.text, Format.json)
    store, known = _open(domain)
    try:
        with clear_errors():
            proposals = deciding.list_proposals(store, known, least=least, often=often)
    except deciding.AliasError as error:
        raise UnusableError(f"{error}; {error.help}") from error
    if form is Format.json:
        write_json([asdict(proposal) for proposal in proposals])
        return
    for proposal in proposals:
        met = f"seen {proposal.evidence['met']} times"
        if proposal.tool is None:
            near = f"; perhaps {', '.join(proposal.candidates)}" if proposal.candidates else ""
            write_line(f"{proposal.name}: no such tool ({met}{near})")
            continue
        runs = [run for each in proposal.evidence["corrections"] for run in each["runs"]]
        write_line(f"{proposal.name} -> {proposal.tool} ({met}; runs {', '.join(runs)})")
    if not proposals:
        write_line("there are no proposals")


@aliases.command()
def accept(
    name: _Name,
    tool: Annotated[str, typer.Argument(help="The id of the tool that it means.")],
    domain: _Domain = "n8n",
    form: _Form = Format.text,
    *,
    preview: _Preview = False,
    override: _Override = False,
) -> None:
    """Make a name mean a tool in every catalog; shows the names that change."""
    _decide("alias", name, domain, form, tool=tool, preview=preview, override=override)


@aliases.command()
def refuse(
    name: _Name,
    say: Annotated[str, typer.Option(help="The id of the tool to use instead.")] = "",
    domain: _Domain = "n8n",
    form: _Form = Format.text,
    *,
    preview: _Preview = False,
    override: _Override = False,
) -> None:
    """Record that there is no such tool, and optionally which tool to use instead."""
    _decide("none", name, domain, form, instead=say or None, preview=preview, override=override)


@aliases.command()
def reject(name: _Name, domain: _Domain = "n8n", form: _Form = Format.text) -> None:
    """Reject the proposals for a name, so that it is not proposed again."""
    _decide("rejected", name, domain, form)


@aliases.command()
def drop(name: _Name, domain: _Domain = "n8n", form: _Form = Format.text) -> None:
    """Remove the decision about a name."""
    _decide("dropped", name, domain, form)


def _open(domain: str) -> tuple[Store, Domain]:
    known = known_domain(domain)
    return open_store(), known


def _decide(verb: Verb, name: str, domain: str, form: Format, **wish: Any) -> None:
    expect_form(form, Format.text, Format.json)
    store, known = _open(domain)
    try:
        with clear_errors():
            wanted = deciding.AliasDecisionRequest(name, verb, by=_person(), **wish)
            answer = deciding.decide(store, known, wanted).as_json()
    except deciding.AliasError as error:
        raise UnusableError(f"{error}; {error.help}") from error
    if form is Format.json:
        write_json(answer)
        return
    state = "" if answer["taken"] else "would be: "
    write_line(f"{state}{_format_meaning(answer['decision'])}")
    for change in answer["changes"]:
        runs = f" (runs {', '.join(change['runs'])})" if change["runs"] else ""
        became = f"{change['before'] or 'nothing'} -> {change['after'] or 'nothing'}"
        write_line(f"  {change['name']}: {became}{runs}")


def _format_meaning(decision: dict[str, Any]) -> str:
    name, instead = decision["name"], decision["instead"]
    return {
        "alias": f"{name} -> {decision['tool']}",
        "none": f"{name}: no such tool{f', say {instead}' if instead else ''}",
        "rejected": f"{name}: rejected",
        "dropped": f"{name}: the decision was removed",
    }[decision["decision"]]


def _person() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody without a name"
