-- Offers of every kind, takebacks, rematches and conditional moves.

-- A takeback is a row of its own; the rows it takes back stay, marked.
alter table plies
    add column taken_back boolean not null default false,  -- by a later takeback
    add column to_ply     integer check (to_ply >= 0),      -- a takeback row: the row that play goes on after
    drop constraint plies_kind_check,
    add constraint plies_kind_check check (kind in ('sow', 'takeback', 'end')),
    drop constraint plies_source_check,
    add constraint plies_source_check check (source in ('player', 'server', 'conditional')),
    drop constraint plies_shape,
    add constraint plies_shape check (
        case kind
            when 'sow' then seat is not null and house is not null and seeds_sown is not null
                 and lap_count is not null and captured is not null and banked is not null
                 and extra_turn is not null and passed is not null and elapsed_ms is not null
                 and reason is null and to_ply is null
            when 'takeback' then seat is not null and to_ply is not null and to_ply < ply - 1
                 and house is null and reason is null and position is not null
            else reason is not null and house is null and to_ply is null and position is not null
        end
    );

alter table offers
    add column to_ply     integer check (to_ply >= 0),   -- takeback: the row that play is to go on after
    add column until      timestamptz,                   -- pause: its end; null: until a seat resumes
    add column token_hash bytea check (octet_length(token_hash) = 32),  -- rematch: of the offering seat's token, if it has no player
    drop constraint offers_kind_check,
    add constraint offers_kind_check check (kind in ('draw', 'split', 'takeback', 'pause', 'rematch')),
    add constraint offers_shape check (
        (kind = 'takeback') = (to_ply is not null)
        and (kind = 'pause' or until is null)
        and (kind = 'rematch' or token_hash is null)
    );

-- A rematch and the game before it, linked both ways.
alter table games
    add column previous_game uuid,
    add column next_game     uuid;

-- Plies that a seat wants played for it once the game comes to them. Nobody but
-- that seat may learn them: no view, event, export or log reads this table.
create table conditionals (
    game_id uuid  not null references games,
    seat    text  not null check (seat in ('south', 'north')),
    lines   jsonb not null,   -- lists of houses of both seats, from the game's present position on
    primary key (game_id, seat)
);
