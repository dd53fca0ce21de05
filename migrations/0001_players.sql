-- The only clock of the program. Called after a game's lock is held, never the
-- transaction's start. A test replaces it in its own database to move time.
create function app_now() returns timestamptz
    language sql volatile parallel safe
    return clock_timestamp();

-- Who plays under a name. A player who leaves keeps the row, without a handle,
-- so that the games stay whole under an id that names nobody.
create table players (
    player_id  uuid        primary key,
    handle     text        check (handle ~ '^[A-Za-z0-9_-]{2,30}$'),
    kind       text        not null check (kind in ('human', 'bot')),
    created_at timestamptz not null,
    deleted_at timestamptz,
    constraint players_deleted check ((handle is null) = (deleted_at is not null))
);
-- Handles are unique without regard to case.
create unique index players_handle on players (lower(handle));
