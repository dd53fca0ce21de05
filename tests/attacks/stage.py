"""The server under attack, what it costs, and the player who must not notice."""

import collections
import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

# Where requests come from, as the trusted proxy in front of the server says. By these
# the limits tell clients apart.
HONEST = "198.51.100.7"
JSON = {"Content-Type": "application/json"}


class Server:
    """A server with the limits it has by default, behind a proxy on this machine."""

    def __init__(self, program, directory, *options):
        environment = {k: v for k, v in os.environ.items() if not re.match("DATABASE_URL|MANCALA_", k)}
        # A place that PostgreSQL's own account can enter, whoever starts this.
        directory.mkdir(exist_ok=True)
        directory.chmod(0o755)
        self.log = directory / "server.log"
        command = [program, "--bind", "127.0.0.1:0", "--data-dir", directory / "data"]
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)
        # As many files as a shell gives: the server has to ask for more by itself.
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, soft[1]), soft[1]))
        self.process = subprocess.Popen(
            [*command, "--trusted-proxies", "127.0.0.1", *options],
            stdout=subprocess.PIPE,
            stderr=open(self.log, "wb"),
            env=environment,
            text=True,
        )
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft[1], soft[1]))
        self.url = None
        for line in self.process.stdout:
            if found := re.match(r"API +(http://\S+)/v1/", line):
                self.url = found[1]
                break
        if not self.url:
            sys.exit("the server did not start:\n" + self.log.read_text())
        self.port = int(self.url.rpartition(":")[2])
        self.proc = pathlib.Path("/proc") / str(self.process.pid)

    def lives(self):
        return self.process.poll() is None

    def memory(self):
        """Megabytes that the server itself holds."""
        found = re.search(r"VmRSS:\s+(\d+) kB", (self.proc / "status").read_text())
        return int(found[1]) / 1024 if found else 0.0

    def files(self):
        return len(os.listdir(self.proc / "fd"))

    def connections(self):
        """Connections of clients that the server's end still holds open."""
        mine = f":{self.port:04X}"
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        rows = (line.split() for line in lines)
        return sum(1 for row in rows if row[1].endswith(mine) and row[3] in ("01", "08"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        finally:
            self.process.stdout.close()


def ask(port, method, path, body=None, token=None, address=HONEST, headers=None, timeout=30):
    """One request on a connection of its own: status, headers, body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        return _ask(connection, method, path, body, token, address, headers)


def _ask(connection, method, path, body, token, address, headers=None):
    sent = {"X-Forwarded-For": address, **(headers or {})}
    if body is not None:
        sent |= JSON
        body = json.dumps(body)
    if token:
        sent["Authorization"] = f"Bearer {token}"
    connection.request(method, path, body, sent)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


class Game:
    """A game by somebody who does nothing but play: a look, a move, a look, a move."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.state = None

    def _json(self, expected, *request):
        status, _, body = _ask(self.connection, *request, HONEST)
        if status not in expected:
            raise RuntimeError(f"{request[0]} {request[1]}: {status} {body[:200]!r}")
        return json.loads(body)

    def step(self):
        if not self.state or not self.state["legal_moves"]:
            made = self._json([201], "POST", "/v1/games", {"ruleset": "congkak"}, None)
            self.tokens, self.state = made["seat_tokens"], made["game"]
            self.path = f"/v1/games/{self.state['id']}"
            return
        move = self.state["legal_moves"][-1]
        token = self.tokens[move["seat"]]
        body = {"after_ply": self.state["ply"], "house": move["house"]}
        played = self._json([200, 201], "POST", self.path + "/moves", body, token)["game"]
        self.state = self._json([200], "GET", self.path, None, token)
        if self.state["ply"] != played["ply"]:
            raise RuntimeError(f"ply {self.state['ply']} after {played['ply']}")


# Between two steps of the honest player, in seconds.
PAUSE = 0.2


def _play(port, pipe):
    """Plays until the pipe says otherwise. What is asked meanwhile is answered after the
    next step: how the steps went since the last time, or only that there was one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    game, worst, steps, failures, asked = Game(port), 0.0, 0, [], None
    while True:
        began = time.monotonic()
        try:
            game.step()
        except Exception as cause:  # whatever it is, the player was let down
            failures.append(repr(cause))
            game = Game(port)
        worst = max(worst, time.monotonic() - began)
        steps += 1
        if asked == "tell":
            pipe.send((worst, steps, failures))
            worst, steps, failures = 0.0, 0, []
        elif asked == "step":
            pipe.send(None)
        asked = None
        due = time.monotonic() + PAUSE
        while pipe.poll(max(0.0, due - time.monotonic())):
            asked = pipe.recv()
            if asked == "end":
                return


class Player:
    """The honest player, in a process of its own so that no attack slows it down here."""

    def __init__(self, port):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_play, args=(port, other), daemon=True)
        self.process.start()

    def _ask(self, what, otherwise):
        self.pipe.send(what)
        return self.pipe.recv() if self.pipe.poll(60) else otherwise

    def since_last(self):
        """The worst wait, the steps and the failures since the last time, up to the next step."""
        return self._ask("tell", (60.0, 0, ["no answer for a minute"]))

    def next_step(self):
        """Waits for it."""
        self._ask("step", None)

    def stop(self):
        self.pipe.send("end")
        self.process.join(60)


class Peak(threading.Thread):
    """The most memory and files that the server holds meanwhile."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.memory, self.files = server, 0.0, 0
        self.done = threading.Event()

    def run(self):
        while not self.done.wait(0.05):
            try:
                self.memory = max(self.memory, self.server.memory())
                self.files = max(self.files, self.server.files())
            except OSError:
                return

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join()


class Report:
    """What one attack sent and was answered, and what was not as it should be."""

    def __init__(self):
        self.sent, self.answered, self.wrong = [], [], collections.Counter()

    def expect(self, holds, otherwise):
        if not holds:
            self.wrong[otherwise] += 1

    def expect_problem(self, answer, status, code, what):
        """An answer of ours: a problem with this status and code."""
        kind = answer.headers.get("content-type", "")
        said = answer.json().get("code") if kind == "application/problem+json" else None
        self.expect(
            (answer.status, said) == (status, code),
            f"{what}: {answer.status} {kind} {said}, not {status} {code}",
        )
