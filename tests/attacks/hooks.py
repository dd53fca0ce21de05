"""Webhooks that lead where they should not, and receivers that answer with too much."""

import asyncio
import contextlib
import gzip
import json
import socket

import stage

LOCAL = [
    "127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "017700000001", "0177.0.0.1", "0x7f000001",
    "0x7f.1", "0X7F.0x0.0x0.0x1", "127.0.0.1.", "127%2e0%2e0%2e1", "１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "0", "0.0.0.0",
    "10.0.0.1", "10.1", "167772161", "172.16.0.1", "192.168.1.1", "3232235777", "100.64.0.1", "169.254.169.254",
    "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "198.18.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255", "4294967295",
    "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:7f00:1::]",
    "[fe80::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]",
    "[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[::1", "::1",
]  # fmt: skip
SHAPES = [
    "http://example.org/", "HTTP://127.0.0.1/", "ftp://example.org/", "file:///etc/passwd", "gopher://127.0.0.1/", "//127.0.0.1/",
    "https://user@example.org/", "https://example.org@127.0.0.1/", "https://127.0.0.1#@example.org/", "https://127.0.0.1\\@example.org/",
    "https:\\\\127.0.0.1\\", "https:127.0.0.1", "https:///127.0.0.1/", "https:/127.0.0.1", "\thttps://127.0.0.1/", "https://127.0.0.1\n/",
    "https://127.0.0.1:65536/", "https://example.org:port/", "https://", "https://exa mple.org/", "https://a..b@/", "javascript:alert(1)",
    "data:text/plain,x", "https://example.org/" + "x" * 2000, "", "https://%31%32%37.0.0.1/", "https://127.0.0.1%00.example.org/",
    "https://xn--/", "https://[v1.a]/", "https://0x7f.0.0.1:443/",
]  # fmt: skip


class Trap:
    """Listens on both loopback addresses, and counts who calls."""

    def __init__(self, answer=None):
        self.answer, self.calls, self.read = answer, 0, 0

    async def __aenter__(self):
        plain = socket.socket()
        plain.bind(("127.0.0.1", 0))
        self.port = plain.getsockname()[1]
        self.servers = [await asyncio.start_server(self._called, sock=plain)]
        with contextlib.suppress(OSError):
            self.servers.append(await asyncio.start_server(self._called, "::1", self.port))
        return self

    async def __aexit__(self, *_):
        for server in self.servers:
            server.close()

    async def _called(self, reader, writer):
        self.calls += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            if self.answer:
                await reader.readuntil(b"\r\n\r\n")
                for piece in self.answer():
                    writer.write(piece)
                    await writer.drain()
                    self.read += len(piece)
        writer.close()


async def _ask(server, *request, **options):
    return await asyncio.to_thread(stage.ask, server.port, *request, **options)


async def _subscriber(server, name):
    made = await _ask(server, "POST", "/v1/players", {"name": name})
    return json.loads(made[2])["secret"]


async def local(server, report):
    """Webhooks to this machine and its network, in every spelling."""
    token = await _subscriber(server, "reaching")
    async with Trap() as trap:
        urls = [f"https://{host}:{trap.port}/" for host in LOCAL] + SHAPES
        names = ["localhost", "localhost.", "LOCALHOST", "ip6-localhost", "foo.localhost", socket.gethostname()]
        report.sent.append(f"{len(urls)} URLs; {len(names)} names that lead to this machine, each with a test message")
        taken = []
        for url in urls:
            status, _, text = await _ask(server, "POST", "/v1/webhooks", {"url": url}, token)
            code = json.loads(text).get("code")
            if (status, code) != (422, "bad_webhook_url"):
                taken.append(f"{url[:60]!r}: {status} {code}")
        report.answered.append(f"{len(urls) - len(taken)} refused as bad_webhook_url")
        report.expect(not taken, f"taken: {taken}")
        said = set()
        for name in names:
            status, _, text = await _ask(server, "POST", "/v1/webhooks", {"url": f"https://{name}:{trap.port}/"}, token)
            if status == 422:
                said.add("refused")
                continue
            webhook = json.loads(text)["webhook"]["id"]
            status, _, text = await _ask(server, "POST", f"/v1/webhooks/{webhook}/test", {}, token)
            outcome = json.loads(text)
            report.expect(status == 200 and outcome["status"] is None, f"{name}: {status} {text[:200]!r}")
            said.add(outcome["error"])
        report.answered.append(f"names: {'; '.join(sorted(said))}")
        report.expect(trap.calls == 0, f"{trap.calls} connections came to this machine")
        report.answered.append(f"{trap.calls} connections came")


def _bombs(port):
    head = b"HTTP/1.1 200 OK\r\n"
    zeros = gzip.compress(bytes(50_000_000), 9)
    piece = b"x" * 65_536

    def endless(first, piece=piece, count=20_000):
        yield first
        for _ in range(count):
            yield piece

    there = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/again\r\nContent-Length: 0\r\n\r\n".encode()
    return {
        "a compressed body of 50 MB": lambda: [head + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(zeros), zeros],
        "a body without end": lambda: endless(head + b"\r\n"),
        "chunks without end": lambda: endless(head + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + piece + b"\r\n"),
        "a header without end": lambda: endless(head + b"X: "),
        "headers without end": lambda: endless(head, b"X: y\r\n" * 10_000),
        "informational answers without end": lambda: endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2_000),
        "a redirect to itself": lambda: [there],
        "nonsense": lambda: [b"\0\xff" * 1000],
    }  # fmt: skip


async def receivers(server, report):
    """Receivers that answer with too much, where local ones are allowed."""
    token = await _subscriber(server, "receiving")
    sent, outcomes = [], []
    # Which receiver answers how is known when its port is.
    for name in _bombs(0):
        trap = Trap()
        async with trap:
            trap.answer = _bombs(trap.port)[name]
            status, _, text = await _ask(server, "POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{trap.port}/"}, token)
            webhook = json.loads(text)["webhook"]["id"]
            tests = [_ask(server, "POST", f"/v1/webhooks/{webhook}/test", {}, token=token) for _ in range(4)]
            for status, _, text in await asyncio.gather(*tests):
                report.expect(status == 200, f"{name}: the test is answered with {status} {text[:150]!r}")
            outcome = json.loads(text)
            sent.append(name)
            outcomes.append(f"{name}: {outcome.get('status')} {outcome.get('error')}, {trap.read / 4e6:.1f} MB taken each")
            # What lies in the sockets between them comes to some megabytes.
            report.expect(trap.read < 4 * 12e6, f"{name}: {trap.read} bytes were read")
            report.expect(trap.calls == 4, f"{name}: {trap.calls} calls for 4 messages")
    report.sent.append("4 test messages each to receivers that answer with " + "; ".join(sent))
    report.answered += outcomes


ATTACKS = {"webhooks to this machine": (local, 20)}
PRIVATE = {"receivers": (receivers, 80)}
