"""Guessing, hoarding, asking too often."""

import asyncio
import collections
import json
import uuid

import stage
import wire

QUOTA, GUESSES, TOGETHER = 600, 30, 6000


async def tokens(server, report):
    """2,000 tokens guessed from one address, whatever it says of itself."""
    attacker = "203.0.113.201"
    made = stage.ask(server.port, "POST", "/v1/players", {"name": "neighbour"}, address=attacker)
    neighbour = json.loads(made[2])["secret"]
    report.sent.append("2,000 × GET /v1/me with a wrong token, each naming another X-Forwarded-For before the proxy's")
    guesses = [
        wire.head("GET /v1/me", f"Authorization: Bearer mp_{number:032}", f"X-Forwarded-For: 10.9.{number % 250}.1, {attacker}")
        for number in range(2000)
    ]
    answers = await wire.at_once(server.port, guesses)
    report.answered.append(wire.counted(answers))
    tried = sum(answer.status == 401 for answer in answers)
    # An allowance comes back while it is used up: one each two seconds.
    report.expect(tried <= GUESSES + 15, f"{tried} tokens were tried")
    for answer in answers:
        report.expect(answer.status in (401, 429), f"a guess is answered with {answer.status}")
        if answer.status == 429:
            report.expect_problem(answer, 429, "rate_limited", "a guess")
            report.expect(answer.headers.get("retry-after", "").isdigit(), "no Retry-After")
    status, _, _ = stage.ask(server.port, "GET", "/v1/me", token=neighbour, address=attacker)
    report.expect(status == 200, f"an honest token of the same address: {status}")
    report.answered.append(f"an honest token from the same address: {status}")


async def hoard(server, report):
    """One address with ever more tokens, each with an allowance of its own."""
    attacker = "X-Forwarded-For: 203.0.113.202"
    report.sent.append("15 players by one address, 600 requests with the token of each")
    secrets = []
    for number in range(15):
        made = await wire.exchange(server.port, wire.post("/v1/players", json.dumps({"name": f"hoard-{number}"}), attacker))
        secrets.append(made.json()["secret"])
    # Many on one connection: the server answers them in turn.
    asks = [wire.head("GET /v1/rulesets/none", f"Authorization: Bearer {secret}", attacker, close=False) * 60 for secret in secrets]
    last = wire.head("GET /v1/rulesets/none", f"Authorization: Bearer {secrets[0]}", attacker)
    counts = collections.Counter()
    for answer in await wire.at_once(server.port, [ask + last for ask in asks] * 10, most=8):
        for part in answer.data.split(b"HTTP/1.1 ")[1:]:
            counts[int(part[:3])] += 1
    report.answered.append(", ".join(f"{count} × {status}" for status, count in sorted(counts.items())))
    report.expect(counts[404] <= TOGETHER * 1.5, f"{counts[404]} were answered, {TOGETHER} a minute are promised")
    report.expect(counts[429] > 0, "there is no end to it")
    report.expect(set(counts) <= {404, 429}, "other answers")


async def enumeration(server, report):
    """Whether a private game, a player or a token can be told from one that is not there."""
    made = stage.ask(server.port, "POST", "/v1/players", {"name": "hidden-owner"})
    owner = json.loads(made[2])["secret"]
    made = stage.ask(server.port, "POST", "/v1/games", {"ruleset": "congkak", "visibility": "private", "opponent": {"invite": True}}, owner)
    there, absent = json.loads(made[2])["game"]["id"], uuid.uuid4()
    paths = ["", "/moves", "/events", "/verify", "/board.txt", "/board.svg", "/board.png", "?at_ply=0", "/conditional"]
    report.sent.append(f"GET of a private game and of one that is not there: {len(paths)} paths, and POST of moves, joins, resignations")
    asked = [("GET", path, None) for path in paths]
    asked += [("POST", "/moves", {"after_ply": 0, "house": 7}), ("POST", "/join", {}), ("POST", "/resign", None), ("POST", "/abort", None)]
    other = json.loads(stage.ask(server.port, "POST", "/v1/players", {"name": "snooper"})[2])["secret"]
    told = 0
    for method, path, body in asked:
        for token in (None, other):
            pair = [stage.ask(server.port, method, f"/v1/games/{game}{path}", body, token) for game in (there, absent)]
            seen = [(status, normal(text), sorted(known(headers))) for status, headers, text in pair]
            if seen[0] != seen[1]:
                told += 1
                report.expect(False, f"{method} {path}: {seen[0]} and {seen[1]}")
    report.answered.append(f"{told} of {2 * len(asked)} pairs differ")


