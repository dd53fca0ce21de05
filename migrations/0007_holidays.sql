-- Holidays and pauses: times in which a clock stands still.

alter table games
    add column allow_vacation boolean not null default true,   -- a holiday stops its player's clock
    add column paused_at      timestamptz,                     -- paused by agreement since then
    add column paused_until   timestamptz,                     -- null: until one resumes
    add constraint games_pause check (paused_until is null or paused_at is not null);
create index games_paused_until on games (paused_until) where paused_until is not null;

-- The present holiday; both null: none.
alter table players
    add column vacation_from  timestamptz,
    add column vacation_until timestamptz,
    add constraint players_vacation check ((vacation_from is null) = (vacation_until is null)
                                           and vacation_from < vacation_until);
create index players_vacation_until on players (vacation_until) where vacation_until is not null;

-- All holidays, which the budget of a year is computed from. The end moves when
-- it is changed, and to the time itself when the player is back earlier.
create table vacations (
    player_id uuid        not null references players,
    starts_at timestamptz not null,
    ends_at   timestamptz not null,
    primary key (player_id, starts_at),
    constraint vacations_forward check (starts_at <= ends_at)
);

-- A clock that stands still while its seat owes a choice has no point in time,
-- only what is left to it; below zero the reserve was running.
alter table deadlines
    add column left_us bigint,                                 -- microseconds to move_by
    add constraint deadlines_still check (left_us is null or move_by is null);
