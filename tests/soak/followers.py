"""Readers of the event log who keep a cursor: by long poll, as server-sent events, as
JSON lines. After every cut they go on from the last event that they have handled."""

import asyncio
import json
import random
import time

from asking import Connection, Hung, Lost
from client import Client

# A stream shows every 15 seconds that it lives.
LONGEST_SILENCE = 45


class Follower:
    def __init__(self, stage, name, path, headers, manner, seed):
        self.stage, self.name, self.path, self.headers, self.manner = stage, name, path, headers, manner
        self.rng = random.Random(f"{seed} follower {name}")
        self.events = stage.history.followed.setdefault(name, [])
        self.cursor = "0"
        self.task = None

    def start(self):
        self.task = asyncio.create_task(self._run())

    def stop(self):
        self.task.cancel()

    async def _run(self):
        read = self._poll if self.manner == "poll" else self._stream
        while True:
            try:
                await read()
            except Hung as cause:
                self.stage.history.hung.append(f"{time.strftime('%T')} {self.name}: {cause}")
            except (Lost, OSError, EOFError, ValueError, KeyError):
                self.stage.history.lost += 1
            await asyncio.sleep(self.rng.uniform(0.05, 0.3))

    def _handle(self, event):
        """The event and the cursor are kept together, as a careful reader would."""
        kept = {name: event[name] for name in ("id", "type", "game_id", "ply", "at")}
        self.events.append(kept | {"facts": event["data"]["facts"]})
        self.cursor = event["id"]

    async def _poll(self):
        client = Client(self.stage, self.headers)
        try:
            while self.rng.random() < 0.95:
                wait = self.rng.choice([0, 3, 8])
                limit = self.rng.choice([5, 100, 200])
                path = f"{self.path}?after={self.cursor}&wait={wait}&limit={limit}"
                answer = await client.attempt("GET", path, wait=wait)
                if answer is None or answer.status != 200:
                    if answer is not None and answer.status < 500:
                        self._refused(answer.status, answer.body)
                    return
                page = answer.json
                for event in page["items"]:
                    self._handle(event)
                if page["items"] and page["next_cursor"] != self.cursor:
                    self.stage.history.odd.append(f"{self.name}: next_cursor {page['next_cursor']} after {self.cursor}")
                if not page["items"] and wait == 0:
                    await asyncio.sleep(1)
        finally:
            client.close()

    async def _stream(self):
        connection = Connection(self.stage.port)
        accept = "text/event-stream" if self.manner == "sse" else "application/x-ndjson"
        headers = self.headers | {"Accept": accept}
        path = f"{self.path}?after={self.cursor}"
        if self.manner == "sse" and self.cursor != "0":
            headers, path = headers | {"Last-Event-ID": self.cursor}, self.path
        self.stage.history.requests += 1
        try:
            try:
                status, _ = await connection.stream(path, headers, self.stage.limit)
            except TimeoutError:
                raise Hung(f"no head of a stream in {self.stage.limit} s") from None
            if status != 200:
                if status < 500:
                    self._refused(status, b"")
                return
            await self._read_lines(connection)
        finally:
            connection.close()

    async def _read_lines(self, connection):
        rest, data = b"", None
        chunks = connection.chunks()
        while True:
            try:
                async with asyncio.timeout(LONGEST_SILENCE):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise Hung(f"a stream without a sign of life for {LONGEST_SILENCE} s") from None
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if self.manner == "ndjson":
                    event = json.loads(line)
                    if event["type"] != "heartbeat":
                        self._handle(event)
                elif line.startswith(b"data:"):
                    data = line[5:]
                elif not line and data is not None:
                    # Only an empty line makes an event of what came.
                    self._handle(json.loads(data))
                    data = None
            if self.rng.random() < 0.01:
                # The reader's own crash.
                return

    def _refused(self, status, body):
        text = f"{self.name}: {status} to its cursor {self.cursor} {body[:200]!r}"
        if text not in self.stage.history.odd:
            self.stage.history.odd.append(text)
