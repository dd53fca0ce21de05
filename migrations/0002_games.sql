-- Games, their seats and their logs.
--
-- Every key of a table that belongs to a game begins with game_id, so that the
-- schema can be distributed by it.

-- One row a game: what it is played under (never changed after creation) and
-- its state after the last row of its log (what the log alone rebuilds).
create table games (
    game_id        uuid        primary key,
    ruleset        text        not null,
    revision       integer     not null check (revision >= 1),
    rules          jsonb       not null,              -- every parameter, as played
    start_position text        not null,              -- position text before ply 1
    custom_start   boolean     not null,              -- false: the ruleset's own start
    visibility     text        not null check (visibility in ('public', 'private')),
    label          text        check (char_length(label) between 1 and 100),
    external_ref   text        check (char_length(external_ref) between 1 and 100),  -- for the creator alone
    created_at     timestamptz not null,
    started_at     timestamptz,                       -- both seats filled
    clock_per_move integer     check (clock_per_move between 60 and 2592000),   -- seconds; null: no clock
    clock_reserve  integer     check (clock_reserve between 0 and 31536000),    -- seconds at the start

    status         text        not null check (status in ('open', 'opening', 'playing', 'finished', 'aborted')),
    version        bigint      not null default 0,    -- grows with whatever a viewer can notice
    ply            integer     not null check (ply >= 0),   -- rows in the log
    turn           integer     not null check (turn >= 1),
    round          integer     not null check (round >= 1),
    position       text        not null,
    to_move        text        not null               -- seats that owe a choice and have not committed one
                   check (to_move in ('nobody', 'south', 'north', 'both')),
    rounds         jsonb       not null,              -- totals of the finished rounds, starter of this one
    owed_since     timestamptz,                       -- since when the present choice is owed

    winner         text        check (winner in ('south', 'north', 'draw')),
    reason         text        check (reason in ('most_seeds', 'majority', 'starvation', 'loop',
                                                 'cannot_refill', 'resignation', 'timeout', 'agreement')),
    south_score    integer     check (south_score between 0 and 450),
    north_score    integer     check (north_score between 0 and 450),
    ended_by       text        check (ended_by in ('south', 'north')),
    ended_at       timestamptz,

    constraint games_clock check (clock_reserve is null or clock_per_move is not null),
    constraint games_result check (
        (status = 'finished') = (winner is not null)
        and (winner is null) = (reason is null)
        and (winner is null) = (south_score is null)
        and (winner is null) = (north_score is null)
        and (status in ('finished', 'aborted')) = (ended_at is not null)
    )
) with (fillfactor = 80);   -- room for HOT updates: no index covers a column that every move changes
create index games_public on games (status, game_id) where visibility = 'public';

-- Who sits in a game. Slot 1 is the creator's; `seat` is null until it is drawn,
-- which happens when the game starts unless the creator fixed it.
create table seats (
    game_id   uuid        not null references games,
    slot      smallint    not null check (slot in (1, 2)),
    seat      text        check (seat in ('south', 'north')),
    player_id uuid        references players,  -- null: whoever holds the slot's token
    joined_at timestamptz,                     -- null: invited by handle, or free
    live      boolean     not null default true,  -- the game is not over
    primary key (game_id, slot),
    constraint seats_taken_once unique (game_id, seat),
    constraint seats_two_players unique (game_id, player_id)
);
-- A player's games, newest first, and those that may wait for them.
create index seats_player on seats (player_id, game_id) where player_id is not null;
create index seats_player_live on seats (player_id) where player_id is not null and live;

-- How a free seat may be taken; the row goes when it is.
create table invitations (
    game_id    uuid  primary key references games,
    kind       text  not null check (kind in ('open', 'invite', 'player')),
    token_hash bytea check (octet_length(token_hash) = 32),  -- of an invite token
    expires_at timestamptz not null,                         -- when the game is called off
    constraint invitations_token check ((kind = 'invite') = (token_hash is not null))
);

create index invitations_due on invitations (expires_at);

