-- The explorer: what followed on a position, and how those games ended.

-- Positions that occur in many games, counted as games come in: from the index of
-- `records` each question about them would read all those games. Every other
-- position is counted when it is asked for. Which ones are here is a matter of speed
-- alone. Written under the lock of those who write records, in the same transaction;
-- made anew together with records.
create table frequent_positions (
    key      bigint      not null,
    -- '' for all games in which the position occurred; a letter for those in which
    -- that house was chosen there, two where both seats chose in secret, south's first.
    choice   text        collate "C" not null,
    games    integer     not null,      -- each once, however often it came there
    south    integer     not null,      -- of these, won by south
    north    integer     not null,
    plies    bigint      not null,      -- of all these games together
    last_at  timestamptz not null,      -- when the last of them ended
    samples  uuid[]      not null,      -- the newest three, the newest first
    primary key (key, choice)
) with (fillfactor = 80);               -- rows are updated in place
