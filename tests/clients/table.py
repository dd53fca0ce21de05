"""What every part of the play stands on: clients with and without a token, answers as
what they must be, people who sign up. `URL` is the server; `CALLS` gets a line for every
answer.
"""

import random
import sys
import typing
import uuid

import httpx
from mancala_post_client import AuthenticatedClient
from mancala_post_client.api.players import create_player
from mancala_post_client.models import PlayerKind, Problem, SignedUp, SignUp

T = typing.TypeVar("T")
URL, CALLS = sys.argv[1], open(sys.argv[2], "w")
RANDOM = random.Random(1)


def note(response: httpx.Response) -> None:
    """A line about an answer."""
    request = response.request
    print(request.method, request.url.path, response.status_code, file=CALLS)


# An unknown status is an error: every status that comes must stand in the document.
OPTIONS: dict[str, typing.Any] = {
    "raise_on_unexpected_status": True,
    "timeout": httpx.Timeout(60),
    "httpx_args": {"event_hooks": {"response": [note]}},
}
# Where a token may be left out, the generator's functions ask for one all the same.
# This client's is in a header that says nothing, so that it has none.
ANYONE = AuthenticatedClient(URL, token="none", auth_header_name="X-Without", **OPTIONS)


def bearer(secret: str) -> AuthenticatedClient:
    """A client with that token."""
    return AuthenticatedClient(URL, token=secret, **OPTIONS)


def good(answer: object, kind: type[T]) -> T:
    """The answer, which must be of this kind."""
    assert isinstance(answer, kind), f"not a {kind.__name__}: {answer}"
    return answer


def refused(answer: object, status: int, code: str) -> Problem:
    """The answer, which must be this problem."""
    problem = good(answer, Problem)
    assert (problem.status, problem.code) == (status, code), problem
    assert problem.type_.endswith(f"/problems/{code}") and problem.detail, problem
    return problem


def sign_up(name: str, kind: PlayerKind = PlayerKind.HUMAN) -> tuple[str, AuthenticatedClient]:
    name = f"{name}-{uuid.uuid4().hex[:8]}"
    body = SignUp(name=name, kind=kind)
    answer = good(create_player.sync(client=ANYONE, body=body), SignedUp)
    assert answer.player.handle == name and answer.player.kind is kind, answer
    return name, bearer(answer.secret)
