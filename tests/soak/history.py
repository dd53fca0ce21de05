"""What was asked and what was answered: the soak's own record, which the checker goes
by. It knows nothing of the server but what came back."""

import dataclasses
import json
import typing


@dataclasses.dataclass
class Op:
    """One thing that a client wanted, sent as often as it took.

    `outcome`: `ok` (a 2xx came), `refused` (a 4xx came), `unknown` (neither, up to the
    end: it may have been done or not).
    """

    number: int
    kind: str
    game: typing.Optional[str]
    seat: typing.Optional[str]
    body: dict
    key: typing.Optional[str] = None
    began: float = 0.0
    ended: float = 0.0
    attempts: int = 0
    outcome: str = "unknown"
    status: int = 0
    code: typing.Optional[str] = None
    answer: typing.Optional[dict] = None
    replayed: bool = False


@dataclasses.dataclass
class Game:
    """A game and what opens it."""

    id: str
    label: str
    # What acts for each seat.
    headers: dict
    clocked: bool = False
    # Nobody offers anything in it.
    plain: bool = False
    # Who reads its events in their log: the name of a follower, and whether from the
    # start or since it began.
    readers: dict = dataclasses.field(default_factory=dict)
    rematch_of: typing.Optional[str] = None
    # The latest that a seat's time could have been known to run out.
    deadlines: dict = dataclasses.field(default_factory=dict)

    def saw(self, state):
        """Remembers the clocks of a state by its ply."""
        seats = (state.get("clock") or {}).get("seats")
        if seats and state["status"] in ("playing", "opening"):
            self.deadlines[state["ply"]] = {seat: clock["deadline"] for seat, clock in seats.items()}


class History:
    def __init__(self):
        self.ops: list[Op] = []
        self.games: dict[str, Game] = {}
        # Follower's name: events in the order in which they came.
        self.followed: dict[str, list[dict]] = {}
        self.hung: list[str] = []
        self.internal: list[str] = []
        self.odd: list[str] = []
        self.requests = 0
        self.lost = 0
        self.unavailable = 0
        self.retries = 0
        self.slowest = 0.0

    def begin(self, kind, game, seat, body, key=None):
        op = Op(len(self.ops) + 1, kind, game, seat, body, key)
        self.ops.append(op)
        return op

    def count(self, kind, outcome):
        return sum(1 for op in self.ops if op.kind == kind and op.outcome == outcome)

    def dump(self, path):
        """For whoever looks into a violation afterwards."""
        with open(path, "w") as file:
            for op in self.ops:
                file.write(json.dumps(dataclasses.asdict(op)) + "\n")
