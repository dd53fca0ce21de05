"""The checker's part about events: one for each thing that happened, and every follower
got each of them once and in order."""

import collections

ENDS = ("game.finished", "game.aborted")


def place(event):
    """The number in an event's id."""
    return int(event["id"].rpartition(".")[2])


def told(game, ops, final):
    """A game's events against its log."""
    events, rows = final.events, final.rows
    places = [place(event) for event in events]
    if places != sorted(set(places)):
        yield f"ids out of order: {[event['id'] for event in events]}"
    types = collections.Counter(event["type"] for event in events)
    if types["game.created"] != 1 or events[0]["type"] != "game.created":
        yield f"it was created {types['game.created']} times"
    began = final.state["started_at"] is not None
    if types["game.started"] != began:
        yield f"it began {types['game.started']} times"
    over = {"finished": "game.finished", "aborted": "game.aborted"}.get(final.state["status"])
    for kind in ENDS:
        if types[kind] != (kind == over):
            yield f"{types[kind]} times {kind}, and it is {final.state['status']}"
    played = [(event["ply"], event["facts"]["seat"], event["facts"]["house"]) for event in events if event["type"] == "move.played"]
    sown = [(row["ply"], row["seat"], row["house"]) for row in rows if row["kind"] == "sow"]
    if played != sown:
        difference = set(played) ^ set(sown) or "another order, or twice"
        yield f"rows and move.played differ: {difference}"
    yield from turns(events, rows)


def turns(events, rows):
    """Each turn that somebody began by choosing was announced, and once."""
    announced = collections.Counter((event["ply"], event["facts"]["seat"]) for event in events if event["type"] == "turn.started")
    for (ply, seat), number in announced.items():
        if number > 1:
            yield f"{seat}'s turn was announced {number} times at ply {ply}"
    before = None
    for row in rows:
        if row["kind"] == "sow" and row["source"] == "player":
            new = before is None or before["kind"] == "takeback" or before["turn"] != row["turn"]
            if new and not announced[row["after_ply"], row["seat"]]:
                yield f"{row['seat']}'s turn at ply {row['after_ply']} was not announced"
        before = row


def offers(game, ops, final):
    """Each offer was made once, by somebody, and each answer given once."""
    made = [event["facts"] for event in final.events if event["type"] == "offer.made"]
    numbers = [fact["offer"] for fact in made]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"offers {numbers}"
    answers = collections.Counter(event["facts"]["offer"] for event in final.events if event["type"] == "offer.answered")
    for number, times in answers.items():
        if times > 1:
            yield f"offer {number} was answered {times} times"
    mine = [op for op in ops if op.kind == "offer" and op.outcome == "ok"]
    for op in mine:
        if op.answer["offer"]["id"] not in numbers:
            yield f"offer {op.answer['offer']['id']} was acknowledged, and is not told of"
    firsts = collections.Counter(op.answer["offer"]["id"] for op in mine if not op.replayed)
    for number, times in firsts.items():
        if times > 1:
            yield f"{times} requests made offer {number}"
    for op in ops:
        if op.kind in ("accept", "decline") and op.outcome == "ok" and not answers[op.answer["offer"]["id"]]:
            yield f"offer {op.answer['offer']['id']} was answered, and that is not told of"
    for event in final.events:
        if event["type"] == "offer.made" and not any(proposes(op, event) for op in ops):
            yield f"nobody made offer {event['facts']['offer']}"


def proposes(op, event):
    """Whether this may have made the offer."""
    facts = event["facts"]
    if op.seat != facts["seat"] or op.outcome == "refused" and op.attempts == 1:
        return False
    if op.kind == "offer" and op.outcome == "ok":
        return op.answer["offer"]["id"] == facts["offer"]
    return op.kind in ("offer", "move") and facts["kind"] in (op.body.get("kind"), op.body.get("offer"))


def followers(history, finals):
    """What each follower got is what there is in the games that it follows."""
    expected = collections.defaultdict(list)
    for game_id, final in finals.items():
        for name, since in history.games[game_id].readers.items():
            expected[name] += since_when(final.events, since)
    for name, events in history.followed.items():
        got = [event["id"] for event in events]
        due = [event["id"] for event in sorted(expected[name], key=place)]
        if got == due:
            continue
        doubled = [number for number, times in collections.Counter(got).items() if times > 1]
        missing, foreign = sorted(set(due) - set(got)), sorted(set(got) - set(due))
        text = f"{name}: {len(got)} events for {len(due)}"
        for word, ids in (("doubled", doubled), ("missing", missing), ("not its own", foreign)):
            if ids:
                text += f"; {word}: {' '.join(ids[:10])}"
        yield text if doubled or missing or foreign else f"{text}; in another order"
    for name, events in history.followed.items():
        same = {event["id"]: event for final in finals.values() for event in final.events}
        for event in events:
            if event["id"] in same and without_words(same[event["id"]]) != without_words(event):
                yield f"{name}: {event} is {same[event['id']]}"


def since_when(events, since):
    if since == "start":
        return events
    for index, event in enumerate(events):
        if event["type"] == "game.started":
            return events[index:]
    return []


def without_words(event):
    return {name: event[name] for name in ("id", "type", "game_id", "ply", "at", "facts")}
