"""Plays through the Python client that openapi-python-client makes of the document.

    play.py URL CALLS   a server that may send webhooks to this machine; CALLS is a
                        file that gets a line for every answer: method, path, status

Nothing but generated functions and models speak to the server. `tests/clients/run`
makes the client, checks the types of this file with mypy, and starts all of it.
"""

import datetime
import http.server
import queue
import threading
import uuid

from mancala_post_client import AuthenticatedClient
from mancala_post_client.api.about import (
    get_document, get_metrics, get_problem, healthz, list_problems, readyz,
)
from mancala_post_client.api.events import list_events, list_game_events
from mancala_post_client.api.games import (
    abort_game, create_game, decline_game, delete_conditionals, get_board_png, get_board_svg,
    get_board_text, get_conditionals, get_game, join_game, list_games, list_moves, press_button,
    put_conditionals, resign, resume_game, submit_move, verify_game,
)
from mancala_post_client.api.me import (
    create_token, delete_me, delete_token, end_vacation, get_me, list_my_games, list_tokens,
    set_vacation,
)
from mancala_post_client.api.offers import accept_offer, decline_offer, make_offer
from mancala_post_client.api.players import (
    get_player, list_player_games, put_managed_player,
)
from mancala_post_client.api.rulesets import get_ruleset, list_rulesets, simulate
from mancala_post_client.api.webhooks import (
    create_webhook, delete_webhook, get_webhook, list_webhook_deliveries, list_webhooks,
    replay_webhook, replay_webhook_delivery, rotate_webhook_secret, test_webhook, update_webhook,
)
from mancala_post_client.models import (
    AcceptRequest, ActionAnswer, ActionRequest, ChoiceInputSeatHouse, ClockInput, CommittedMove,
    ConditionalsRequest, ConditionalsState, CongkakRules, CreatedGame, CreateGame, CreateGameRules,
    DeliveryPage, DeliveryState, Done, EndRow, EventPage, EventWord, GameList, GameState,
    GetBoardPngTheme, GetDocumentResponse200, Health, JoinedGame, JoinRequest, LanguageWord,
    ListGamesStatus, ListMovesRows, ListMyGamesTurn, LogPage, ManagedPlayer, MoveRequest, MyAccount,
    NewSecret, NewToken, OfferAnswer, OfferInputType5, OfferRequestDraw, OfferRequestDrawKind,
    OfferRequestPause, OfferRequestPauseKind, OfferRequestRematch, OfferRequestRematchKind,
    OfferRequestTakeback, OfferRequestTakebackKind, OfferStatus, OpponentInputInvite,
    OpponentInputOpen, OpponentInputPlayer, PlayedMove, PlayerKind, Problem, ProblemList,
    ProblemPage, Profile, Readiness, Reason, ReplayAnswer, ReplayRequest, Ruleset, RulesetList,
    Scope, Seat, SeatWish, SignedUp, SignUp, SimulateRequest, Simulation, Source, SowRow, Status,
    StepLap, TakebackRow, TestOutcome, TokenList, TokenRequest, VacationRequest, VacationState, Verdict,
    Visibility, WebhookChange, WebhookList, WebhookRequest, WebhookState,
)
from mancala_post_client.types import File
from research import research
from table import ANYONE, CALLS, RANDOM, bearer, good, refused, sign_up
# The function that docs/webhooks.md gives to receivers.
from webhook_receiver import verified


def played(client: AuthenticatedClient, game: GameState, house: int) -> PlayedMove:
    body = MoveRequest(after_ply=game.ply, house=house)
    return good(submit_move.sync(game.id, client=client, body=body), PlayedMove)


