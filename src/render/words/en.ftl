### English: the texts of mancala-post.
###
### Terms: seat (South, North), house, store, seed (in al-manqala a pearl), to sow,
### lap, relay, turn, round, burnt house, to capture, mati (the lap dies), mati bela
### (it dies in an own house and captures).
###
### A person reads these in chats and under boards: short, the plain word, no
### exclamation mark. Under a board of text a line has 40 columns.

## Seats

south = South
north = North
somebody = somebody

## Under a board of text, and in what a picture says to whoever cannot see it

# Parts of one line.
joined = { $first }, { $second }
move-due = { $who } to move
opening-both = Opening: both still have to choose
opening-one = Opening: { $who } still has to choose
until = until { $time } UTC
round = Round { $round }
round-of = Round { $round } of { $most }
after-ply = After ply { $ply }
waiting = Waiting for an opponent
called-off = Called off
hand = { $who }'s hand: { $seeds ->
        [one] { $seeds } seed
       *[other] { $seeds } seeds
    } over { $place }
# A house, and the store of the hand's owner.
place-house = { $who } { $house }
place-store = its store
# The winner's seeds first.
won = { $who } won { $more } : { $less }
drawn = A draw, { $more } : { $less }
# A result that its cause follows.
and-why = { $result },
why-most_seeds = most seeds
why-majority = more than half
why-starvation = a row starved
why-loop = the rest was halved
why-cannot_refill = { $who } cannot fill its row
why-resignation = { $who } resigned
why-timeout = { $who } ran out of time
why-agreement = by agreement
row-in-words = { $who }'s houses: { $houses }; store: { $store }.
burnt = burnt
sentence = { $words }.

## Beside a name in a picture

note-after-ply = after ply { $ply }
note-waiting = waiting for an opponent
note-called-off = called off
note-choose = still to choose
note-until = until { $day } { $month } { $time } UTC
note-hand = hand over { $place }
month = { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    }

## Rows of the log

sowed = { $who } sowed { $house }.
sowed-with = { $who } sowed { $house }: { $details }.
laps = { $laps ->
        [one] { $laps } lap
       *[other] { $laps } laps
    }
captured = captured { $seeds }
extra-turn = extra turn
passed = the other seat passes
# The other hand of an opening, in mid-air until now.
went-on = { $who }'s hand went on.
went-on-with = { $who }'s hand went on: { $details }.
row-takeback = { $ply ->
        [0] Taken back to the start, as { $who } asked.
       *[other] Taken back to ply { $ply }, as { $who } asked.
    }
row-resignation = { $who } resigned.
row-timeout = { $who } ran out of time.
row-agreement = Both agreed on a draw.
row-loop = Both agreed to halve what was left on the board.
row-aborted = The game was called off.

## Events

event-created = A game was made.
    .title = New game
event-started = { $south } (south) plays { $north } (north).
    .title = Game started
event-turn = It is { $who }'s turn.
    .title = { $who } to move
# The summary is that of the row.
event-played =
    .title = { $who } moved
offered = { $offer ->
        [draw] a draw
        [split] a split
        [takeback] a takeback
        [pause] a pause
        [rematch] a rematch
       *[other] something
    }
event-offer = { $who } offers { offered }.
    .title = Offer
event-answer = { $who }'s offer of { offered } was { $answer ->
        [accepted] accepted
        [declined] declined
       *[void] void
    }.
    .title = Offer answered
event-near = { $who } has a quarter of the time left.
    .title = Time runs out
event-moved = { $reason ->
        [vacation] { $who } is on holiday: the clock stands still.
        [vacation_until] { $who } is on holiday until { $until } UTC: the clock stands still.
        [vacation_over] { $who } is back: the clock runs again.
        [vacation_over_until] { $who } is back: the clock runs again, until { $until } UTC.
        [pause] The game is paused: { $who }'s clock stands still.
        [pause_until] The game is paused until { $until } UTC: { $who }'s clock stands still.
        [pause_over] The game goes on: { $who }'s clock runs again.
        [pause_over_until] The game goes on: { $who }'s clock runs again, until { $until } UTC.
       *[downtime] The server was away; { $who }'s deadline was moved.
    }
    .title = { $reason ->
        [vacation] The clock stands still
        [vacation_until] The clock stands still
        [vacation_over] The clock runs again
        [vacation_over_until] The clock runs again
        [pause] The clock stands still
        [pause_until] The clock stands still
        [pause_over] The clock runs again
        [pause_over_until] The clock runs again
       *[downtime] More time
    }
event-won = { $reason ->
        [resignation] { $winner } wins by resignation, { $south-score }:{ $north-score }.
        [timeout] { $winner } wins on time, { $south-score }:{ $north-score }.
       *[other] { $winner } wins, { $south-score }:{ $north-score }.
    }
    .title = Game over
