"""Secrets in requests reach neither prompts nor records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.redaction.find_secrets import find_secrets
from grounded_builder.redaction.redact import MARK, SECRET_NOTICE, without_secrets
from grounded_builder.services.conversation_record import DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.edit_sessions import EditSetup, start_edit_session
from grounded_builder.services.session_lookup import get_session
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import runs
from tests.support import catalogs
from tests.support.registries import acme_registry

# Made up, and put together here: no file of ours looks like it holds a secret.
LETTERS = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA"
HUSH = [
    f"sk-{LETTERS[:20]}",
    f"sk-ant-api03-{LETTERS[:20]}",
    f"sk_live_{LETTERS[:24]}",
    f"ghp_{LETTERS}AbCd",
    f"xoxb-{'1' * 12}-{LETTERS[:12]}",
    f"AKIA{LETTERS.upper()[:16]}",
    f"AIza{LETTERS}aBc",
    f"eyJ{LETTERS[:12]}.eyJ{LETTERS[:12]}.{LETTERS[:10]}",
    f"{'1' * 9}:AA{LETTERS}x",
]
HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n{LETTERS}\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        *((f"Call it with {name}, then mail me", name) for name in HUSH),
        (f"Send Authorization: Bearer {LETTERS[:24]} with it", LETTERS[:24]),
        ("Send Basic bWU6aHVzaC1odXNo with it", "bWU6aHVzaC1odXNo"),
        ("Read postgres://me:hu-sh7@db.example:5432/x", "hu-sh7"),
        ("Get https://host.example/v1?units=m&api_key=hushhush", "hushhush"),
        ("the password is hush4hush.", "hush4hush"),
        ("the password is !hush4hush", "hush4hush"),
        ('{"client_secret": "hush4hush"}', "hush4hush"),
        ("MY_API_KEY=hush4hush", "hush4hush"),
        (f"Post to https://hooks.slack.com/services/T0/B0/{LETTERS[:24]}", LETTERS[:24]),
        (f"Sign with {PEM} please", LETTERS),
        ("the password is hush4&hush8.", "hush4&hush8"),
        ("the password - hush4hush", "hush4hush"),
        ("Пароль: hush4hush", "hush4hush"),
        ("пароль это hush4hush", "hush4hush"),
        ("登录 密码是hush4hush\uff0c然后发送", "hush4hush"),
        ("パスワードは hush4hush です", "hush4hush"),
        ("비밀번호는 hush4hush", "hush4hush"),
        ("كلمة المرور: hush4hush", "hush4hush"),
        ("סיסמה: hush4hush", "hush4hush"),
        ("şifre: hush4hush", "hush4hush"),
    ],
)
def test_a_named_secret_is_removed(text: str, secret: str) -> None:
    """Known beginnings, schemes, addresses, names and blocks are recognised; the rest stays."""
    assert secret in text
    clean = without_secrets(text)
    assert secret not in clean
    assert MARK in clean
    assert clean.split()[0] == text.split(maxsplit=1)[0] or text.startswith(("{", "MY"))
    assert without_secrets(clean) == clean


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Der AWS-Schlüssel lautet {LETTERS} und gilt", LETTERS),
        (f"the old key was {LETTERS}", LETTERS),
        (f"API-Schlüssel für Pipedrive: {HEX}", HEX),
        (f"my key for the weather service is {LETTERS}", LETTERS),
        (f"le jeton d'accès est {HEX}", HEX),
        (f"client = Client('AC{HEX}', '{HEX[::-1]}')", HEX[::-1]),
        (f"https://api.telegram.org/bot123456789:AA{LETTERS}x/getMe", f"AA{LETTERS}x"),
        (f"https://{HEX}@o45.ingest.sentry.test/45", HEX),
        (f"https://{LETTERS}:x-oauth-basic@git.acme.test/a", LETTERS),
        (f"https://api.acme.test/weather?q=Bern&appid={HEX}", HEX),
        (f"os.environ.get('API_TOKEN', '{LETTERS}')", LETTERS),
        (f"process.env.API_KEY || '{LETTERS}'", LETTERS),
        (f"${{API_KEY:-{LETTERS}}}", LETTERS),
        (f"headers.set('Authorization', 'Bearer {LETTERS}')", LETTERS),
        ("Gmail app password: abcd efgh ijkl mnop for me", "abcd efgh ijkl mnop"),
        (f'<wsse:Password Type="PasswordText">{LETTERS}</wsse:Password>', LETTERS),
        (f"bot.login('MTAx{LETTERS[:20]}.G1a2b3.{LETTERS}')", LETTERS),
    ],
)
def test_secrets_are_taken_out_of_code_sentences_and_addresses(text: str, secret: str) -> None:
    """A value is a secret by what stands around it, in code, XML and several languages."""
    assert secret in text
    clean = without_secrets(text)
    assert secret not in clean
    assert without_secrets(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "the code for the new customer form is on the page called onboarding-of-new-customers",
        "os.environ.get('API_TOKEN', 'default_value_for_tests')",
        "const key = options.key || 'customer_reference_number'",
        "https://acme.test/?appid=1234567890",
        "https://user.name@acme.test/x and https://medium.test/@someone-writing-2024",
        "app password: must be long",
    ],
)
def test_names_beside_the_words_for_secrets_stay(text: str) -> None:
    """A name, a number or a word in the place of a secret is none."""
    assert without_secrets(text) == text


def test_a_key_that_is_cut_off_is_taken_out_of_code() -> None:
    """A private key without its end is taken out to the end of its text."""
    code = f"const pem = `-----BEGIN EC PRIVATE KEY-----\n{LETTERS}\n"
    clean = without_secrets({"nodes": [{"name": "Sign", "parameters": {"jsCode": code}}]})
    assert LETTERS not in json.dumps(clean)
    assert clean["nodes"][0]["name"] == "Sign"


def test_a_text_written_out_in_an_expression_is_a_secret_of_its_name() -> None:
    """An expression that only refers to a value stays; one that holds the value does not."""
    held = {"name": "Authorization", "value": f"={{{{ 'Token ' + '{LETTERS}' }}}}"}
    assert LETTERS not in json.dumps(without_secrets(held))
    named = {"name": "Authorization", "value": "={{ 'Token ' + $json.token }}"}
    assert without_secrets(named) == named


@pytest.mark.parametrize(
    "text",
    [
        "When a form with email, password and a token is sent, check the api key",
        "Reset a password: mail the user a link with a token",
        "Read spreadsheet 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms every day",
        "Use https://host.example/v1/items?page=2&key=name and Bearer authentication",
        "Set Authorization to =Bearer {{ $json.token }} and api_key={{ $env.KEY }}",
        "the api key is YOUR_API_KEY, the password: <your password>",
        "Basic auth, basic authentication; a key-value store and a primary pk_customer_order_2024",
        "chat 123456789 in channel C0123ABCD at 2026-11-22T07:55:17Z",
        "model gpt-4o-mini-2024-07-18, sk-learn, task-1234",
        "copy the key d01-test.uuq.pl, the token web2.eu-west-1.apps7.acme.io",
        "curl -u 'username:password' https://api.acme.com/v1?apiKey=API_KEY&token=api_key",
        "return [{ json: { hasLinqToken: !!linqToken, noToken: !token } }]",
    ],
)
def test_redaction_keeps_values_of_request(text: str) -> None:
    """Ids, parameter names, expressions and redaction marks are not secrets."""
    assert list(find_secrets(text)) == []
    assert without_secrets(text) is text


def test_values_are_reported_by_their_names() -> None:
    """In JSON a name or a pair identifies a secret, and its repetitions are removed too."""
    value = {
        "password": "hush",
        "headers": [{"name": "Authorization", "value": "hushed up"}, {"name": "A", "value": "b"}],
        "note": "it was hushed up, you know",
        "url": "=https://host.example/{{ $json.id }}",
        "apiKey": "={{ $json.apiKey }}",
        "ssh_key": "=d01-test2.uuq.pl",
        "number": 7,
    }
    assert without_secrets(value) == {
        **value,
        "password": MARK,
        "headers": [{"name": "Authorization", "value": MARK}, {"name": "A", "value": "b"}],
        "note": f"it was {MARK}, you know",
    }


def _store(folder: Path) -> Any:
    return open_domains_store(Settings(state=folder, database_url=sqlite_url(folder)))


@pytest.mark.parametrize("drafter", ["external", "planner"])
@pytest.mark.parametrize("secret", [HUSH[0], HUSH[5], PEM])
def test_prompts_and_records_contain_no_secret(drafter: str, secret: str, tmp_path: Path) -> None:
    """Prompts, records and exports are without the secret, and the answer reports this."""
    store = _store(tmp_path)
    talks = Conversations(store, N8N, acme_registry(), tuple)
    order = DraftRequest(
        f"On a webhook send by Acme Mail with {secret}", {"key": secret}, drafter=drafter
    )
    answer = talks.open(order)
    asked = json.dumps(answer)
    if answer["status"] == "draft":
        params = {"resource": "message", "operation": "send", "to": secret}
        steps = [
            {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
            {"id": "mail", "tool": catalogs.MAIL, "params": params},
        ]
        session, _ = get_session(store, answer["session"])
        answer = talks.submit_reply(session, reply=json.dumps({"steps": steps}))
    run = runs.get_run(store.engine, answer["session"])
    store.close()
    assert run is not None
    text = json.dumps(secret)[1:-1]
    assert text not in asked
    assert text not in json.dumps(run.as_json())
    assert MARK in run.line.request
    assert SECRET_NOTICE in answer["summary"]


def test_a_workflow_is_shown_without_its_secrets(tmp_path: Path) -> None:
    """A model sees no secret of a workflow that it edits, and unchanged nodes keep theirs."""
    store = _store(tmp_path)
    document = catalogs.workflow()
    document["nodes"][1]["parameters"]["subject"] = f"with {HUSH[0]}"
    context = EditSetup(store, N8N, acme_registry(), tuple, editor=EDITOR)
    answer = start_edit_session(DraftRequest("rename the mail to Greeting"), document, context)
    run = runs.get_run(store.engine, answer["session"])
    store.close()
    assert answer["status"] == "draft"
    assert HUSH[0] not in json.dumps(answer["messages"])
    assert run is not None
    assert HUSH[0] not in json.dumps(run.as_json())


def test_keys_that_become_equal_lose_no_entry() -> None:
    """Two keys that are secrets are both kept, numbered."""
    first, second = (f"glpat-{start}7Kq2VxZ9mB4tR8wL3nC" for start in "ab")
    clean = without_secrets({first: 1, second: 2})
    assert clean == {MARK: 1, f"{MARK} 2": 2}
