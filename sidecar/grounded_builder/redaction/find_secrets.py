"""Finds the secrets in a text: keys of services by their form, other secrets by their context.

Keys have the prefixes of their services. The context is a name such as "password", a scheme such as
``Bearer``, or the place in an address or a query. Opaque ids are no secrets: a request can need
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from grounded_builder.redaction.classify_value import (
    entropy,
    is_bare_secret,
    is_basic,
    is_drawn,
    is_opaque,
    is_plain,
    is_random,
    is_unnamed,
)

# A search looks for the start of a match in so many characters, and matches have these lengths.
_PIECE = 8_000
_LONGEST_MATCH, _LONGEST_BLOCK = 1_500, 21_000
_MIN_BARE_CHARS = 8
# Words for a password in languages of other scripts, and of Latin script with words of their own.
_FOREIGN_WORDS = (
    "пароль|пароля|секретный ключ|ключ api|密码|密碼|口令|密钥|密鑰|令牌|パスワード|秘密鍵|トークン"
    "|비밀번호|암호|토큰|كلمة المرور|كلمة السر|סיסמה|סיסמא|סיסמתי|पासवर्ड|κωδικός|รหัสผ่าน"
    "|şifre|parola|lösenord|adgangskode|passord|heslo|jelszó|salasana|mật khẩu|kata sandi"
)
# Words for a secret in English, German, French, Spanish, Portuguese, Italian, Dutch and Polish.
NAMES = (
    r"pass(?:word|wd|phrase|code)|passwor[dt]|pass?wd|pwd|kennwort|zugangs(?:schl\u00fcssel|code)|geheimnis"
    r"|mots? de passe|cl\u00e9 (?:secr\u00e8te|api|priv\u00e9e|d'acc\u00e8s)"
    r"|contrase\u00f1a|clave (?:secreta|api|privada|de acceso)|senha|chave secreta|parola d'ordine"
    r"|wachtwoord|has\u0142o|api[-_ ]?schl\u00fcssel"
    r"|api[-_ ]?key|(?:secret|access|private|account|encryption|signing)[-_ ]?key"
    r"|(?:subscription|functions?)[-_ ]?key"
    r"|(?:client|api|app|shared|signing|webhook)[-_ ]?secret"
    r"|(?:access|auth|api|bearer|refresh|bot|id)[-_ ]?token"
    rf"|{_FOREIGN_WORDS}"
)
# Words that are also used in other contexts: a sign must join them to the value.
_WEAK_NAMES = r"token|secret|pass|pw|psw|pin"
# A value that is written out: no expression, no mark in the place of one.
_REST = r"[^\s\"'`,;{}<>\[\]()&\\\0\u3001\u3002\u300d\uff01\uff09\uff0c\uff1b]"
_VALUE = rf"[^\s\"'`,;{{}}<>\[\]()$=&#\\\0]{_REST}*"
# The same with "&" in it, unless a parameter of a query or an entity follows.
_WHOLE_VALUE = rf"{_VALUE}(?:&(?![\w.-]{{1,40}}[=;]){_REST}+){{0,4}}"
# The prefixes of service keys that the patterns of gitleaks do not have.
_BEGINNINGS = (
    (("sk-",), r"sk-(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{16,400}"),
    (("_live_", "_test_"), r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}"),
    (("xox", "xapp-"), r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,200}"),
    (("gho_", "ghp_", "ghr_", "ghs_", "ghu_"), r"gh[oprsu]_[A-Za-z0-9]{30,200}"),
    (("github_pat_",), r"github_pat_[A-Za-z0-9_]{20,200}"),
    (("glpat-",), r"glpat-[A-Za-z0-9_-]{16,200}"),
    (("akia", "asia"), r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (("aiza",), r"AIza[A-Za-z0-9_-]{30,200}"),
    (("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,800}"),
    (("gocspx-",), r"GOCSPX-[A-Za-z0-9_-]{20,200}"),
    (("eyj",), r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{0,2000}"),
    (("sg.",), r"SG\.[A-Za-z0-9_-]{16,100}\.[A-Za-z0-9_-]{16,100}"),
    (("shp",), r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    (("key-",), r"key-[a-f0-9]{32}"),
    (("dop_v1_",), r"dop_v1_[a-f0-9]{64}"),
    (("npm_",), r"npm_[A-Za-z0-9]{30,200}"),
    (("pypi-",), r"pypi-[A-Za-z0-9_-]{40,400}"),
    (("grounded_",), r"grounded_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    (("hf_",), r"hf_[A-Za-z0-9]{30,200}"),
    ((":aa",), r"(?:bot)?[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    (("eaa",), r"EAA[A-Z][A-Za-z0-9]{60,400}"),
    (("atatt3x",), r"ATATT3x[A-Za-z0-9_=-]{60,400}"),
    (("fc-",), r"fc-[0-9a-f]{32}(?![A-Za-z0-9-])"),
    (("dapi",), r"dapi[0-9a-f]{32}"),
    (("pat-",), r"pat-[a-z]{2}[0-9]-[0-9a-f-]{36}"),
    (("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    (("-us",), r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    (("sk",), r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    (("msh",), r"[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{6}jsn[0-9a-f]{12}"),
)
_ANY_CASE = (
    *(
        ((word,), word.replace(".", r"\.") + r"(?=[a-z_.-]{0,60}[0-9])[a-z0-9_.-]{24,400}")
        for word in (
            "whsec_", "r8_", "gsk_", "dckr_pat_", "figd_", "sbp_", "sb_secret_", "pcsk_", "nvapi-",
            "csk-", "ntn_", "secret_", "tvly-", "xai-", "pplx-", "xkeysib-", "apify_api_",
            "lin_api_", "sq0atp-", "sq0csp-", "pmak-", "nrak-", "glsa_", "glrt-", "glptt-", "hvs.",
            "hvb.", "dp.pt.", "dp.st.", "sntryu_", "sntrys_", "vercel_", "rnd_", "lsv2_",
            "esecret_", "phx_", "alcht_", "cfpat-", "tskey-", "tfp_", "dt0c01.", "nfp_", "bkua_",
            "ccdb1_", "zpka_", "aio_", "sk.eyj", "live_", "ctp_", "dnkey-", "rpa_", "essu_",
            "glsoat-", "glft-", "glimt-", "glagent-", "gldt-", "glcbt-", "dvc_server_", "aqvn",
        )
    ),
    *(
        ((word,), word + r"(?=[a-z]{0,30}[0-9])[a-z0-9]{24,400}")
        for word in ("sk_", "rk_", "pat_", "key_", "tok_", "token_", "api_", "apikey_", "live_")
    ),
)  # fmt: skip
_BEARER = re.compile(
    r"(?:\b(?:bearer|token))[ \t]{1,4}(?=[A-Za-z._~+/-]{0,400}[0-9])([A-Za-z0-9._~+/=-]{16,})"
)
# Of any other scheme, and after a weak name that nothing joins: what looks drawn alone.
_SCHEME = re.compile(
    r"authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[a-z]{2,20} ([^\s\"'{}<>\0]{20,400})"
)
_WEAKLY_NAMED = re.compile(
    r"\b[a-z\u00df-\u00ff]{0,20}(?:token|secret|key|code|bot|push|schl\u00fcssel|jeton|cl\u00e9|clave"
    r"|chiave|sleutel)(?: d'[a-z\u00df-\u00ff]{1,20})?"
    # "key for the weather service is"
    r"(?:[ \t]{1,4}(?:for|of|f\u00fcr|von|pour|para|per|voor)(?:[ \t]{1,4}[\w.-]{1,40}){1,4}?)?"
    r"(?:[ \t]{0,4}[:=]|[ \t]{1,4}(?:is|was|with|ist|war|lautet|est|\u00e9tait|es|era|\u00e8))?"
    r"[ \t]{1,4}([A-Za-z0-9._~+/=-]{24,400})"
)
# A name and its value as arguments, and the value for a name that has none:
# getenv("API_TOKEN", "..."), process.env.API_KEY || "...", ${API_KEY:-...}.
_ARGUMENT = re.compile(
    rf"(?:{NAMES}|token|secret|key|pass|authorization)[\"'`\\]{{1,8}}\s{{0,8}},\s{{0,8}}[\"'`\\]{{1,8}}"
    rf"(?:bearer |basic |token )?({_VALUE})"
)
_DEFAULT = re.compile(
    rf"(?:{NAMES}|token|secret|key|pass)[\"'\])]{{0,4}}\s{{0,8}}(?:\|\||\?\?|:-|\bor\b)\s{{0,8}}"
    rf"[\"'`\\]{{0,8}}({_VALUE})"
)
# Google's passwords for applications: four groups of four letters.
_APP_PASSWORD = re.compile(
    r"app[ -]passwor[dt](?:[ \t]{0,4}[:=]|[ \t]{1,4}(?:is|ist|est))?[ \t]{1,4}"
    r"([a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?![a-z])"
)
# <Password Type="PasswordText">...</Password>
_ELEMENT = re.compile(
    rf"<[\w:.-]{{0,40}}(?:{NAMES}|token|secret)(?:\s[^<>\0]{{0,200}})?>\s{{0,8}}({_VALUE})\s{{0,8}}</"
)
# Discord's token: the id of the bot, a time and a signature, in base64.
_BOT = re.compile(r"(?<![\w.-])[mno][a-z0-9_-]{22,27}\.[a-z0-9_-]{6}\.[a-z0-9_-]{27,45}(?![\w.-])")
# Twilio's account with its token, which has no shape of its own.
_ACCOUNT = re.compile(r"(?<![a-z0-9])ac[0-9a-f]{32}[^a-z0-9\0]{1,12}([0-9a-f]{32})(?![a-z0-9])")
_BASIC = re.compile(r"(?:\bbasic)[ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})")
_USER = re.compile(r"://[^/\s:@\"'{}]{0,200}:([^/\s@\"'{}\[\]]{1,400})@")
# A token alone in the place of a user: https://TOKEN@host, https://TOKEN:x-oauth-basic@host.
_USER_ALONE = re.compile(r"://([^/\s:@\"'{}\[\]?#]{16,400})(?::[^/\s@\"'{}]{0,200})?@")
_QUERY = re.compile(
    rf"[?&](?:{NAMES}|key|token|secret|signature|sig|auth|sas)=([^&\s\"'#{{}}<>\[\]\0]{{6,}})"
)
_LONG_CODE = re.compile(
    r"[?&](?:code=([A-Za-z0-9._~+/=-]{40,400})|app_?id=([A-Za-z0-9._~+/=-]{24,400}))"
)
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/services/|discord(?:app)?\.com/api/webhooks/[0-9]{1,30}/)([A-Za-z0-9/_-]{16,})"
    r"|/incomingwebhook/([a-f0-9]{32})"
)
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^\0]{0,20000}?"
    r"(?:-----END [A-Z0-9 ]{1,60}-----|\Z|(?=\n?\0))"
)
_STATED = re.compile(
    rf"(?:{NAMES})(?:[-_]?(?:id|value))?[\"'\\]{{0,8}}"
    rf"(?:\s{{0,8}}(?:[:=\uff1a]|=>)\s{{0,8}}"
    rf"|\s{{1,8}}(?:is|ist|lautet|est|es|\u00e9|to|jest|je|\u00e4r|er|on|este|là|adalah|είναι|है|هي|هو|это"
    rf"|[-\u2013\u2014])\s{{1,8}}"
    rf"|\s{{0,8}}(?:是|为|為|は|が|은|는|이|가|คือ)\s{{0,8}}"
    rf"|\s{{1,8}}(?=[\"'`]))[\"'`\\]{{0,8}}({_WHOLE_VALUE})"
)
_WEAKLY_STATED = re.compile(
    rf"(?<![a-z])(?:{_WEAK_NAMES})[\"'\\]{{0,8}}\s{{0,8}}(?:[:=]|=>|(?:\bis\b)|(?=[\"'`]))\s{{0,8}}"
    rf"[\"'`\\]{{0,8}}({_VALUE})"
)
# "password hunter22 ...": nothing joins them.
_BARELY_STATED = re.compile(rf"(?:\b(?:{NAMES}))(?: for [\w.-]{{1,60}} is)?[ \t]{{1,4}}({_VALUE})")
_USER_OPTION = re.compile(
    rf"(?<![\w-])(?:-u|--user)[ =]{{1,3}}[\"']?[^\s:\"'\0]{{1,100}}:({_VALUE})"
)
_OPTION = re.compile(rf"--(?:{NAMES}|token|secret)[ =]{{1,3}}[\"']?({_VALUE})")
_MYSQL = re.compile(r"(?:\bmysql\w{0,10})[^\n\0]{0,200}?\s-p([^\s\"'\0]{4,})")
_COOKIE = re.compile(
    r"(?:cookie)[\"']?\s{0,8}[:=,]?[^\n\0]{0,200}?"
    r"(?:sess(?:ion)?(?:[-_.]?id)?|sid|auth|token|jwt|csrf)=([^\s;\"'&\0]{8,})"
)
_HEADER = re.compile(
    rf"(?:\bx-[a-z-]{{0,40}}(?:key|token|auth|secret))[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?({_VALUE})"
)
# {"name": "X-Api-Key", "value": "..."} in a text, perhaps escaped.
_PAIR = re.compile(
    r"(?:name|key)[\"'\\]{1,8}\s{0,8}:\s{0,8}[\"'\\]{1,8}[^\"'\\\0]{0,60}?"
    rf"(?:{NAMES}|token|secret|authorization|key|pass|cookie)[\"'\\]{{1,8}}\s{{0,8}},\s{{0,8}}"
    rf"[\"'\\]{{1,8}}value[\"'\\]{{1,8}}\s{{0,8}}:\s{{0,8}}[\"'\\]{{1,8}}"
    rf"(?:bearer |basic |token )?({_VALUE})"
)


def find_secrets(text: str) -> Iterator[str]:
    """Yields the secrets in a text."""
    lowered = _to_lower(text)
    if "private key" in lowered:
        yield from (match[0] for match in _matches(_BLOCK, text, _LONGEST_BLOCK))
    yield from _find_service_keys(text, lowered)
    for marks, pattern, is_secret in _BY_CONTEXT:
        if any(mark in lowered for mark in marks):
            for match in _matches(pattern, lowered):
                start, end = match.span(match.lastindex or 0)
                value = text[start:end]
                if is_secret(value):
                    yield value.rstrip(".,!?)") if len(value) > _MIN_BARE_CHARS else value


def _matches(
    pattern: re.Pattern[str], text: str, longest: int = _LONGEST_MATCH
) -> Iterator[re.Match[str]]:
    """Yields the matches of a pattern, searching the text in pieces.

    A search of the whole text is a single call, during which no other thread of the process runs.
    """
    place, piece_end = 0, _PIECE
    while place < len(text):
        end = piece_end + longest
        match = pattern.search(text, place, end)
        if match is None or match.start() >= piece_end:
            place, piece_end = piece_end, piece_end + _PIECE
            continue
        if match.end() >= end:  # cut off
            match = pattern.match(text, match.start()) or match
        yield match
        place = max(match.end(), place + 1)
        piece_end = max(piece_end, place + 1)


@dataclass(frozen=True, slots=True)
class _ServicePattern:
    keywords: tuple[str, ...]
    pattern: str
    group: int = 0
    entropy: float = 0
    before: int = 0


@cache
def _service_patterns() -> tuple[_ServicePattern, ...]:
    content = json.loads(files(__package__).joinpath("secret_patterns.json").read_text("utf-8"))
    own = (_ServicePattern(words, f"(?<![A-Za-z0-9])(?i:{p})") for words, p in _ANY_CASE)
    exact = (
        _ServicePattern(words, f"(?<![A-Za-z0-9])(?:{p})", before=_BEFORE * (words[0] in _INSIDE))
        for words, p in _BEGINNINGS
    )
    known = (
        _ServicePattern(
            tuple(word.lower() for word in p["keywords"]),
            p["pattern"],
            p["group"],
            p["entropy"],
            _BEFORE,
        )
        for p in content["patterns"]
    )
    return (*exact, *own, *known)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _find_service_keys(text: str, lowered: str) -> Iterator[str]:
    """Yields keys in the forms of services, searched around the keywords of each."""
    for service in _service_patterns():
        for keyword in service.keywords:
            place = lowered.find(keyword)
            while place >= 0:
                pattern = _compile(service.pattern)
                if service.before:
                    start = max(0, place - service.before)
                    match = pattern.search(text, start, place + _AFTER)
                else:
                    match = pattern.match(text, place)
                if match is not None:
                    secret = match[service.group] or match[0]
                    if entropy(secret) >= service.entropy and is_drawn(secret):
                        yield secret
                place = lowered.find(keyword, max(place + 1, match.end() if match else 0))


# The number of characters searched before and after a keyword.
_BEFORE, _AFTER = 60, 600
_INSIDE = frozenset({"_live_", ":aa", "-us", "msh"})


def _to_lower(text: str) -> str:
    """Returns a text in lower case with each character at its index.

    A few letters are longer in lower case; these stay as they are.
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := c.lower()) == 1 else c for c in text)


