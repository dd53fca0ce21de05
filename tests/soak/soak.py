"""One soak from beginning to end: set up, play among faults, calm down, look at what is
there, check, tell."""

import asyncio
import json
import subprocess
import time
import urllib.parse

import checker
import wire
from check_events import place, since_when
from client import Client, Stage
from cluster import Cluster
from faults import Faults
from history import History
from proxy import Proxy
from servers import Server, free_port
from tables import Room

# Seconds within which the server promises an answer, and what this machine may add.
DEADLINE = 10
SLACK = 8
SETTINGS = {
    "MANCALA_DB_POOL": "8",
    "MANCALA_REQUEST_TIMEOUT": str(DEADLINE),
    # Logs of games that are over are packed at once, among all the rest.
    "MANCALA_PACK_HOURS": "0",
    "RUST_LOG": "warn,sqlx=error",
}


class Soak:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.history = History()
        self.cluster = Cluster(scratch, free_port(), 700, options.careless)
        self.servers = []
        self.proxy = self.line = self.faults = self.room = None
        self.began = time.monotonic()
        self.extra = []

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.1f}  {text}", flush=True)

    async def whole(self):
        """Whether there was no violation."""
        options = self.options
        self.say(f"seed {options.seed}; {options.program}")
        await self.set_up()
        await self.play()
        await self.calm_down()
        finals, labels = await self.look()
        await self.at_rest()
        await self.replay()
        violations = checker.check(self.history, finals, labels) + self.extra
        self.history.dump(self.scratch / "history.jsonl")
        (self.scratch / "faults.txt").write_text("\n".join(self.faults.timeline) + "\n")
        self.tell(finals, violations)
        return not violations

    async def set_up(self):
        await self.cluster.create()
        if not self.cluster.mounted:
            self.say("no file system of its own (that needs root): the disk will not be full")
        # One server reaches its database well, the other by a line that breaks.
        self.line = Proxy([self.cluster.port], self.options.cuts * 2, self.options.seed, (40_000, 80_000))
        await self.line.start()
        for name, port in (("a", self.cluster.port), ("b", self.line.port)):
            server = Server(self.options.program, self.scratch, name, self.cluster.url(port), SETTINGS)
            server.start()
            self.servers.append(server)
        self.proxy = Proxy([server.port for server in self.servers], self.options.cuts, self.options.seed)
        await self.proxy.start()
        self.faults = Faults(self.cluster, self.servers, self.proxy, self.options.seed, self.say)
        await self.faults.all_well()
        self.stage = Stage(self.history, self.proxy.port, DEADLINE + SLACK)
        names = {server.port: server.name for server in self.servers}
        self.stage.whither = lambda port: names.get(self.proxy.led.get(port), "unknown")
        self.room = Room(self.stage, self.options.seed, self.options.games)
        self.say("two servers on one PostgreSQL; people sign up")
        await self.room.sign_up(people=6, managed=5)

    async def play(self):
        options, seconds = self.options, self.options.minutes * 60
        plan = self.faults.plan(options.kills, options.database_kills, options.others, outage=options.minutes >= 8)
        self.say(f"{len(plan)} faults in {seconds:.0f} s")
        loop = asyncio.get_running_loop()
        busy = asyncio.create_task(self.room.keep_busy(loop.time() + seconds))
        beside = [asyncio.create_task(self.progress()), asyncio.create_task(self.room.holidays())]
        await self.faults.run(plan, seconds)
        await busy
        beside[0].cancel()
        self.room.tables.add(beside[1])

    async def progress(self):
        while True:
            await asyncio.sleep(20)
            history = self.history
            self.say(
                f"{len(history.games)} games, {history.count('move', 'ok')} moves acknowledged, "
                f"{history.requests} requests, {history.lost} without an answer, {history.unavailable} times 503, "
                f"{sum(self.faults.done.values())} faults"
            )

    async def calm_down(self):
        """No more faults: what is under way comes to an end."""
        self.proxy.share = self.line.share = 0
        self.stage.closing.set()
        self.say("no more faults; what is under way is brought to its end")
        if self.room.tables:
            await asyncio.wait(self.room.tables, timeout=45)
        self.stage.closed.set()
        if self.room.tables:
            _, left = await asyncio.wait(self.room.tables, timeout=DEADLINE + SLACK + 5)
            self.extra += [("no answer in time", "a client waits for ever")] * len(left)

    async def look(self):
        """Every game as it is now, and how many there are by label."""
        self.stage.closed.clear()
        self.say("looking at all games")
        finals = {}
        for game in self.history.games.values():
            final = await self.final(game)
            if final is None:
                continue
            finals[game.id] = final
        await self.caught_up(finals)
        session = await wire.Session.open(self.cluster.port, "postgres", "mancala")
        name = "case when previous_game is null then label else 'rematch of ' || previous_game end"
        rows = await session.query(f"select {name}, count(*) from games group by 1")
        session.close()
        return finals, {label: int(count) for label, count in rows}

    async def final(self, game):
        client = Client(self.stage, game.headers["south"])
        path = f"/v1/games/{game.id}"
        state = await client.read(path)
        if state is None:
            return None
        rows = await client.read(f"{path}/moves?rows=all", {"Accept": "application/x-ndjson"})
        rows = [json.loads(line) for line in rows.body.splitlines()]
        # The clock may have ended the game in between: both as of one moment.
        state = (await client.read(path)).json
        if state["ply"] > len(rows):
            client.close()
            return await self.final(game)
        events = await self.events(client, path, state)
        proof = await client.read(f"{path}/verify")
        client.close()
        return checker.Final(state, rows, events, proof is not None and proof.json["ok"])

    async def events(self, client, path, state):
        """All events of a game: those of the last change have their places in a moment."""
        events, cursor, patience = [], "0", 3
        while patience:
            page = (await client.read(f"{path}/events?after={urllib.parse.quote(cursor)}&limit=200")).json
            for event in page["items"]:
                kept = {name: event[name] for name in ("id", "type", "game_id", "ply", "at")}
                events.append(kept | {"facts": event["data"]["facts"]})
            cursor = page["next_cursor"]
            over = state["status"] in ("finished", "aborted")
            whole = not over or any(event["type"] in ("game.finished", "game.aborted") for event in events)
            if page["items"]:
                continue
            if whole:
                break
            patience -= 1
            await asyncio.sleep(1)
        return events

    async def caught_up(self, finals):
        """Gives the followers the time to read what there is."""
        last = {}
        for game_id, final in finals.items():
            for name, since in self.history.games[game_id].readers.items():
                for event in since_when(final.events, since)[-1:]:
                    last[name] = max(last.get(name, 0), place(event))
        end = time.monotonic() + 60
        waiting = dict(last)
        while waiting and time.monotonic() < end:
            await asyncio.sleep(0.2)
            waiting = {
                name: position
                for name, position in waiting.items()
                if not self.history.followed[name] or place(self.history.followed[name][-1]) < position
            }
        for follower in self.room.followers:
            follower.stop()

    async def at_rest(self):
        """What the tables themselves say of the event log, and how the servers end."""
        questions = {
            "events without a place": "select count(*) from events left join event_log using (game_id, event_no) where position is null",
            "holes in the positions": "select coalesce(max(position), 0) - count(*) from event_log",
            "events in the queue": "select count(*) from event_queue",
            "holes in the events of games": "select count(*) from (select game_id from events group by game_id having max(event_no) <> count(*)) holes",
            "games that are over without a record": "select count(*) from games g where status = 'finished' and visibility = 'public' "
            "and not exists (select 1 from records r where r.game_id = g.game_id)",
        }
        session = await wire.Session.open(self.cluster.port, "postgres", "mancala")
        for name, sql in questions.items():
            for _ in range(40):
                ((number,),) = await session.query(sql)
                if number == "0":
                    break
                # The loops of the servers are at it.
                await asyncio.sleep(0.5)
            if number != "0":
                self.extra.append(("tables", f"{number} {name}"))
        session.close()
        await self.proxy.stop()
        for server in self.servers:
            code = await server.stop()
            if code != 0:
                self.extra.append(("server", f"{server.name} ended with {code}"))
            if server.by_itself:
                self.extra.append(("server", f"{server.name} ended by itself: {server.by_itself}"))
            self.extra += [("server's log", line) for line in server.complaints()]
        await self.line.stop()
        self.extra += [("recovery", text) for text in self.faults.never]

    async def replay(self):
        """The program's own proof of all logs at once."""
        command = [self.options.program, "--database-url", self.cluster.url(self.cluster.port), "verify"]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        self.say(f"verify: {(done.stdout.strip().splitlines() or ['nothing'])[-1]}")
        if done.returncode:
            self.extra.append(("verify", done.stdout + done.stderr))

    def tell(self, finals, violations):
        history, faults = self.history, self.faults
        statuses = {}
        for final in finals.values():
            result = (final.state["result"] or {}).get("reason") or final.state["status"]
            statuses[result] = statuses.get(result, 0) + 1
        rows = [row for final in finals.values() for row in final.rows]
        table = [
            ("requests", history.requests),
            ("without an answer", history.lost),
            ("answered 503 or the like", history.unavailable),
            ("sent again", history.retries),
            ("slowest answer, s", f"{history.slowest:.1f}"),
            ("games", len(finals)),
            *((f"  {name}", number) for name, number in sorted(statuses.items())),
            ("rows in their logs", len(rows)),
            ("  played as conditional moves", sum(row["source"] == "conditional" for row in rows)),
            ("  takebacks", sum(row["kind"] == "takeback" for row in rows)),
            ("moves acknowledged", history.count("move", "ok")),
            ("moves refused", history.count("move", "refused")),
            ("things unknown in the end", sum(op.outcome == "unknown" for op in history.ops)),
            ("offers made", history.count("offer", "ok")),
            ("offers accepted", history.count("accept", "ok")),
            ("holidays", history.count("holiday", "ok")),
            ("events followed", sum(len(events) for events in history.followed.values())),
            ("by followers", len(history.followed)),
            ("connections of clients cut", sum(self.proxy.cuts.values())),
            ("connections to PostgreSQL cut", sum(self.line.cuts.values())),
            *sorted(faults.done.items()),
            *((f"{kind} ready again, s: {len(times)} times", spread(times)) for kind, times in faults.recoveries.items()),
            ("violations", len(violations)),
        ]
        print()
        for name, value in table:
            print(f"{name:44}{value:>16}")
        for name, text in violations[:60]:
            print(f"\n{name}: {text[:1500]}")

    async def end(self):
        """Nothing stays behind."""
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.keeper.cancel()
                server.process.kill()
        await self.cluster.stop()
        self.cluster.remove()


def spread(times):
    """The middle one and the longest."""
    if not times:
        return "-"
    times = sorted(times)
    return f"p50 {times[len(times) // 2]:.1f} max {times[-1]:.1f}"
