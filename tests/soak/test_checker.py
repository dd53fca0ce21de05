"""Whether the checker catches what it must: a clean history first, in which it may find
nothing; then the same with one thing wrong each, which it must find, under that name.

    tests/soak/run --self-test
"""

import copy

from checker import Final, check
from history import Game, History

ID = "01a2"


def row(ply, seat, house, after=None, source="player", turn=None, **more):
    fields = {"kind": "sow", "ply": ply, "seat": seat, "house": house, "after_ply": ply - 1 if after is None else after}
    fields |= {"turn": turn or ply, "source": source, "position": f"position {ply}", "taken_back": False, "extra_turn": False}
    return fields | more


def event(number, kind, ply, /, **facts):
    return {"id": f"1.{number}", "type": kind, "game_id": ID, "ply": ply, "at": f"10:{number:02}", "facts": facts}


def sown(number, row):
    return event(number, "move.played", row["ply"], seat=row["seat"], house=row["house"])


class World:
    """A game of six rows: an opening in secret, a move, a conditional one, a move whose
    answer was lost for ever, and an end by the clock. And one more, drawn, with a rematch."""

    def __init__(self):
        self.history = history = History()
        game = Game(ID, "soak-1", {}, clocked=True, plain=True, readers={"ana": "start", "bo": "began"})
        game.deadlines[5] = {"north": "12:00", "south": None}
        history.games[ID] = game
        self.did("create", None, {"label": "soak-1"}, {"game": {}}, game=None)
        rows = [
            row(1, "south", 4, after=0, position=None, turn=1),
            row(2, "north", 7, after=0, turn=1),
            row(3, "south", 2, turn=2),
            row(4, "north", 5, source="conditional", turn=3),
            row(5, "south", 1, turn=4),
            {"kind": "end", "ply": 6, "after_ply": 5, "reason": "timeout", "by": "north", "source": "server", "turn": 4,
             "played_at": "12:01", "position": "position 6"},
        ]  # fmt: skip
        self.did("move", "south", {"after_ply": 0, "house": 4}, {"committed": True}, status=202)
        self.did("move", "north", {"after_ply": 0, "house": 7}, {"row": rows[1]})
        self.did("lines", "north", {"after_ply": 2, "lines": [[3, 1], [2, 5, 6]]}, {})
        self.did("move", "south", {"after_ply": 2, "house": 2}, {"row": rows[2]})
        self.did("move", "south", {"after_ply": 2, "house": 6}, None, outcome="refused")
        self.did("move", "south", {"after_ply": 4, "house": 1}, None, outcome="unknown")
        self.did("move", "north", {"after_ply": 5, "house": 3}, None, outcome="refused")
        events = [event(1, "game.created", 0), event(2, "game.started", 0)]
        events += [event(3, "turn.started", 0, seat="south"), event(4, "turn.started", 0, seat="north")]
        events += [sown(5, rows[0]), sown(6, rows[1]), event(7, "turn.started", 2, seat="south")]
        events += [sown(8, rows[2]), sown(9, rows[3]), event(10, "turn.started", 4, seat="south")]
        events += [sown(11, rows[4]), event(12, "turn.started", 5, seat="north"), event(20, "game.finished", 6)]
        state = {"status": "finished", "ply": 6, "position": "position 6", "started_at": "10:02", "to_move": [], "clock": None}
        self.final = Final(state, rows, events)
        history.followed["ana"] = copy.deepcopy(events)
        history.followed["bo"] = copy.deepcopy(events[1:])
        self.labels = {"soak-1": 1, "soak-2": 1}
        self.other()

    def other(self):
        """Row 2 is taken back; then a draw."""
        game = Game("02b3", "soak-2", {}, readers={"ana": "start"})
        self.history.games[game.id] = game
        self.did("create", None, {"label": "soak-2"}, {"game": {}}, game=None)
        rows = [
            row(1, "south", 3),
            row(2, "north", 4, taken_back=True),
            {"kind": "takeback", "ply": 3, "seat": "north", "to_ply": 1, "after_ply": 2, "turn": 2, "source": "player", "position": "position 1"},
            row(4, "north", 6, turn=2),
            {"kind": "end", "ply": 5, "after_ply": 4, "reason": "agreement", "by": None, "source": "player", "turn": 2, "position": "position 5"},
        ]
        self.did("move", "south", {"after_ply": 0, "house": 3}, {"row": rows[0]}, game=game.id)
        self.did("move", "north", {"after_ply": 1, "house": 4}, {"row": rows[1] | {"taken_back": False}}, game=game.id)
        takeback = {"id": 1, "kind": "takeback", "to_ply": 1, "status": "accepted"}
        self.did("offer", "north", {"kind": "takeback"}, {"offer": takeback | {"status": "open"}}, game=game.id)
        self.did("accept", "south", {"after_ply": 2}, {"offer": takeback}, game=game.id)
        self.did("move", "north", {"after_ply": 3, "house": 6, "offer": "draw"}, {"row": rows[3]}, game=game.id)
        self.did("accept", "south", {"after_ply": 4}, {"offer": {"id": 2, "kind": "draw", "status": "accepted"}}, game=game.id)
        events = [event(30, "game.created", 0), event(31, "game.started", 0), event(32, "turn.started", 0, seat="south")]
        events += [sown(33, rows[0]), event(34, "turn.started", 1, seat="north"), sown(35, rows[1])]
        events += [event(36, "turn.started", 2, seat="south"), event(37, "offer.made", 2, offer=1, kind="takeback", seat="north")]
        events += [event(38, "offer.answered", 2, offer=1), event(39, "turn.started", 3, seat="north"), sown(40, rows[3])]
        events += [event(41, "offer.made", 4, offer=2, kind="draw", seat="north"), event(42, "offer.answered", 4, offer=2)]
        events += [event(43, "game.finished", 5)]
        again = {"offer": {"id": 3, "kind": "rematch", "status": "open"}}
        self.did("offer", "south", {"kind": "rematch"}, again, game=game.id)
        again = {"offer": {"id": 3, "kind": "rematch", "status": "accepted"}, "game": {"next_game": "03c4"}}
        self.did("accept", "north", {"after_ply": 5}, again, game=game.id)
        events += [event(44, "offer.made", 5, offer=3, kind="rematch", seat="south"), event(45, "offer.answered", 5, offer=3)]
        self.labels["rematch of 02b3"] = 1
        state = {"next_game": "03c4", "status": "finished", "ply": 5, "position": "position 5", "started_at": "10:31", "to_move": [], "clock": None}
        self.second = Final(state, rows, [one | {"game_id": game.id} for one in events])
        self.history.followed["ana"] += copy.deepcopy(self.second.events)

    def did(self, kind, seat, body, answer, outcome="ok", status=201, game=ID):
        op = self.history.begin(kind, game, seat, body)
        op.outcome, op.status, op.answer, op.attempts = outcome, status, copy.deepcopy(answer), 1
        return op

    def op(self, kind, seat, game=ID, outcome="ok"):
        found = [op for op in self.history.ops if (op.kind, op.seat, op.game, op.outcome) == (kind, seat, game, outcome)]
        return found[-1]

    def check(self):
        return check(self.history, {ID: self.final, "02b3": self.second}, self.labels)


