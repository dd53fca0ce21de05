-- Research: where a game comes from, finished logs in a few bytes, and what the
-- search and the explorer rest on.

alter table games
    add column source     text not null default 'played'
                          check (source in ('played', 'imported', 'generated')),
    -- The whole log of a game that is over, in place of its rows in plies
    -- (src/record/packed.rs). Null: the rows are in plies.
    add column packed_log bytea,
    add constraint games_packed check (packed_log is null or status in ('finished', 'aborted'));

-- What an imported or generated game says of its seats. These names belong to no
-- account.
create table imports (
    game_id     uuid        primary key references games,
    imported_at timestamptz not null,
    south_name  text        check (char_length(south_name) between 1 and 100),
    north_name  text        check (char_length(north_name) between 1 and 100),
    south_kind  text        not null check (south_kind in ('human', 'bot', 'anonymous')),
    north_kind  text        not null check (north_kind in ('human', 'bot', 'anonymous'))
);

-- A row for each finished public game, in the order in which they came: written by
-- one at a time, so that record_no grows with the commits and is a cut-off that
-- nothing is ever added below. Made from the log alone; can be made anew.
create table records (
    game_id       uuid     primary key references games,
    record_no     bigint   not null unique,
    ended_at      timestamptz not null,
    plies         integer  not null,     -- choices of the effective line
    longest_relay integer  not null,     -- most laps of one of them
    burnt         smallint not null,     -- most houses burnt at a time
    rounds        integer  not null,     -- rounds that were begun
    winner        "char"   not null,     -- s, n or d
    line          text     collate "C" not null,   -- a letter a choice: a is house 1
    -- The keys of all positions: keys[i] is where the i-th choice was made, the same
    -- for both of a pair; then where the game was ended without one; the last one.
    keys          bigint[] not null
);
create index records_line on records (left(line, 16));
-- Without a list of entries that wait: every question would read all of it.
create index records_keys on records using gin (keys) with (fastupdate = off);

-- Finished public games that have no record yet.
create table records_queue (
    game_id uuid primary key
);
insert into records_queue
    select game_id from games where status = 'finished' and visibility = 'public';

-- What makes a player's name in exports: hashed with it, so that it tells games of
-- one player and not who it is.
create table pseudonyms (
    only_row boolean primary key default true check (only_row),
    secret   bytea   not null check (octet_length(secret) = 32)
);
insert into pseudonyms (secret)
    select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- A packed log's rows are no longer in plies; what was said with them stays.
alter table messages
    drop constraint messages_game_id_ply_fkey,
    add constraint messages_game foreign key (game_id) references games;

-- Logs that would not come out of packing as they went in: they stay in plies, and
-- somebody should look why.
create table unpackable (
    game_id  uuid        primary key references games,
    cause    text        not null,
    found_at timestamptz not null
);
create index games_to_pack on games (ended_at) where packed_log is null and ended_at is not null;