def whole_game(ruleset: Ruleset) -> None:
    """A game of two seat tokens, to its end and back through its log."""
    rules = CreateGameRules()
    if isinstance(ruleset.defaults, CongkakRules):
        # Between programs a series may go on for ever.
        rules["max_rounds"] = 2
    body = CreateGame(ruleset=ruleset.name, rules=rules, label="by a Python client")
    made = good(create_game.sync(client=ANYONE, body=body), CreatedGame)
    assert made.seat_tokens, made
    seats = {Seat.SOUTH: bearer(made.seat_tokens.south), Seat.NORTH: bearer(made.seat_tokens.north)}
    game, commits = made.game, 0
    while game.to_move:
        if len(game.to_move) == 2:
            assert game.status is Status.OPENING and game.opening, game
        move = RANDOM.choice(game.legal_moves)
        body_of_move = MoveRequest(after_ply=game.ply, house=move.house)
        answer = submit_move.sync(game.id, client=seats[move.seat], body=body_of_move)
        if isinstance(answer, CommittedMove):
            assert answer.committed and answer.game.to_move != game.to_move, answer
            game, commits = answer.game, commits + 1
        else:
            made_row = good(answer, PlayedMove)
            row = good(made_row.row, SowRow)
            assert row.seat is move.seat and row.house == move.house and row.trace, row
            game = made_row.game
    assert game.status is Status.FINISHED and game.result, game
    assert (commits > 0) == (ruleset.name in ("congkak-traditional", "congkak-arena")), commits

    rows, cursor = [], None
    while True:
        if cursor is None:
            page = good(list_moves.sync(game.id, client=ANYONE, trace=True, limit=50), LogPage)
        else:
            answer_page = list_moves.sync(game.id, client=ANYONE, trace=True, limit=50, cursor=cursor)
            page = good(answer_page, LogPage)
        rows += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [row.ply for row in rows] == list(range(1, game.ply + 1)), rows
    assert all(isinstance(row, SowRow) for row in rows), rows
    if ruleset.name == "congkak":
        lap = good(rows[0], SowRow).trace or []
        assert isinstance(lap[0], StepLap), lap
    verdict = good(verify_game.sync(game.id, client=ANYONE), Verdict)
    assert verdict.ok and verdict.plies == game.ply, verdict
    start = good(get_game.sync(game.id, client=ANYONE, at_ply=0), GameState)
    assert start.position == made.game.position, start
    score = game.result.score
    print(f"{ruleset.name}: {game.ply} rows, {score.south} to {score.north}, {commits} commits")


def refusals() -> None:
    """What is refused, as the generated model of a problem has it; nothing twice."""
    key = str(uuid.uuid4())
    body = CreateGame(ruleset="congkak", rules=CreateGameRules.from_dict({"houses": 5}))
    made = good(create_game.sync(client=ANYONE, body=body, idempotency_key=key), CreatedGame)
    again = good(create_game.sync(client=ANYONE, body=body, idempotency_key=key), CreatedGame)
    assert again == made, again
    assert made.seat_tokens, made
    south = bearer(made.seat_tokens.south)
    first = played(south, made.game, 2)
    body_of_move = MoveRequest(after_ply=0, house=2)
    repeated = submit_move.sync_detailed(made.game.id, client=south, body=body_of_move)
    assert repeated.status_code == 200 and repeated.headers["idempotent-replayed"] == "true"
    assert good(repeated.parsed, PlayedMove).row == first.row, repeated

    stale = submit_move.sync(made.game.id, client=south, body=MoveRequest(after_ply=0, house=1))
    problem = refused(stale, 409, "stale_ply")
    assert problem.current_ply == first.game.ply, problem
    game = good(problem.game, GameState)
    assert game.position == first.game.position, problem
    empty = {Seat.SOUTH: game.board.south, Seat.NORTH: game.board.north}[game.to_move[0]].houses.index(0)
    mover = {Seat.SOUTH: south, Seat.NORTH: bearer(made.seat_tokens.north)}[game.to_move[0]]
    illegal = MoveRequest(after_ply=game.ply, house=empty + 1)
    problem = refused(submit_move.sync(game.id, client=mover, body=illegal), 422, "illegal_move")
    assert problem.legal_moves, problem
    assert [move.house for move in problem.legal_moves] == [move.house for move in game.legal_moves]
    refused(get_game.sync(uuid.uuid4(), client=ANYONE), 404, "not_found")
    nothing = CreateGame(ruleset="congkak", rules=CreateGameRules.from_dict({"houses": "many"}))
    refused(create_game.sync(client=ANYONE, body=nothing), 422, "bad_rules")
    refused(get_me.sync(client=bearer("mp_" + "a" * 32)), 401, "unauthorized")


def look_at(game: GameState) -> None:
    """Boards, in words and as pictures."""
    text = good(get_board_text.sync(game.id, client=ANYONE, pov=Seat.NORTH, lang=LanguageWord.MS), str)
    assert "Giliran" in text, text
    assert good(get_board_svg.sync(game.id, client=ANYONE), str).startswith("<svg")
    png = get_board_png.sync(game.id, client=ANYONE, theme=GetBoardPngTheme.DARK, size=240)
    assert good(png, File).payload.read(4) == b"\x89PNG"


