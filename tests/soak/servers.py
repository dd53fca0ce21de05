"""The servers under test, kept running as a service manager would."""

import asyncio
import os
import pathlib
import signal
import socket
import subprocess


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One server on a port of its own; when it ends it is started again."""

    def __init__(self, program, scratch, name, url, settings):
        self.program, self.name, self.port = program, name, free_port()
        self.log = pathlib.Path(scratch) / f"server-{name}.log"
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DATABASE_URL", "MANCALA_", "RUST_LOG"))
        } | {"DATABASE_URL": url, "MANCALA_BIND": f"127.0.0.1:{self.port}", "MANCALA_RATE_LIMIT": "0", **settings}
        self.process = None
        self.running = False
        self.kills = 0
        self.by_itself = []
        self.expected = False
        self.delay = 0.0
        self.keeper = None

    def start(self):
        self.keeper = asyncio.create_task(self._keep())

    async def _keep(self):
        """Starts it, waits for its end, and again. One that had been up must not end
        by itself; one that finds no database may."""
        while True:
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen([self.program], stdout=subprocess.PIPE, stderr=log, env=self.environment)
            self.expected, self.running = False, False
            # One line more than a dead server can hold back.
            await asyncio.to_thread(self._wait_until_up)
            code = await asyncio.to_thread(self.process.wait)
            was_up, self.running = self.running, False
            if was_up and not self.expected:
                self.by_itself.append(code)
            await asyncio.sleep(self.delay if self.expected else 0.3)

    def _wait_until_up(self):
        for line in self.process.stdout:
            if line.startswith(b"docs"):
                self.running = True
                return

    def signal(self, number, delay=0.0):
        """Whether there was something to signal."""
        if self.process is None or self.process.poll() is not None:
            return False
        self.expected, self.delay = True, delay
        self.process.send_signal(number)
        self.kills += 1
        return True

    async def stop(self):
        """Ends it for good; its exit code."""
        self.keeper.cancel()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(asyncio.to_thread(self.process.wait), 40)
        except TimeoutError:
            self.process.kill()
            return "it had to be killed"

    def complaints(self):
        """The lines that deserve a look: errors and panics."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if " ERROR " in line or "panicked at" in line]
