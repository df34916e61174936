"""Makes two hundred invented secrets, each in a text or JSON value where users would type it.

The values have the shapes that services use and are joined at run time, so that no file seems to
contain a secret. Every second one was set aside while the patterns were written, and opened once.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Planted:
    """A secret and the value that contains it; ``kind`` names the family."""

    kind: str
    secret: str
    value: Any


Body = Callable[[Random], str]


def _of(letters: str, length: int) -> Body:
    def body(random: Random) -> str:
        text = "".join(random.choices(letters, k=length))
        # Long keys contain letters and digits; a draw without digits gets one.
        return text[:-1] + "7" if "7" in letters and text.isalpha() else text

    return body


_WORD = string.ascii_letters + string.digits
_LOW = string.ascii_lowercase + string.digits
_UP = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_URL = _WORD + "-_"


def _word(length: int) -> Body:
    return _of(_WORD, length)


def _hex(length: int) -> Body:
    return _of(_HEX, length)


def _key(*parts: str | Body) -> Body:
    return lambda random: "".join(p if isinstance(p, str) else p(random) for p in parts)


# Key formats of services, by prefix; the parts are joined at run time.
_KEYS: dict[str, Body] = {
    "openai": _key("s", "k-", _word(20), "T3BlbkFJ", _word(20)),
    "openai project": _key("s", "k-proj-", _of(_URL, 64)),
    "anthropic": _key("s", "k-ant-", "api03-", _of(_URL, 93), "AA"),
    "openrouter": _key("s", "k-or-", "v1-", _hex(64)),
    "deepseek": _key("s", "k-", _hex(32)),
    "groq": _key("g", "sk_", _word(52)),
    "replicate": _key("r", "8_", _word(37)),
    "hugging face": _key("h", "f_", _of(string.ascii_letters, 33), "7"),
    "perplexity": _key("pp", "lx-", _word(48)),
    "xai": _key("x", "ai-", _word(80)),
    "google": _key("AI", "za", _of(_URL, 35)),
    "google client": _key("GOC", "SPX-", _of(_URL, 28)),
    "google access": _key("ya", "29.", _of(_URL, 120)),
    "aws id": _key("AK", "IA", _of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
    "github": _key("gh", "p_", _word(36)),
    "github app": _key("gh", "s_", _word(36)),
    "github fine": _key("github", "_pat_", _word(22), "_", _word(59)),
    "gitlab": _key("gl", "pat-", _of(_URL, 20)),
    "gitlab runner": _key("gl", "rt-", _of(_URL, 20)),
    "slack bot": _key("xo", "xb-", _of("123456789", 11), "-", _of("123456789", 12), "-", _word(24)),
    "slack user": _key("xo", "xp-", _of("12345", 11), "-", _of("12345", 11), "-", _hex(32)),
    "slack app": _key("xa", "pp-1-A", _of(_UP, 10), "-", _of("12345", 13), "-", _hex(64)),
    "stripe": _key("sk", "_live_", _word(24)),
    "stripe long": _key("rk", "_test_", _word(99)),
    "stripe hook": _key("wh", "sec_", _word(32)),
    "sendgrid": _key("S", "G.", _of(_URL, 22), ".", _of(_URL, 43)),
    "mailgun": _key("ke", "y-", _hex(32)),
    "mailchimp": _key(_hex(32), "-us", "12"),
    "brevo": _key("xkey", "sib-", _hex(64), "-", _word(16)),
    "resend": _key("r", "e_", _word(8), "_", _word(24)),
    "postmark": _key("PMAK", "-", _hex(24), "-", _hex(34)),
    "twilio": _key("S", "K", _hex(32)),
    "telegram": _key(_of("123456789", 10), ":A", "A", _of(_URL, 33)),
    "discord": _key("M", _word(25), ".", _of(_URL, 6), ".", _of(_URL, 38)),
    "notion old": _key("secr", "et_", _word(43)),
    "notion": _key("nt", "n_", _of("123456789", 11), _word(35)),
    "airtable": _key("pa", "t", _word(14), ".", _hex(64)),
    "linear": _key("lin_", "api_", _word(40)),
    "figma": _key("fi", "gd_", _of(_URL, 40)),
    "databricks": _key("da", "pi", _hex(32)),
    "hubspot": _key(
        "pa", "t-na1-", _hex(8), "-", _hex(4), "-", _hex(4), "-", _hex(4), "-", _hex(12)
    ),
    "shopify": _key("shp", "at_", _hex(32)),
    "square": _key("sq0", "atp-", _of(_URL, 22)),
    "facebook": _key("EA", "AG", _word(120)),
    "digitalocean": _key("dop", "_v1_", _hex(64)),
    "npm": _key("np", "m_", _word(36)),
    "pypi": _key("py", "pi-AgEIcHlwaS5vcmc", _of(_URL, 70)),
    "docker": _key("dckr", "_pat_", _of(_URL, 27)),
    "vault": _key("hv", "s.", _of(_URL, 95)),
    "terraform": _key(_word(14), ".atl", "asv1.", _of(_URL, 64)),
    "doppler": _key("dp.", "pt.", _word(43)),
    "grafana": _key("gl", "sa_", _word(32), "_", _hex(8)),
    "newrelic": _key("NR", "AK-", _of(_UP, 27)),
    "sentry": _key("sn", "tryu_", _hex(64)),
    "supabase": _key("sb", "p_", _hex(40)),
    "atlassian": _key("AT", "ATT3xFfGF0", _of(_URL, 170), "=", _of("0123456789ABCDEF", 8)),
    "asana": _key("1/", _of("123456789", 16), ":", _hex(32)),
    "jwt": _key("ey", "J", _word(33), ".ey", "J", _word(60), ".", _of(_URL, 43)),
    "langfuse": _key(
        "s", "k-lf-", _hex(8), "-", _hex(4), "-", _hex(4), "-", _hex(4), "-", _hex(12)
    ),
    "pinecone": _key("pc", "sk_", _word(6), "_", _word(64)),
    "tavily": _key("tv", "ly-dev-", _word(32)),
    "firecrawl": _key("f", "c-", _hex(32)),
    "apify": _key("apify", "_api_", _word(36)),
    "rapidapi": _key(_hex(10), "msh", _hex(15), "p1", _hex(6), "jsn", _hex(12)),
    "elevenlabs": _key("s", "k_", _hex(48)),
    "postman": _key("PM", "AK-", _hex(24), "-", _hex(34)),
}
_SENTENCES = (
    "Call the service with {} every morning and mail me the answer",
    "Use my key {} for it.",
    "here is the token: {} please do not lose it",
    "({})",
)
_NAMED_TEXTS = (
    "the password is {}",
    "my password: {}, user ada",
    "pw: {}",
    "pwd={}",
    "DB_PASSWORD={}",
    "export API_KEY='{}'",
    "STRIPE_SECRET={} in the .env file",
    "secret access key {}",
    "aws_secret_access_key = {}",
    "mein Passwort lautet {}",
    "das Kennwort ist {}",
    "Passwort: {}",
    "Zugangsschlüssel: {}",
    "Geheimnis = {}",
    "le mot de passe est {}",
    "mot de passe : {}",
    "clé secrète : {}",
    "la contraseña es {}",
    "contraseña: {}",
    "clave secreta: {}",
    "API-Schlüssel: {}",
    "clé API : {}",
    "passphrase is {}",
    "login with admin / password {}",
    "api key is {} for weather",
    "the client secret {} belongs to the app",
    "use bearer token {} here",
    "access token: {}",
    "curl -u ada:{} https://host.example/v1/items",
    "curl -H 'X-Api-Key: {}' https://host.example",
    'curl -H "Authorization: Bearer {}" https://host.example',
    "curl --user ada:{} https://host.example",
    "Cookie: session={}; theme=dark",
    "Set-Cookie: sid={}; Path=/",
    "cookie: session={}",
    "Authorization: Bearer {}",
    "Authorization: Token {}",
    "X-Auth-Token: {}",
    "x-functions-key: {}",
    "Ocp-Apim-Subscription-Key: {}",
    "https://host.example/v1?api_key={}&units=m",
    "https://host.example/hook?token={}",
    "https://host.example/cb?code=ok&client_secret={}",
    "https://host.example/x?access_token={}#top",
    "https://acct.blob.example/c?sv=2024&sig={}",
    "DefaultEndpointsProtocol=https;AccountName=me;AccountKey={};EndpointSuffix=core.example",
    "Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey={}",
    "Server=db.example;Database=shop;User Id=sa;Password={};",
    "Host=db;Username=me;Pwd={};Port=5432",
    "jdbc:mysql://db.example/shop?user=me&password={}",
    "postgres://me:{}@db.example:5432/shop",
    "mongodb+srv://me:{}@cluster.example/shop",
    "redis://:{}@cache.example:6379/0",
    "amqps://me:{}@mq.example/vhost",
    "https://me:{}@host.example/repo.git",
    "ftp://ada:{}@files.example/in",
    "smtp password for mail.example is {}",
    "machine host.example login ada password {}",
    "token={}",
    "const apiKey = '{}';",
    "const headers = {{ Authorization: 'Bearer {}' }};",
    'password = "{}"',
    "--password {}",
    "--token={}",
    "private_key_id: {}",
    "WEBHOOK_SECRET: {}",
    "signing secret: {}",
    "encryption key: {}",
    "wachtwoord: {}",
    "hasło: {}",
    "senha: {}",
    "PIN code password={}",
)
_NAMED_VALUES: tuple[Callable[[str], Any], ...] = (
    lambda s: {
        "parameters": {"headerParameters": {"parameters": [{"name": "X-Api-Key", "value": s}]}}
    },
    lambda s: {"headers": [{"name": "Authorization", "value": f"Bearer {s}"}]},
    lambda s: {"queryParameters": {"parameters": [{"name": "apikey", "value": s}]}},
    lambda s: {"bodyParameters": {"parameters": [{"name": "client_secret", "value": s}]}},
    lambda s: {"assignments": [{"name": "apiToken", "value": s, "type": "string"}]},
    lambda s: {"jsonBody": '{"password": "' + s + '", "user": "ada"}'},
    lambda s: {"jsCode": f"const token = '{s}';\nreturn items;"},
    lambda s: {"jsCode": f'const options = {{ headers: {{ "x-api-key": "{s}" }} }};'},
    lambda s: {"pythonCode": f'API_SECRET = "{s}"\nreturn _input.all()'},
    lambda s: {"command": f"mysql -u root -p{s} shop"},
    lambda s: {"password": s},
    lambda s: {"auth": {"user": "ada", "pass": s}},
    lambda s: {"credentials": {"accessToken": s}},
    lambda s: {"Passwort": s},
    lambda s: {"options": {"passphrase": s}},
    lambda s: {"values": {"string": [{"name": "DB_PASS", "value": s}]}},
    lambda s: {"key": "cookie", "value": f"PHPSESSID={s}"},
    lambda s: {"env": {"OPENAI_API_KEY": s}},
)
_SPECIAL: dict[str, Callable[[Random], tuple[str, Any]]] = {}


def _special(kind: str) -> Callable[[Callable[[Random], tuple[str, Any]]], None]:
    def put(make: Callable[[Random], tuple[str, Any]]) -> None:
        _SPECIAL[kind] = make

    return put


@_special("basic header")
def _basic(random: Random) -> tuple[str, Any]:
    text = base64.b64encode(f"ada:{_word(14)(random)}".encode()).decode()
    return text, f"send Authorization: Basic {text} with it"


@_special("opaque basic header")
def _opaque_basic(random: Random) -> tuple[str, Any]:
    text = _word(36)(random)
    return text, {"name": "Authorization", "value": f"Basic {text}"}


@_special("opaque basic header in words")
def _opaque_basic_words(random: Random) -> tuple[str, Any]:
    text = _word(28)(random)
    return text, f"Authorization: Basic {text}"


def _pem(kind: str) -> Callable[[Random], tuple[str, Any]]:
    def make(random: Random) -> tuple[str, Any]:
        lines = [_of(_WORD + "+/", 64)(random) for _ in range(4)]
        head, end = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
        return lines[2], "\n".join(["sign with", head, *lines, end, "please"])

    return make


for _kind in ("PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"):
    _SPECIAL[_kind.lower()] = _pem(_kind)


@_special("private key in JSON")
def _service_account(random: Random) -> tuple[str, Any]:
    line = _of(_WORD + "+/", 64)(random)
    text = f"-----BEGIN PRIVATE KEY-----\\n{line}\\n-----END PRIVATE KEY-----\\n"
    return line, {"jsonBody": '{"type": "service_account", "private_key": "' + text + '"}'}


@_special("slack hook")
def _slack_hook(random: Random) -> tuple[str, Any]:
    text = f"T{_of(_UP, 9)(random)}/B{_of(_UP, 9)(random)}/{_word(24)(random)}"
    return text, {"url": f"https://hooks.slack.com/services/{text}"}


@_special("discord hook")
def _discord_hook(random: Random) -> tuple[str, Any]:
    text = _of(_URL, 68)(random)
    return text, f"post to https://discord.com/api/webhooks/123456789012345678/{text}"


@_special("teams hook")
def _teams_hook(random: Random) -> tuple[str, Any]:
    text = _hex(32)(random)
    place = "0f1e2d3c-1111-2222-3333-444455556666"
    return (
        text,
        f"https://acme.webhook.office.com/webhookb2/{place}@{place}/IncomingWebhook/{text}/{place}",
    )


def list_planted_secrets() -> tuple[Planted, ...]:
    """Returns all secrets, in an order that mixes the families."""
    every = list(_all())
    Random(20).shuffle(every)
    return tuple(every[:200])


def _all() -> Iterator[Planted]:
    random = Random(11)
    for number, (kind, body) in enumerate(_KEYS.items()):
        secret = body(random)
        if number % 4 == 3:
            yield Planted(kind, secret, {"parameters": {"notes": f"uses {secret} for now", "n": 1}})
        else:
            yield Planted(kind, secret, _SENTENCES[number % 3].format(secret))
    for kind, make in _SPECIAL.items():
        yield Planted(kind, *make(random))
    shapes = (_word(20), _hex(32), _key(_word(6), "!", _word(5)), _of(_LOW, 14), _of(_URL, 27))
    for number, text in enumerate(_NAMED_TEXTS):
        address = "://" in text and ("{}@" in text or "={}" in text)
        body = _word(22) if address else shapes[number % len(shapes)]
        secret = ("a9" + body(random)).rstrip("-_")
        yield Planted(text.format("...")[:40], secret, text.format(secret))
    for number, nest in enumerate(_NAMED_VALUES):
        secret = "k7" + shapes[number % 2](random)
        yield Planted(f"value {number}", secret, nest(secret))
    for number, (kind, body) in enumerate(list(_KEYS.items())[:40]):
        secret = body(random)
        value: Any = _SENTENCES[3].format(secret)
        if number % 2:
            value = _NAMED_VALUES[number % len(_NAMED_VALUES)](secret)
        yield Planted(f"{kind} again", secret, value)
