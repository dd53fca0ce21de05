"""Connections byte by byte, and many of them at a time."""

import asyncio
import collections
import json
import socket


class Answer:
    """The first answer on a connection; `rest` is what came after its body."""

    def __init__(self, data):
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        self.status = int(words[1]) if len(words) > 1 and words[0].startswith("HTTP/") else 0
        self.lines = [line.partition(":") for line in lines[1:]]
        self.headers = {name.lower(): value.strip() for name, _, value in self.lines}
        length = int(self.headers.get("content-length", 0))
        self.body, self.rest = rest[:length], rest[length:]
        self.data = data

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


def head(line, *headers, close=True):
    """A request's head. The attackers share an address unless a header says otherwise."""
    lines = [f"{line} HTTP/1.1", "Host: here", *headers]
    if close:
        lines.append("Connection: close")
    if not any(header.startswith("X-Forwarded-For") for header in headers):
        lines.append("X-Forwarded-For: 203.0.113.66")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def post(path, body, *headers, close=True):
    body = body if isinstance(body, bytes) else body.encode()
    kind = "Content-Type: application/json"
    return head(f"POST {path}", kind, f"Content-Length: {len(body)}", *headers, close=close) + body


async def connect(port, window=None):
    """A connection; `window`: one that takes so many bytes before it is read from."""
    if window is None:
        return await asyncio.open_connection("127.0.0.1", port)
    plain = socket.socket()
    plain.setblocking(False)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    return plain


async def read_to_end(reader, most=4 << 20):
    data = bytearray()
    try:
        while len(data) < most and (piece := await reader.read(1 << 16)):
            data += piece
    except ConnectionError:
        pass
    return bytes(data)


async def exchange(port, data, patience=40):
    """Sends it all at once, reads to the end."""
    reader, writer = await connect(port)
    try:
        reading = asyncio.ensure_future(read_to_end(reader))
        try:
            writer.write(data)
            await writer.drain()
        except ConnectionError:
            pass
        return Answer(await asyncio.wait_for(reading, patience))
    finally:
        writer.close()


async def at_once(port, requests, most=200):
    """The answers to many requests, `most` at a time."""
    gate = asyncio.Semaphore(most)

    async def one(data):
        async with gate:
            return await exchange(port, data)

    return await asyncio.gather(*map(one, requests))


async def trickle(port, begin, drip, patience, pause=1.0):
    """Sends `drip` again and again until the server has closed; its answer, and seconds."""
    loop = asyncio.get_running_loop()
    reader, writer = await connect(port)
    began = loop.time()

    async def send():
        try:
            writer.write(begin)
            while True:
                await writer.drain()
                await asyncio.sleep(pause)
                writer.write(drip)
        except ConnectionError:
            pass

    sending = asyncio.ensure_future(send())
    try:
        data = await asyncio.wait_for(read_to_end(reader), patience)
        return Answer(data), loop.time() - began
    except TimeoutError:
        return None, patience
    finally:
        sending.cancel()
        writer.close()


def counted(answers):
    """How often each status came, in words; 0: none before the end."""
    counts = collections.Counter(answer.status if answer else "still open" for answer in answers)
    words = {0: "closed"}
    return ", ".join(f"{count} × {words.get(status, status)}" for status, count in sorted(counts.items(), key=str))
