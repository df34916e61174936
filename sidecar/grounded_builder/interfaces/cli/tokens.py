"""Implements ``grounded tokens``: creates, lists, shows and revokes tokens."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    open_store,
)
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.ir.options import Switches, SwitchesError, read_switches
from grounded_builder.storage.tokens import SCOPES, Scope, Token

tokens = typer.Typer(
    help="Manage the tokens of the HTTP interface, their scopes and policies.",
    no_args_is_help=True,
)

_LONGEST_LABEL = 200
_Form = Annotated[Format, typer.Option("--format", help="text or json.")]
_Id = Annotated[str, typer.Argument(help="The id of a token, as `grounded tokens list` shows it.")]
_Several = list[str] | None


@tokens.command()
def create(
    label: Annotated[str, typer.Argument(help="The user or program of the token.")],
    scope: Annotated[list[str], typer.Option(help=f"{', '.join(SCOPES)}; repeatable.")],
    allowed_host: Annotated[
        _Several, typer.Option(help="A host that may be called, such as *.acme.com; repeatable.")
    ] = None,
    denied: Annotated[
        _Several, typer.Option(help="A tool to deny, by id or pattern; repeatable.")
    ] = None,
    form: _Form = Format.text,
    *,
    no_code: Annotated[bool, typer.Option("--no-code", help="Deny tools that run code.")] = False,
    core_only: Annotated[
        bool, typer.Option("--core-only", help="Deny community packages.")
    ] = False,
    no_host_access: Annotated[
        bool, typer.Option("--no-host-access", help="Deny tools that access the host.")
    ] = False,
) -> None:
    """Create a token; it is shown only once."""
    expect_form(form, Format.text, Format.json)
    if not 0 < len(label.strip()) <= _LONGEST_LABEL:
        raise UnusableError(
            f"a label has 1 to {_LONGEST_LABEL} characters, this one has {len(label)}"
        )
    unknown = next((name for name in scope if name not in SCOPES), None)
    if unknown is not None:
        raise UnusableError(f"there is no scope {unknown!r}; known: {', '.join(SCOPES)}")
    switches = _switches(
        {
            "allowed_hosts": allowed_host or None,
            "denied": denied or [],
            "no_code": no_code,
            "core_only": core_only,
            "no_host_access": no_host_access,
        }
    )
    with clear_errors():
        token, text = open_store().make_token(label.strip(), cast("list[Scope]", scope), switches)
    if form is Format.json:
        write_json({**token.as_json(), "token": text})
        return
    _describe(token)
    write_line(f"token   {text}")


@tokens.command("list")
def list_(form: _Form = Format.text) -> None:
    """List all tokens, oldest first; the tokens themselves are not stored."""
    expect_form(form, Format.text, Format.json)
    with clear_errors():
        listed = open_store().tokens()
    if form is Format.json:
        write_json([token.as_json() for token in listed])
        return
    for token in listed:
        policy = "; has a policy" if token.switches != Switches() else ""
        write_line(f"{token.id}  {' '.join(sorted(token.scopes))}  {token.label}{policy}")
    if not listed:
        write_line("there is no token yet; `grounded serve` creates the first one")


@tokens.command()
def show(token_id: _Id, form: _Form = Format.text) -> None:
    """Show the scopes and the policy of one token."""
    expect_form(form, Format.text, Format.json)
    with clear_errors():
        token = next((token for token in open_store().tokens() if token.id == token_id), None)
    if token is None:
        raise _unknown_token_error(token_id)
    if form is Format.json:
        write_json(token.as_json())
    else:
        _describe(token)


@tokens.command()
def revoke(token_id: _Id) -> None:
    """Remove a token; every server of this database refuses it within a second."""
    with clear_errors():
        dropped = open_store().drop_token(token_id)
    if not dropped:
        raise _unknown_token_error(token_id)
    write_line(f"revoked {token_id}")


def _switches(given: dict[str, object]) -> Switches:
    try:
        return read_switches(given)
    except SwitchesError as error:
        raise UnusableError(str(error)) from error


def _unknown_token_error(token_id: str) -> UnusableError:
    return UnusableError(f"there is no token {token_id[:60]!r}; see `grounded tokens list`")


def _describe(token: Token) -> None:
    write_line(f"id      {token.id}")
    write_line(f"label   {token.label}")
    write_line(f"scopes  {' '.join(sorted(token.scopes))}")
    write_line(f"made    {token.created_at}")
    for name, value in token.switches.as_json().items():
        shown = "yes" if value is True else ", ".join(value) or "none"
        write_line(f"policy  {name}: {shown}")
