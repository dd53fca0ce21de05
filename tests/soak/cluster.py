"""A PostgreSQL of the soak's own: made, killed in several ways, filled up, started again."""

import asyncio
import os
import pathlib
import pwd
import shutil
import signal
import subprocess

import wire

SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 40
superuser_reserved_connections = 4
max_wal_size = 96MB
min_wal_size = 32MB
shared_buffers = 32MB
wal_recycle = off
logging_collector = off
log_line_prefix = '%m [%p] '
log_min_error_statement = panic
"""


def programs():
    """Where PostgreSQL's programs are."""
    if "PG_BIN" in os.environ:
        return pathlib.Path(os.environ["PG_BIN"])
    places = ["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"]
    found = [path for place in places for path in pathlib.Path("/").glob(place[1:]) if (path / "initdb").exists()]
    if not found:
        raise SystemExit("no initdb: set PG_BIN")
    return max(found, key=lambda path: [int(part) for part in path.parent.name.split("-")[-1].split(".") if part.isdigit()])


class Cluster:
    """One cluster, whose directory is a small file system of its own where that can be had."""

    def __init__(self, scratch, port, megabytes, careless):
        self.bin, self.port = programs(), port
        self.place = scratch / "disk"
        self.data = self.place / "data"
        self.log = scratch / "postgres.log"
        self.process = None
        # A PostgreSQL that acknowledges what it has not written: a soak must notice.
        self.careless = "synchronous_commit = off\nwal_writer_delay = 10s\n" if careless else ""
        # PostgreSQL refuses root.
        self.account = None
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.account = "postgres" if "postgres" in names else "nobody"
        self.place.mkdir()
        # A file system of its own, so that it can be filled up; only root can mount one.
        self.mounted = False
        if self.account and shutil.which("mount"):
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "soak", self.place], capture_output=True)
            self.mounted = done.returncode == 0

    def _run(self, *command, **more):
        if self.account:
            entry = pwd.getpwnam(self.account)
            more |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        return subprocess.Popen(command, cwd="/", start_new_session=True, **more)

    async def create(self):
        if self.account:
            shutil.chown(self.place, self.account)
        with open(self.log, "ab") as log:
            made = self._run(
                self.bin / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                stdout=log, stderr=log,
            )
        if await asyncio.to_thread(made.wait):
            raise SystemExit("initdb failed:\n" + self.log.read_text())
        with open(self.data / "postgresql.conf", "a") as settings:
            settings.write(SETTINGS.format(port=self.port) + self.careless)
        await self.start()
        admin = await wire.Session.open(self.port, "postgres", "postgres")
        await admin.query("create role mancala login")
        await admin.query("create role crowd login")
        await admin.query("create database mancala owner mancala")
        admin.close()

    def url(self, port):
        """By its own port, or by one that leads to it."""
        return f"postgres://mancala@127.0.0.1:{port}/mancala"

    async def start(self, patience=60):
        """Starts it and waits until it answers. What a killed one left behind may be in
        the way for a moment."""
        loop = asyncio.get_running_loop()
        end = loop.time() + patience
        while loop.time() < end:
            if self.process is None or self.process.poll() is not None:
                with open(self.log, "ab") as log:
                    self.process = self._run(self.bin / "postgres", "-D", self.data, stdout=log, stderr=log)
            try:
                session = await wire.Session.open(self.port, "postgres", "postgres", limit=5)
                session.close()
                return
            except (OSError, EOFError, TimeoutError, wire.Refused):
                await asyncio.sleep(0.1)
        raise SystemExit("PostgreSQL did not start:\n" + self.log.read_text()[-3000:])

    def children(self):
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                found.append(int(stat.parent.name))
        return found

    async def kill(self, manner):
        """`all`: -9 to every process; `postmaster`: -9 to the first alone; `backend`:
        -9 to a child, whereupon PostgreSQL restarts itself; `immediate`: as pg_ctl does."""
        children = self.children()
        if manner == "backend":
            kill([child for child in children if is_client(child)][:1])
            return
        if manner == "immediate":
            self.process.send_signal(signal.SIGQUIT)
        else:
            self.process.kill()
        if manner == "all":
            kill(children)
        await asyncio.to_thread(self.process.wait)

    def signal_all(self, number):
        """To the postmaster and all its children."""
        for pid in [self.process.pid, *self.children()]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    async def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            await asyncio.to_thread(self.process.wait)

    def fill(self):
        """Takes all the space that is left, to the last byte; gives it back when the
        file is removed."""
        filler = self.place / "filler"
        with open(filler, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    pass
        return filler

    def remove(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.place], check=False)


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def is_client(pid):
    """Whether a child of the postmaster serves a client of the server's role."""
    try:
        return b"postgres: mancala mancala" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