def between(
    south: AuthenticatedClient, north: AuthenticatedClient, name: str, ruleset: str = "al-manqala"
) -> GameState:
    """A game of two players, by invitation."""
    body = CreateGame(
        ruleset=ruleset, seat=SeatWish.SOUTH, opponent=OpponentInputPlayer(player=name),
        clock=ClockInput(per_move=86_400), visibility=Visibility.PRIVATE,
    )
    made = good(create_game.sync(client=south, body=body), CreatedGame)
    waiting = good(list_my_games.sync(client=north, turn=ListMyGamesTurn.MINE), GameList)
    assert made.game.id in [game.id for game in waiting.items], waiting
    return good(join_game.sync(made.game.id, client=north, body=JoinRequest()), JoinedGame).game


def offers(siti: AuthenticatedClient, tariq: AuthenticatedClient, name: str) -> None:
    """A takeback, a pause, a declined and an accepted draw, a rematch."""
    game = played(siti, between(siti, tariq, name), 2).game
    takeback = OfferRequestTakeback(kind=OfferRequestTakebackKind.TAKEBACK, to_ply=0)
    made = good(make_offer.sync(game.id, client=siti, body=takeback), OfferAnswer)
    seen = AcceptRequest(after_ply=game.ply)
    done = good(accept_offer.sync(game.id, made.offer.id, client=tariq, body=seen), OfferAnswer)
    assert done.offer.status is OfferStatus.ACCEPTED and done.game.to_move == [Seat.SOUTH], done
    log = good(list_moves.sync(game.id, client=siti, rows=ListMovesRows.ALL), LogPage)
    assert good(log.items[0], SowRow).taken_back and isinstance(log.items[1], TakebackRow), log

    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    pause = OfferRequestPause(kind=OfferRequestPauseKind.PAUSE, until=tomorrow)
    made = good(make_offer.sync(game.id, client=tariq, body=pause), OfferAnswer)
    seen = AcceptRequest(after_ply=made.game.ply)
    done = good(accept_offer.sync(game.id, made.offer.id, client=siti, body=seen), OfferAnswer)
    assert done.game.paused and done.game.clock and done.game.clock.seats, done
    assert done.game.clock.seats.south.left, done
    game = good(resume_game.sync(game.id, client=siti), GameState)
    assert game.paused is None, game

    with_draw = MoveRequest(after_ply=game.ply, house=1, offer=OfferInputType5.DRAW)
    moved = good(submit_move.sync(game.id, client=siti, body=with_draw), PlayedMove)
    [offer] = moved.game.offers
    done = good(decline_offer.sync(game.id, offer.id, client=tariq), OfferAnswer)
    assert done.offer.status is OfferStatus.DECLINED, done
    draw = OfferRequestDraw(kind=OfferRequestDrawKind.DRAW)
    made = good(make_offer.sync(game.id, client=tariq, body=draw), OfferAnswer)
    seen = AcceptRequest(after_ply=made.game.ply)
    done = good(accept_offer.sync(game.id, made.offer.id, client=siti, body=seen), OfferAnswer)
    assert done.game.result and done.game.result.reason is Reason.AGREEMENT, done
    rematch = OfferRequestRematch(kind=OfferRequestRematchKind.REMATCH)
    made = good(make_offer.sync(game.id, client=siti, body=rematch), OfferAnswer)
    seen = AcceptRequest(after_ply=made.game.ply)
    done = good(accept_offer.sync(game.id, made.offer.id, client=tariq, body=seen), OfferAnswer)
    assert done.game.next_game, done
    following = good(get_game.sync(done.game.next_game, client=siti), GameState)
    seat = following.seats.south
    assert seat and seat.player == name and following.previous_game == game.id, following