event-drawn = A draw, { $south-score }:{ $north-score }.
    .title = Game over
# Who did it, where that is known.
event-aborted = { $reason ->
        [called_off_by] { $who } called the game off.
        [declined_by] { $who } declined the invitation.
        [declined] The invitation was declined.
        [left_by] { $who } left the server.
        [left] A player left the server.
        [nobody_joined] Nobody joined in time.
        [late_by] { $who } made no first choice in time.
        [late] Neither seat made its choice in time.
       *[called_off] The game was called off.
    }
    .title = Game called off

event-disabled = { $reason ->
        [gone] A webhook's address answered that it is gone.
       *[failing] A webhook's address has taken nothing for days.
    }
    .title = Webhook disabled

event-test = Messages arrive here.
    .title = Test

## Rulesets

-board = Two players, south and north, sit across a board of two rows of seven houses. Each seat owns the row before it and the store at its left. Houses are counted from the owner's left, so house 1 lies next to the own store. Every house begins with seven seeds; the stores are empty.
-way = clockwise: along the own row towards the left, into the own store, along the opponent's row, and on into the own row again. The opponent's store never gets a seed
-origin = A long lap drops a seed into the house it came from too.
-last-seed = The last seed of a lap decides. In the own store: the player moves again, from any house. In a house that holds seeds, on either side: all of them are lifted, the last one too, and the next lap starts there. In an empty house of the opponent: the lap is dead (mati), the seed stays, and the turn ends.
-bank = In an empty own house the turn ends too: if the house across the board holds seeds, these and the last seed go to the player's store (mati bela); if it is empty, the last seed alone goes there.
-together = Both choose a house in secret; the houses are lifted together, and each hand drops one seed a tick. Hands that become empty in the same tick are settled together: first those that go on with a new lap, then those that die, then the captures. If both end in the same house, its owner goes on with all its seeds and the other is dead. If both end in empty own houses that face each other, each keeps its own last seed. A hand that ends in its store lets its owner choose again in secret; until then everything pauses. When both laps have died, the one whose lap died first moves first; at the same tick, south.
-loser = The loser of a round starts the next; after an equal round, the player who did not start this one.

ruleset-congkak = Congkak
    .summary = Congkak in one round; the seats take turns from the first ply.
    .rules =
        { -board } South moves first.

        A player chooses one of the own houses that holds seeds, lifts all of them and drops them one by one, { -way }. { -origin }

        { -last-seed } In an empty own house: if the house across the board holds seeds, these and the last seed go to the player's store (mati bela), and the turn ends; if it is empty, the seed stays and the turn ends.

        The game is over when the seat that is to move, perhaps by an extra turn, has no seed in its row. The seeds left in the other row go to that row's owner. More seeds win; 49 each is a draw. Nobody wins early by having more than half.

        The first seat can win this game in a single turn of extra turns. Random seats, games in pairs, or a ruleset with a simultaneous opening are fair.
ruleset-congkak-traditional = Traditional congkak
    .summary = Malay congkak in rounds with burnt houses and a simultaneous opening.
    .rules =
        { -board }

        A lap: all seeds of an own house are lifted and dropped one by one, { -way }; burnt houses are passed over. { -origin }

        { -last-seed } { -bank }

        The first round opens with both players at once. { -together }

        A round is over when either row is empty after a whole move. The seeds left in the other row go to its owner. More seeds win the round.

        For the next round each player fills the own row from the own store, house 1 first, seven seeds a house while there are seven; the rest stays in the store. Houses left without seeds are burnt for this round: they are not chosen, not sown into, and neither capture nor are captured from. They open again when their owner has won enough seeds. { -loser } A player who cannot fill a single house has lost the series.
ruleset-congkak-arena = Arena congkak
    .summary = Congkak as on Board Game Arena: one round with a simultaneous opening.
    .rules =
        { -board }

        A lap: all seeds of an own house are lifted and dropped one by one, { -way }. { -origin }

        { -last-seed } { -bank }

        The game opens with both players at once. { -together }

        The round is over when either row is empty after a whole move. The seeds left in the other row go to its owner. More seeds win.

        In a series of rounds each player deals the seeds of the own store one at a time into the own houses, house 1 first, round and round, up to seven a house; the rest stays in the store. A house that gets none is burnt for the round. A seed dropped into a burnt house goes at once to the store of the sower's opponent, whoever owns the house; a last seed there ends the turn without a capture. { -loser } After the last round more seeds win; a player without a seed has lost before.
