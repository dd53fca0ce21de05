"""Heads that are too much, or that two programs would read in two ways."""

import asyncio

import wire

CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed"}


async def floods(server, report):
    """Huge heads, many headers, long paths; 50 of each at once."""
    many = [f"X-{number}: y" for number in range(10_000)]
    cases = {
        "a header of 1 MB": (wire.head("GET /v1/games", "X: " + "y" * (1 << 20)), (400, 431, 0)),
        "a header without end": (b"GET /v1/games HTTP/1.1\r\nHost: here\r\nX: " + b"y" * (1 << 20), (400, 431, 0)),
        "10,000 headers": (wire.head("GET /v1/games", *many), (400, 431, 0)),
        "97 headers": (wire.head("GET /v1/games", *many[:97]), (400, 431)),
        "90 headers of 1,000 bytes": (wire.head("GET /v1/games", *(f"X-{n}: {'y' * 1000}" for n in range(90))), (200,)),
        "a path of 60,000 bytes": (wire.head("GET /" + "y" * 60_000), (404,)),
        "a path of 70,000 bytes": (wire.head("GET /" + "y" * 70_000), (400, 414)),
        "a query of 60,000 bytes": (wire.head("GET /v1/games?player=" + "y" * 60_000), (400,)),
        "30,000 parameters": (wire.head("GET /v1/games?" + "a&" * 30_000), (400,)),
        "a token of 60,000 bytes": (wire.head("GET /v1/games", "Authorization: Bearer " + "y" * 60_000), (401, 429)),
    }
    report.sent.append("50 × each of: " + "; ".join(cases))
    for number, (name, (data, expected)) in enumerate(cases.items()):
        data = data.replace(b"203.0.113.66", f"203.0.113.{number + 70}".encode())
        answers = await wire.at_once(server.port, [data] * 50)
        report.answered.append(f"{name}: {wire.counted(answers)}")
        report.expect(all(answer.status in expected for answer in answers), f"{name}: {wire.counted(answers)}")


# What follows the head or body in question. Answered by itself it would be `not_found`.
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: here\r\n\r\n"


