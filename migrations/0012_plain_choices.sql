-- A choice is written without the game's lock where no lines wait to be played. Who lays
-- some down meanwhile changes the game's row, and the choice finds that it is not as it
-- was. By a trigger, so that a server of the version before does so, too.
alter table games
    add column lines_laid integer not null default 0;  -- how often conditionals were written

create function count_lines() returns trigger language plpgsql as $$
begin
    update games set lines_laid = lines_laid + 1 where game_id = new.game_id;
    return null;
end $$;

create trigger count_lines after insert or update on conditionals
    for each row execute function count_lines();
