"""Bodies that are too much: by their length, by their depth, by what they unpack to."""

import gzip
import json
import zlib

import wire

START = b'{"ruleset": "congkak", "rules": '
LIMIT = 64 * 1024


async def floods(server, report):
    """Bodies without bounds, and many at the bound."""
    report.sent.append("100 × a length of 10 GB, of 2⁶⁴-1; 100 × chunks of 5 MB; 400 × 64 KB of spaces at once")
    kind = "Content-Type: application/json"
    for name, data in {
        "10 GB": wire.head("POST /v1/games", kind, "Content-Length: 10000000000") + bytes(100_000),
        "2⁶⁴-1": wire.head("POST /v1/games", kind, f"Content-Length: {2**64 - 1}") + b" " * 100_000,
        "chunks": wire.head("POST /v1/games", kind, "Transfer-Encoding: chunked") + (b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 80,
    }.items():
        answers = await wire.at_once(server.port, [data] * 100)
        report.answered.append(f"{name}: {wire.counted(answers)}")
        for answer in answers:
            report.expect_problem(answer, 413, "payload_too_large", name)
    body = b" " * (LIMIT - 2) + b"{}"
    asks = [wire.post("/v1/rulesets/al-manqala/simulate", body, from_(number % 50)) for number in range(400)]
    answers = await wire.at_once(server.port, asks, most=400)
    report.answered.append(f"64 KB: {wire.counted(answers)}")
    report.expect(all(answer.status == 200 for answer in answers), "a body at the bound is not read")


def deep():
    """JSON that costs its reader more than it is worth."""
    nested = 60_000
    yield "lists in lists", START + b"[" * nested
    yield "objects in objects", START + b'{"a":' * (nested // 5)
    yield "closed lists in lists", START + b"[" * 30_000 + b"]" * 30_000 + b"}"
    yield "128 levels", START + b"[" * 128 + b"]" * 128 + b"}"
    yield "a long list", START + b"[" + b"0," * 30_000 + b"0]}"
    yield "a number of 60,000 digits", START + b'{"houses": ' + b"9" * nested + b"}}"
    yield "1e999999999", START + b'{"houses": 1e999999999}}'
    yield "a string of 60,000 escapes", START + b'"' + b"\\u0000" * 10_000 + b'"}'
    yield "half a pair", START + b'"\\ud800"}'
    yield "bytes that are no text", START + b'"\xff\xfe"}'
    yield "the same field twice", b'{"ruleset": "congkak", "ruleset": "congkak"}'
    yield "6,000 fields", b"{" + b",".join(b'"a%d":0' % number for number in range(6_000)) + b"}"
    yield "the same parameter twice", START + b'{"houses": 7, "houses": 5}}'


async def depth(server, report):
    """JSON that is deep, long or ambiguous, 30 of each."""
    cases = dict(deep())
    report.sent.append("30 × each of: " + "; ".join(cases))
    # What is JSON and what is not: numbers that are too small to be told from nothing are.
    tiny = {"a small number of 60,000 digits": b"0." + b"0" * 60_000 + b"1", "-1e-999999999": b"-1e-999999999"}
    cases |= {name: START + b'{"houses": ' + number + b"}}" for name, number in tiny.items()}
    said = dict.fromkeys(tiny, (422, "bad_rules"))
    statuses = []
    for number, (name, body) in enumerate(cases.items()):
        assert len(body) <= LIMIT
        data = wire.post("/v1/games", body, f"X-Forwarded-For: 203.0.113.{100 + number}")
        for answer in await wire.at_once(server.port, [data] * 30):
            report.expect_problem(answer, *said.get(name, (400, "bad_request")), name)
            statuses.append(answer)
    report.answered.append(wire.counted(statuses))


def packed():
    """What 64 KB may unpack to: a thousand times as much."""
    plain = b'{"ruleset": "congkak"' + b" " * 60_000_000 + b"}"
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    yield "gzip", gzip.compress(plain, 9)
    yield "deflate", zlib.compress(plain, 9)
    yield "raw deflate", deflate.compress(plain) + deflate.flush()
    # A stream of Brotli that says: no more than the letter a, a few million times, is too
    # much to write here; whether the server tries at all shows with any bytes.
    yield "br", bytes.fromhex("cfffff7ff8270052820880") * 1000
    yield "zstd", bytes.fromhex("28b52ffd") + bytes(1000)


async def bombs(server, report):
    """Compressed bodies that unpack to 60 MB, 100 of each at once."""
    cases = dict(packed())
    sizes = ", ".join(f"{name} {len(body):,} bytes" for name, body in cases.items())
    report.sent.append(f"100 × POST /v1/games with each of: {sizes}")
    for name, body in cases.items():
        coding = name.removeprefix("raw ")
        asks = [wire.post("/v1/games", body, f"Content-Encoding: {coding}", from_(number % 50)) for number in range(100)]
        answers = await wire.at_once(server.port, asks, most=100)
        report.answered.append(f"{name}: {wire.counted(answers)}")
        for answer in answers:
            report.expect_problem(answer, 415, "unsupported_media_type", name)
    doubled = wire.post("/v1/games", gzip.compress(b"{}"), "Content-Encoding: identity", "Content-Encoding: gzip", from_(51))
    report.expect_problem((await wire.at_once(server.port, [doubled]))[0], 415, "unsupported_media_type", "two codings")


async def costly(server, report):
    """What takes the server longest to answer, from 60 addresses at once."""
    choices = [{"seat": "south", "house": 1}] * 1000
    simulate = json.dumps({"rules": {"houses": 15, "seeds": 15}, "choices": choices})
    made = (await wire.at_once(server.port, [wire.post("/v1/games", '{"ruleset": "congkak"}')]))[0].json()
    game = f"/v1/games/{made['game']['id']}"
    lines = {
        "pictures": [wire.head(f"GET {game}/board.png?size={1600 - number}", from_(number)) for number in range(60)],
        "simulations": [wire.post("/v1/rulesets/congkak/simulate", simulate, from_(n)) for n in range(60)],
        "proofs": [wire.head(f"GET {game}/verify", from_(number)) for number in range(60)],
        "exports": [wire.head("GET /v1/export/rows?format=parquet", from_(number)) for number in range(60)],
        "searches": [wire.head(f"GET /v1/games?min_plies=1&opening=3,5&limit=200&label={n}", from_(n)) for n in range(60)],
    }
    report.sent.append("60 at once of: " + ", ".join(lines))
    for name, requests in lines.items():
        answers = await wire.at_once(server.port, requests)
        report.answered.append(f"{name}: {wire.counted(answers)}")
        fine = all(answer.status in (200, 406, 422, 503) for answer in answers)
        report.expect(fine, f"{name}: {wire.counted(answers)}")
        for answer in answers:
            if answer.status == 503:
                report.expect_problem(answer, 503, "unavailable", name)


def from_(number):
    return f"X-Forwarded-For: 192.0.2.{number + 1}"


ATTACKS = {
    "body floods": (floods, 120),
    "deep JSON": (depth, 60),
    "compression bombs": (bombs, 60),
    "costly requests": (costly, 150),
}
