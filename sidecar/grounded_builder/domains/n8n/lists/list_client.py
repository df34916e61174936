"""Reads lists of the user's account through the routes with which n8n's editor fills its lists.

n8n runs the node's own code with the stored credential and answers with the entries; it never gives
the credential itself. The routes are n8n's own and undocumented: these are those of 2.41
(``dynamic-node-parameters.controller``), which only a logged-in user can call.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import Any, Literal, Self

import requests
import urllib3

from grounded_builder.catalog.text_cleaning import clean_name
from grounded_builder.ir.options import StoredCredential
from grounded_builder.redaction.own_secrets import hide_secret_forms, list_secret_forms

ListKind = Literal["locator", "options", "columns"]

_ROUTES: Mapping[ListKind, str] = {
    "locator": "/rest/dynamic-node-parameters/resource-locator-results",
    "options": "/rest/dynamic-node-parameters/options",
    "columns": "/rest/dynamic-node-parameters/resource-mapper-fields",
}
_LOGIN = "/rest/login"
_PROJECT = "/rest/projects/personal"
_CREDENTIALS = "/rest/credentials"
_COOKIE = "n8n-auth"
_QUOTED = 300
_LONGEST_TEXT = 500
# n8n permits five logins of a user per minute, so sessions are kept for the life of the process.
_cookies: dict[tuple[str, str], str] = {}
_cookies_lock = Lock()


class ListError(Exception):
    """A list could not be read; the text states why, in n8n's words where it has any.

    ``is_general`` is whether no other list can be read either: n8n is silent or refuses the login.
    """

    def __init__(self, what: str, status: int = 0, *, is_general: bool = False) -> None:
        super().__init__(what)
        self.status = status
        self.is_general = is_general


@dataclass(frozen=True, slots=True)
class ListBounds:
    """The limits of all lookups for one workflow: seconds, bytes of an answer, pages and entries
    of a list.
    """

    connect_s: float = 3.0
    call_s: float = 10.0
    whole_s: float = 30.0
    answer_bytes: int = 4_000_000
    pages: int = 10
    entries: int = 5_000


@dataclass(frozen=True, slots=True)
class Login:
    """The user of n8n whose lists are read."""

    url: str
    email: str
    password: str


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """What n8n needs to fill a list: the node with its parameters and credentials, and the method.

    ``path`` is the parameter's route as n8n writes it. Without ``method`` the declaration of the
    parameter contains the request. ``search`` is a text to search for.
    """

    kind: ListKind
    node_type: str
    version: float
    path: str
    method: str
    parameters: Mapping[str, Any]
    credentials: Mapping[str, Any]
    search: str = ""


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An entry of a list: what the workflow stores, and what people see."""

    value: str | int | float | bool
    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class EntryList:
    """The entries of a list; ``is_complete`` is False where a limit cut it."""

    entries: tuple[ListEntry, ...]
    is_complete: bool = True


