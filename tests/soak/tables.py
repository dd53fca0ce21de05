"""People, and games between them in all the ways in which they come about."""

import asyncio
import random
import uuid
from datetime import datetime, timedelta, timezone

from client import Client
from followers import Follower
from history import Game
from players import Sitter

RULES = [
    ("congkak", {}),
    ("congkak", {"houses": 5}),
    ("congkak-traditional", {"houses": 5, "max_rounds": 2}),
    ("congkak-traditional", {"houses": 6, "max_rounds": 1}),
    ("congkak-arena", {"houses": 5}),
    ("congkak-arena", {}),
    ("al-manqala", {}),
    ("al-manqala", {"houses": 6, "seeds": 4}),
]


class Person:
    """Somebody with an account. `reader`: whose log tells of their games."""

    def __init__(self, name, headers, reader=None):
        self.name, self.headers, self.reader = name, headers, reader or name


class Room:
    """Where games are made and played, so many at a time."""

    def __init__(self, stage, seed, games):
        self.stage, self.seed, self.wanted = stage, seed, games
        self.rng = random.Random(f"room {seed}")
        self.run = uuid.UUID(int=random.Random(f"run {seed}").getrandbits(128)).hex[:6]
        self.people, self.managed = [], []
        self.followers = []
        self.tables = set()
        self.number = 0
        self.late_wanted = 0

    def key(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128)))

    async def sign_up(self, people, managed):
        """People who read their own events, and a bot with people of its own."""
        client = Client(self.stage, {})
        bot = None
        for number in range(people + 1):
            kind = "bot" if number == people else "human"
            name = f"{kind}-{self.run}-{number}"
            op = await client.write("sign_up", "/v1/players", {"name": name, "kind": kind}, key=self.key())
            if op.outcome != "ok":
                raise SystemExit(f"nobody can sign up: {op.status} {op.answer}")
            person = Person(name, {"Authorization": f"Bearer {op.answer['secret']}"})
            manner = "ndjson" if kind == "bot" else ("poll", "sse", "ndjson")[number % 3]
            self.follow(name, "/v1/events", person.headers, manner)
            if kind == "bot":
                bot = person
            else:
                self.people.append(person)
        channel = Client(self.stage, bot.headers)
        for number in range(managed):
            reference = f"soak:{number}"
            body = {"name": f"member-{self.run}-{number}"}
            op = await channel.write("managed", f"/v1/managed-players/{reference}", body, method="PUT")
            headers = bot.headers | {"Mancala-Act-As": reference}
            self.managed.append(Person(op.answer["player"]["handle"], headers, bot.name))
        client.close()
        channel.close()

    def follow(self, name, path, headers, manner):
        self.followers.append(Follower(self.stage, name, path, headers, manner, self.seed))
        self.followers[-1].start()

    async def keep_busy(self, until):
        """So many games at any time, and beside them some in which somebody is late."""
        loop = asyncio.get_running_loop()
        last_late = loop.time()
        while loop.time() < until:
            while len([table for table in self.tables if not table.late]) < self.wanted:
                self.open_table(late=False)
            # Early enough for the time to run out.
            late = len([table for table in self.tables if table.late])
            if late < self.wanted // 2 and until - loop.time() > 80 and loop.time() - last_late > 3:
                last_late = loop.time()
                self.open_table(late=True)
            await asyncio.sleep(0.2)

    def open_table(self, late):
        self.number += 1
        task = asyncio.create_task(self.table(self.number, late))
        task.late = late
        self.tables.add(task)
        task.add_done_callback(self._over)

    def _over(self, task):
        self.tables.discard(task)
        if not task.cancelled() and task.exception():
            self.stage.history.odd.append(f"a table broke down: {task.exception()!r}")

    async def table(self, number, late):
        """One game from its making to its end, and perhaps a rematch."""
        rng = random.Random(f"{self.seed} table {number}")
        ruleset, rules = rng.choice(RULES)
        label = f"soak-{self.run}-{number}"
        body = {"ruleset": ruleset, "rules": rules, "label": label, "seat": "south"}
        if late or rng.random() < 0.4:
            body["clock"] = {"per_move": 60, "reserve": 0 if late else rng.choice([0, 30])}
        way = rng.choice(["seats", "seats", "invite", "player", "open", "channel"])
        if way != "open" and rng.random() < 0.25:
            body["visibility"] = "private"
        game = await {"seats": self.by_seats, "invite": self.by_token}.get(way, self.by_people)(way, body, label, rng)
        if game is None:
            return
        game.clocked, game.plain = "clock" in body, rng.random() < 0.35
        self.stage.history.games[game.id] = game
        if way in ("seats", "invite") and rng.random() < 0.4:
            name = f"seat of {label}"
            game.readers[name] = "start"
            self.follow(name, "/v1/events", game.headers["north"], rng.choice(["sse", "ndjson", "poll"]))
        elif "visibility" not in body and rng.random() < 0.2:
            name = f"onlooker of {label}"
            game.readers[name] = "start"
            self.follow(name, f"/v1/games/{game.id}/events", {}, rng.choice(["sse", "poll"]))
        houses = rules.get("houses", 7)
        silent = {rng.choice(["south", "north"]): rng.choice([0, 1, 2, 5])} if late else {}
        sitters = [Sitter(self.stage, game, seat, self.seed, silent.get(seat), houses) for seat in ("south", "north")]
        await asyncio.gather(*(sitter.play() for sitter in sitters))
        if not late and rng.random() < 0.4 and not self.stage.closing.is_set():
            await self.rematch(game, rng, houses)

    async def rematch(self, game, rng, houses):
        """The same two again, seats swapped. Without an account the tokens of the next
        game come with the offer and with its acceptance."""
        first, second = rng.sample(["south", "north"], 2)
        asks, agrees = (Client(self.stage, game.headers[seat]) for seat in (first, second))
        path = f"/v1/games/{game.id}/offers"
        offered = await asks.write("offer", path, {"kind": "rematch"}, game.id, first, key=self.key())
        agreed = None
        if offered.outcome == "ok":
            state = offered.answer["game"]
            body = {"after_ply": state["ply"]}
            path += f"/{offered.answer['offer']['id']}/accept"
            agreed = await agrees.write("accept", path, body, game.id, second, key=self.key())
        asks.close()
        agrees.close()
        if agreed is None or agreed.outcome != "ok":
            return
        next_id = agreed.answer["game"]["next_game"]
        swapped = {"south": "north", "north": "south"}
        headers = {swapped[seat]: headers for seat, headers in game.headers.items()}
        if "seat_token" in offered.answer:
            headers[swapped[first]] = bearer(offered.answer["seat_token"])
        if "seat_token" in agreed.answer:
            headers[swapped[second]] = bearer(agreed.answer["seat_token"])
        readers = {name: "start" for name in game.readers if not name.startswith(("seat of", "onlooker of"))}
        again = Game(next_id, game.label, headers, game.clocked, game.plain, readers, rematch_of=game.id)
        self.stage.history.games[next_id] = again
        sitters = [Sitter(self.stage, again, seat, self.seed + 1, None, houses) for seat in ("south", "north")]
        await asyncio.gather(*(sitter.play() for sitter in sitters))

    async def holidays(self):
        """Now and then somebody goes away for a while, and comes back early."""
        while not self.stage.closing.is_set():
            person = self.rng.choice(self.people + self.managed)
            client = Client(self.stage, person.headers)
            until = datetime.now(timezone.utc) + timedelta(seconds=self.rng.uniform(5, 60))
            body = {"until": until.isoformat(timespec="milliseconds").replace("+00:00", "Z")}
            gone = await client.write("holiday", "/v1/me/vacation", body, method="PUT")
            await asyncio.sleep(self.rng.uniform(1, 12))
            if gone.outcome == "ok" and self.rng.random() < 0.7:
                await client.write("back", "/v1/me/vacation", method="DELETE")
            client.close()

    async def create(self, body, headers):
        client = Client(self.stage, headers)
        op = await client.write("create", "/v1/games", body, key=self.key())
        client.close()
        return op.answer if op.outcome == "ok" else None

    async def join(self, game_id, headers, body=None):
        client = Client(self.stage, headers)
        op = await client.write("join", f"/v1/games/{game_id}/join", body, game_id, "north", key=self.key())
        client.close()
        return op.answer if op.outcome == "ok" else None

    async def race(self, game_id, *guests):
        """Of those who want the free seat one gets it."""
        return await asyncio.gather(*(self.join(game_id, guest.headers) for guest in guests))

    async def by_seats(self, way, body, label, rng):
        made = await self.create(body, {})
        if made is None:
            return None
        headers = {seat: bearer(secret) for seat, secret in made["seat_tokens"].items()}
        return Game(made["game"]["id"], label, headers)

    async def by_token(self, way, body, label, rng):
        made = await self.create(body | {"opponent": {"invite": True}}, {})
        if made is None:
            return None
        game_id = made["game"]["id"]
        joined = await self.join(game_id, {}, {"invite_token": made["invite_token"]})
        if joined is None:
            self.unfinished(game_id, label, bearer(made["seat_token"]))
            return None
        headers = {"south": bearer(made["seat_token"]), "north": bearer(joined["seat_token"])}
        return Game(game_id, label, headers)

    async def by_people(self, way, body, label, rng):
        host, guest, rival = rng.sample(self.managed if way == "channel" else self.people, 3)
        opponent = {"open": True} if way == "open" else {"player": guest.name}
        made = await self.create(body | {"opponent": opponent}, host.headers)
        if made is None:
            return None
        game_id = made["game"]["id"]
        readers = {host.reader: "start"}
        # An invitation by name is told to whoever is invited, from the start; an open
        # game only once one has joined.
        if way != "open":
            readers[guest.reader] = "start"
        joined = [await self.join(game_id, guest.headers)] if way != "open" else await self.race(game_id, guest, rival)
        if way == "open" and joined[0] is None and joined[1] is not None:
            guest = rival
        if not any(joined):
            self.unfinished(game_id, label, host.headers, readers)
            return None
        if way == "open":
            readers[guest.reader] = "began"
        return Game(game_id, label, {"south": host.headers, "north": guest.headers}, readers=readers)

    def unfinished(self, game_id, label, headers, readers=None):
        """Nobody could join before the soak ended: it is looked at all the same."""
        game = Game(game_id, label, {"south": headers, "north": headers}, readers=readers or {})
        self.stage.history.games[game_id] = game


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}

