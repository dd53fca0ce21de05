"""Holds what the server has in the end against what it acknowledged: the soak's own
record on one side, the logs and events on the other. In the manner of Jepsen's
list-append: one list a game.

Every check is a function of the history and of `Final`, what each game is in the end,
and yields texts; `check` runs them all. Whoever adds one adds a history that it catches to
`test_checker.py`.
"""

import collections
import dataclasses

import check_events

SEATS = ("south", "north")


@dataclasses.dataclass
class Final:
    """A game when all is over."""

    state: dict
    rows: list
    events: list
    verified: bool = True


def check(history, finals, labels=None):
    """All violations, each with the name of what it violates."""
    found = []
    for game_id in history.games:
        if game_id not in finals:
            found.append(("game lost", game_id))
    by_game = collections.defaultdict(list)
    for op in history.ops:
        by_game[op.game].append(op)
    for game_id, final in finals.items():
        game, ops = history.games[game_id], by_game[game_id]
        for name, function in CHECKS.items():
            found += [(name, f"{game_id}: {text}") for text in function(game, ops, final)]
    found += [("follower", text) for text in check_events.followers(history, finals)]
    found += [("created twice or from nothing", text) for text in creations(history, labels)]
    found += [("no answer in time", text) for text in history.hung]
    found += [("internal error", text) for text in history.internal]
    found += [("odd", text) for text in history.odd]
    return found


def may_have(op):
    return op.outcome in ("ok", "unknown")


def identity(op):
    """What a choice is known by."""
    return op.seat, op.body.get("after_ply"), op.body.get("house")


def plain(row):
    """A row without what may change afterwards."""
    return {name: value for name, value in row.items() if name not in ("taken_back", "trace")}


def moves(ops):
    return [op for op in ops if op.kind == "move"]


def gaps(game, ops, final):
    """The log is 1, 2, 3 … without a hole, and as long as the state says."""
    plies = [row["ply"] for row in final.rows]
    if plies != list(range(1, len(plies) + 1)):
        yield f"plies {plies}"
    if final.state["ply"] != len(plies):
        yield f"the state is at ply {final.state['ply']}, the log has {len(plies)} rows"
    if final.rows and final.state["position"] != final.rows[-1]["position"]:
        yield f"the state is {final.state['position']}, the last row {final.rows[-1]['position']}"
    for row in final.rows:
        opening = row["kind"] == "sow" and row["ply"] == row["after_ply"] + 2
        first = final.rows[row["ply"] - 2] if opening and row["ply"] >= 2 else None
        if row["after_ply"] != row["ply"] - 1 and not (first and first["after_ply"] == row["after_ply"]):
            yield f"row {row['ply']} came after ply {row['after_ply']}"


def acknowledged(game, ops, final):
    """What was acknowledged is there, as it was acknowledged."""
    for op in ops:
        if op.outcome != "ok":
            continue
        if op.kind == "move" and op.status == 202:
            yield from committed(op, final)
        elif op.kind == "move":
            row = op.answer["row"]
            there = final.rows[row["ply"] - 1] if row["ply"] <= len(final.rows) else None
            if there is None or plain(there) != plain(row):
                yield f"row {row['ply']} was acknowledged as {row}, and is {there}"
            elif (row["seat"], row["after_ply"], row["house"]) != identity(op):
                yield f"{identity(op)} was answered with another row: {row}"
        elif op.kind == "resign":
            end = final.rows[-1] if final.rows else {}
            if (end.get("kind"), end.get("reason"), end.get("by")) != ("end", "resignation", op.seat):
                yield f"{op.seat} resigned, and the last row is {end}"
        elif op.kind == "accept":
            yield from accepted(op, final)


def committed(op, final):
    """A secret choice became a row, or waits, or the game ended before."""
    after = op.body["after_ply"]
    following = [row for row in final.rows if row["after_ply"] == after]
    if any((row.get("seat"), row.get("house")) == (op.seat, op.body["house"]) for row in following):
        return
    waits = final.state["ply"] == after and op.seat not in final.state["to_move"]
    ended = any(row["kind"] == "end" for row in following)
    if not waits and not ended:
        yield f"{identity(op)} was committed, and then came {following}"


def accepted(op, final):
    """An accepted offer did what it says."""
    offer = op.answer["offer"]
    after = op.body["after_ply"]
    row = final.rows[after] if after < len(final.rows) else None
    if offer["status"] != "accepted":
        yield f"offer {offer['id']} was accepted, and is {offer['status']}"
    elif offer["kind"] == "takeback":
        if row is None or (row["kind"], row.get("to_ply")) != ("takeback", offer["to_ply"]):
            yield f"a takeback to {offer['to_ply']} was agreed at ply {after}, and the next row is {row}"
    elif offer["kind"] == "draw":
        if row is None or (row["kind"], row.get("reason")) != ("end", "agreement"):
            yield f"a draw was agreed at ply {after}, and the next row is {row}"
    elif offer["kind"] == "rematch":
        promised = op.answer["game"]["next_game"]
        if final.state["next_game"] != promised:
            yield f"the next game was to be {promised}, and is {final.state['next_game']}"


def twice(game, ops, final):
    """Nothing was applied twice."""
    rows = collections.Counter((row["seat"], row["after_ply"]) for row in final.rows if row["kind"] == "sow")
    for (seat, after), number in rows.items():
        if number > 1:
            yield f"{number} rows of {seat} after ply {after}"
    ends = [row["ply"] for row in final.rows if row["kind"] == "end"]
    if len(ends) > 1 or (ends and ends[0] != len(final.rows)):
        yield f"ends at {ends} of {len(final.rows)} rows"
    houses = collections.defaultdict(set)
    for op in moves(ops):
        if op.outcome == "ok":
            houses[op.seat, op.body["after_ply"]].add(op.body["house"])
    for (seat, after), several in houses.items():
        if len(several) > 1:
            yield f"{seat} had houses {sorted(several)} acknowledged after ply {after}"


