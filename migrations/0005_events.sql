-- The event log. An event is written with the change it tells of; after the
-- commit one server at a time gives it its position in the log, so that a
-- reader's cursor never passes an event that is committed later.

-- Written with the change, under the game's lock.
create table events (
    game_id  uuid        not null references games,
    event_no integer     not null check (event_no >= 1),   -- within the game
    type     text        not null,
    ply      integer     not null check (ply >= 0),
    seats    text[]      not null,                         -- the seats it is for
    data     jsonb       not null,
    at       timestamptz not null,
    primary key (game_id, event_no)
);

-- Events without a position yet, in the order in which they were written.
create table event_queue (
    game_id  uuid    not null,
    event_no integer not null,
    queue_no bigint  generated always as identity,
    primary key (game_id, event_no)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

create unique index event_queue_order on event_queue (queue_no);

-- The log: append-only, written by the holder of the sequencer's lock alone.
create table event_log (
    position bigint  primary key,
    game_id  uuid    not null,
    event_no integer not null,
    unique (game_id, event_no)
);
create index event_log_game on event_log (game_id, position);

-- Whose log an event is in: a row for each player at the table.
create table event_readers (
    player_id uuid   not null,
    position  bigint not null references event_log,
    primary key (player_id, position)
);
create index event_readers_position on event_readers (position);

-- Raised when the database was set back in time: cursors from before point
-- into a log that is not this one.
create table event_epoch (
    only_row boolean primary key default true check (only_row),
    epoch    integer not null check (epoch >= 1)
);
insert into event_epoch (epoch) values (1);