def normal(text):
    """A problem but for what names the request."""
    try:
        problem = json.loads(text)
    except ValueError:
        return text
    return {key: value for key, value in problem.items() if key not in ("instance", "request_id")}


def known(headers):
    return (name.lower() for name in headers if name.lower() not in ("date", "x-request-id"))


async def keys(server, report):
    """3,000 creations under ever new idempotency keys, from one address."""
    report.sent.append("3,000 × POST /v1/games, each with an Idempotency-Key of 250 characters of its own")
    attacker = "X-Forwarded-For: 203.0.113.203"
    asks = [wire.post("/v1/games", '{"ruleset": "congkak"}', attacker, f"Idempotency-Key: {number:0250}") for number in range(3000)]
    answers = await wire.at_once(server.port, asks, most=50)
    report.answered.append(wire.counted(answers))
    made = sum(answer.status == 201 for answer in answers)
    report.expect(made <= QUOTA * 1.5, f"{made} games were made, {QUOTA} a minute are promised")
    for answer in answers:
        if answer.status != 201:
            report.expect_problem(answer, 429, "rate_limited", "a creation")
    # One key at once: one game.
    same = [wire.post("/v1/games", '{"ruleset": "congkak"}', "X-Forwarded-For: 203.0.113.204", f"Idempotency-Key: {'k' * 40}")] * 50
    answers = await wire.at_once(server.port, same)
    games = {answer.json()["game"]["id"] for answer in answers if answer.status == 201}
    report.answered.append(f"one key 50 times at once: {wire.counted(answers)}, {len(games)} game")
    report.expect(len(games) == 1, f"one key made {len(games)} games")


async def plenty(server, report):
    """One player who makes as much as there is to make."""
    made = stage.ask(server.port, "POST", "/v1/players", {"name": "grabber", "kind": "bot"})
    token = f"Authorization: Bearer {json.loads(made[2])['secret']}"
    wanted = {
        "tokens": (wire.post("/v1/me/tokens", '{"scopes": ["read"]}', token), 110, 100, "too_many_tokens"),
        "webhooks": (wire.post("/v1/webhooks", '{"url": "https://webhook.invalid/"}', token), 60, 50, "too_many_webhooks"),
        "games": (wire.post("/v1/games", '{"ruleset": "congkak", "opponent": {"open": true}}', token), 1000, QUOTA * 1.5, "rate_limited"),
    }
    report.sent.append(", ".join(f"{count} {what}" for what, (_, count, _, _) in wanted.items()) + " by one player")
    for what, (data, count, most, code) in wanted.items():
        answers = await wire.at_once(server.port, [data] * count, most=50)
        made = sum(answer.status == 201 for answer in answers)
        report.answered.append(f"{what}: {wire.counted(answers)}")
        report.expect(made <= most, f"{made} {what} of one player")
        for answer in answers:
            if answer.status != 201:
                report.expect_problem(answer, 429 if code == "rate_limited" else 409, code, what)
        report.expect(made < count, f"{what}: never {code}")


ATTACKS = {
    "token guessing": (tokens, 60),
    "a hoard of tokens": (hoard, 60),
    "enumeration": (enumeration, 30),
    "idempotency keys": (keys, 60),
    "plenty": (plenty, 60),
}