def conditionals(siti: AuthenticatedClient, tariq: AuthenticatedClient, name: str) -> None:
    """A line that is laid down and played; then the button that resigns."""
    game = between(siti, tariq, name)
    body = ConditionalsRequest(after_ply=game.ply, lines=[[3, 5, 1], [4, 1]])
    good(put_conditionals.sync(game.id, client=tariq, body=body), ConditionalsState)
    [move] = [move for move in game.legal_moves if move.house == 3]
    action = ActionRequest(action=good(move.action, str))
    pressed = good(press_button.sync(client=siti, body=action), ActionAnswer)
    assert pressed.done is Done.PLAYED and good(pressed.row, SowRow).house == 3, pressed
    log = good(list_moves.sync(game.id, client=tariq), LogPage)
    assert good(log.items[1], SowRow).source is Source.CONDITIONAL, log
    rest = good(get_conditionals.sync(game.id, client=tariq), ConditionalsState)
    assert rest.lines == [[1]], rest
    dropped = delete_conditionals.sync_detailed(game.id, client=tariq)
    assert dropped.status_code == 204 and dropped.parsed is None, dropped

    game = good(get_game.sync(game.id, client=siti), GameState)
    assert game.actions and game.actions.resign, game
    button = ActionRequest(action=game.actions.resign)
    asked = good(press_button.sync(client=siti, body=button), ActionAnswer)
    assert asked.done is Done.ASKED, asked
    button = ActionRequest(action=good(asked.confirm, str))
    pressed = good(press_button.sync(client=siti, body=button), ActionAnswer)
    assert pressed.done is Done.RESIGNED and pressed.game.status is Status.FINISHED, pressed
    log = good(list_moves.sync(game.id, client=tariq), LogPage)
    assert isinstance(log.items[-1], EndRow), log


def seats_and_lists(siti: AuthenticatedClient, tariq: AuthenticatedClient, name: str) -> None:
    """Who gets a seat and who does not; lists page by page."""
    invite = CreateGame(ruleset="congkak", opponent=OpponentInputInvite(invite=True))
    made = good(create_game.sync(client=ANYONE, body=invite), CreatedGame)
    joining = JoinRequest(invite_token=good(made.invite_token, str))
    joined = good(join_game.sync(made.game.id, client=ANYONE, body=joining), JoinedGame)
    game = good(resign.sync(joined.game.id, client=bearer(good(joined.seat_token, str))), GameState)
    assert game.status is Status.FINISHED, game
    lobby = CreateGame(ruleset="congkak", opponent=OpponentInputOpen(open_=True))
    made = good(create_game.sync(client=siti, body=lobby), CreatedGame)
    found = good(list_games.sync(client=ANYONE, status=ListGamesStatus.OPEN), GameList)
    assert made.game.id in [game.id for game in found.items], found
    assert good(abort_game.sync(made.game.id, client=siti), GameState).status is Status.ABORTED
    personal = CreateGame(ruleset="congkak", opponent=OpponentInputPlayer(player=name))
    made = good(create_game.sync(client=siti, body=personal), CreatedGame)
    assert good(decline_game.sync(made.game.id, client=tariq), GameState).status is Status.ABORTED

    first = good(list_games.sync(client=ANYONE, limit=2), GameList)
    second = list_games.sync(client=ANYONE, limit=2, cursor=good(first.next_cursor, str))
    ids = {game.id for game in first.items + good(second, GameList).items}
    assert len(ids) == 4, ids
    assert good(get_player.sync(name, client=ANYONE), Profile).player.handle == name
    assert good(list_player_games.sync(name, client=ANYONE), GameList).items