def lost_move(w):
    """The last acknowledged row of a game that is not over is gone, with all its traces."""
    w.final.rows = w.final.rows[:2]
    w.final.state |= {"ply": 2, "status": "playing", "position": "position 2"}


def changed_row(w):
    w.final.rows[2] |= {"captured": 9}


def commit_lost(w):
    w.final.rows[0] |= {"house": 5}


def commit_gone(w):
    del w.final.rows[0]


def stored_refusal(w):
    op = next(op for op in w.history.ops if op.game == "02b3" and op.body.get("after_ply") == 1)
    op.outcome, op.code = "refused", "stale_ply"


def row_from_nowhere(w):
    w.op("move", "south", outcome="unknown").body["house"] = 2


def end_from_nowhere(w):
    w.final.rows[-1] |= {"reason": "resignation", "by": "north", "source": "player"}


def draw_from_nowhere(w):
    w.op("accept", "south", "02b3").body["after_ply"] = 3


def foreign_line(w):
    w.op("lines", "north").body["lines"] = [[3, 1], [4, 5]]


def refused_line(w):
    op = w.op("lines", "north")
    op.outcome, op.code = "refused", "stale_ply"


def late_line(w):
    """Nothing wrong: it was laid down, no answer came, and it was sent again too late."""
    refused_line(w)
    w.op("lines", "north", outcome="refused").attempts = 2


def forgotten_line(w):
    w.did("move", "north", {"after_ply": 3, "house": 4}, None, outcome="unknown")
    w.final.rows[3] |= {"house": 4, "source": "player"}


def applied_twice(w):
    again = row(5, "north", 6, after=3, turn=3)
    w.second.rows = w.second.rows[:4] + [again] + [w.second.rows[4] | {"ply": 6, "after_ply": 5}]
    w.second.state |= {"ply": 6}


def two_acknowledged(w):
    w.did("move", "south", {"after_ply": 2, "house": 6}, {"row": w.final.rows[2]})


def ended_twice(w):
    w.final.rows.append(w.final.rows[-1] | {"ply": 7, "after_ply": 6})
    w.final.state["ply"] = 7


def two_guests(w):
    for _ in range(2):
        w.did("join", "north", None, {"game": {}})


def hole(w):
    w.final.rows[4] |= {"ply": 6}
    w.final.rows[5] |= {"ply": 7}


def short_state(w):
    w.final.state["ply"] = 5


def other_position(w):
    w.final.state["position"] = "position 5"


