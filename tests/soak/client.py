"""A client that wants a definite answer: it sends the same request again until it gets
one, and records what it got."""

import asyncio
import json
import random
import time

from asking import Connection, Hung, Lost

# Answers that say nothing of what became of the request.
INDEFINITE = {408, 429, 500, 502, 503, 504}


class Stage:
    """What all clients share."""

    def __init__(self, history, port, limit):
        self.history, self.port, self.limit = history, port, limit
        # The server's port behind a client's.
        self.whither = lambda port: "unknown"
        # No new things are begun; what is under way is brought to its end.
        self.closing = asyncio.Event()
        # Nobody asks any more: what has no answer is unknown.
        self.closed = asyncio.Event()


class Client:
    """One device of one person: a connection and the headers that say who it is."""

    def __init__(self, stage, headers):
        self.stage, self.headers = stage, dict(headers)
        self.connection = Connection(stage.port)

    def close(self):
        self.connection.close()

    async def attempt(self, method, path, headers=None, body=None, wait=0):
        """One request; None if there is no telling what became of it."""
        history = self.stage.history
        history.requests += 1
        began = time.monotonic()
        try:
            answer = await self.connection.ask(method, path, self.headers | (headers or {}), body, self.stage.limit + wait)
        except Hung as cause:
            history.hung.append(f"{time.strftime('%T')} {cause} (server {self.stage.whither(cause.port)})")
            return None
        except Lost:
            history.lost += 1
            return None
        history.slowest = max(history.slowest, time.monotonic() - began - wait)
        if answer.status == 500:
            history.internal.append(f"{method} {path}: {answer.body[:400].decode(errors='replace')}")
        if answer.status in INDEFINITE:
            history.unavailable += 1
            if "retry-after" not in answer.headers and answer.status in (429, 503):
                history.odd.append(f"{method} {path}: {answer.status} without Retry-After")
        return answer

    async def _again(self, tries):
        """Backs off; whether there is still somebody to ask for."""
        self.stage.history.retries += 1
        longest = min(0.05 * 2**tries, 1.0)
        await asyncio.sleep(random.uniform(longest / 2, longest))
        return not self.stage.closed.is_set()

    async def write(self, kind, path, body=None, game=None, seat=None, key=None, method="POST"):
        """One thing done, or refused, however often it has to be asked for."""
        op = self.stage.history.begin(kind, game, seat, body or {}, key)
        op.began = time.monotonic()
        headers = {"Idempotency-Key": key} if key else {}
        text = None if body is None else json.dumps(body).encode()
        while True:
            op.attempts += 1
            answer = await self.attempt(method, path, headers, text)
            if answer is not None and self._is_definite(answer):
                op.outcome = "ok" if answer.status < 300 else "refused"
                op.status, op.code = answer.status, answer.code if answer.status >= 400 else None
                op.replayed = "idempotent-replayed" in answer.headers
                op.answer = answer.json
                break
            if not await self._again(op.attempts):
                break
        op.ended = time.monotonic()
        return op

    @staticmethod
    def _is_definite(answer):
        return answer.status not in INDEFINITE and answer.code != "key_running"

    async def read(self, path, headers=None, wait=0):
        """What is there, or None when the soak is over or it may not be read."""
        tries = 0
        while True:
            tries += 1
            answer = await self.attempt("GET", path, headers, wait=wait)
            if answer is not None and self._is_definite(answer):
                return answer if answer.status == 200 else None
            if not await self._again(tries):
                return None