def shapes():
    """Requests whose end two programs may see at two places: all are refused, none answered twice."""
    start = "POST /v1/rulesets/congkak/simulate"
    kind = "Content-Type: application/json"

    def shape(*headers, body=b"{}", version="1.1"):
        data = wire.head(start, kind, *headers, close=False) + body
        return data.replace(b"HTTP/1.1", b"HTTP/" + version.encode(), 1)

    chunked = b"2\r\n{}\r\n0\r\n\r\n"
    both = "Content-Length: 2", "Transfer-Encoding: chunked"
    yield "length and chunks", shape(*both, body=chunked)
    yield "chunks and length", shape(*reversed(both), body=chunked)
    yield "two lengths", shape("Content-Length: 2", "Content-Length: 3")
    yield "two equal lengths", shape("Content-Length: 2", "Content-Length: 2")
    yield "a list of lengths", shape("Content-Length: 2, 3")
    for length in ("+2", "-1", "0x2", "2 2", "2\t3", "18446744073709551618", "2.0", "", "\x0b2"):
        yield f"the length {length!r}", shape(f"Content-Length: {length}")
    for coding in ("xchunked", "chunked, chunked", "chunked, identity", "gzip, chunked", "\x0bchunked", ""):
        yield f"the coding {coding!r}", shape(f"Transfer-Encoding: {coding}", body=chunked)
    yield "two codings", shape("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=chunked)
    yield "chunks in HTTP/1.0", shape("Transfer-Encoding: chunked", body=chunked, version="1.0")
    yield "a space before the colon", shape("Content-Length : 2")
    yield "a folded header", shape("X: a\r\n b", "Content-Length: 2")
    yield "a folded length", shape("Content-Length:\r\n 2")
    yield "a bare carriage return", shape("X: a\rContent-Length: 0", "Content-Length: 2")
    yield "a zero byte", shape("X: a\0b", "Content-Length: 2")
    yield "a header without a name", shape(": a", "Content-Length: 2")
    yield "a header without a colon", shape("X", "Content-Length: 2")
    yield "two hosts", shape("Host: there", "Content-Length: 2")
    for size in ("0x2", "+2", "-2", " 2", "2 ;", "2\n", "fffffffffffffffff", "10000000000000002", ";", ""):
        body = size.encode() + b"\r\n{}\r\n0\r\n\r\n"
        yield f"a chunk of {size!r}", shape("Transfer-Encoding: chunked", body=body)
    yield "a chunk longer than it says", shape("Transfer-Encoding: chunked", body=b"1\r\n{}\r\n0\r\n\r\n")


# What is read, in the one way there is to read it: RFC 9112, section 7.1.1, has room for
# blanks before what may follow a chunk's size.
LENIENT = {"a chunk of '2 ;'"}


async def smuggling(server, report):
    """Requests with two ends, each followed by another request."""
    named = dict(shapes())
    report.sent.append(f"{len(named)} shapes of request, each with another request behind")
    answers = await asyncio.gather(*(exchange_briefly(server.port, data + SMUGGLED) for data in named.values()))
    lenient = []
    for name, answer in zip(named, answers):
        twice = b"HTTP/1.1" in answer.rest
        if name in LENIENT and answer.status:
            lenient.append(f"{name} {answer.status}")
            continue
        refused = answer.status in (0, 400, 501) and not twice
        report.expect(refused, f"{name}: {answer.status}{', and the next was answered' if twice else ''}")
    report.answered.append(wire.counted(answers) + (f"; read in one way: {', '.join(lenient)}" if lenient else ""))


async def exchange_briefly(port, data):
    """As `wire.exchange`, for connections that may stay open and wait for more."""
    reader, writer = await wire.connect(port)
    writer.write(data)
    found = bytearray()
    try:
        while piece := await asyncio.wait_for(reader.read(1 << 16), 3):
            found += piece
    except (TimeoutError, ConnectionError):
        pass
    writer.close()
    return wire.Answer(bytes(found))


async def http2(server, report):
    """HTTP/2 without TLS: by its preface, and by an upgrade."""
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
    # HEADERS and RST_STREAM again and again; and CONTINUATION without end.
    reset = b"".join(
        bytes(2) + b"\x01\x01\x05" + number.to_bytes(4) + b"\x82" + bytes(2) + b"\x04\x03\0" + number.to_bytes(4) + bytes(4)
        for number in range(1, 4001, 2)
    )
    more = bytes(2) + b"\x01\x01\0" + (1).to_bytes(4) + b"\x82" + (b"\x00\x40\x00\x09\0" + (1).to_bytes(4) + bytes(0x4000)) * 200
    upgrade = wire.head(
        "GET /v1/games", "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQAAP__", close=False
    )
    report.sent.append("100 × a preface with 2,000 streams begun and reset; with 200 CONTINUATION frames; an upgrade to h2c")
    for name, data in {"reset": preface + reset, "continuation": preface + more}.items():
        answers = await wire.at_once(server.port, [data] * 100)
        report.answered.append(f"{name}: {wire.counted(answers)}")
        spoken = any(b"\x04\0\0\0\0\0" in answer.data[:20] for answer in answers)
        report.expect(not spoken and all(answer.status in (0, 400, 505) for answer in answers), f"{name}: it speaks HTTP/2")
    answer = await exchange_briefly(server.port, upgrade)
    report.answered.append(f"upgrade: {answer.status}")
    report.expect(answer.status == 200, f"an upgrade is answered with {answer.status}, not in HTTP/1.1")


ATTACKS = {
    "header floods": (floods, 120),
    "smuggling": (smuggling, 20),
    "HTTP/2 without TLS": (http2, 60),
}
