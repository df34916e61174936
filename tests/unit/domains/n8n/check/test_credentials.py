from __future__ import annotations

from typing import Any

from grounded_builder.ir.options import CompileOptions, StoredCredential
from tests.unit.domains.n8n.parameters.parameter_cases import (
    choice,
    codes,
    credential_findings,
    declare,
    registry,
    when,
)

TYPES = ("acmeKey", "acmeLogin", "acmeOther")
ASKED = (
    {"name": "acmeKey", "required": True, "displayOptions": when(authentication="key")},
    {"name": "acmeLogin", "required": True, "displayOptions": when(authentication="login")},
)
WAYS = [choice("authentication", ["key", "login", "none"])]
KNOWN = registry(WAYS, credentials=ASKED, types=TYPES)


def report(
    given: dict[str, Any], credentials: Any = None, options: CompileOptions | None = None
) -> list[str]:
    node = {} if credentials is None else {"credentials": credentials}
    return codes(credential_findings(KNOWN, given, options, **node))


def test_the_type_asked_for_follows_the_parameters() -> None:
    """Defaults count: the shown credential is the one that is missing."""
    diagnostics = credential_findings(KNOWN, {})
    assert [(d.code, d.token) for d in diagnostics] == [("N8N303", "acmeKey")]
    assert credential_findings(KNOWN, {"authentication": "login"})[0].token == "acmeLogin"
    assert not report({"authentication": "none"})


def test_a_credential_without_id_is_not_configured() -> None:
    """n8n finds a credential by its id alone."""
    assert not report({}, {"acmeKey": {"id": "1", "name": "x"}})
    assert report({}, {"acmeKey": {"name": "x"}}) == ["N8N303"]
    assert report({}, {"acmeKey": "x"}) == ["N8N303"]


def test_a_disabled_node_asks_for_nothing() -> None:
    """n8n finds no fault with disabled nodes."""
    assert not credential_findings(KNOWN, {}, disabled=True)


def test_a_leftover_of_another_mode_is_fine() -> None:
    """A type that the node takes in another mode is kept without a word."""
    assert not report({}, {"acmeKey": {"id": "1"}, "acmeLogin": {"id": "2"}})


def test_a_type_that_the_node_never_takes_is_wrong() -> None:
    """A known type that no mode of any version declares is refused, with those that are."""
    diagnostics = credential_findings(
        KNOWN, {}, credentials={"acmeKey": {"id": "1"}, "acmeOther": {"id": "2"}}
    )
    assert codes(diagnostics) == ["N8N304"]
    assert diagnostics[0].alternatives == ("acmeKey",)
    assert diagnostics[0].at == ("nodes", 0, "credentials", "acmeOther")


def test_a_type_of_another_version_is_a_leftover() -> None:
    """A credential of another version of the tool is not wrong."""
    other = {
        "versions": [9],
        "inputs": [],
        "outputs": [],
        "parameters": [],
        "credentials": [{"name": "acmeOther"}],
    }
    known = registry(WAYS, credentials=ASKED, types=TYPES, others=[other])
    credentials = {"acmeKey": {"id": "1"}, "acmeOther": {"id": "2"}}
    assert not credential_findings(known, {}, credentials=credentials)


def test_an_unknown_type_is_wrong_where_all_are_known() -> None:
    """Only a catalog read from an installation proves that a type does not exist."""
    credentials = {"acmeKey": {"id": "1"}, "acmeGhost": {"id": "2"}}
    assert report({}, credentials) == ["N8N305"]
    assumed = registry(WAYS, credentials=ASKED, types=TYPES, origin="assumed")
    assert not credential_findings(assumed, {}, credentials=credentials)


