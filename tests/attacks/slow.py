"""Clients that hold connections: heads and bodies that trickle, answers left unread, nothing at all."""

import asyncio
import contextlib

import wire

# The server's own patience: 10 seconds for a head, 15 for a request, 60 for an unread answer.
HEAD, BODY, UNREAD = 10, 15, 60
# It looks at its clocks now and then only; a loaded machine is later still.
GRACE = 12


async def heads(server, report):
    """500 heads that trickle."""
    report.sent.append("500 connections, a byte of a header each second")
    begin = b"GET /v1/games HTTP/1.1\r\nHost: here\r\nX-Slow: "
    ended = await asyncio.gather(*(wire.trickle(server.port, begin, b"a", HEAD + GRACE) for _ in range(500)))
    answers = [answer for answer, _ in ended]
    report.answered.append(f"{wire.counted(answers)}; the last after {max(at for _, at in ended):.1f} s")
    report.expect(all(answer and answer.status == 408 for answer in answers), "not all were ended with 408")


async def bodies(server, report):
    """500 bodies that trickle, half of them in chunks."""
    report.sent.append("500 × POST /v1/games, a byte of the body each second")
    kind = "Content-Type: application/json"
    forms = [("Content-Length: 50000", b" "), ("Transfer-Encoding: chunked", b"1\r\n \r\n")] * 250
    jobs = []
    for number, (length, drip) in enumerate(forms):
        begin = wire.head("POST /v1/games", kind, length, f"X-Forwarded-For: 192.0.2.{number % 250}", close=False)
        jobs.append(wire.trickle(server.port, begin, drip, BODY + GRACE))
    ended = await asyncio.gather(*jobs)
    answers = [answer for answer, _ in ended]
    report.answered.append(f"{wire.counted(answers)}; the last after {max(at for _, at in ended):.1f} s")
    report.expect(all(answers), "connections are still open")
    for answer in filter(None, answers):
        report.expect_problem(answer, 408, "request_timeout", "a body that trickles")


async def idle(server, report):
    """5,000 connections that say nothing."""
    report.sent.append("5,000 connections, not a byte")
    gate = asyncio.Semaphore(500)
    most = 0

    async def one():
        async with gate:
            reader, writer = await wire.connect(server.port)
        try:
            return wire.Answer(await asyncio.wait_for(wire.read_to_end(reader), HEAD + 2 * GRACE))
        except TimeoutError:
            return None
        finally:
            writer.close()

    jobs = [asyncio.ensure_future(one()) for _ in range(5000)]
    pending = jobs
    while pending:
        _, pending = await asyncio.wait(pending, timeout=0.5)
        most = max(most, server.connections())
    answers = [job.result() for job in jobs]
    report.answered.append(f"{most} open at once; {wire.counted(answers)}")
    report.expect(most >= 4900, f"only {most} were accepted")
    report.expect(all(answers), "some are still open")


async def unread(server, report):
    """300 large answers that nobody reads, with 16 requests on each connection; a third go on talking."""
    report.sent.append("300 connections, 16 × GET /docs/swagger-ui-bundle.js each (1.5 MB), nothing read; 100 send on")
    before = server.connections()
    ask = wire.head("GET /docs/swagger-ui-bundle.js", close=False) * 16
    sockets = await asyncio.gather(*(wire.connect(server.port, window=4096) for _ in range(300)))
    loop = asyncio.get_running_loop()
    for plain in sockets:
        await loop.sock_sendall(plain, ask)
    began = loop.time()
    while (held := server.connections() - before) > 3 and loop.time() - began < UNREAD + 3 * GRACE:
        await talk(sockets[::3])
    report.answered.append(f"{held} held {loop.time() - began:.0f} s later")
    report.expect(held <= 3, f"{held} connections are held for clients that do not read")
    for plain in sockets:
        plain.close()


async def talk(sockets):
    """Half a second in which each says a byte ten times a second: the system takes that for a sign of life."""
    for _ in range(5):
        for plain in sockets:
            with contextlib.suppress(OSError):
                plain.send(b"G")
        await asyncio.sleep(0.1)


ATTACKS = {
    "slow heads": (heads, 40),
    "slow bodies": (bodies, 60),
    "idle connections": (idle, 150),
    "unread answers": (unread, 150),
}
