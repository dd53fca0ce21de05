"""HTTP/1.1 as a careful client speaks it: one connection, an answer or the knowledge
that there was none, and never a second try that nobody asked for."""

import asyncio
import json


class Lost(Exception):
    """No whole answer came: what became of the request is unknown."""


class Hung(Lost):
    """Neither an answer nor an end of the connection in time."""

    def __init__(self, text, port=None):
        super().__init__(text)
        # The client's own, which tells the connection.
        self.port = port


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body) if self.body else None

    @property
    def code(self):
        """The code of a problem."""
        try:
            return self.json.get("code")
        except (ValueError, AttributeError):
            return None


class Connection:
    """To one address; opened when it is needed, kept while it lives."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    def close(self):
        if self.writer is not None:
            self.writer.transport.abort()
        self.reader = self.writer = None

    async def ask(self, method, path, headers, body, limit):
        """One request, one answer."""
        try:
            async with asyncio.timeout(limit):
                await self._send(method, path, headers, body)
                answer = await self._receive()
        except TimeoutError:
            port = self.writer.get_extra_info("sockname")[1] if self.writer else None
            self.close()
            raise Hung(f"{method} {path}: nothing in {limit} s", port) from None
        except (OSError, EOFError, ValueError) as cause:
            self.close()
            raise Lost(str(cause) or type(cause).__name__) from None
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    async def _send(self, method, path, headers, body):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"{method} {path} HTTP/1.1", "Host: soak"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        elif method != "GET":
            lines += ["Content-Length: 0"]
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        self.writer.write(head + (body or b""))
        await self.writer.drain()

    async def head(self):
        """Status and headers."""
        line = await self._line()
        status = int(line.split(" ")[1])
        headers = {}
        while line := await self._line():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return status, headers

    async def _line(self):
        line = await self.reader.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("cut in the head")
        return line[:-2].decode("latin-1")

    async def _receive(self):
        status, headers = await self.head()
        if status in (204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            body = b"".join([chunk async for chunk in self.chunks()])
        else:
            body = await self.reader.readexactly(int(headers["content-length"]))
        return Answer(status, headers, body)

    async def chunks(self):
        """The parts of a body without a length; ends where it says that it ends."""
        while True:
            size = int((await self._line()).split(";")[0], 16)
            data = await self.reader.readexactly(size)
            await self._line()
            if size == 0:
                return
            yield data

    async def stream(self, path, headers, limit):
        """Opens a stream; status and headers, the body is left to `chunks`."""
        async with asyncio.timeout(limit):
            await self._send("GET", path, headers, None)
            return await self.head()