def joined(game, ops, final):
    """A free seat was taken once."""
    guests = [op for op in ops if op.kind == "join" and op.outcome == "ok"]
    if len(guests) > 1:
        yield f"{len(guests)} joined"


def explained(game, ops, final):
    """Every row was asked for by somebody, or by the clock."""
    asked = {identity(op) for op in moves(ops) if may_have(op)}
    agreed = {op.body.get("after_ply") for op in ops if op.kind == "accept" and may_have(op)}
    resigned = {op.seat for op in ops if op.kind == "resign" and may_have(op)}
    for row in final.rows:
        if row["kind"] == "sow":
            if row["source"] == "player":
                good = (row["seat"], row["after_ply"], row["house"]) in asked
            else:
                good = row["source"] == "conditional" and any(foreseen(op, row, final.rows) for op in ops)
        elif row["kind"] == "takeback" or row["reason"] in ("agreement", "loop"):
            good = row["after_ply"] in agreed
        elif row["reason"] == "resignation":
            good = row["by"] in resigned
        else:
            good = row["reason"] in ("timeout", "aborted") and row["source"] == "server" and game.clocked
        if not good:
            yield f"nobody asked for row {row}"


def foreseen(op, row, rows):
    """Whether these lines say this row, played from where they were laid down."""
    if op.kind != "lines" or op.seat != row["seat"] or not op.body:
        return False
    # Lines that are sent again when the game has gone on are stale, also where they had
    # been laid down and no answer had come.
    late = op.code == "stale_ply" and op.attempts > 1
    if not may_have(op) and not late:
        return False
    between = rows[op.body["after_ply"] : row["ply"]]
    if not between or any(one["kind"] != "sow" for one in between):
        return False
    played = [one["house"] for one in between]
    return any(line[: len(played)] == played for line in op.body["lines"])


def refused(game, ops, final):
    """What was refused, and by nobody else asked for, is not stored."""
    done = {identity(op) for op in moves(ops) if may_have(op)}
    stored = {(row["seat"], row["after_ply"], row["house"]) for row in final.rows if row["kind"] == "sow" and row["source"] == "player"}
    for op in moves(ops):
        if op.outcome == "refused" and identity(op) in stored and identity(op) not in done:
            yield f"{identity(op)} was refused ({op.code}), and is stored"


def conditionals(game, ops, final):
    """Lines that were acknowledged are played when the game comes to them. Only where
    nobody offers anything, which would hold them up."""
    if not game.plain:
        return
    lines = [op for op in ops if op.kind == "lines"]
    for index, op in enumerate(lines):
        if op.outcome != "ok" or not op.body:
            continue
        after, seat = op.body["after_ply"], op.seat
        near = [other for other in lines if other.seat == seat and other.body.get("after_ply", after) == after]
        later = [other for other in lines[index + 1 :] if other.seat == seat and other.outcome != "refused"]
        replaced = any(other.body.get("after_ply", after) == after for other in later)
        # A request whose answer was lost may still be done after the next one.
        murky = any(other.attempts > 1 for other in near)
        rows = final.rows[after : after + 2]
        if replaced or murky or len(rows) < 2 or any(row["kind"] != "sow" for row in rows):
            continue
        first, second = rows
        for line in op.body["lines"]:
            foreseen = len(line) > 1 and line[0] == first["house"] and first["seat"] != seat and second["seat"] == seat
            if foreseen and (second["house"], second["source"]) != (line[1], "conditional"):
                yield f"{seat} laid {line} down at ply {after}, and row {second['ply']} is {second}"


def deadlines(game, ops, final):
    """Nobody was late before the time, and nobody is late who is not told so."""
    state = final.state
    for row in final.rows:
        if row["kind"] != "end" or row["source"] != "server":
            continue
        known = game.deadlines.get(row["after_ply"], {})
        times = [time for seat, time in known.items() if time and row["by"] in (seat, None)]
        if times and row["played_at"] < min(times):
            yield f"late at {row['played_at']}, and the deadline was {min(times)}"
    if state["status"] in ("playing", "opening"):
        for seat, clock in ((state.get("clock") or {}).get("seats") or {}).items():
            if clock["deadline"] and clock["deadline"] < state["server_time"]:
                yield f"{seat} had until {clock['deadline']}, and at {state['server_time']} the game goes on"


def verified(game, ops, final):
    """The server's own proof."""
    if not final.verified:
        yield "its log does not replay to what is stored"


def creations(history, labels):
    """`labels`: how many games there are by label, and by what they are a rematch of.
    Each was asked for, and made once."""
    if labels is None:
        return
    asked = {op.body["label"]: op for op in history.ops if op.kind == "create"}
    for op in history.ops:
        if op.kind == "accept" and (op.outcome == "unknown" or op.outcome == "ok" and op.answer["offer"]["kind"] == "rematch"):
            asked[f"rematch of {op.game}"] = op
    for label, number in labels.items():
        if label not in asked or number != 1 or not may_have(asked[label]):
            yield f"{number} games {label}"
    for label, op in asked.items():
        if op.outcome == "ok" and label not in labels:
            yield f"{label} was made, and is not there"


CHECKS = {
    "log": gaps,
    "acknowledged and lost": acknowledged,
    "applied twice": twice,
    "seat taken twice": joined,
    "from nowhere": explained,
    "refused and stored": refused,
    "lines not played": conditionals,
    "deadline": deadlines,
    "verify": verified,
    "events": check_events.told,
    "offers": check_events.offers,
}