-- Secrets that let somebody in, kept as SHA-256 only: a player's, or a seat's,
-- which is good for one slot of one game.
create table tokens (
    token_hash bytea       primary key check (octet_length(token_hash) = 32),
    token_id   uuid        not null unique,
    player_id  uuid        references players,
    game_id    uuid,
    slot       smallint    check (slot in (1, 2)),
    scopes     text[]      not null check (scopes <@ array['read', 'play', 'webhooks', 'act']),
    label      text        check (char_length(label) between 1 and 100),
    created_at timestamptz not null,
    expires_at timestamptz,
    constraint tokens_seat foreign key (game_id, slot) references seats (game_id, slot),
    constraint tokens_owner check (
        (player_id is null) <> (game_id is null) and (game_id is null) = (slot is null)
    )
);
create index tokens_player on tokens (player_id) where player_id is not null;

-- The move log: one row a ply, takeback or end. Append-only, but for the mark
-- that a later takeback leaves. It rebuilds the game alone.
create table plies (
    game_id     uuid        not null references games,
    ply         integer     not null check (ply >= 1),
    kind        text        not null check (kind in ('sow', 'end')),
    seat        text        check (seat in ('south', 'north')),
    after_ply   integer     not null check (after_ply >= 0),  -- what the sender had seen
    turn        integer     not null check (turn >= 1),
    round       integer     not null check (round >= 1),
    -- a sow row
    house       smallint    check (house between 1 and 15),
    seeds_sown  integer     check (seeds_sown >= 1),
    lap_count   integer     check (lap_count >= 1),
    captured    integer     check (captured between 0 and 450),
    banked      integer     check (banked between 0 and 450),
    extra_turn  boolean,
    passed      boolean,
    other       jsonb,       -- an opening's other hand that went on with a lone re-choice: its four counts
    -- an end row
    reason      text        check (reason in ('resignation', 'timeout', 'agreement', 'loop', 'aborted')),
    -- both
    position    text,        -- null on the first row of a pair of opening choices
    elapsed_ms  bigint      check (elapsed_ms >= 0),          -- since the choice was owed
    played_at   timestamptz not null,
    source      text        not null check (source in ('player', 'server')),
    primary key (game_id, ply),
    constraint plies_after check (after_ply < ply),
    constraint plies_shape check (
        case kind
            when 'sow' then seat is not null and house is not null and seeds_sown is not null
                 and lap_count is not null and captured is not null and banked is not null
                 and extra_turn is not null and passed is not null and elapsed_ms is not null
                 and reason is null
            else reason is not null and house is null and position is not null
        end
    )
);

-- Choices of a simultaneous opening that wait for the other seat. Nobody but
-- their own seat may learn `house`; the row goes when the choice is revealed
-- or the game ends. No view, export or log reads this table.
create table commits (
    game_id      uuid        not null references games,
    seat         text        not null check (seat in ('south', 'north')),
    after_ply    integer     not null check (after_ply >= 0),
    house        smallint    not null check (house between 1 and 15),
    message      text        check (char_length(message) between 1 and 500),
    elapsed_ms   bigint      not null check (elapsed_ms >= 0),
    committed_at timestamptz not null,
    primary key (game_id, seat)
);

-- What a seat said with a ply: for the two seats only, never exported.
create table messages (
    game_id uuid    not null,
    ply     integer not null,
    text    text    not null check (char_length(text) between 1 and 500),
    primary key (game_id, ply),
    foreign key (game_id, ply) references plies (game_id, ply)
);

-- Proposals between the seats; numbered within the game.
create table offers (
    game_id     uuid        not null references games,
    offer_no    integer     not null check (offer_no >= 1),
    kind        text        not null check (kind in ('split')),
    seat        text        not null check (seat in ('south', 'north')),
    ply         integer     not null check (ply >= 0),       -- the log's length when it was made
    status      text        not null check (status in ('open', 'accepted', 'declined', 'void')),
    made_at     timestamptz not null,
    answered_at timestamptz,
    primary key (game_id, offer_no),
    constraint offers_answered check ((status = 'open') = (answered_at is null))
);
-- One open offer of a kind in a game.
create unique index offers_one_open on offers (game_id, kind) where status = 'open';
