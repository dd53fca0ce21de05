-- Webhooks: events of the log, sent to addresses that their readers name.

-- An event that concerns one player alone is in that player's log only.
alter table events add column only_for uuid references players;

create table webhooks (
    webhook_id      uuid        primary key,
    player_id       uuid        not null references players,      -- the owner, whose log is sent
    scope           text        not null check (scope in ('player', 'game', 'all')),
    game_id         uuid        references games,                 -- of scope `game`
    url             text        not null,
    events          text[]      check (cardinality(events) > 0),  -- null: every type
    language        text        not null,                         -- of the words in a message
    from_position   bigint      not null,                         -- the log's end when it was made: what comes later is sent
    created_at      timestamptz not null,
    failing_since   timestamptz,                                  -- nothing has arrived since then
    disabled_at     timestamptz,
    disabled_reason text        check (disabled_reason in ('owner', 'gone', 'failing')),
    constraint webhooks_game check ((scope = 'game') = (game_id is not null)),
    constraint webhooks_disabled check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_player on webhooks (player_id);

-- What messages are signed with. Signing needs the secret itself, so it is here
-- as it is: who reads this table can sign. Several while one takes over from
-- another.
create table webhook_secrets (
    webhook_id uuid        not null references webhooks on delete cascade,
    secret_no  integer     not null,
    secret     bytea       not null check (octet_length(secret) between 24 and 64),
    created_at timestamptz not null,
    expires_at timestamptz,                                       -- null: the newest, which does not
    primary key (webhook_id, secret_no)
);

-- Up to where the log was dealt out into deliveries (one row).
create table webhook_cursor (
    only_row boolean primary key default true check (only_row),
    position bigint  not null
);
insert into webhook_cursor (position) select coalesce(max(position), 0) from event_log;

-- An event for a webhook; kept for thirty days. Deliveries of a webhook in one
-- game are made in order: only the first that is pending has a time.
create table webhook_deliveries (
    webhook_id   uuid        not null references webhooks on delete cascade,
    position     bigint      not null references event_log,
    game_id      uuid        not null,
    type         text        not null,
    status       text        not null check (status in ('pending', 'delivered', 'failed')),
    attempts     integer     not null default 0,
    next_at      timestamptz,                                     -- null: waits for another one, or is over
    lease_until  timestamptz,                                     -- until then a server is at it
    created_at   timestamptz not null,
    tried_at     timestamptz,                                     -- the last attempt
    last_status  integer,                                         -- what it was answered with
    last_error   text,                                            -- why it failed
    last_ms      integer,                                         -- how long it took
    delivered_at timestamptz,
    primary key (webhook_id, position),
    constraint webhook_deliveries_over check (status = 'pending' or (next_at is null and lease_until is null)),
    constraint webhook_deliveries_delivered check ((status = 'delivered') = (delivered_at is not null))
);
create index webhook_deliveries_due on webhook_deliveries (next_at) where next_at is not null;
create index webhook_deliveries_line on webhook_deliveries (webhook_id, game_id, position) where status = 'pending';
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where lease_until is not null;
create index webhook_deliveries_age on webhook_deliveries (created_at);