def test_a_node_may_let_people_choose_the_type() -> None:
    """The type that a parameter names is asked for, and every known type is taken."""
    chooser = [
        choice("authentication", ["none", "chosen"]),
        declare(
            "nodeCredentialType", "credentialsSelect", displayOptions=when(authentication="chosen")
        ),
    ]
    known = registry(chooser, types=TYPES)
    given = {"authentication": "chosen", "nodeCredentialType": "acmeOther"}
    diagnostics = credential_findings(known, given)
    assert [(d.code, d.token) for d in diagnostics] == [("N8N303", "acmeOther")]
    assert not credential_findings(known, given, credentials={"acmeOther": {"id": "1"}})
    hidden = {"authentication": "none", "nodeCredentialType": "acmeOther"}
    assert not credential_findings(known, hidden)
    dynamic = {"authentication": "chosen", "nodeCredentialType": "={{ $json.type }}"}
    assert not credential_findings(known, dynamic)


def test_a_credential_that_is_not_stored_is_absent() -> None:
    """An id or a name that is not among the stored credentials is reported."""
    options = CompileOptions(credentials=(StoredCredential("7", "Main", "acmeKey"),))
    assert not report({}, {"acmeKey": {"id": "7", "name": "Main"}}, options)
    assert report({}, {"acmeKey": {"id": "8", "name": "Main"}}, options) == ["N8N306"]
    assert "N8N306" in report({}, {"acmeKey": {"name": "Side"}}, options)
    assert "N8N306" not in report({}, {"acmeKey": {"name": "Main"}}, options)
    assert not report({}, {"acmeKey": {"id": "8"}})


def test_malformed_credentials_raise_nothing() -> None:
    """Malformed credentials count as missing, or as credentials without an id."""
    shapes: tuple[Any, ...] = (
        None,
        [],
        "x",
        5,
        {"acmeKey": None},
        {"acmeKey": []},
        {"acmeKey": "=x"},
    )
    for odd in shapes:
        assert "N8N303" in report({}, odd)


CHOOSER = declare("genericAuthType", "credentialsSelect", credentialTypes=["has:genericAuth"])


def _check_choice(kind: str, **facts: Any) -> list[Any]:
    known = registry([CHOOSER], types=TYPES, **facts)
    given = {"genericAuthType": kind}
    return credential_findings(known, given, credentials={kind: {"id": "1"}})


def test_a_chosen_type_that_is_not_installed_is_wrong_once() -> None:
    """The parameter that names it is the place; an assumed catalog cannot know."""
    choosing = _check_choice("acmeGhost")
    assert codes(choosing) == ["N8N305"]
    assert choosing[0].at == ("nodes", 0, "parameters", "genericAuthType")
    assert "N8N305" not in codes(_check_choice("acmeGhost", origin="assumed"))


def test_a_specific_type_is_no_generic_one() -> None:
    """n8n applies generic types only where it asks for one; those are marked."""
    choosing = _check_choice("acmeKey")
    assert codes(choosing) == ["N8N304"]
    assert choosing[0].at == ("nodes", 0, "parameters", "genericAuthType")


def test_the_notice_of_a_retired_type_is_quoted() -> None:
    """A notice at the start of a form warns of its type; of OAuth, or further down, it does not."""
    text = "Acme <b>ends</b> keys in May. Use a login."
    notice = {"name": "notice", "type": "notice", "displayName": text, "default": ""}
    key = {"name": "key", "type": "string", "default": ""}

    def message(**credential: Any) -> str:
        line = {"id": "acmeKey", "name": "acmeKey", **credential}
        known = registry(WAYS, credentials=ASKED, types=(line, "acmeLogin"))
        return credential_findings(known, {})[0].message

    quoted = "Acme ends keys in May. Use a login"
    assert f'on which n8n notes "{quoted}"' in message(parameters=[notice, key])
    assert "notes" not in message(parameters=[key, notice])
    assert "notes" not in message(parameters=[notice, key], extends=["oAuth2Api"])
    shown = {**notice, "displayOptions": when(key="old")}
    assert "notes" not in message(parameters=[shown, key])