_NAMED_MARKS = (
    *_FOREIGN_WORDS.split("|"),
    "pass", "pwd", "kennwort", "zugang", "geheim", "cl\u00e9", "contrase", "clave", "senha",
    "chave", "parola", "wachtwoord", "has\u0142o", "key", "schl\u00fcssel", "secret", "token",
)  # fmt: skip
_WEAKLY_NAMED_MARKS = (
    "token", "secret", "key", "code", "bot", "push", "schl\u00fcssel", "jeton", "cl\u00e9", "clave",
    "chiave", "sleutel",
)  # fmt: skip
_ARGUMENT_MARKS = (*_NAMED_MARKS, "authorization")
_WEAK_MARKS = ("token", "secret", "pass", "pw", "psw", "pin")


_BY_CONTEXT: tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[str], bool]], ...] = (
    (("bearer", "token"), _BEARER, is_unnamed),
    (("basic",), _BASIC, is_basic),
    (("://",), _USER, is_plain),
    (("://",), _USER_ALONE, is_random),
    (("?", "&"), _QUERY, is_unnamed),
    (("hooks.slack", "webhooks/", "/incomingwebhook/"), _HOOK, is_plain),
    (_NAMED_MARKS, _STATED, is_opaque),
    (_WEAK_MARKS, _WEAKLY_STATED, is_opaque),
    (_NAMED_MARKS, _BARELY_STATED, is_bare_secret),
    (("authorization",), _SCHEME, is_random),
    (_WEAKLY_NAMED_MARKS, _WEAKLY_NAMED, is_random),
    (_ARGUMENT_MARKS, _ARGUMENT, is_random),
    (_ARGUMENT_MARKS, _DEFAULT, is_random),
    (("app password", "app-passwor", "app passwort"), _APP_PASSWORD, is_plain),
    (("ac",), _ACCOUNT, is_plain),
    (("</",), _ELEMENT, is_opaque),
    (("bot", "discord", "login"), _BOT, is_random),
    (("code=", "appid=", "app_id="), _LONG_CODE, is_random),
    (("-u ", "--user"), _USER_OPTION, is_unnamed),
    (("--",), _OPTION, is_opaque),
    (("mysql",), _MYSQL, is_opaque),
    (("cookie",), _COOKIE, is_opaque),
    (("x-",), _HEADER, is_opaque),
    (("value",), _PAIR, is_opaque),
)
