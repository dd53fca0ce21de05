-- Clocks. Deadlines stand in a narrow table of their own: an index on a column
-- of games that every move changes would cost every move its HOT update.

-- What a seat of a game with a clock has left.
create table deadlines (
    game_id    uuid        not null references games,
    seat       text        not null check (seat in ('south', 'north')),
    per_move   integer     not null,                     -- seconds, as in games
    reserve_ms bigint      not null check (reserve_ms >= 0),
    move_by    timestamptz,                              -- null: the seat owes nothing
    deadline   timestamptz,                              -- move_by and the reserve that is left
    near_at    timestamptz,                              -- when to say that a quarter is left; null: said
    primary key (game_id, seat),
    constraint deadlines_whole check ((move_by is null) = (deadline is null)
                                      and (near_at is null or move_by is not null))
);
create index deadlines_due on deadlines (deadline) where deadline is not null;
create index deadlines_near on deadlines (near_at) where near_at is not null;

-- When a server was last alive: one row. A longer gap was a downtime, in which
-- nobody's time runs out.
create table heartbeat (
    only_row boolean     primary key default true check (only_row),
    alive_at timestamptz not null
);
insert into heartbeat (alive_at) values (app_now());