class ListClient:
    """A session of a user with one n8n, for the lists of one workflow.

    Not for several threads at once. Only the host of ``login`` is called.
    """

    def __init__(self, login: Login, bounds: ListBounds | None = None) -> None:
        self._login = login
        self._bounds = bounds or ListBounds()
        self._deadline = time.monotonic() + self._bounds.whole_s
        self._secrets = list_secret_forms(login.password)
        self._project: str | None = None
        self._http = requests.Session()
        # No proxy and no .netrc: only the configured host is called.
        self._http.trust_env = False

    def __enter__(self) -> Self:
        """Returns the client; the ``with`` block closes its connections."""
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def list_credentials(self) -> tuple[StoredCredential, ...]:
        """Returns the credentials that the user may use, without their secrets."""
        listed = self._call("GET", _CREDENTIALS)
        return tuple(
            StoredCredential(str(entry["id"]), str(entry["name"]), str(entry["type"]))
            for entry in (listed if isinstance(listed, list) else ())
            if isinstance(entry, dict) and {"id", "name", "type"} <= entry.keys()
        )

    def list_entries(self, question: ListQuestion) -> EntryList:
        """Returns the entries of a list; raises ListError where n8n does not give them."""
        if question.kind == "options":
            options = _read_entries(self._ask(question, {}))
            return EntryList(options[: self._bounds.entries], len(options) <= self._bounds.entries)
        entries: list[ListEntry] = []
        token: Any = None
        for _ in range(self._bounds.pages):
            page = self._ask(question, {} if token is None else {"paginationToken": token})
            if not isinstance(page, dict):
                raise ListError("n8n's answer has no list in it")
            entries += _read_entries(page.get("results"))
            token = page.get("paginationToken")
            if token in (None, ""):
                return EntryList(tuple(entries))
            if len(entries) > self._bounds.entries:
                break
        return EntryList(tuple(entries[: self._bounds.entries]), is_complete=False)

    def list_columns(self, question: ListQuestion) -> tuple[Mapping[str, Any], ...]:
        """Returns the columns that a resource mapper offers, as n8n describes them."""
        answer = self._ask(question, {})
        fields = answer.get("fields") if isinstance(answer, dict) else None
        if not isinstance(fields, list):
            raise ListError("n8n's answer has no columns in it")
        known = [field for field in fields if isinstance(field, dict) and _is_text(field.get("id"))]
        return tuple(known[: self._bounds.entries])

    def _ask(self, question: ListQuestion, more: Mapping[str, Any]) -> Any:
        project = self._find_project()
        body: dict[str, Any] = {
            "path": question.path,
            "nodeTypeAndVersion": {"name": question.node_type, "version": question.version},
            "currentNodeParameters": question.parameters,
            **({"methodName": question.method} if question.method else {"loadOptions": {}}),
            **({"credentials": question.credentials} if question.credentials else {}),
            **({"filter": question.search} if question.search else {}),
            **({"projectId": project} if project else {}),
            **more,
        }
        return self._call("POST", _ROUTES[question.kind], body)

    def _find_project(self) -> str:
        """Returns the id of the user's personal project, which the lists of data tables need."""
        if self._project is None:
            try:
                answer = self._call("GET", _PROJECT)
            except ListError as error:
                if error.status in (0, HTTPStatus.UNAUTHORIZED):
                    raise
                answer = None
            self._project = str(answer.get("id") or "") if isinstance(answer, dict) else ""
        return self._project

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Calls with the stored session, and logs in where n8n does not accept it."""
        key = (self._login.url, self._login.email)
        with _cookies_lock:
            cookie = _cookies.get(key)
        if cookie is not None:
            try:
                return self._send(method, path, body, cookie)[0]
            except ListError as error:
                if error.status != HTTPStatus.UNAUTHORIZED:
                    raise
        cookie = self._log_in()
        with _cookies_lock:
            _cookies[key] = cookie
        return self._send(method, path, body, cookie)[0]

    def _log_in(self) -> str:
        login = self._login
        body = {"emailOrLdapLoginId": login.email, "password": login.password}
        try:
            _, cookie = self._send("POST", _LOGIN, body, "")
        except ListError as error:
            if error.status == 0:
                raise
            message = f"n8n refused the login of {login.email}: {error}"
            raise ListError(message, error.status, is_general=True) from error
        if not cookie:
            raise ListError(
                f"n8n accepted the login of {login.email} but gave no session", is_general=True
            )
        return cookie

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None, cookie: str
    ) -> tuple[Any, str]:
        """Returns the data of the answer and the session that it sets."""
        left = min(self._bounds.call_s, self._deadline - time.monotonic())
        if left <= 0:
            message = f"the lookups took more than {self._bounds.whole_s:g} s"
            raise ListError(message, is_general=True)
        headers = {"Accept": "application/json"}
        # n8n marks its cookie as secure; a cookie jar would not send it to a plain http address.
        headers |= {"Cookie": f"{_COOKIE}={cookie}"} if cookie else {}
        try:
            with self._http.request(
                method,
                f"{self._login.url}{path}",
                json=None if body is None else dict(body),
                headers=headers,
                timeout=(self._bounds.connect_s, left),
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = self._read(answer, time.monotonic() + left)
                given = answer.cookies.get(_COOKIE) or ""
                self._http.cookies.clear()
                return _data_of(answer.status_code, content), given
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise ListError(f"n8n did not answer within {left:.0f} s") from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            message = f"the call to n8n at {self._login.url} failed ({type(error).__name__})"
            raise ListError(message, is_general=True) from error

    def _read(self, answer: requests.Response, deadline: float) -> bytes:
        """Reads the answer in parts, so that neither its size nor a slow sender is unbounded."""
        content = bytearray()
        for chunk in answer.iter_content(65_536):
            content += chunk
            if len(content) > self._bounds.answer_bytes:
                raise ListError(f"n8n's answer is larger than {self._bounds.answer_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise ListError("n8n's answer was not complete in time")
        return hide_secret_forms(bytes(content), self._secrets)


def _data_of(status: int, content: bytes) -> Any:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if not 200 <= status < 300:
        message = answer.get("message") if isinstance(answer, dict) else None
        text = clean_name(str(message))[:_QUOTED] if message else f"status {status}"
        raise ListError(text, status)
    if not isinstance(answer, dict):
        raise ListError("n8n's answer is no JSON object", status)
    return answer.get("data")


def _read_entries(listed: Any) -> tuple[ListEntry, ...]:
    """Returns the entries of a list that have a value; names are cleaned, since they come from
    outside.
    """
    entries: list[ListEntry] = []
    for entry in listed if isinstance(listed, list) else ():
        value = entry.get("value") if isinstance(entry, dict) else None
        if not isinstance(value, str | int | float) or value == "":
            continue
        if isinstance(value, str) and len(value) > _LONGEST_TEXT:
            continue
        url = entry.get("url")
        is_address = _is_text(url) and len(url) <= _LONGEST_TEXT
        name = clean_name(str(entry.get("name", value)))
        entries.append(ListEntry(value, name, url if is_address else ""))
    return tuple(entries)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_TEXT