def takeback_lost(w):
    w.op("offer", "north", "02b3").answer["offer"]["to_ply"] = 0
    [op for op in w.history.ops if op.kind == "accept"][0].answer["offer"]["to_ply"] = 0


def resignation_lost(w):
    w.did("resign", "south", {}, {}, game="02b3")


def late_too_early(w):
    w.final.rows[5]["played_at"] = "11:59"


def never_late(w):
    w.second.state |= {"status": "playing", "server_time": "12:10", "clock": {"seats": {"south": {"deadline": "12:00"}}}}


def two_games(w):
    w.labels["soak-1"] = 2


def game_from_nowhere(w):
    w.labels["soak-3"] = 1


def game_not_there(w):
    del w.labels["soak-2"]


def event_missing(w):
    del w.history.followed["ana"][5]


def event_doubled(w):
    w.history.followed["ana"].insert(6, w.history.followed["ana"][5])


def events_swapped(w):
    events = w.history.followed["bo"]
    events[4], events[5] = events[5], events[4]


def event_of_others(w):
    w.history.followed["bo"].append(w.second.events[0])


def event_differs(w):
    w.history.followed["bo"][4]["facts"]["house"] = 1


def no_event_for_a_row(w):
    remove(w, lambda one: one["type"] == "move.played" and one["ply"] == 3)


def two_events_for_a_row(w):
    again = next(one for one in w.final.events if one["type"] == "move.played" and one["ply"] == 5)
    add(w, again | {"id": "1.21"})


def finished_twice(w):
    add(w, w.final.events[-1] | {"id": "1.21"})


def never_finished(w):
    remove(w, lambda one: one["type"] == "game.finished")


def turn_not_told(w):
    remove(w, lambda one: one["type"] == "turn.started" and one["ply"] == 4)


def turn_told_twice(w):
    add(w, event(21, "turn.started", 4, seat="south"))


def rematch_lost(w):
    w.second.state["next_game"] = None


def rematch_twice(w):
    w.labels["rematch of 02b3"] = 2


def offer_made_twice(w):
    w.did("offer", "north", {"kind": "takeback"}, {"offer": {"id": 1, "kind": "takeback"}}, game="02b3")


def offer_from_nowhere(w):
    w.op("move", "north", "02b3").body.pop("offer")


def offer_not_told(w):
    w.did("offer", "south", {"kind": "pause"}, {"offer": {"id": 4, "kind": "pause"}}, game="02b3")


def answer_not_told(w):
    w.second.events = [one for one in w.second.events if one["id"] != "1.38"]
    w.history.followed["ana"] = [one for one in w.history.followed["ana"] if one["id"] != "1.38"]


def hung(w):
    w.history.hung.append("GET /: nothing in 18 s")


def failed(w):
    w.history.internal.append("GET /: 500")


def does_not_replay(w):
    w.final.verified = False


def remove(w, which):
    """From the log and from all who follow it: as if it had never been written."""
    for events in (w.final.events, w.history.followed["ana"], w.history.followed["bo"]):
        events[:] = [one for one in events if one["game_id"] != ID or not which(one)]


def add(w, new):
    for events in (w.final.events, w.history.followed["ana"], w.history.followed["bo"]):
        events.insert(len([one for one in events if one["game_id"] == ID]), new)


PLANTED = {
    "acknowledged and lost": [lost_move, changed_row, commit_lost, commit_gone, takeback_lost, resignation_lost, rematch_lost],
    "refused and stored": [stored_refusal],
    "from nowhere": [row_from_nowhere, end_from_nowhere, draw_from_nowhere, foreign_line, refused_line],
    "lines not played": [forgotten_line],
    "applied twice": [applied_twice, two_acknowledged, ended_twice],
    "seat taken twice": [two_guests],
    "log": [hole, short_state, other_position],
    "deadline": [late_too_early, never_late],
    "created twice or from nothing": [two_games, rematch_twice, game_from_nowhere, game_not_there],
    "follower": [event_missing, event_doubled, events_swapped, event_of_others, event_differs],
    "events": [no_event_for_a_row, two_events_for_a_row, finished_twice, never_finished, turn_not_told, turn_told_twice],
    "offers": [offer_made_twice, offer_from_nowhere, offer_not_told, answer_not_told],
    "no answer in time": [hung],
    "internal error": [failed],
    "verify": [does_not_replay],
}


def run():
    """The exit code: 0 if everything was caught."""
    failures = [f"a clean history: {found}" for found in World().check()]
    world = World()
    late_line(world)
    failures += [f"late_line: {found}" for found in world.check()]
    for name, plants in PLANTED.items():
        for plant in plants:
            world = World()
            plant(world)
            names = {found for found, _ in world.check()}
            if name not in names:
                failures.append(f"{plant.__name__} was not caught as {name!r}, but as {names or 'nothing'}")
    count = sum(map(len, PLANTED.values()))
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"the checker caught {count - len(failures)} of {count} planted violations")
    return 1 if failures else 0
