"""Those who sit at a game: they choose, offer, answer, lay lines down, give up, fall
silent, and now and then send what is stale or against the rules."""

import asyncio
import random
import uuid

from client import Client

OVER = ("finished", "aborted")


class Sitter:
    """One seat of one game. `silent_after`: choices after which it says nothing more."""

    def __init__(self, stage, game, seat, seed, silent_after=None, houses=7):
        self.stage, self.game, self.seat, self.houses = stage, game, seat, houses
        self.rng = random.Random(f"{seed} {game.label} {seat}")
        self.client = Client(stage, game.headers[seat])
        self.other_device = Client(stage, game.headers[seat])
        self.silent_after = silent_after
        self.choices = 0
        self.path = f"/v1/games/{game.id}"

    async def play(self):
        """To the game's end, or the soak's. The last state that was seen."""
        state = None
        try:
            while not self.stage.closed.is_set():
                if state is None:
                    state = await self.look()
                if state is None or state["status"] in OVER:
                    return state
                if self.stage.closing.is_set():
                    return state
                if self.silent_after is not None and self.choices >= self.silent_after:
                    state = await self.be_late(state)
                elif self.seat in state["to_move"]:
                    state = await self.choose(state)
                else:
                    state = await self.wait(state)
        finally:
            self.client.close()
            self.other_device.close()
        return state

    async def look(self):
        answer = await self.client.read(self.path)
        return self.seen(answer.json) if answer else None

    def seen(self, state):
        self.game.saw(state)
        return state

    async def write(self, kind, path, body=None, key=None, method="POST", client=None):
        client = client or self.client
        op = await client.write(kind, self.path + path, body, self.game.id, self.seat, key, method)
        if op.outcome == "ok" and op.answer and "game" in op.answer:
            self.seen(op.answer["game"])
        return op

    def legal(self, state):
        return [move for move in state["legal_moves"] if move["seat"] == self.seat]

    async def choose(self, state):
        """A choice; the state after it, or None where that has to be looked for."""
        legal = self.legal(state)
        if not legal:
            return None
        if state["offers"] and self.rng.random() < 0.7 and await self.answer(state):
            return None
        chance = self.rng.random()
        if chance < 0.10:
            await self.mischief(state)
        elif not self.game.plain and chance < 0.18:
            await self.propose(state)
            # Time for an answer.
            await asyncio.sleep(self.rng.uniform(0.0, 1.0))
            return None
        elif chance < 0.165 and state["ply"] > 10:
            await self.write("resign", "/resign")
            return None
        move = self.rng.choice(legal)
        body = {"after_ply": state["ply"], "house": move["house"]}
        if self.rng.random() < 0.15:
            body["message"] = f"{self.seat} at {state['ply']}"
        if not self.game.plain and state["status"] == "playing" and self.rng.random() < 0.03:
            body["offer"] = "draw"
        how = self.rng.random()
        if how < 0.08:
            # A double click, on two devices.
            op, _ = await asyncio.gather(
                self.write("move", "/moves", body), self.write("move", "/moves", body, client=self.other_device)
            )
        elif how < 0.14 and len(legal) > 1:
            # Two devices that do not agree: one of them wins.
            other = self.rng.choice([other for other in legal if other != move])
            rival = {"after_ply": state["ply"], "house": other["house"]}
            op, _ = await asyncio.gather(
                self.write("move", "/moves", body), self.write("move", "/moves", rival, client=self.other_device)
            )
        elif how < 0.24 and "offer" not in body and move.get("action"):
            # As a button of a chat.
            op = await self.press(state, move)
        else:
            op = await self.write("move", "/moves", body)
        if op.outcome != "ok":
            return None
        self.choices += 1
        return op.answer.get("game")

    async def press(self, state, move):
        path, body = "/v1/actions", {"action": move["action"]}
        op = await self.client.write("button", path, body, self.game.id, self.seat)
        op.kind, op.body = "move", {"after_ply": state["ply"], "house": move["house"]}
        return op

    async def mischief(self, state):
        """What must be refused and leave no trace."""
        ply = state["ply"]
        empty = [house for house in range(1, self.houses + 1) if house not in [move["house"] for move in self.legal(state)]]
        wrong = [
            {"after_ply": ply + self.rng.randint(1, 3), "house": 1},
            {"after_ply": ply, "house": self.houses + 1},
            {"after_ply": ply, "house": 0},
            {"after_ply": -1, "house": 1},
        ]
        if ply:
            wrong.append({"after_ply": ply - 1, "house": self.rng.randint(1, self.houses)})
        if empty:
            wrong.append({"after_ply": ply, "house": self.rng.choice(empty)})
        await self.write("move", "/moves", self.rng.choice(wrong))

    def key(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128)))

    async def propose(self, state):
        kinds = ["draw", "takeback", "takeback"] + ["pause"] * (2 if self.game.clocked else 0)
        body = {"kind": self.rng.choice(kinds)}
        if body["kind"] == "takeback":
            body["to_ply"] = max(0, state["ply"] - self.rng.randint(1, 3))
        if self.rng.random() < 0.7:
            body["after_ply"] = state["ply"]
        await self.write("offer", "/offers", body, self.key())

    async def answer(self, state):
        """To an offer of the other seat."""
        offers = [offer for offer in state["offers"] if offer["seat"] != self.seat]
        for offer in offers:
            willing = {"draw": 0.05, "takeback": 0.5, "pause": 0.6}.get(offer["kind"], 0.3)
            if self.rng.random() < willing:
                body = {"after_ply": state["ply"]}
                await self.write("accept", f"/offers/{offer['id']}/accept", body, self.key())
            elif self.rng.random() < 0.5:
                await self.write("decline", f"/offers/{offer['id']}/decline")
        return bool(offers)

    async def wait(self, state):
        """It is not this seat's turn."""
        if state["offers"] and await self.answer(state):
            return None
        if (state.get("paused") or {}).get("by") == "agreement" and self.rng.random() < 0.5:
            await self.write("resume", "/resume")
            return None
        chance = self.rng.random()
        if chance < 0.12 and state["status"] == "playing" and state["legal_moves"]:
            await self.lay_down(state)
        elif chance < 0.15 and not self.game.plain:
            await self.propose(state)
        elif chance < 0.18:
            # Not its turn at all.
            await self.write("move", "/moves", {"after_ply": state["ply"], "house": self.rng.randint(1, self.houses)})
        await asyncio.sleep(self.rng.uniform(0.1, 0.5))
        return None

    async def lay_down(self, state):
        """Lines of coming plies: what the other seat may choose, and guesses after it."""
        lines = []
        first = [move["house"] for move in state["legal_moves"]]
        for house in self.rng.sample(first, min(len(first), 3)):
            lines.append([house] + [self.rng.randint(1, self.houses) for _ in range(self.rng.choice([1, 1, 2]))])
        # The rules refuse many guesses: each by itself first says which are any good.
        good = []
        for line in lines:
            op = await self.write("lines", "/conditionals", {"after_ply": state["ply"], "lines": [line]}, method="PUT")
            if op.outcome == "ok":
                good.append(line)
        if len(good) > 1:
            await self.write("lines", "/conditionals", {"after_ply": state["ply"], "lines": good}, method="PUT")
        elif good and self.rng.random() < 0.1:
            await self.write("lines", "/conditionals", method="DELETE")

    async def be_late(self, state):
        """Lets the time run out; sometimes with a choice at the very last moment."""
        await asyncio.sleep(self.rng.uniform(1.0, 2.0))
        clock = state.get("clock") or {}
        mine = (clock.get("seats") or {}).get(self.seat) or {}
        if mine.get("deadline") and state["server_time"] < mine["deadline"]:
            left = seconds_between(state["server_time"], mine["deadline"])
            if left < 3:
                await asyncio.sleep(max(0.0, left + self.rng.uniform(-0.15, 0.15)))
                legal = self.legal(state)
                if legal and self.rng.random() < 0.5:
                    body = {"after_ply": state["ply"], "house": self.rng.choice(legal)["house"]}
                    await self.write("move", "/moves", body)
        return None


def seconds_between(first, second):
    from datetime import datetime

    read = [datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (first, second)]
    return (read[1] - read[0]).total_seconds()