ruleset-al-manqala = Al-manqala
    .summary = Al-manqala of Galilee: single laps, captures of two and four.
    .rules =
        Two players, south and north, sit across a board of two rows of seven houses. Each seat owns the row before it. Houses are counted from the owner's left. Every house begins with seven pearls, 98 in all; there are no stores on the board, each player keeps what is captured. South moves first.

        A player chooses one of the own houses that holds pearls, lifts all of them and drops them one by one, anticlockwise: along the own row towards the right, then along the opponent's row from its left, and on into the own row again. A long lap drops a pearl into the house it came from too. There is one lap and no second turn.

        If the last pearl makes exactly two or four in a house, on either side, they are captured. Then the house before it on the way is looked at: if it holds two or four, they are captured as well, and so on backwards without a gap, across the border between the rows too.

        If the opponent's row is empty, the player must choose a house that feeds it: at least one pearl is dropped in the opponent's row, even if the same move captures it again. If no house does, the game is over: the hungry player takes everything that is left on the board. If a capture takes the opponent's last pearls, the opponent passes and the player moves again, under the same duty.

        Fifty pearls or more end the game at once; the pearls left on the board count for nobody. When both players agree that the rest only circles, it is halved between them; the same happens by itself when a position has occurred for the third time since the last capture. A board without pearls ends the game too. More pearls win; 49 each is a draw.

## Parameters of the rules; their values are words of the interface and stay as they are

parameter-houses = Houses in each row.
parameter-seeds = Seeds in each house at the start. As many as houses unless given.
parameter-opening = How the first round begins. alternating: south moves first. simultaneous: both seats choose in secret and sow together, tick by tick.
parameter-empty_opposite = A last seed in an empty own house that faces an empty one. stay: it stays there. bank: it goes to the own store.
parameter-round_end = When a round is over. mover_empty: the seat to move has no seed in its row. side_empty: either row is empty.
parameter-max_rounds = Rounds at most; 1 is a single round, null plays on until a seat cannot fill its row.
parameter-refill = How a seat fills its row for the next round. left_to_right: house by house in full while the store lasts. even: one seed at a time, round and round.
parameter-burnt = A burnt house on a hand's way. skip: no seed is dropped. confiscate: one is, and it goes to the store of the sower's opponent.
parameter-burnt_recoverable = Whether burnt houses are found anew each round; false: once burnt, burnt for the series.
parameter-feeding = What feeds an empty row. deposit: a pearl is dropped there, even if it is captured again. leaves: one is still there afterwards.
parameter-loop_repeat = At which occurrence of a position since the last capture the pearls on the board are halved; null: only when both seats agree.

## Problems: what is wrong in a few words; what it means and what to do

problem-bad_request = The request is malformed
    .explanation = The body, the path or the query does not have the documented form. `parameter` names the part that is wrong, `detail` says how.
problem-unauthorized = A valid token is needed
    .explanation = Send `Authorization: Bearer mp_…` with the token of a player or a seat. It is missing here, unknown, revoked, expired, or not in that form. A token that is sent must be valid even where none is needed.
problem-not_seated = The token opens no seat of this game
    .explanation = Only the two seats of a game can do this, each with its own token.
problem-missing_scope = The token is not good for this
    .explanation = A player's token has scopes; this request needs one that it lacks. `GET /v1/me` shows them.
problem-seat_token = A seat's token has no account
    .explanation = Tokens of single seats are good for their game alone. Sign up with `POST /v1/players`.
problem-not_managed = The bot does not play for that player
    .explanation = `Mancala-Act-As` names somebody whom this bot made with `PUT /v1/managed-players/{ "{" }external_ref{ "}" }`; another bot's people are not there for it.
problem-acting = This is the bot's own matter
    .explanation = Tokens, and the people a bot plays for, are the bot's: send the request without `Mancala-Act-As`.
problem-not_invited = The seat is kept for somebody else
    .explanation = The free seat of this game is for the player who was invited by name, or for whoever brings its invite token.
problem-unknown_player = There is no such player
    .explanation = Nobody has this handle. Upper and lower case do not matter.
problem-unknown_token = There is no such token
    .explanation = The player has no token with this id; it may have been revoked.
problem-unknown_webhook = There is no such webhook
    .explanation = The player has no webhook with this id. `GET /v1/webhooks` lists them.
problem-unknown_delivery = The webhook has no such delivery
    .explanation = A delivery is named by its event's id and kept for 30 days. What is older, or was never sent, can be replayed from a cursor.
problem-not_found = There is nothing here
    .explanation = No such path, or no such game, or a private game that this caller may not see.
problem-unknown_ply = The log has no such row
    .explanation = `at_ply`, or a board's `ply`, lies beyond the end of the log or below 0, or names a row that was taken back.
problem-unknown_offer = The game has no such offer
    .explanation = Offers are counted from 1 within a game.
problem-unknown_ruleset = There is no such ruleset
    .explanation = `GET /v1/rulesets` lists them.
problem-method_not_allowed = This path does not take this method
    .explanation = The header `Allow` lists the methods it takes.
