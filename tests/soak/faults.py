"""What goes wrong, when, and how long it took until all was well again."""

import asyncio
import random
import signal
import time

import wire
from asking import Connection, Lost

# The server counts more than 60 s as a downtime.
AWAY = 75
MANNERS = ("all", "immediate", "backend", "postmaster")


class Faults:
    def __init__(self, cluster, servers, proxy, seed, say):
        self.cluster, self.servers, self.proxy, self.say = cluster, servers, proxy, say
        self.rng = random.Random(f"faults {seed}")
        self.done = {}
        self.recoveries = {"server": [], "database": []}
        self.watchers = set()
        self.timeline = []
        self.never = []

    def plan(self, kills, database_kills, others, outage):
        """The faults in the order in which they come."""
        plan = [self.kill_server] * kills
        plan += [lambda manner=MANNERS[n % len(MANNERS)]: self.kill_database(manner) for n in range(database_kills)]
        rest = [self.crowd, self.lock_tables, self.lock_rows, self.close_sessions, self.cut_all]
        rest += [self.restart_server, self.freeze_server, self.freeze_database]
        plan += rest * others
        if self.cluster.mounted:
            plan += [self.fill_disk] * others
        self.rng.shuffle(plan)
        if outage:
            # Early enough for clocks to run out after it.
            plan.insert(len(plan) // 3, self.be_away)
        return plan

    async def run(self, plan, seconds):
        """Spreads the plan over the time; what comes late is made up for."""
        began = time.monotonic()
        for number, fault in enumerate(plan):
            due = began + seconds * (number + self.rng.random()) / len(plan)
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            await fault()
        await self.all_well()

    def count(self, kind):
        self.done[kind] = self.done.get(kind, 0) + 1
        self.note(kind)

    def note(self, text):
        """For whoever looks into a violation."""
        self.timeline.append(f"{time.strftime('%T')} {text}")

    async def kill_server(self):
        """One of them, or both at once; started again at once or a little later."""
        both = self.rng.random() < 0.15
        for server in self.rng.sample(self.servers, len(self.servers) if both else 1):
            while not server.signal(signal.SIGKILL, self.rng.choice([0.0, 0.0, 0.5, 1.5])):
                await asyncio.sleep(0.1)
            self.count("server kill -9")
            self.watch("server", [server])

    async def be_away(self):
        """No server for more than a minute, for which nobody may be late."""
        for server in self.servers:
            server.signal(signal.SIGKILL, AWAY)
        self.count("all servers away for 75 s")
        await asyncio.sleep(AWAY)
        for server in self.servers:
            await ready(server, 60)

    async def restart_server(self):
        """As for an upgrade: SIGTERM."""
        if self.rng.choice(self.servers).signal(signal.SIGTERM):
            self.count("server restart")

    async def freeze_server(self):
        """It stands still for longer than PostgreSQL waits for it, while the other one
        works; then it goes on as if nothing had been. What balances the load leaves it
        out meanwhile."""
        server = self.rng.choice(self.servers)
        if not server.running:
            return
        self.count("server frozen")
        self.note(f"frozen: server {server.name}")
        server.process.send_signal(signal.SIGSTOP)
        self.proxy.out.add(server.port)
        self.proxy.cut_all({server.port})
        await asyncio.sleep(self.rng.uniform(5, 20))
        server.process.send_signal(signal.SIGCONT)
        self.note(f"goes on: server {server.name}")
        self.proxy.out.discard(server.port)

    async def freeze_database(self):
        """It answers nothing, for longer than a request may take; then it does all that
        it was asked to."""
        self.count("database frozen")
        self.cluster.signal_all(signal.SIGSTOP)
        await asyncio.sleep(self.rng.uniform(3, 14))
        self.cluster.signal_all(signal.SIGCONT)
        self.note("goes on: database")

    async def kill_database(self, manner):
        await self.cluster.kill(manner)
        self.count(f"database kill ({manner})")
        self.watch("database", self.servers)
        await asyncio.sleep(self.rng.choice([0.0, 0.2, 2.0]))
        await self.cluster.start()

    async def fill_disk(self):
        filler = await asyncio.to_thread(self.cluster.fill)
        self.count("disk full")
        if self.rng.random() < 0.5:
            await self.kill_server()
        await asyncio.sleep(self.rng.uniform(3, 6))
        filler.unlink()
        self.watch("database", self.servers)
        # It may have ended: whoever keeps it starts it again.
        await self.cluster.start()

    async def crowd(self):
        """Somebody else takes all the connections that PostgreSQL has."""
        sessions = []
        try:
            while len(sessions) < 100:
                sessions.append(await wire.Session.open(self.cluster.port, "crowd", "mancala", limit=5))
        except (OSError, EOFError, TimeoutError, wire.Refused):
            pass
        self.count("no connections left")
        if self.rng.random() < 0.5:
            await self.kill_server()
        await asyncio.sleep(self.rng.uniform(4, 7))
        for session in sessions:
            session.close()

    async def lock_tables(self):
        await self._hold("lock table games, event_queue in access exclusive mode", "tables locked")

    async def lock_rows(self):
        sql = "select 1 from games where ended_at is null order by random() limit 8 for update"
        await self._hold(sql, "rows locked")

    async def _hold(self, sql, kind):
        """Longer than a server waits for a lock."""
        try:
            session = await wire.Session.open(self.cluster.port, "postgres", "mancala")
            await session.query("begin")
            await session.query(sql, 20)
            self.count(kind)
            await asyncio.sleep(self.rng.uniform(3, 7))
            session.close()
        except (OSError, EOFError, TimeoutError, wire.Refused) as cause:
            self.say(f"{kind}: not now ({cause})")

    async def close_sessions(self):
        sql = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'mancala'"
        try:
            session = await wire.Session.open(self.cluster.port, "postgres", "mancala")
            await session.query(sql, 20)
            session.close()
            self.count("sessions closed")
        except (OSError, EOFError, TimeoutError, wire.Refused) as cause:
            self.say(f"sessions: not now ({cause})")

    async def cut_all(self):
        self.proxy.cut_all()
        self.count("all connections cut")

    def watch(self, kind, servers):
        """Measures from now on how long these servers take to be ready again."""
        task = asyncio.create_task(self._watch(kind, servers, time.monotonic()))
        self.watchers.add(task)
        task.add_done_callback(self.watchers.discard)

    async def _watch(self, kind, servers, began):
        # What was killed needs a moment to be gone.
        await asyncio.sleep(0.05)
        for server in servers:
            if not await ready(server, 60):
                self.never.append(f"server {server.name} was not ready 60 s after a {kind} kill")
                return
        self.recoveries[kind].append(time.monotonic() - began)

    async def all_well(self):
        """Waits until everything runs again."""
        await self.cluster.start()
        if self.watchers:
            await asyncio.wait(self.watchers, timeout=60)
        for server in self.servers:
            if not await ready(server, 60):
                self.never.append(f"server {server.name} was not ready 60 s after the last fault")


async def ready(server, patience):
    """Waits until the server says that it reaches its database."""
    connection, end = Connection(server.port), time.monotonic() + patience
    while time.monotonic() < end:
        try:
            if (await connection.ask("GET", "/readyz", {}, None, 20)).status == 200:
                connection.close()
                return True
        except Lost:
            pass
        await asyncio.sleep(0.05)
    return False