def account(siti: AuthenticatedClient) -> None:
    """Tokens, a holiday, and what the player is told of themselves."""
    day = datetime.timedelta(days=1)
    until = datetime.datetime.now(datetime.timezone.utc) + day
    body = TokenRequest(scopes=[Scope.READ], label="the hall", expires_at=until)
    made = good(create_token.sync(client=siti, body=body), NewToken)
    assert good(get_me.sync(client=bearer(made.secret)), MyAccount).scopes == [Scope.READ]
    assert len(good(list_tokens.sync(client=siti), TokenList).items) == 2
    deleted = delete_token.sync_detailed(made.token.id, client=siti)
    assert deleted.status_code == 204, deleted
    away = good(set_vacation.sync(client=siti, body=VacationRequest(until=until)), VacationState)
    assert away.until and abs(away.until - until) < datetime.timedelta(seconds=1), away
    assert good(end_vacation.sync(client=siti), VacationState).until is None


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes messages, if they are signed."""

    secret = ""
    seen: queue.Queue[str] = queue.Queue()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = verified(self.secret, self.headers, body)
        assert not verified(self.secret, self.headers, body + b" ")
        self.send_response(204 if genuine else 400)
        self.end_headers()
        self.seen.put(self.headers["webhook-id"] if genuine else "forged")

    def log_message(self, *_: object) -> None:
        pass


def webhooks(siti: AuthenticatedClient, tariq: AuthenticatedClient, name: str) -> None:
    """A webhook through its whole life, with messages that are taken."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    body = WebhookRequest(url=address, events=[EventWord.TURN_STARTED], language=LanguageWord.ES)
    made = good(create_webhook.sync(client=siti, body=body), NewSecret)
    hook, Receiver.secret = made.webhook.id, made.secret
    outcome = good(test_webhook.sync(hook, client=siti), TestOutcome)
    assert outcome.delivered and outcome.status == 204, outcome
    assert Receiver.seen.get(timeout=60).startswith("test_")
    # Two signatures: the receiver still has the old secret, then the new one.
    rotated = good(rotate_webhook_secret.sync(hook, client=siti), NewSecret)
    assert len(rotated.webhook.secrets) == 2, rotated
    for Receiver.secret in (made.secret, rotated.secret):
        assert good(test_webhook.sync(hook, client=siti), TestOutcome).delivered
        assert Receiver.seen.get(timeout=60).startswith("test_")

    game = between(siti, tariq, name)
    message = Receiver.seen.get(timeout=60)
    events = good(list_game_events.sync(game.id, client=siti, after="0", wait=10), EventPage)
    assert message in [event.id for event in events.items], (message, events)
    delivery = good(replay_webhook_delivery.sync(hook, message, client=siti), DeliveryState)
    assert delivery.id == message and delivery.game_id == game.id, delivery
    queued = good(replay_webhook.sync(hook, client=siti, body=ReplayRequest(after="0")), ReplayAnswer)
    assert queued.queued >= 1, queued
    log = good(list_webhook_deliveries.sync(hook, client=siti), DeliveryPage)
    assert message in [delivery.id for delivery in log.items], log
    changed = update_webhook.sync(hook, client=siti, body=WebhookChange(events=None, enabled=False))
    state = good(changed, WebhookState)
    assert state.events is None and not state.enabled and state.language is LanguageWord.ES, state
    assert good(get_webhook.sync(hook, client=siti), WebhookState) == state
    assert good(list_webhooks.sync(client=siti), WebhookList).items == [state]
    assert delete_webhook.sync_detailed(hook, client=siti).status_code == 204
    refused(get_webhook.sync(hook, client=siti), 404, "unknown_webhook")


def about() -> None:
    """What the server says of itself."""
    assert good(healthz.sync(client=ANYONE), Health).status == "ok"
    assert good(readyz.sync(client=ANYONE), Readiness).status == "ok"
    assert "mancala_" in good(get_metrics.sync(client=ANYONE), str)
    assert good(get_document.sync(client=ANYONE), GetDocumentResponse200)["openapi"] == "3.1.0"
    for page in good(list_problems.sync(client=ANYONE, lang=LanguageWord.ES), ProblemList).items:
        assert good(get_problem.sync(page.code, client=ANYONE), ProblemPage).status == page.status


def main() -> None:
    rulesets = good(list_rulesets.sync(client=ANYONE), RulesetList).items
    for ruleset in rulesets:
        assert good(get_ruleset.sync(ruleset.name, client=ANYONE), Ruleset) == ruleset
        whole_game(ruleset)
    tried = SimulateRequest(choices=[ChoiceInputSeatHouse(seat=Seat.SOUTH, house=2)])
    states = good(simulate.sync("congkak", client=ANYONE, body=tried), Simulation).states
    assert len(states) == 2 and isinstance((states[1].trace or [])[0], StepLap), states
    refusals()
    research()

    siti_name, siti = sign_up("siti")
    tariq_name, tariq = sign_up("tariq")
    cursor = good(list_events.sync(client=siti), EventPage).next_cursor
    offers(siti, tariq, tariq_name)
    conditionals(siti, tariq, tariq_name)
    seats_and_lists(siti, tariq, tariq_name)
    game = good(create_game.sync(client=siti, body=CreateGame(ruleset="congkak")), CreatedGame).game
    look_at(game)
    account(siti)
    told = good(list_events.sync(client=siti, after=cursor, wait=10), EventPage).items
    facts = told[0].data.facts
    assert told[0].type_ == "game.created" and facts["invitation"] == "player", told[0]
    webhooks(siti, tariq, tariq_name)

    _, bot = sign_up("robot", PlayerKind.BOT)
    managed = good(put_managed_player.sync("channel:ana", client=bot), ManagedPlayer)
    assert managed.external_ref == "channel:ana", managed
    # The document has this header with its security scheme; clients set it once.
    ana = bot.with_headers({"Mancala-Act-As": "channel:ana"})
    assert good(get_me.sync(client=ana), MyAccount).player.id == managed.player.id
    assert delete_me.sync_detailed(client=tariq).status_code == 204
    refused(get_player.sync(tariq_name, client=ANYONE), 404, "unknown_player")
    about()
    CALLS.close()


main()