problem-not_acceptable = None of the formats asked for can be given
    .explanation = The header `Accept` names no format that this path answers in; `detail` lists those it has.
problem-request_timeout = The request did not come in time
    .explanation = The body had not come to its end when the request's time was up. Nothing was done; the connection is closed. Send it again on another one.
problem-payload_too_large = The body is too large
    .explanation = A body may have 64 KiB.
problem-unsupported_media_type = The body is not JSON
    .explanation = Send the body as JSON with `Content-Type: application/json`.
problem-range_not_satisfiable = The file has no such part
    .explanation = `Range` begins behind the end of the file. `Content-Range` says how long it is.
problem-not_started = The game has not started
    .explanation = A seat is still free. The game starts when both are taken.
problem-game_over = The game is over
    .explanation = Nothing can be played any more. `game` is its last state.
problem-stale_ply = The game has moved on
    .explanation = `after_ply` must be the number of rows in the log, `current_ply`. `game` is the current state: look at it and choose anew. The same choice that was played before with the same `after_ply` is answered with its stored row instead.
problem-already_committed = A committed choice cannot be changed
    .explanation = This seat's secret choice of the opening waits for the other seat's.
problem-not_your_turn = It is the other seat's turn
    .explanation = `to_move` in the game's state names the seats that owe a choice.
problem-handle_taken = The handle is taken
    .explanation = Handles are unique without regard to upper and lower case.
problem-too_many_tokens = The player has too many tokens
    .explanation = A player may have 100 tokens that have not expired. Revoke one: `GET /v1/me/tokens` lists them.
problem-too_many_webhooks = The player has too many webhooks
    .explanation = A player may have 50. One without `game_id` covers all of the player's games.
problem-seat_taken = The seat is not free any more
    .explanation = Somebody else joined first, or the game never had a free seat.
problem-own_game = Nobody plays against themselves
    .explanation = The free seat of a game is for somebody other than its creator.
problem-cannot_abort = The game has gone too far to be aborted
    .explanation = A game can be aborted until both seats have made their first choice; after that, resign.
problem-cursor_reset = The cursor points into another log
    .explanation = The database was set back in time since the cursor was given. Read the log from the start (`after=0`) or from now on (without `after`).
problem-key_running = The first request with this key is still running
    .explanation = Try again in a moment: the same key and body get the first request's answer.
problem-offer_impossible = The offer cannot be made or accepted here
    .explanation = The rules or the position do not allow it; `detail` says why.
problem-offer_open = Such an offer is open already
    .explanation = One offer of a kind can be open in a game. Answer that one, or wait for its answer.
problem-own_offer = An offer is answered by the other seat
    .explanation = The seat that made an offer can neither accept nor decline it.
problem-offer_closed = The offer does not wait for an answer any more
    .explanation = It was answered before, or a later row of the log made it void.
problem-in_opening = The opening is not over
    .explanation = Conditional moves can be laid down when both seats' openings are over: until then each choice is a secret.
problem-lines_part = Two lines part at a choice of your own
    .explanation = Lines may part where the other seat chooses. Where the choice is yours, all lines that come to the same place must go on alike; `parameter` names the one that does not.
problem-illegal_move = The rules do not allow this choice
    .explanation = `legal_moves` lists what they allow; `index` or `parameter` says which of several choices it is.
problem-key_reused = The Idempotency-Key belongs to another request
    .explanation = A key stands for one request, the body included, for a day. Use a new one.
problem-bad_invitation = Nobody can be invited like this
    .explanation = The opponent does not exist, is the creator, or a private game was to be open to anyone.
problem-bad_webhook_url = Messages cannot be sent to this URL
    .explanation = A webhook's URL begins with `https://`, holds no user and no fragment, and leads to an address of the public internet; `detail` says what is wrong.
problem-bad_rules = The rules cannot be played
    .explanation = `parameter` names the parameter that is unknown, meaningless for the ruleset or out of range. `GET /v1/rulesets/{ "{" }name{ "}" }` lists the parameters.
problem-bad_start = The custom start cannot be played
    .explanation = The start does not read as a position, or breaks a condition that `detail` names.
problem-vacation_budget = The holiday is longer than what is left
    .explanation = A player has 30 days of holidays in each calendar year (UTC), of which the time really spent counts. One over New Year takes from both years. `detail` says how much is left; `GET /v1/me` shows what is left of this year.
problem-rate_limited = Too many requests in a short time
    .explanation = A token, or an address without one, may send so many requests a minute as the header `RateLimit-Policy` says. Try again after the seconds of `Retry-After`.
problem-unavailable = The server cannot answer just now
    .explanation = The database is away or overloaded. Try again after the seconds of `Retry-After`; sending the same move again is safe.
problem-internal = Something is wrong in the server
    .explanation = The server's log has the cause under this `request_id`.
